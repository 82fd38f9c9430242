"""Mutations of stored values: of their bytes, and of what a hostile writer would put into them.

A value is a zstd frame of MessagePack, which may hold further frames. Most mutations change one field
and put the frame together again, checksum and digest included, so that they reach the checks behind.
"""

import hashlib
from random import Random
from typing import Any

import msgspec
import numpy as np
import zstandard

_MAGIC = b"\x28\xb5\x2f\xfd"
_NUMBERS = (
    *(0, 1, -1, 2, 127, 128, 255, 256, 2047, 2048, 2049, 65535, 65536, 1 << 20, (1 << 20) + 1),
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 42, (1 << 53) + 1, (1 << 63) - 1, 1 << 63),
    *((1 << 64) - 1, -(1 << 31), -(1 << 63)),
)
_FLOATS = (float("nan"), float("inf"), float("-inf"), 0.0, -1.0, 1e308, -1e-308, 1e38)
_STRINGS = ("", " ", "\n", "\n\n\n\n", "\0", "a", "é", "(", "<number>", "x" * 5000, "a b " * 300)
_HUGE_BYTES = 6 << 30
_LARGE_BYTES = 95 << 20
_CHANGED_BYTES = 8 << 20


def mutated(body: bytes, random: Random) -> bytes:
    """Return a mutation of a stored value; equal states of `random` give equal ones.

    Args:
        body: The value: a zstd frame, perhaps behind a line with the name of its format, or
            MessagePack without a frame.
        random: Where chance comes from.
    """
    name, magic, frame = body.partition(_MAGIC)
    return name + _mutated_frame(magic + frame, random) if magic else _content(body, random)


def _mutated_frame(frame: bytes, random: Random) -> bytes:
    kind = random.random()
    if kind < 0.1:
        return _bytes(frame, random)
    if kind < 0.101:
        return _bomb(random)
    try:
        if zstandard.frame_content_size(frame) > _CHANGED_BYTES:
            return frame  # It is a bomb already.
        return _frame(_content(zstandard.decompress(frame), random), random)
    except zstandard.ZstdError:  # The frame inside another one is broken already.
        return frame


def _content(content: bytes, random: Random) -> bytes:
    return _bytes(content, random) if random.random() < 0.25 else _structure(content, random)


def _frame(content: bytes, random: Random) -> bytes:
    compressor = zstandard.ZstdCompressor(
        level=1,
        write_content_size=random.random() < 0.9,
        write_checksum=random.random() < 0.5,
    )
    return compressor.compress(content)


def _bomb(random: Random) -> bytes:
    """Return a frame whose content is large, or is said to be."""
    if random.random() < 0.5:
        return (
            _MAGIC + bytes([0xC0]) + bytes([0x58]) + _HUGE_BYTES.to_bytes(8, "little") + b"\1\0\0"
        )
    return _frame(bytes([random.choice([0, 0x93, 0xA0, 0xC4])]) * _LARGE_BYTES, random)


def _bytes(body: bytes, random: Random) -> bytes:
    """Return bytes with some of them changed, left out or repeated."""
    changed = bytearray(body)
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        if not changed:
            break
        at, behind = sorted(random.choices(range(len(changed) + 1), k=2))
        kind = random.randrange(6)
        if kind < 3:
            changed[min(at, len(changed) - 1)] = random.choice((0, 1, 0x7F, 0x80, 0xFF, kind * 97))
        elif kind == 3:
            del changed[at : min(behind, at + 64)]
        elif kind == 4:
            changed[at:at] = changed[at : min(behind, at + 64)]
        else:
            del changed[at:]
    return bytes(changed)


def _structure(content: bytes, random: Random) -> bytes:
    """Return MessagePack in which one to three values are others."""
    try:
        value = msgspec.msgpack.decode(content)
    except (ValueError, RecursionError):  # It is broken already, or no MessagePack.
        return _bytes(content, random)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        value = _value(value, random)
    is_page_model = isinstance(value, list) and len(value) == 4 and isinstance(value[2], bytes)
    if is_page_model and random.random() < 0.9:
        value[1] = hashlib.blake2b(value[2], digest_size=16).digest()
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return content


def _value(value: Any, random: Random) -> Any:
    match value:
        case bool():
            return random.choice((not value, 7))
        case int():
            return random.choice((*_NUMBERS, value + 1, value - 1, 2 * value % (1 << 63)))
        case float():
            return random.choice(_FLOATS)
        case str():
            return random.choice((*_STRINGS, value + value, value[1:], value.replace("\n", "")))
        case bytes():
            return _inside(value, random)
        case list() if value and random.random() < 0.9:
            place = random.randrange(len(value))
            return [*value[:place], _value(value[place], random), *value[place + 1 :]]
        case list():
            return random.choice(([], value[:-1], value[1:], value + value, value[::-1]))
        case dict() if value:
            key = random.choice(list(value))
            return value | {key: _value(value[key], random)}
        case _:
            return random.choice((1, None, "x"))


def _inside(body: bytes, random: Random) -> bytes:
    """Return other bytes: of a frame or of MessagePack inside the value, or of a column."""
    if body.startswith(_MAGIC) and random.random() < 0.9:
        return _mutated_frame(body, random)
    if _holds_list(body) and random.random() < 0.9:
        return _structure(body, random)
    return _column(body, random)


def _holds_list(body: bytes) -> bool:
    try:
        return isinstance(msgspec.msgpack.decode(body), list)
    except (ValueError, RecursionError):
        return False


def _column(body: bytes, random: Random) -> bytes:
    """Return a column with other values, in another order or of another length."""
    width = random.choice([width for width in (1, 2, 4, 8) if len(body) >= width] or [0])
    if not width:
        return bytes(random.choice((1, 4, 8)))
    head = len(body) % width
    values = np.frombuffer(body, f"<u{width}", offset=head).copy()
    kind = random.randrange(9)
    place = random.randrange(len(values))
    if kind < 4:
        number = random.choice((*_NUMBERS, len(values), len(values) - 1, int(values[place]) + 1))
        values[place] = number % (1 << 8 * width)
    elif kind == 4:
        values = values[: random.randrange(len(values))]
    elif kind == 5:
        values = np.concatenate([values, values[place:]])
    elif kind == 6:
        values = values[::-1]
    elif kind == 7:
        values[place:] = values[place]
    else:
        order = list(range(len(values)))
        random.shuffle(order)
        values = values[order]
    return body[:head] + values.tobytes()
