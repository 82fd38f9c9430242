"""What a document adds to its site's model: computed once when it enters the window, kept beside it."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, UInt64s
from templ_core.compact import CompactColumns, CompactForm
from templ_core.dom.document import Document
from templ_core.errors import CodecError
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.config import SENTENCES_CONFIG
from templ_core.site_level.phrases.sentence_counts import PageSentences
from templ_core.site_level.phrases.sentences import prose_sentences
from templ_core.site_level.places.places import PagePlaces, node_places, page_places

_LOG_ODDS_UNIT = 1000
_LOG_ODDS_MAX = 32.0
_WIDE = "<u8"
_NARROW = "<u4"


class PageSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A page as its site's model sees it."""

    places: PagePlaces
    content_log_odds: Floats
    """Log-odds for content of each segment by the page model, -32 to 32 in steps of 0.001."""
    sentences: PageSentences
    """The sentences of text that may be content."""


class _Compact(CompactColumns, frozen=True, array_like=True):
    page_model_version: str
    path: bytes
    cell: bytes
    anchor: bytes
    text: bytes
    shape: bytes
    words: bytes
    containers: bytes
    first: bytes
    last: bytes
    log_odds: bytes
    sentences: bytes
    sentence_segments: bytes


_FORM = CompactForm("page summary", 2, _Compact, max_bytes=256 << 20)


def summarise_page(document: Document, page_model: PageModel) -> PageSummary:
    """Return what a document with at least one segment adds to its site's model."""
    features = read_features(document)
    return summarise_scored_page(document, features, page_model.log_odds(document, features))


def summarise_scored_page(
    document: Document, features: PageFeatures, content_log_odds: Floats
) -> PageSummary:
    """Return what a document adds to its site's model, given what the page model says about it.

    Args:
        document: A page with at least one segment.
        features: Its features.
        content_log_odds: Log-odds for content of each segment; length n_segments.
    """
    log_odds = np.clip(content_log_odds, -_LOG_ODDS_MAX, _LOG_ODDS_MAX)
    return PageSummary(
        places=page_places(document, features, node_places(document)),
        content_log_odds=np.rint(log_odds * _LOG_ODDS_UNIT) / _LOG_ODDS_UNIT,
        sentences=_counted_sentences(features, content_log_odds),
    )


def _counted_sentences(features: PageFeatures, content_log_odds: Floats) -> PageSentences:
    sentences = prose_sentences(features)
    counts = content_log_odds[sentences.segment] > SENTENCES_CONFIG.log_odds_min
    return PageSentences(keys=sentences.keys[counts], segment=sentences.segment[counts])


def encode_page_summary(page: PageSummary, page_model_version: str) -> bytes:
    """Compact form: MessagePack of the columns, zstd."""
    places = page.places
    keys = (places.path, places.cell, places.anchor, places.text, places.shape)
    path, cell, anchor, text, shape = (column.astype(_WIDE).tobytes() for column in keys)
    ranges = (places.words, places.first, places.last)
    words, first, last = (column.astype(_NARROW).tobytes() for column in ranges)
    compact = _Compact(
        format=_FORM.format,
        page_model_version=page_model_version,
        path=path,
        cell=cell,
        anchor=anchor,
        text=text,
        shape=shape,
        words=words,
        containers=places.containers.astype(_WIDE).tobytes(),
        first=first,
        last=last,
        log_odds=np.rint(page.content_log_odds * _LOG_ODDS_UNIT).astype("<i2").tobytes(),
        sentences=page.sentences.keys.astype(_NARROW).tobytes(),
        sentence_segments=np.diff(page.sentences.segment, prepend=0).astype(_NARROW).tobytes(),
    )
    return _FORM.encode(compact)


def decode_page_summary(body: bytes, page_model_version: str) -> PageSummary:
    """The page whose compact form is `body`.

    Raises:
        CodecError: it is damaged, has another format, or was read with another page model.
    """
    compact = _FORM.decode(body)
    if compact.page_model_version != page_model_version:
        raise CodecError("page summary of another page model")
    return PageSummary(
        places=PagePlaces(
            path=_keys(compact.path),
            cell=_keys(compact.cell),
            anchor=_keys(compact.anchor),
            text=_keys(compact.text),
            shape=_keys(compact.shape),
            words=_numbers(compact.words),
            containers=_keys(compact.containers),
            first=_numbers(compact.first),
            last=_numbers(compact.last),
        ),
        content_log_odds=np.frombuffer(compact.log_odds, "<i2") / _LOG_ODDS_UNIT,
        sentences=PageSentences(
            keys=np.frombuffer(compact.sentences, _NARROW).astype(np.uint64),
            segment=np.cumsum(_numbers(compact.sentence_segments), dtype=np.int32),
        ),
    )


def _keys(column: bytes) -> UInt64s:
    return np.frombuffer(column, _WIDE).astype(np.uint64)


def _numbers(column: bytes) -> npt.NDArray[Any]:
    return np.frombuffer(column, _NARROW).astype(np.int32)
