"""The compact form of a site model, which is what workers store and exchange."""

from typing import Annotated, Any

import msgspec
import numpy as np

from templ_core.array_types import UInt16s
from templ_core.site_level.keyed_sums import KeyedSums
from templ_core.site_level.places.places import PlaceTable
from templ_core.site_level.site_model import PLACE_TABLES, WORD_TABLES, SiteModel, best_supported
from templ_core.site_level.strings.string_evidence import ALIKE_ROWS, NO_STRINGS, StringTable
from templ_core.site_level.strings.suffix_array import BREAK
from templ_core.site_level.titles import NO_ENDS, TitleEnds
from templ_core.site_level.trees.tree_model import NO_TREES, decode_tree_model, encode_tree_model
from templ_core.stored.columns import hashes, read_column, require_range
from templ_core.stored.compact import CompactColumns, CompactForm, Pages

_STEPS = 7
"""Bisections when a model is made smaller: the share that stays is found to within 1/128."""
_SUM_MAX = 1 << 42
"""Largest sum that is stored: a million pages of 4 096 words have such a content mass."""
_KEYS = hashes("keys", increasing=True)


class _Columns(CompactColumns, frozen=True, array_like=True):
    """The columns that stand first in all formats."""

    version: str
    pages: Pages
    counts: Annotated[
        list[tuple[bytes, bytes]],
        msgspec.Meta(min_length=len(PLACE_TABLES), max_length=len(PLACE_TABLES) + 1),
    ]
    """Keys and sums of each table of places, in the order of `PLACE_TABLES`; up to format 6 the last but one is not
    read."""
    trees: bytes


class _Compact8(_Columns, frozen=True, array_like=True):
    """The columns of formats 5 to 8."""

    shapes: Annotated[bytes, hashes("shapes", increasing=True)]
    usual_strings: bytes
    """Tokens of the strings of whole segments."""
    word_strings: tuple[bytes, bytes, bytes]
    """Tokens of the strings of words of few, some and many pages."""
    alike: bytes
    """How often the same text stands beside each shape, row by row; in formats 5 and 6 each row is followed by one
    that is not read."""


class _Compact(_Compact8, frozen=True, array_like=True):
    titles: TitleEnds


class _Compact4(_Columns, frozen=True, array_like=True):
    """The columns of format 4, whose phrases, sentences and shingles are not read."""


SITE_MODEL_FORM: CompactForm[_Columns] = CompactForm(
    "site model",
    9,
    _Compact,
    max_bytes=16 << 20,
    earlier={8: _Compact8, 7: _Compact8, 6: _Compact8, 5: _Compact8, 4: _Compact4},
)
"""How site models are stored; `CoreConfig.site_model_bytes` bounds them after compression. One of format 5
has no trees until it is refitted, and one of format 4 has no strings either. Up to format 7, constant text has no
content mass, and up to format 8 nothing is known of titles."""
_WORD_SUMS_BEFORE_8 = 2


def encode_site_model(model: SiteModel, limit_bytes: int) -> bytes:
    """Return the compact form of the part of a model that fits, see `fitting_part`."""
    return fitting_part(model, limit_bytes)[1]


def fitting_part(model: SiteModel, limit_bytes: int) -> tuple[SiteModel, bytes]:
    """Return the largest part of a model whose compact form fits into `limit_bytes`, and that form.

    What has least support goes first (see `best_supported`). A model that does not fit even in part is stored
    without its tables, trees and strings, and may then exceed the limit.
    """
    body = _encode(model)
    if len(body) <= limit_bytes:
        return model, body
    kept, dropped = 0.0, 1.0
    part = best_supported(model, kept)
    body = _encode(part)
    for _ in range(_STEPS):
        share = (kept + dropped) / 2
        larger = best_supported(model, share)
        encoded = _encode(larger)
        if len(encoded) <= limit_bytes:
            kept, part, body = share, larger, encoded
        else:
            dropped = share
    return part, body


def _encode(model: SiteModel) -> bytes:
    tables = [getattr(model.places, name) for name in PLACE_TABLES]
    few, some, many = (level.astype("<u2") for level in model.strings.words)
    return SITE_MODEL_FORM.encode(
        _Compact(
            SITE_MODEL_FORM.format,
            model.version,
            model.places.pages,
            [_table(table) for table in tables],
            encode_tree_model(model.trees),
            model.strings.shapes.astype("<u8").tobytes(),
            model.strings.usual.astype("<u2").tobytes(),
            (few.tobytes(), some.tobytes(), many.tobytes()),
            model.strings.alike.tobytes(),
            model.titles,
        )
    )


def decode_site_model(body: bytes) -> SiteModel:
    """Return the site model whose compact form is `body`.

    Raises:
        CodecError: The bytes are no site model, damaged, or of another format.
    """
    with SITE_MODEL_FORM.refusing():
        compact = SITE_MODEL_FORM.decode(body)
        if compact.format < 7:
            del compact.counts[-2]
        tables: dict[str, Any] = {
            name: _counts(name, keys, sums, compact)
            for name, (keys, sums) in zip(PLACE_TABLES, compact.counts, strict=True)
        }
        return SiteModel(
            version=compact.version,
            places=PlaceTable(pages=compact.pages, **tables),
            trees=decode_tree_model(compact.trees) if compact.format > 5 else NO_TREES,
            strings=_strings(compact),
            titles=compact.titles if isinstance(compact, _Compact) else NO_ENDS,
        )


def _strings(compact: _Columns) -> StringTable:
    """Return the strings of a model; each column of tokens ends with a break."""
    if not isinstance(compact, _Compact8):
        return NO_STRINGS
    shapes = read_column("shapes", hashes("shapes", increasing=True), compact.shapes, {})
    usual = _strings_of(compact.usual_strings)
    few, some, many = (_strings_of(one) for one in compact.word_strings)
    rows = ALIKE_ROWS * (1 if compact.format > 6 else 2)
    alike = np.frombuffer(compact.alike, np.uint8).reshape(rows, len(shapes))
    return StringTable(
        shapes=shapes,
        usual=usual,
        words=(few, some, many),
        alike=alike[:: rows // ALIKE_ROWS].copy(),
    )


def _strings_of(tokens: bytes) -> UInt16s:
    strings = np.frombuffer(tokens, "<u2").astype(np.uint16, copy=False)
    if not len(strings) or strings[-1] != BREAK:
        raise ValueError("a string has no end")
    return strings


def _table(counts: KeyedSums) -> tuple[bytes, bytes]:
    return counts.keys.astype("<u8").tobytes(), counts.sums.astype("<i8").tobytes()


def _counts(name: str, keys: bytes, sums: bytes, compact: _Columns) -> KeyedSums:
    known, rows = read_column(name, _KEYS, keys, {}), PLACE_TABLES[name]
    if compact.format < 8 and name in WORD_TABLES:
        sums += bytes(8 * len(known) * (rows - _WORD_SUMS_BEFORE_8))
    columns = np.frombuffer(sums, "<i8").astype(np.int64).reshape(rows, len(known))
    first_max = _SUM_MAX if name in WORD_TABLES else compact.pages
    require_range(name, columns[0], 1, first_max)
    require_range(name, columns[1:], 0, _SUM_MAX)
    return KeyedSums(keys=known, sums=columns, labels=np.empty((0, len(known)), np.uint64))
