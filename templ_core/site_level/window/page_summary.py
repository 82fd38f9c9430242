"""What a document adds to its site's model: computed once when it enters the window, kept beside it."""

import functools
from collections.abc import Mapping
from typing import Annotated

import msgspec
import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.distinct import distinct
from templ_core.dom.codec import is_storable
from templ_core.dom.document import Document
from templ_core.dom.interstitials import is_error_page, is_gate
from templ_core.errors import CodecError
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.config import WINDOW_DEDUP, WindowDedupConfig
from templ_core.site_level.places.places import DocumentPlaces, PagePlaces, document_places
from templ_core.site_level.sentences.sentence_counts import PageSentences
from templ_core.site_level.sentences.sentences import prose_sentences
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG
from templ_core.site_level.sentences.shingles import varying_segments, winnowed_shingles
from templ_core.stored.columns import (
    PLANES,
    Column,
    hashes,
    packed,
    packed_differences,
    planes,
    read_columns,
)
from templ_core.stored.compact import CompactColumns, CompactForm

_LOG_ODDS_UNIT = 1000
_LOG_ODDS_MAX = 32.0
_WIDE = "<u8"
_NARROW = "<u4"
_WORDS_MAX = 1 << 26
"""Most words of a segment: sums over a window of such pages fit 64 bits."""
_LOG_ODDS_STORED_MAX = int(_LOG_ODDS_MAX * _LOG_ODDS_UNIT)
_SEGMENTS = hashes("segments")
_LOG_ODDS = Column(
    rows="segments",
    form="<i2",
    low=-_LOG_ODDS_STORED_MAX,
    high=_LOG_ODDS_STORED_MAX,
    dtype="i2",
)
_SENTENCES = Column(rows="sentences", form=_NARROW, high=None, dtype="u8")
_SENTENCE_SEGMENTS = Column(rows="sentences", high="segments", order="sorted", differences=True)


class PageSummary(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A page as its site's model sees it."""

    places: PagePlaces
    content_log_odds: Floats
    """Log-odds for content of each segment by the page model, -32 to 32 in steps of 0.001."""
    sentences: PageSentences
    """The sentences of text that may be content."""
    shingles: UInt64s
    """The keys of the shingles of text that may be content, each once, in ascending order."""

    @functools.cached_property
    def paths(self) -> UInt64s:
        """The different paths of the page in ascending order."""
        return distinct(self.places.path)

    def content_words(self) -> dict[int, int]:
        """Return the hash of each different text of the content, and the words of the text."""
        content = np.flatnonzero(self.content_log_odds > 0)
        texts, words = self.places.text[content], self.places.words[content]
        return dict(zip(texts.tolist(), words.tolist(), strict=True))

    @functools.cached_property
    def probes(self) -> tuple[int, ...]:
        """Hashes of the longest texts of the content; none where it is short (see `window_dedup`)."""
        return longest_texts(self.content_words(), WINDOW_DEDUP)


def longest_texts(texts: Mapping[int, int], config: WindowDedupConfig) -> tuple[int, ...]:
    """Return the texts by which near-duplicates of a page are looked up, the longest first.

    >>> longest_texts({1: 40, 2: 60, 3: 5, 4: 40, 5: 9}, WINDOW_DEDUP)
    (2, 1, 4, 5)

    Args:
        texts: Hash of each different text of the page, and the words of the text.
        config: What counts as a near-duplicate; a page of too few words has no such texts.
    """
    if sum(texts.values()) < config.words_min:
        return ()
    return tuple(sorted(texts, key=lambda text: (-texts[text], text))[: config.probes])


class _Columns(CompactColumns, frozen=True, array_like=True):
    """The columns that stand first in all formats."""

    page_model_version: str
    path: Annotated[bytes, _SEGMENTS]
    cell: Annotated[bytes, _SEGMENTS]
    anchor: Annotated[bytes, _SEGMENTS]
    text: Annotated[bytes, _SEGMENTS]
    shape: Annotated[bytes, _SEGMENTS]


class _Compact(_Columns, frozen=True, array_like=True):
    words: Annotated[bytes, Column(rows="segments", low=1, high=_WORDS_MAX)]
    containers: Annotated[bytes, hashes("containers")]
    first: Annotated[bytes, Column(rows="containers", high="segments")]
    sizes: Annotated[bytes, Column(rows="containers", low=1)]
    log_odds: Annotated[bytes, _LOG_ODDS]
    sentences: Annotated[bytes, _SENTENCES]
    sentence_segments: Annotated[bytes, _SENTENCE_SEGMENTS]
    shingles: Annotated[
        bytes,
        Column(rows="shingles", form=PLANES, order="increasing", differences=True, dtype="u8"),
    ]


class _Compact2(_Columns, frozen=True, array_like=True):
    """The columns of format 2."""

    words: Annotated[bytes, Column(rows="segments", form=_NARROW, low=1, high=_WORDS_MAX)]
    containers: Annotated[bytes, hashes("containers")]
    first: Annotated[bytes, Column(rows="containers", form=_NARROW, high="segments")]
    last: Annotated[bytes, Column(rows="containers", form=_NARROW)]
    log_odds: Annotated[bytes, _LOG_ODDS]
    sentences: Annotated[bytes, _SENTENCES]
    sentence_segments: Annotated[bytes, _SENTENCE_SEGMENTS]
    shingles: Annotated[
        bytes, Column(rows="shingles", order="increasing", differences=True, dtype="u8")
    ] = b"\x01"
    """Versions before this column left it out; the default is `packed` of no values."""


_FORM: CompactForm[_Columns] = CompactForm(
    "page summary", 3, _Compact, level=1, max_bytes=48 << 20, earlier={2: _Compact2}
)


def may_be_learned_from(document: Document, words: int) -> bool:
    """Return whether a site may learn from a page, judging by its content.

    Args:
        document: The page.
        words: Number of words of the whole page.
    """
    return is_storable(document) and not (
        is_error_page(document, words) or is_gate(document, words)
    )


def summarise_page(document: Document, page_model: PageModel) -> PageSummary:
    """Return what a document with at least one segment adds to its site's model."""
    features = read_features(document)
    return summarise_scored_page(document, features, page_model.log_odds(document, features))


def summarise_scored_page(
    document: Document,
    features: PageFeatures,
    content_log_odds: Floats,
    places: DocumentPlaces | None = None,
) -> PageSummary:
    """Return what a document adds to its site's model, given what the page model says about it.

    Args:
        document: A page with at least one segment.
        features: Its features.
        content_log_odds: Log-odds for content of each segment; length n_segments.
        places: The places of the page, if they were read before.
    """
    places = places or document_places(document, features)
    log_odds = np.clip(content_log_odds, -_LOG_ODDS_MAX, _LOG_ODDS_MAX)
    return PageSummary(
        places=places.segments,
        content_log_odds=np.rint(log_odds * _LOG_ODDS_UNIT) / _LOG_ODDS_UNIT,
        sentences=_counted_sentences(features, content_log_odds),
        shingles=_counted_shingles(features, content_log_odds),
    )


def _counted_sentences(features: PageFeatures, content_log_odds: Floats) -> PageSentences:
    sentences = prose_sentences(features)
    counts = content_log_odds[sentences.segment] > SENTENCES_CONFIG.log_odds_min
    return PageSentences(keys=sentences.keys[counts], segment=sentences.segment[counts])


def _counted_shingles(features: PageFeatures, content_log_odds: Floats) -> UInt64s:
    counts = content_log_odds > SENTENCES_CONFIG.log_odds_min
    return distinct(winnowed_shingles(features.words, varying_segments(features) & counts).keys)


def encode_page_summary(page: PageSummary, page_model_version: str) -> bytes:
    """Return a page summary in compact form: MessagePack of its columns, compressed with zstd."""
    places = page.places
    keys = (places.path, places.cell, places.anchor, places.text, places.shape)
    path, cell, anchor, text, shape = (
        column.astype(_WIDE, copy=False).tobytes() for column in keys
    )
    compact = _Compact(
        format=_FORM.format,
        page_model_version=page_model_version,
        path=path,
        cell=cell,
        anchor=anchor,
        text=text,
        shape=shape,
        words=packed(places.words),
        containers=places.containers.astype(_WIDE, copy=False).tobytes(),
        first=packed(places.first),
        sizes=packed(places.last - places.first),
        log_odds=np.rint(page.content_log_odds * _LOG_ODDS_UNIT).astype("<i2").tobytes(),
        sentences=page.sentences.keys.astype(_NARROW, copy=False).tobytes(),
        sentence_segments=packed_differences(page.sentences.segment),
        shingles=planes(packed_differences(page.shingles)),
    )
    return _FORM.encode(compact)


def decode_page_summary(body: bytes, page_model_version: str) -> PageSummary:
    """Return the page summary whose compact form is `body`.

    Args:
        body: What `encode_page_summary` returned.
        page_model_version: Version of the page model that must have read the page.

    Raises:
        CodecError: It is damaged, has another format, or was made with another page model.
    """
    with _FORM.refusing():
        compact = _FORM.decode(body)
        if compact.page_model_version != page_model_version:
            raise CodecError("page summary of another page model")
        columns = read_columns(compact, {})
        if "sizes" in columns:
            columns["last"] = columns["first"] + columns.pop("sizes")
        first, last, segments = columns["first"], columns["last"], len(columns["words"])
        if not segments or not len(first) or (first >= last).any() or last.max() > segments:
            raise ValueError("it has no text, or containers without text on the page")
        sentences = PageSentences(
            keys=columns.pop("sentences"), segment=columns.pop("sentence_segments")
        )
        return PageSummary(
            sentences=sentences,
            shingles=columns.pop("shingles"),
            content_log_odds=columns.pop("log_odds") / _LOG_ODDS_UNIT,
            places=PagePlaces(**columns),
        )
