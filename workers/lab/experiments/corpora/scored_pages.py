"""Pages with gold, scored by PAGELEVEL's classifier."""

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from templ_core.array_types import Floats
from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import CodecError, PageError
from templ_core.lab.layout import Presentation, read_presentation
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures, read_node_features
from templ_core.lab.papers.pagelevel.smoothed_classifier import (
    SmoothedClassifier,
    decode_classifier,
    segment_scores,
)
from templ_core.page_level.features.characters import Words, read_characters, read_words
from workers.errors import InputProblem
from workers.lab.jsonl import read_objects


class ScoredPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with the scores of PAGELEVEL's classifier."""

    record: dict[str, Any]
    """Record of the page in its corpus."""
    document: Document
    presentation: Presentation
    features: NodeFeatures
    block_templateness: Floats
    """Templateness of each block, from 0 to 1."""
    templateness: Floats
    """Templateness of the block in which each segment stands, from 0 to 1."""
    all_words: Words
    words: Floats
    """Number of words of each segment, at least 1."""


def read_classifier(path: Path) -> SmoothedClassifier:
    """Return the classifier of a file.

    Raises:
        InputProblem: The file cannot be read.
    """
    try:
        return decode_classifier(path.read_bytes())
    except OSError as error:
        raise InputProblem(
            f"{path}: {error.strerror}; name a file of `templ experiments pagelevel-train`"
        ) from None
    except CodecError as error:
        raise InputProblem(
            f"{path}: {error}; name a file of `templ experiments pagelevel-train`"
        ) from None


def records_with(
    corpora: Sequence[Path], wanted: str, pages_per_site: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the records that have the field `wanted`, up to a number of pages for each site."""
    taken: Counter[tuple[Path, str]] = Counter()
    for path in corpora:
        for _, record in read_objects(path):
            key = path, record.get("site") or record["url"]
            if record.get(wanted) and (pages_per_site is None or taken[key] < pages_per_site):
                taken[key] += 1
                yield record


def score_record(record: dict[str, Any], classifier: SmoothedClassifier) -> ScoredPage | None:
    """Return the page of a record with its scores, or None if it has no text or is refused."""
    try:
        markup = record_markup(record)
    except PageError:
        return None
    return score_markup(markup, record["url"], classifier, record)


def record_markup(record: dict[str, Any]) -> str:
    """Return the decoded page of a record with `html` or `html_base64`."""
    if record.get("html"):
        return str(record["html"])
    return decode_page(
        b64decode(record["html_base64"]),
        content_type=record.get("content_type"),
        charset=None,
        content_encoding=None,
        limit_bytes=CoreConfig().page_limit_bytes,
    ).text


def score_markup(
    markup: str, url: str, classifier: SmoothedClassifier, record: dict[str, Any]
) -> ScoredPage | None:
    """Return a page with its scores, or None if it has no text or is refused."""
    try:
        document = parse_document(markup, url)
        presentation = read_presentation(document, markup)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    features = read_node_features(document, presentation)
    templateness = classifier.templateness(features)
    all_words = read_words(read_characters(document.segments.texts))
    return ScoredPage(
        record=record,
        document=document,
        presentation=presentation,
        features=features,
        block_templateness=templateness,
        templateness=segment_scores(features, document.segments.owner, templateness),
        all_words=all_words,
        words=all_words.per_segment.clip(1).astype(float),
    )
