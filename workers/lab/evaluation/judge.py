"""One page of a corpus: cleaned now or before, peers beside, everything scored and timed."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from lxml import etree, html

from schemas.cleaned import TextSegment
from templ_core.clean import CleanedText, clean
from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import PageScore
from templ_core.page_level.model.page_model import PageModel
from workers.lab.evaluation.excerpts import lines_beyond
from workers.lab.evaluation.gold_page import GoldPage
from workers.lab.evaluation.peers import Extract
from workers.lab.evaluation.scoring import (
    SegmentScore,
    TextScorer,
    chosen,
    recorded,
    score_segments,
)
from workers.lab.evaluation.timed_calls import take_turns

TEMPL = "templ"
WHOLE_PAGE = "whole page"
PARSE = "lxml parse"
CONFIG = CoreConfig()
_PARAGRAPH = "<p>A paragraph of some words, long enough to look like one of an article.</p>"
_SAMPLE = (
    "<html><head><title>A title</title></head><body><nav><a href=/>Home</a></nav>"
    f"<article><h1>A title</h1>{_PARAGRAPH * 8}</article></body></html>"
)


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a cleaned record says of a page."""

    text: str
    confidence: float | None
    segments: list[TextSegment] | None


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What one page gave."""

    page: GoldPage
    """Without its body and its gold."""
    scores: dict[str, PageScore]
    """By system: TEMPL, the peers, WHOLE_PAGE."""
    seconds: dict[str, float]
    """By system that ran now, PARSE with them."""
    failures: dict[str, str]
    """Systems that refused the page or raised, and why; they are scored as an empty text."""
    confidence: float | None
    segments: SegmentScore | None
    kept_wrongly: str
    """Lines of the text that are not in the gold."""
    missed: str
    """Lines of the gold that are not in the text."""


class Judge:
    """Scores pages; one for each process."""

    def __init__(
        self, models: Sequence[PageModel], peers: Mapping[str, Extract], *, with_segments: bool
    ) -> None:
        """Warm up: what is loaded or compiled once is not the first page's cost.

        Args:
            models: Models to clean with.
            peers: Other extractors by name.
            with_segments: Whether the decisions on segments are scored too.
        """
        self._models = models
        self._peers = peers
        self._with_segments = with_segments
        for model in models:
            clean(read_document(_SAMPLE.encode(), ""), None, CONFIG, model)
        for extract in peers.values():
            extract(_SAMPLE)

    def judge(self, page: GoldPage, given: Given | None, turn: int, model: int = 0) -> Judgement:
        """Score a page.

        Args:
            page: The page and its gold.
            given: How it was cleaned before; None = clean it now, as of a new site.
            turn: Number of the page: systems take turns in going first.
            model: Number of the model to clean with.
        """
        markup = markup_of(page)
        calls: dict[str, Any] = {
            name: lambda extract=extract: extract(markup) for name, extract in self._peers.items()
        }
        if given is None:
            calls[TEMPL] = lambda: self._clean(page, self._models[model])
        if calls:
            calls[PARSE] = lambda: _bare_parse(markup)
        turns = take_turns(calls, turn)
        segments = None
        if given is None and turns[TEMPL].value is not None:
            document, cleaned = turns[TEMPL].value
            given = Given(text=cleaned.text, confidence=cleaned.confidence, segments=None)
            if self._with_segments:
                segments = score_segments(page, markup, document, chosen(document, cleaned))
        elif given is None:
            given = Given(text="", confidence=None, segments=None)
        elif given.segments and self._with_segments:
            segments = _recorded_segments(page, markup, given.segments)
        texts = {TEMPL: given.text} | {name: turns[name].value or "" for name in self._peers}
        scorer = TextScorer(page, markup)
        scores = {name: scorer.score(text) for name, text in texts.items()}
        return Judgement(
            page=msgspec.structs.replace(page, body=b"", gold_text=""),
            scores={**scores, WHOLE_PAGE: scorer.score_everything()},
            seconds={name: one.seconds for name, one in turns.items()},
            failures={name: one.failure for name, one in turns.items() if one.failure},
            confidence=given.confidence,
            segments=segments,
            kept_wrongly=lines_beyond(given.text, page.gold_text),
            missed=lines_beyond(page.gold_text, given.text),
        )

    def _clean(self, page: GoldPage, model: PageModel) -> tuple[Document, CleanedText]:
        document = _document(page)
        return document, clean(document, None, CONFIG, model)


def _document(page: GoldPage) -> Document:
    return read_document(page.body, page.url, content_type=page.content_type, charset=page.charset)


def markup_of(page: GoldPage) -> str:
    """The decoded page; its bytes as they are where it cannot be decoded."""
    try:
        return decode_page(
            page.body,
            content_type=page.content_type,
            charset=page.charset,
            content_encoding=None,
            limit_bytes=CONFIG.page_limit_bytes,
        ).text
    except PageError:
        return page.body.decode("utf-8", "replace")


def _bare_parse(markup: str) -> object:
    try:
        return html.fromstring(markup)
    except ValueError:  # a str with an encoding declaration
        return html.fromstring(markup.encode())
    except etree.ParserError:
        return None


def _recorded_segments(
    page: GoldPage, markup: str, segments: list[TextSegment]
) -> SegmentScore | None:
    try:
        document = _document(page)
    except PageError:
        return None
    choice = recorded(document, segments)
    return score_segments(page, markup, document, choice) if choice is not None else None
