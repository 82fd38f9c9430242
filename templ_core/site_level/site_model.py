"""All that is learned about one site: a value, fitted on its window, with a codec."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np
import zstandard

from templ_core import __version__
from templ_core.config import CoreConfig
from templ_core.errors import CodecError
from templ_core.site_level.containers import find_containers
from templ_core.site_level.counts import Counts, occurrences
from templ_core.site_level.learned_page import LearnedPage
from templ_core.site_level.place_counts import content_mass, count_page, count_pages
from templ_core.site_level.place_table import (
    PlaceTable,
    corrected_mass,
    is_constant,
    standing,
    tabulate,
)
from templ_core.site_level.site_inputs import pooled_odds

COMPACT_FORMAT = 2
SIZE_LIMIT_BYTES = 1 << 20
_MAX_BYTES = 64 << 20


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a window."""

    page_id: str
    content_digest: bytes
    page: LearnedPage


class SiteModel(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a site's templates."""

    version: str
    places: PlaceTable

    @property
    def documents(self) -> int:
        """Distinct documents that the model rests on."""
        return self.places.pages


def fit_site_model(
    window: Sequence[Contribution], page_model_version: str, config: CoreConfig
) -> SiteModel:
    """The site model of a window.

    Exact repeats are counted once. The result depends on the documents alone: equal windows give
    equal models with equal versions.

    Args:
        window: The window's documents in order of (event time, page id).
        page_model_version: Version of the page model in use.
        config: The core's thresholds.
    """
    digest = hashlib.blake2b(
        f"{__version__}/{COMPACT_FORMAT}/{page_model_version}/{config.digest()}".encode(),
        digest_size=8,
    )
    distinct: dict[bytes, LearnedPage] = {}
    for contribution in window:
        digest.update(contribution.page_id.encode() + b"\0" + contribution.content_digest)
        distinct.setdefault(contribution.content_digest, contribution.page)
    places = fit_places(list(distinct.values()))
    return SiteModel(version=digest.hexdigest(), places=places)


def fit_places(pages: Sequence[LearnedPage]) -> PlaceTable:
    """The places of a window: counted, then with the containers that they give each page."""
    table = tabulate(count_pages([count_page(page.places, page.content_odds) for page in pages]))
    content, best = [], []
    for page in pages:
        places, words = page.places, page.places.words.astype(np.int64)
        known = standing(table, places.path, places.text, places.shape)
        constant = is_constant(known.path_pages, known.constancy, known.text_pages, words)
        mass = corrected_mass(content_mass(page.content_odds, places.words), words, constant)
        probability = 1 / (1 + np.exp(-pooled_odds(table, places, mass)))
        found = find_containers(places.first, places.last, probability, words.astype(np.float64))
        content.append(places.boxes[found.content])
        best.append(places.boxes[found.best])
    return msgspec.structs.replace(
        table,
        content_boxes=occurrences(np.array(content, np.uint64)),
        best_boxes=occurrences(np.array(best, np.uint64)),
    )


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    format: int
    version: str
    pages: int
    counts: list[tuple[bytes, bytes]]
    """Keys and sums of the tables, in the order of `_TABLES`."""


_TABLES = {
    "paths": 3,
    "cells": 2,
    "anchors": 2,
    "texts": 1,
    "shapes": 1,
    "content_boxes": 1,
    "best_boxes": 1,
}
"""Tables of a place table, and the number of their sums."""


def encode_site_model(model: SiteModel) -> bytes:
    """Compact form of a site model: MessagePack of its columns, zstd."""
    tables = [getattr(model.places, name) for name in _TABLES]
    return zstandard.ZstdCompressor(level=3).compress(
        msgspec.msgpack.encode(
            _Compact(
                COMPACT_FORMAT,
                model.version,
                model.places.pages,
                [
                    (one.keys.astype("<u8").tobytes(), one.sums.astype("<i8").tobytes())
                    for one in tables
                ],
            )
        )
    )


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
        tables = {
            name: _counts(keys, sums, rows)
            for (name, rows), (keys, sums) in zip(_TABLES.items(), compact.counts, strict=True)
        }
        return SiteModel(version=compact.version, places=PlaceTable(pages=compact.pages, **tables))
    except (zstandard.ZstdError, msgspec.DecodeError, ValueError) as error:
        raise CodecError(f"not a site model: {error}") from None


def _counts(keys: bytes, sums: bytes, rows: int) -> Counts:
    columns = np.frombuffer(sums, "<i8").astype(np.int64).reshape(rows, -1)
    names = np.frombuffer(keys, "<u8").astype(np.uint64)
    if columns.shape[1] != len(names):
        raise CodecError("not a site model: its columns differ in length")
    return Counts(keys=names, sums=columns, labels=np.empty((0, len(names)), np.uint64))
