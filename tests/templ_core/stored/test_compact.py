import msgspec
import pytest
import zstandard

from templ_core.errors import CodecError
from templ_core.stored.compact import CompactColumns, CompactForm


class Text(CompactColumns, frozen=True, array_like=True):
    text: str


FORM = CompactForm("text", 1, Text, max_bytes=1000)


def test_the_format_stands_first():
    packed = zstandard.ZstdDecompressor().decompress(FORM.encode(Text(1, "boats")))
    assert msgspec.msgpack.decode(packed) == [1, "boats"]


@pytest.mark.parametrize("says_its_size", [True, False])
def test_content_beyond_the_bound_is_refused_whether_or_not_the_frame_says_its_size(says_its_size):
    packed = FORM.pack(Text(1, "a" * 2000))
    compressor = zstandard.ZstdCompressor(write_content_size=says_its_size)
    with pytest.raises(CodecError, match="text"):
        FORM.decode(compressor.compress(packed))


def test_another_format_is_named_even_if_its_columns_differ():
    other = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode([2, ["boats"], 7]))
    with pytest.raises(CodecError, match="text of format 2, known is 1"):
        FORM.decode(other)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"nonsense", b"\x28\xb5\x2f\xfd\x00\x00", FORM.encode(Text(1, "boats"))[:-3]],
)
def test_damaged_bytes_are_refused(damaged):
    with pytest.raises(CodecError, match="not a text"):
        FORM.decode(damaged)


@pytest.mark.parametrize("content", [b"", b"\x01", b"\x90", b"\x92\x01\x05", b"\x91\xa1x"])
def test_other_messages_are_refused(content):
    with pytest.raises(CodecError, match="not a text"):
        FORM.unpack(content)


def test_a_frame_that_says_it_holds_six_gib_is_refused_before_memory_is_taken():
    frame = b"\x28\xb5\x2f\xfd\xc0\x58" + (6 << 30).to_bytes(8, "little") + b"\x01\x00\x00"
    with pytest.raises(CodecError, match="content of 6442450944 bytes, and 1000 is the most"):
        FORM.decode(frame)


def test_arrays_in_arrays_beyond_the_stack_are_refused():
    deep = b"\x92\x01" + b"\x91" * 900
    with pytest.raises(CodecError, match="not a text"):
        FORM.decode(FORM.compress(deep))


def test_no_changed_bit_of_a_stored_value_changes_what_is_read():
    stored = Text(1, "boats on the river, and a few in the harbour")
    body = FORM.encode(stored)
    refused = 0  # Some bits of a frame mean nothing.
    for bit in range(8 * len(body)):
        changed = bytearray(body)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            assert FORM.decode(bytes(changed)) == stored
        except CodecError:
            refused += 1
    assert refused > 0.9 * 8 * len(body)
