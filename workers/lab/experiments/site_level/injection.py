"""`templ experiments injection`: what is left of a text that a site repeats inside its content."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from random import Random

import click
import msgspec
from lxml import etree, html
from rich.console import Console
from rich.progress import track

from templ_core.lab.evaluation.repeated_text import RepeatedText, repeated_text
from templ_core.lab.evaluation.words import word_counts, word_list
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.feeds.files import read_feed
from workers.lab.evaluation.evaluation_page import EvaluationPage, read_evaluation_pages
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.results import Report, out_option
from workers.lab.experiments.site_level.injected_pages import (
    Injection,
    inject,
    injected_text,
    serialise,
)
from workers.lab.jsonl import corpus_name, read_objects
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page
from workers.pipeline.cleaner import Cleaned
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import load_settings

_RUN_WORDS = 4
"""Words of the shortest run of an injected text that counts as left."""
_TAUGHT_PAGES = 5
"""Pages of a site that had the text before it must be gone."""
_VOCABULARY_MIN = 50


class SiteRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one site in one run; counts of words."""

    site: str
    pages: int
    injected_words: int = 0
    """Words of the injected text on pages after the first five that had it."""
    left_words: int = 0
    """Those of them that were published in runs of some words."""
    content_words: int = 0
    """Words of gold that were published without injection."""
    lost_words: int = 0
    """Those of them that were not published with injection."""
    f1: float | None = None
    """Mean word F1 without injection; None for a site without gold."""
    repeated: RepeatedText = RepeatedText(words=0, repeated_words=0)
    """How much of the text that was published without injection is repeated."""


class _SitePages(msgspec.Struct, frozen=True, kw_only=True):
    site: str
    pages: list[Page]
    gold: list[EvaluationPage | None]


@click.command(short_help="Measure what is left of texts that a site repeats.")
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--shares",
    default="1,0.3,0.1",
    show_default=True,
    help="Shares of the pages that get the text, separated by commas; empty for none.",
)
@click.option("--changing", is_flag=True, help="Let a date, a number and a name in it change.")
@click.option("--beside", is_flag=True, help="Put the text behind the content, not inside it.")
@click.option("--time-field", default="arrival", show_default=True, help="Field that orders pages.")
@click.option("--seed", default=0, show_default=True, help="Seed of the texts and places.")
@click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of sites to process at the same time.",
)
@out_option
def injection(
    corpora: Sequence[Path],
    shares: str,
    changing: bool,
    beside: bool,
    time_field: str,
    seed: int,
    jobs: int,
    out: Path | None,
) -> None:
    """Put a text into the content of pages, and clean them in order as `templ run` does.

    CORPORA are JSON Lines with `gold_selector`. Each site gets one text of 40 to 60 random words of
    its own, as one or two paragraphs behind a random paragraph of the content. Words are left where a
    run of four of them is published on a page after the first five pages that had the text.
    """
    report = Report(out)
    runs = [
        Injection(share=float(one), changing=changing, beside=beside)
        for one in shares.split(",")
        if one
    ]
    rows, repeated_rows = [], []
    for corpus in corpora:
        found = [*run_sites(_read(corpus, time_field), runs, seed, jobs)]
        name = corpus_name(corpus)
        for number, run in enumerate(runs):
            some = [one[number + 1] for one in found]
            injected, content = (
                sum(getattr(one, field) for one in some)
                for field in ("injected_words", "content_words")
            )
            left, lost = (
                sum(getattr(one, field) for one in some) for field in ("left_words", "lost_words")
            )
            rows.append(
                [
                    name,
                    f"{run.share:.0%}",
                    str(injected),
                    f"{left / max(injected, 1):.4f}",
                    f"{lost / max(content, 1):.5f}",
                ]
            )
        for one in found:
            plain = one[0]
            repeated_rows.append(
                [
                    name,
                    plain.site,
                    str(plain.pages),
                    "" if plain.f1 is None else f"{plain.f1:.4f}",
                    f"{plain.repeated.ratio:.4f}",
                ]
            )
        scored = [one[0].f1 for one in found if one[0].f1 is not None]
        total = sum((one[0].repeated for one in found), RepeatedText(words=0, repeated_words=0))
        repeated_rows.append(
            [
                name,
                "mean of sites",
                "",
                f"{statistics.fmean(scored or [0.0]):.4f}",
                f"{total.ratio:.4f}",
            ]
        )
    report.table(
        "Repeated text without injection",
        ["corpus", "site", "pages", "word F1", "repeated"],
        repeated_rows,
    )
    report.table(
        "Injected words left, and content words lost",
        ["corpus", "pages", "words", "left", "lost"],
        rows,
    )


def run_sites(
    sites: Sequence[_SitePages], runs: Sequence[Injection], seed: int, jobs: int
) -> Iterator[list[SiteRun]]:
    """Yield the figures of each site: first those without injection, then those of each run."""
    console = Console(stderr=True)
    with ProcessPoolExecutor(jobs) as pool:
        yield from track(
            pool.map(_run_site, sites, repeat(runs), repeat(seed)),
            "sites",
            total=len(sites),
            console=console,
            disable=not console.is_terminal,
        )


def _read(corpus: Path, time_field: str) -> list[_SitePages]:
    gold = {one.offset: one for one in read_evaluation_pages(corpus.name, read_objects(corpus))}
    by_site: dict[str, list[Page]] = {}
    for page in read_feed([corpus], time_field=time_field):
        if isinstance(page, Page) and page.body:
            by_site.setdefault(page.site, []).append(page)
    return [
        _SitePages(site=site, pages=pages, gold=[gold.get(one.source.offset) for one in pages])
        for site, pages in by_site.items()
    ]


def _run_site(site: _SitePages, runs: Sequence[Injection], seed: int) -> list[SiteRun]:
    markup = [_markup(page, gold) for page, gold in zip(site.pages, site.gold, strict=True)]
    plain = _clean(site.pages, [serialise(_parse(one)) for one in markup])
    texts = [one for one in plain if one is not None]
    scores = [
        TextScorer(gold, one).score(text or "").f1
        for gold, one, text in zip(site.gold, markup, plain, strict=True)
        if gold is not None
    ]
    results = [
        SiteRun(
            site=site.site,
            pages=len(site.pages),
            f1=statistics.fmean(scores) if scores else None,
            repeated=repeated_text(texts),
        )
    ]
    gold_words = [word_counts(one.gold_text) if one else Counter() for one in site.gold]
    vocabulary = sorted(
        {word for words in gold_words for word in words if word.isalpha() and len(word) > 1}
    )
    for run in runs:
        results.append(_injected_run(site, markup, plain, gold_words, vocabulary, run, seed))
    return results


def _injected_run(site, markup, plain, gold_words, vocabulary, run, seed) -> SiteRun:
    rng = Random(f"{seed}/{site.site}/{run.share}")  # noqa: S311 - not for secrets
    empty = SiteRun(site=site.site, pages=len(site.pages))
    if len(vocabulary) < _VOCABULARY_MIN:
        return empty
    text = injected_text(vocabulary, rng)
    bodies, put = [], []
    for one, gold in zip(markup, site.gold, strict=True):
        root = _parse(one)
        sentences: tuple[str, ...] = ()
        if gold is not None and gold.selectors is not None and rng.random() < run.share:
            sentences = text.on_page(rng if run.changing else None)
            if not inject(root, gold.selectors, sentences, text.form, beside=run.beside, rng=rng):
                sentences = ()
        bodies.append(serialise(root))
        put.append(sentences)
    cleaned = _clean(site.pages, bodies)
    had = injected = left = content = lost = 0
    for sentences, before, after, gold in zip(put, plain, cleaned, gold_words, strict=True):
        if sentences and had >= _TAUGHT_PAGES:
            words = word_list(" ".join(sentences))
            injected += len(words)
            left += _words_left(words, word_list(after or ""))
        had += bool(sentences)
        kept = word_counts(before or "") & gold
        content += kept.total()
        lost += (kept - word_counts(after or "")).total()
    return msgspec.structs.replace(
        empty, injected_words=injected, left_words=left, content_words=content, lost_words=lost
    )


def _words_left(words: Sequence[str], text: Sequence[str]) -> int:
    """Return how many words stand in a run of `_RUN_WORDS` words that the text has, too."""
    runs = {tuple(text[at : at + _RUN_WORDS]) for at in range(len(text) - _RUN_WORDS + 1)}
    left: set[int] = set()
    for at in range(len(words) - _RUN_WORDS + 1):
        if tuple(words[at : at + _RUN_WORDS]) in runs:
            left.update(range(at, at + _RUN_WORDS))
    return len(left)


def _clean(pages: Sequence[Page], bodies: Sequence[bytes]) -> list[str | None]:
    settings = load_settings()
    runner = InProcess(page_model_of(read_model_file(settings.page_model)))
    stream = Stream(LocalState(None, settings), runner, settings)
    texts: list[str | None] = []
    for page, body in zip(pages, bodies, strict=True):
        outcome, _ = stream.process(
            msgspec.structs.replace(page, body=body, charset="utf-8", content_type=None)
        )
        texts.append(outcome.record.text if isinstance(outcome, Cleaned) else None)
    return texts


def _markup(page: Page, gold: EvaluationPage | None) -> str:
    return (
        page_markup(gold) if gold else (page.body or b"").decode(page.charset or "utf-8", "replace")
    )


def _parse(markup: str) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    return html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
