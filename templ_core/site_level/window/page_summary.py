"""What a document adds to its site's model: computed once when it enters the window, kept beside it."""

import functools
from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int64s, UInt64s
from templ_core.dom.codec import decode_title_and_texts
from templ_core.dom.document import Document
from templ_core.errors import CodecError
from templ_core.page_level.features.characters import (
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.keyed_sums import distinct
from templ_core.site_level.places.places import DocumentPlaces, PagePlaces, document_places
from templ_core.site_level.strings.string_evidence import PageStrings, read_page_strings, strings_of
from templ_core.site_level.titles import title_ends
from templ_core.site_level.trees.tree_mapping import PageBlocks
from templ_core.site_level.trees.tree_model import require_blocks
from templ_core.stored._columns import packed, packed_differences
from templ_core.stored.columns import DEPTH_MAX, Column, hashes, read_columns
from templ_core.stored.compact import CompactColumns, CompactForm

_LOG_ODDS_UNIT = 1000
_LOG_ODDS_MAX = 32.0
_WIDE = "<u8"
_LOG_ODDS_STORED_MAX = int(_LOG_ODDS_MAX * _LOG_ODDS_UNIT)
_SEGMENTS = hashes("segments")
_LOG_ODDS = Column(
    rows="segments", form="<i2", low=-_LOG_ODDS_STORED_MAX, high=_LOG_ODDS_STORED_MAX, dtype="i2"
)


class PageSummary(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A page as its site's model sees it."""

    places: PagePlaces
    content_log_odds: Floats
    """Log-odds for content of each segment by the page model, -32 to 32 in steps of 0.001."""
    blocks: PageBlocks
    """The elements of the page as a tree, with a leaf for each segment."""
    strings: PageStrings
    """The prose that may be content, word by word."""
    title: str
    """Title of the document."""

    @functools.cached_property
    def paths(self) -> UInt64s:
        """The different paths of the page in ascending order."""
        return distinct(self.places.path)

    @functools.cached_property
    def title_ends(self) -> tuple[Sequence[str], Sequence[str]]:
        """What the title begins and ends with, see `titles.title_ends`."""
        return title_ends(self.title)

    @functools.cached_property
    def content_texts(self) -> tuple[UInt64s, Int64s]:
        """The different texts of the content, longest first and then by their hash, and the words of each."""
        content = self.content_log_odds > 0
        texts, words = self.places.text[content], self.places.words[content].astype(np.int64)
        order = np.lexsort((texts, -words))
        texts = texts[order]
        is_first = np.append(True, texts[1:] != texts[:-1])[: len(texts)]
        return texts[is_first], words[order][is_first]


class _Compact(CompactColumns, frozen=True, array_like=True):
    """What the texts of the document do not hold."""

    page_model_version: str
    path: Annotated[bytes, _SEGMENTS]
    cell: Annotated[bytes, _SEGMENTS]
    anchor: Annotated[bytes, _SEGMENTS]
    containers: Annotated[bytes, hashes("containers")]
    first: Annotated[bytes, Column(rows="containers", high="segments")]
    sizes: Annotated[bytes, Column(rows="containers", low=1)]
    log_odds: Annotated[bytes, _LOG_ODDS]
    tags: Annotated[bytes, Column(rows="nodes", form="<u2", high=65535, dtype="u2")]
    depths: Annotated[bytes, Column(rows="nodes", high=DEPTH_MAX)]
    prose: Annotated[
        bytes, Column(rows="prose", high="segments", order="increasing", differences=True)
    ]


_FORM = CompactForm("page summary", 5, _Compact, level=1, max_bytes=48 << 20)


def summarise_page(document: Document, page_model: PageModel) -> PageSummary:
    """Return what a document with at least one segment adds to its site's model."""
    features = read_features(document)
    places = document_places(document, features)
    log_odds = page_model.log_odds(document, features)
    return summarise_scored_page(document.title, features, log_odds, places)


def summarise_scored_page(
    title: str, features: PageFeatures, content_log_odds: Floats, places: DocumentPlaces
) -> PageSummary:
    """Return what a document adds to its site's model, given its title and what the page model says about it."""
    log_odds = np.minimum(np.maximum(content_log_odds, -_LOG_ODDS_MAX), _LOG_ODDS_MAX)
    return PageSummary(
        title=title,
        places=places.segments,
        content_log_odds=np.rint(log_odds * _LOG_ODDS_UNIT) / _LOG_ODDS_UNIT,
        blocks=places.blocks,
        strings=read_page_strings(features, places.prose, content_log_odds),
    )


def encode_page_summary(
    page: PageSummary, page_model_version: str, *, compressed: bool = True
) -> bytes:
    """Return a page summary in compact form: MessagePack of its columns, compressed with zstd or not.

    Word hashes are left out: they are quickly computed again from the document, and larger than the words.
    """
    places = page.places
    keys = (places.path, places.cell, places.anchor, places.containers)
    path, cell, anchor, containers = [key.astype(_WIDE, copy=False).tobytes() for key in keys]
    compact = _Compact(
        format=_FORM.format,
        page_model_version=page_model_version,
        path=path,
        cell=cell,
        anchor=anchor,
        containers=containers,
        first=packed(places.first),
        sizes=packed(places.last - places.first),
        log_odds=np.rint(page.content_log_odds * _LOG_ODDS_UNIT).astype("<i2").tobytes(),
        tags=page.blocks.tags.astype("<u2", copy=False).tobytes(),
        depths=packed(page.blocks.depths),
        prose=packed_differences(page.strings.segment),
    )
    return _FORM.encode(compact, compressed=compressed)


def decode_page_summary(body: bytes, document: bytes, page_model_version: str) -> PageSummary:
    """Return the page summary whose compact form is `body`.

    Args:
        body: What `encode_page_summary` returned.
        document: The document in compact form (`dom.codec`).
        page_model_version: Version of the page model that must have read the page.

    Raises:
        CodecError: It is damaged, has another format, or was made with another page model.
    """
    with _FORM.refusing():
        compact = _FORM.decode(body)
        if compact.page_model_version != page_model_version:
            raise CodecError("page summary of another page model")
        title, texts = decode_title_and_texts(document)
        columns = read_columns(compact, {"segments": len(texts)})
        columns["last"] = columns["first"] + columns.pop("sizes")
        first, last = columns["first"], columns["last"]
        if not texts or not len(first) or (first >= last).any() or last.max() > len(texts):
            raise ValueError("it has no text, or containers without text on the page")
        tags, depths = columns.pop("tags"), columns.pop("depths")
        require_blocks(tags, depths, len(texts))
        words = read_words(read_characters(texts))
        return PageSummary(
            title=title,
            blocks=PageBlocks(tags=tags, depths=depths),
            strings=strings_of(words, columns.pop("prose")),
            content_log_odds=columns.pop("log_odds") / _LOG_ODDS_UNIT,
            places=PagePlaces(
                text=text_hashes(words),
                shape=shape_hashes(words),
                words=np.maximum(words.per_segment, 1).astype(np.int32),
                **columns,
            ),
        )
