"""The compact form of a site model."""

from typing import Any

import msgspec
import numpy as np
import zstandard

from templ_core.errors import CodecError
from templ_core.site_level.phrases.phrase_set import decode_phrase_set, encode_phrase_set
from templ_core.site_level.places.counts import Counts
from templ_core.site_level.places.place_table import PlaceTable
from templ_core.site_level.site_model import PLACE_TABLES, SiteModel, part
from templ_core.site_level.trees.tree_model import decode_tree_model, encode_tree_model

COMPACT_FORMAT = 3
_MAX_BYTES = 64 << 20
_STEPS = 7


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    format: int
    version: str
    pages: int
    counts: list[tuple[bytes, bytes]]
    """Keys and sums of the tables of places."""
    trees: bytes
    phrases: bytes


def encode_site_model(model: SiteModel, limit_bytes: int) -> bytes:
    """The largest part of a model whose compact form has at most `limit_bytes`.

    MessagePack of its columns, zstd. What has least support goes first (see `site_model.part`).
    """
    body = _encode(model)
    if len(body) <= limit_bytes:
        return body
    kept, dropped = 0.0, 1.0
    body = _encode(part(model, kept))
    for _ in range(_STEPS):
        share = (kept + dropped) / 2
        smaller = _encode(part(model, share))
        if len(smaller) <= limit_bytes:
            kept, body = share, smaller
        else:
            dropped = share
    return body


def _encode(model: SiteModel) -> bytes:
    tables = [getattr(model.places, name) for name in PLACE_TABLES]
    compact = _Compact(
        COMPACT_FORMAT,
        model.version,
        model.places.pages,
        [_table(one) for one in tables],
        encode_tree_model(model.trees),
        encode_phrase_set(model.phrases),
    )
    return zstandard.ZstdCompressor(level=3).compress(msgspec.msgpack.encode(compact))


def decode_site_model(body: bytes) -> SiteModel:
    """The site model whose compact form is `body`.

    Raises:
        CodecError: not a site model, damaged, or of another format.
    """
    try:
        data = zstandard.ZstdDecompressor().decompress(body, max_output_size=_MAX_BYTES)
        compact = msgspec.msgpack.decode(data, type=_Compact)
        if compact.format != COMPACT_FORMAT:
            raise CodecError(f"site model of format {compact.format}, known is {COMPACT_FORMAT}")
        tables: dict[str, Any] = {
            name: _counts(keys, sums, rows)
            for (name, rows), (keys, sums) in zip(PLACE_TABLES.items(), compact.counts, strict=True)
        }
        return SiteModel(
            version=compact.version,
            places=PlaceTable(pages=compact.pages, **tables),
            trees=decode_tree_model(compact.trees),
            phrases=decode_phrase_set(compact.phrases),
        )
    except (zstandard.ZstdError, msgspec.DecodeError, ValueError) as error:
        raise CodecError(f"not a site model: {error}") from None


def _table(counts: Counts) -> tuple[bytes, bytes]:
    return counts.keys.astype("<u8").tobytes(), counts.sums.astype("<i8").tobytes()


def _counts(keys: bytes, sums: bytes, rows: int) -> Counts:
    columns = np.frombuffer(sums, "<i8").astype(np.int64).reshape(rows, -1)
    names = np.frombuffer(keys, "<u8").astype(np.uint64)
    if columns.shape[1] != len(names):
        raise CodecError("not a site model: its columns differ in length")
    return Counts(keys=names, sums=columns, labels=np.empty((0, len(names)), np.uint64))
