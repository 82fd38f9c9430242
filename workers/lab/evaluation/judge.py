"""The judge of pages: it cleans them, runs the peers, and scores and times them all, in child processes."""

import gc
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

import msgspec
from lxml import etree, html

from schemas.cleaned import TextSegment
from templ_core.clean_document import CleanedText, clean
from templ_core.config import Balance, CoreConfig
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import PageScore
from templ_core.metadata.markup import PageMarkup
from templ_core.page_kind import page_kind
from templ_core.page_level.model.page_model import PageModel
from workers.child_program import use_one_arithmetic_thread
from workers.errors import WorkerError
from workers.lab import experiment as lab
from workers.lab.evaluation import scoring
from workers.lab.evaluation.corpus_files import EvaluationPage, PageOutput
from workers.lab.evaluation.page_models import PageModels
from workers.lab.evaluation.peers import Extract, Peer, load_peer
from workers.processes.child import GC_ALLOCATIONS
from workers.processes.page_model import page_model_of

_SCRIPT = re.compile(r"<script\b[^>]*ld\+json.*?</script\s*>", re.IGNORECASE | re.DOTALL)
_META = re.compile(
    r"<meta\b[^>]*[\"'\s=](?:og:type|og:price:|product:|article:)[^>]*>", re.IGNORECASE
)
_START_TAG = re.compile(r"<(?!meta\b)[a-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\s(?:item(?:scope|type|prop|id|ref)|typeof|vocab|property)\b(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?",
    re.IGNORECASE,
)


def without_statements(markup: str) -> str:
    """Return markup without what states the type of the page: JSON-LD, OpenGraph, microdata and RDFa.

    >>> without_statements(
    ...     '<meta property="og:type" content="product"><p itemprop="name" class=x>Tea'
    ... )
    '<p class=x>Tea'
    """
    markup = _META.sub("", _SCRIPT.sub("", markup))
    return _START_TAG.sub(lambda tag: _ATTRIBUTE.sub("", tag[0]), markup)


def _stated_and_found(
    document: Document, markup: str, url: str, model: PageModel
) -> tuple[str | None, str | None]:
    """Return the page type that markup states, and the one that the page model finds without that; None for none."""
    try:
        hidden = read_document(without_statements(markup).encode(), url, charset="utf-8")
    except PageError:
        hidden = None
    page_type = None
    if hidden is not None:
        page_type = page_kind(hidden, url, clean(hidden, None, CoreConfig(), model).decision, None)
    return PageMarkup(document).kind, page_type


class TimedCall(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one call and its time."""

    value: Any
    """What the call returned; None if it raised an error."""
    seconds: float
    failure: str | None
    """The error in one line, or None."""


def time_calls(calls: Mapping[str, Callable[[], Any]], first: int) -> dict[str, TimedCall]:
    """Run every call, and return its result and time by name.

    Args:
        calls: What to call, by name.
        first: Number of the call that runs first, modulo the number of calls. It should differ
            from page to page, since the first call finds cold caches.
    """
    names = list(calls)
    start = first % max(len(names), 1)
    return {name: _call(calls[name]) for name in names[start:] + names[:start]}


def _call(call: Callable[[], Any]) -> TimedCall:
    began = time.perf_counter()
    value, failure = None, None
    try:
        value = call()
    except Exception as error:  # noqa: BLE001 - other people's code on any page; it is reported
        failure = f"{type(error).__name__}: {error}".splitlines()[0]
    return TimedCall(value=value, seconds=time.perf_counter() - began, failure=failure)


TEMPL = "templ"
WHOLE_PAGE = "whole page"
PARSE = "lxml parse"
_PARAGRAPH = "<p>A paragraph of some words, long enough to look like one of an article.</p>"
_SAMPLE = (
    "<html><head><title>A title</title></head><body><nav><a href=/>Home</a></nav>"
    f"<article><h1>A title</h1>{_PARAGRAPH * 8}</article></body></html>"
)


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The scores and times of one page."""

    page: EvaluationPage
    """The page, without its body and its gold text."""
    scores: dict[str, PageScore]
    """Score of each system: TEMPL, further balances of it, the peers, WHOLE_PAGE."""
    texts: dict[str, str]
    """Text of each system but WHOLE_PAGE."""
    seconds: dict[str, float]
    """Time of each system that ran now, and of the bare parse (PARSE)."""
    failures: dict[str, str]
    """Reason of each system that raised an error; it scores as an empty text."""
    confidence: float | None
    segments: scoring.SegmentScore | None
    stated_type: str | None
    """Page type that the markup states; None where it states none, or where page types are not judged."""
    found_type: str | None
    """Page type by the page model, which did not see what the markup states; None where it was not asked."""
    kept_wrongly: str
    """Lines of the output that are not in the gold text, without the neutral ones."""
    kept_neutral: str
    """Lines of the output that are not in the gold text but neutral, so that they do not count."""
    missed: str
    """Lines of the gold text that are not in the output."""


class Judge:
    """Scores pages; every process has one judge."""

    def __init__(
        self,
        models: Sequence[PageModel],
        peers: Mapping[str, Extract],
        *,
        with_segments: bool,
        balances: Sequence[Balance] = ("even",),
    ) -> None:
        """Load everything once, so that the first page is not charged for it."""
        self._models = models
        self._peers = peers
        self._with_segments = with_segments
        self._config, *others = [CoreConfig(balance=one) for one in balances]
        self._balanced = {f"{TEMPL} {one.balance}": one for one in others}
        for model in models:
            clean(read_document(_SAMPLE.encode(), ""), None, self._config, model)
        time_calls(self._calls(_SAMPLE), 0)

    def judge(
        self, page: EvaluationPage, output: PageOutput | None, turn: int, model: int = 0
    ) -> Judgement:
        """Score a page.

        Args:
            page: The page and its gold.
            output: What an earlier run made of the page; None cleans it now, as of a new site.
            turn: Number of the page; it decides which system runs first.
            model: Number of the page model to clean with.
        """
        markup = page.markup()
        calls = self._calls(markup)
        if output is None:
            calls[TEMPL] = lambda: _clean(page, self._models[model], self._config)
            for name, config in self._balanced.items():
                calls[name] = partial(_clean, page, self._models[model], config)
        if calls:
            calls[PARSE] = lambda: _bare_parse(markup)
        timed = time_calls(calls, turn)
        segments = stated = found = None
        if output is None and timed[TEMPL].value is not None:
            document, cleaned = timed[TEMPL].value
            output = PageOutput(
                text=cleaned.text, confidence=cleaned.decision.confidence, segments=None
            )
            if self._with_segments:
                segments = scoring.score_segments(
                    page, markup, document, scoring.decisions_of_cleaned(document, cleaned)
                )
                stated, found = _stated_and_found(document, markup, page.url, self._models[model])
        elif output is None:
            output = PageOutput(text="", confidence=None, segments=None)
        elif output.segments and self._with_segments:
            segments = _recorded_segments(page, markup, output.segments)
        texts = {
            TEMPL: output.text,
            **{
                name: timed[name].value[1].text if timed[name].value else ""
                for name in self._balanced
            },
            **{name: timed[name].value or "" for name in self._peers},
        }
        scorer = scoring.TextScorer(page, markup)
        kept, neutral = scoring.apart_from_neutral(
            scoring.lines_missing_from(output.text, page.gold_text), scorer.neutral
        )
        scores = {name: scorer.score(text) for name, text in texts.items()}
        return Judgement(
            page=msgspec.structs.replace(page, body=b"", gold_text=""),
            scores={**scores, WHOLE_PAGE: scorer.score_everything()},
            texts=texts,
            seconds={name: one.seconds for name, one in timed.items()},
            failures={name: one.failure for name, one in timed.items() if one.failure},
            confidence=output.confidence,
            segments=segments,
            stated_type=stated,
            found_type=found,
            kept_wrongly=kept,
            kept_neutral=neutral,
            missed=scoring.lines_missing_from(page.gold_text, output.text),
        )

    def _calls(self, markup: str) -> dict[str, Callable[[], Any]]:
        return {name: partial(extract, markup) for name, extract in self._peers.items()}


def _clean(
    page: EvaluationPage, model: PageModel, config: CoreConfig
) -> tuple[Document, CleanedText]:
    document = _document(page)
    return document, clean(document, None, config, model)


def _document(page: EvaluationPage) -> Document:
    return read_document(page.body, page.url, content_type=page.content_type, charset=page.charset)


def _bare_parse(markup: str) -> object:
    try:
        return html.fromstring(markup)
    except ValueError:  # a str with an encoding declaration
        return html.fromstring(markup.encode())
    except etree.ParserError:
        return None


def _recorded_segments(
    page: EvaluationPage, markup: str, segments: list[TextSegment]
) -> scoring.SegmentScore | None:
    try:
        document = _document(page)
    except PageError:
        return None
    choice = scoring.decisions_of_record(document, segments)
    return scoring.score_segments(page, markup, document, choice) if choice is not None else None


_PAGES_AHEAD = 8
"""Number of pages that may wait for each child process."""
_judge: Judge | None = None


def judge_all(
    pages: Iterable[tuple[EvaluationPage, PageOutput | None]],
    models: PageModels,
    peers: Sequence[Peer],
    workers: int,
    *,
    with_segments: bool = True,
    balances: Sequence[Balance],
) -> Iterator[Judgement]:
    """Yield the judgement of every page, in order.

    Raises:
        WorkerError: A child process died.
    """
    use_one_arithmetic_thread()
    arguments = (models.bodies, tuple(peers), with_segments, tuple(balances))
    waiting: deque[Future[Judgement]] = deque()
    try:
        with lab.process_pool(workers, _begin, arguments) as pool:
            for turn, (page, output) in enumerate(pages):
                waiting.append(pool.submit(_one, page, output, turn, models.number_for(page)))
                if len(waiting) > _PAGES_AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool:
        raise WorkerError(
            "a child process died over a page; its own words, if any, are above"
        ) from None
    finally:
        for future in waiting:
            future.cancel()


def _begin(
    models: Sequence[bytes],
    peers: Sequence[Peer],
    with_segments: bool,  # noqa: FBT001
    balances: Sequence[Balance],
) -> None:
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)
    global _judge  # noqa: PLW0603 - the way a pool hands its children what they keep
    extract = {str(one): load_peer(one) for one in peers}
    _judge = Judge(
        [page_model_of(one) for one in models],
        extract,
        with_segments=with_segments,
        balances=balances,
    )


def _one(page: EvaluationPage, output: PageOutput | None, turn: int, model: int) -> Judgement:
    assert _judge is not None  # noqa: S101 - _begin ran
    return _judge.judge(page, output, turn, model)
