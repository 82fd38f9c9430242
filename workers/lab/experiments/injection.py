"""`templ experiments injection`: what is left of a text that a site repeats inside its content."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from random import Random
from typing import NamedTuple

import click
import msgspec

from templ_core import SiteCleaner
from templ_core.lab.evaluation.words import RepeatedText, repeated_text, word_counts, words_left
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_name, parsed, serialised
from workers.lab.evaluation.corpus_files import EvaluationPage, SitePages, read_sites
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.injected_pages import (
    KINDS,
    SHARES,
    TAUGHT_PAGES,
    inject,
    injected_texts,
    on_page,
    vocabulary_of,
)
from workers.lab.in_process import InProcess
from workers.lab.simulate.site import Prose, invent_place, invent_topic, language
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.page import Page
from workers.processes.messages import Cleaned
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import load_settings

_NOTHING = RepeatedText(words=0, repeated_words=0)


class SiteFigures(NamedTuple):
    """The figures of one site without injection."""

    site: str
    pages: int
    f1: list[float]
    """Word F1 of each page with gold."""
    repeated: RepeatedText


class InjectionSettings(NamedTuple):
    """What is put into pages, and in which orders these come."""

    kind: str
    """What of a text differs from page to page: one of `KINDS`, or empty for nothing."""
    also_inside: bool
    """Whether half of the texts stand inside paragraphs."""
    seed: int
    """Seed of the texts, of their places and of the orders."""


Words = Counter[str]
"""Counts of a site with an injection.

`injected` are words of the texts on pages after the first TAUGHT_PAGES that had them, `left` those of them that were
published in runs of some words, `content` words of gold that were published without injection, and `lost` those of
them that were not published with it."""


def _kind_options(run: Callable[..., None]) -> Callable[..., None]:
    for kind, help_text in reversed(KINDS.items()):
        run = click.option(f"--{kind}", "kind", flag_value=kind, default="", help=help_text)(run)
    return run


@lab.command("Measure what is left of texts that a site repeats.")
@lab.corpora
@_kind_options
@lab.option(
    "--inside/--no-inside", default=True, help="Whether half of the texts stand inside paragraphs."
)
@lab.time_field()
@lab.seed("Seed of the texts, of their places and of the orders.")
@lab.jobs
def injection(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    time_field: str,
    seed: int,
    jobs: int,
    kind: str,
    inside: bool,
) -> None:
    """Put texts into the content of pages, and clean them as `templ run` does.

    CORPORA are JSON Lines with `gold_selector`. Each site gets two to four texts of 12 to 120 random
    words of its own (after Foschini 2007, section 6.1). Half of them stand inside a random paragraph of
    the content, the others are paragraphs behind one. The pages of a site come in three random
    orders, with the times of the feed. Words are left where a run of four of them is published on a
    page after the first five pages that had the text.
    """
    settings = InjectionSettings(kind, inside, seed)
    plain_rows: list[list[lab.Cell]] = []
    rows: list[list[lab.Cell]] = []
    for corpus in corpora:
        name, plain, injected = corpus_name(corpus), [], []
        for site, figures in run_sites(read_sites(corpus, time_field), settings, SHARES, jobs):
            plain.append(site)
            injected.append(figures)
        plain_rows += _plain_rows(name, plain)
        for number, share in enumerate(SHARES):
            words = sum((figures[number] for figures in injected), Words())
            left = words["left"] / max(words["injected"], 1)
            lost = words["lost"] / max(words["content"], 1)
            rows.append([name, f"{share:.0%}", words["injected"], left, f"{lost:.5f}"])
    heads = ["corpus", "site", "pages", "word F1", "repeated text"]
    report.table("Without injection", heads, plain_rows, 4)
    heads = ["corpus", "pages with the text", "words", "left", "lost"]
    report.table("Injected words left, content lost", heads, rows, 4)


def _plain_rows(corpus: str, sites: Sequence[SiteFigures]) -> list[list[lab.Cell]]:
    f1 = [score for one in sites for score in one.f1]
    total = sum((one.repeated for one in sites), _NOTHING)
    return [
        *([corpus, one.site, one.pages, _mean(one.f1), one.repeated.ratio] for one in sites),
        [corpus, "all pages", len(f1), _mean(f1), total.ratio],
    ]


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def run_sites(
    sites: Sequence[SitePages], settings: InjectionSettings, shares: Sequence[float], jobs: int
) -> Iterator[tuple[SiteFigures, list[Words]]]:
    """Yield the figures of each site, without injection and with texts each in a share, 0 to 1, of its pages.

    Figures are sums over the orders of its pages.
    """
    figures = lab.map_in_processes(jobs, _run_site, sites, repeat(settings), repeat(shares))
    yield from lab.tracked(figures, "sites", len(sites))


def _run_site(
    site: SitePages, settings: InjectionSettings, shares: Sequence[float]
) -> tuple[SiteFigures, list[Words]]:
    figures = SiteFigures(site.site, len(site.pages), [], _NOTHING)
    words_of_share = [Words() for _ in shares]
    for order in range(settings.seed * _ORDERS, (settings.seed + 1) * _ORDERS):
        shuffled = _shuffled(site, order)
        pairs = list(zip(shuffled.pages, shuffled.gold, strict=True))
        markup = [_markup(page, gold) for page, gold in pairs]
        texts = _cleaned(shuffled.pages, [serialised(parsed(one)) for one in markup])
        f1 = [
            TextScorer(gold, one).score(text).f1
            for gold, one, text in zip(shuffled.gold, markup, texts, strict=True)
            if gold is not None
        ]
        figures = figures._replace(
            f1=figures.f1 + f1, repeated=figures.repeated + repeated_text(texts)
        )
        for words, share in zip(words_of_share, shares, strict=True):
            words.update(
                _run_injection(shuffled, markup, texts, settings._replace(seed=order), share)
            )
    return figures, words_of_share


_ORDERS = 3
"""Orders in which the pages of a site come."""


def _shuffled(site: SitePages, seed: int) -> SitePages:
    """Return the pages of a site in a random order, with the times at which pages came."""
    numbers = list(range(len(site.pages)))
    Random(f"{seed}/{site.site}").shuffle(numbers)  # noqa: S311 - not for secrets
    pages = [
        msgspec.structs.replace(
            site.pages[number], event_time_ms=at.event_time_ms, fetched_at=at.fetched_at
        )
        for number, at in zip(numbers, site.pages, strict=True)
    ]
    return SitePages(site=site.site, pages=pages, gold=[site.gold[number] for number in numbers])


def _run_injection(
    site: SitePages,
    markups: Sequence[str],
    texts: Sequence[str],
    settings: InjectionSettings,
    share: float,
) -> Words:
    """Return the figures of injections into pages whose texts without them are known."""
    rng = Random(f"{settings.seed}/{site.site}/{share}")  # noqa: S311 - not for secrets
    wanted = [word_counts(gold.gold_text) if gold else Counter[str]() for gold in site.gold]
    vocabulary = vocabulary_of(word for words in wanted for word in words)
    if not vocabulary:
        return Words()
    injected = injected_texts(vocabulary, rng, also_inside=settings.also_inside)
    bodies, put = [], []
    for markup, gold in zip(markups, site.gold, strict=True):
        root = parsed(markup)
        on_this: dict[int, str] = {}
        if gold is not None and gold.selectors is not None:
            for number, text in enumerate(injected):
                some = on_page(text, settings.kind, vocabulary, rng)
                if rng.random() < share and inject(root, gold.selectors, some, text.form, rng):
                    on_this[number] = " ".join(some)
        bodies.append(serialised(root))
        put.append(on_this)
    figures, taught = Words(), Counter[int]()
    for on_this, before, after, gold_words in zip(
        put, texts, _cleaned(site.pages, bodies), wanted, strict=True
    ):
        for number, sentences in on_this.items():
            if taught[number] >= TAUGHT_PAGES:
                figures["injected"] += word_counts(sentences).total()
                figures["left"] += words_left(sentences, after)
        kept = word_counts(before) & gold_words
        figures["content"] += kept.total()
        figures["lost"] += (kept - word_counts(after)).total()
        taught.update(on_this.keys())
    return figures


def _cleaned(pages: Sequence[Page], bodies: Sequence[bytes]) -> list[str]:
    settings = load_settings()
    runner = InProcess(page_model_of(read_model_file(settings.page_model)))
    stream = LearningCleaner(LocalState(None, settings), runner, settings)
    texts = []
    for page, body in zip(pages, bodies, strict=True):
        outcome, _ = stream.process(
            msgspec.structs.replace(page, body=body, charset="utf-8", content_type=None)
        )
        texts.append(outcome.record.text if isinstance(outcome, Cleaned) else "")
    return texts


def _markup(page: Page, gold: EvaluationPage | None) -> str:
    body = page.body or b""
    return gold.markup() if gold else body.decode(page.charset or "utf-8", "replace")


_OWN_WORDS = (20, 80)
_BLOCK_WORDS = (80, 600)
_LINKS = (20, 60)
_SECTIONS = 5
_BLOCK_AFTER, _LINKS_AFTER = 3, 10
"""Pages of a site after which the block, and the box of links, must be gone."""


class BoilerplatePage(NamedTuple):
    """One synthetic page."""

    html: str
    own: str
    """The text of its own."""
    repeated: str
    """The text that must go."""


def _words(rng: Random, count: int) -> str:
    english = language("en")
    prose, text = Prose(english, rng, invent_topic(english, rng)), ""
    while len(text.split()) < count:
        text = f"{text} {prose.sentence()}".strip()
    return text


def _paragraphs(text: str, count: int) -> str:
    sentences = text.split(". ")
    size = max(1, len(sentences) // count)
    parts = [". ".join(sentences[at : at + size]) for at in range(0, len(sentences), size)]
    return "".join(f"<p>{part}</p>" for part in parts)


def _shop(rng: Random) -> Iterator[BoilerplatePage]:
    """Yield products with the same terms of delivery."""
    terms = _words(rng, rng.randint(*_BLOCK_WORDS))
    block = f"<div class=terms><h3>Delivery and returns</h3>{_paragraphs(terms, rng.randint(1, 5))}</div>"
    while True:
        name, own = invent_place(language("en"), rng), _words(rng, rng.randint(*_OWN_WORDS))
        yield BoilerplatePage(
            f"<title>{name}</title><body><ul class=menu><li><a href=/>Home</a><li><a href=/all>All goods</a></ul>"
            f"<main><div class=product><h1>{name}</h1><p class=price>{rng.randint(5, 900)}.00 EUR</p>"
            f"<div class=description><p>{own}</p></div></div>{block}</main>"
            "<footer>All rights reserved</footer>",
            own,
            terms,
        )


def _manual(rng: Random) -> Iterator[BoilerplatePage]:
    """Yield pages of a manual with the same notice."""
    notice = _words(rng, rng.randint(*_BLOCK_WORDS))
    block = f"<div class=notice>{_paragraphs(notice, rng.randint(1, 5))}</div>"
    while True:
        name, own = _identifier(rng), _words(rng, rng.randint(*_OWN_WORDS))
        yield BoilerplatePage(
            f"<title>{name}</title><body><div class=sphinxsidebar><a href=/>Contents</a></div>"
            f"<div class=document><div class=section><h1>{name}</h1><pre>{name}({_identifier(rng)})</pre>"
            f"<p>{own}</p>{block}</div></div><div class=footer>Copyright by the authors</div>",
            own,
            notice,
        )


def _manual_with_links(rng: Random) -> Iterator[BoilerplatePage]:
    """Yield pages of a manual with a box of links that are those of the page's section."""
    sections = [
        [f"{_identifier(rng)} {_identifier(rng)}" for _ in range(rng.randint(*_LINKS))]
        for _ in range(_SECTIONS)
    ]
    while True:
        lines = rng.choice(sections)
        links = "".join(f"<li><a href=#{one.split()[0]}>{one}</a>" for one in lines)
        name, own = _identifier(rng), _words(rng, rng.randint(*_OWN_WORDS))
        yield BoilerplatePage(
            f"<title>{name}</title><body><div class=document><h1>{name}</h1><p>{own}</p>"
            f"<div class=local><ul>{links}</ul></div></div><div class=footer>Copyright by the authors</div>",
            own,
            " ".join(lines),
        )


def _identifier(rng: Random) -> str:
    english = language("en")
    return "_".join(invent_place(english, rng).lower() for _ in range(rng.choice((1, 2))))


_SITES: dict[str, tuple[Callable[[Random], Iterator[BoilerplatePage]], int]] = {
    "shop, block of 80 to 600 words": (_shop, _BLOCK_AFTER),
    "manual, block of 80 to 600 words": (_manual, _BLOCK_AFTER),
    "manual, box of 20 to 60 links by section": (_manual_with_links, _LINKS_AFTER),
}


@lab.command("Measure what is left of blocks on all pages of shops and manuals.")
@lab.option("--sites", default=20, help="Sites of each kind.")
@lab.option("--pages", default=40, help="Pages of each site.")
@lab.seed("Seed of the sites.")
@lab.jobs
def boilerplate(report: lab.Report, sites: int, pages: int, seed: int, jobs: int) -> None:
    """Clean synthetic shops and manuals in order, and report what is left of what all their pages have.

    A page has 20 to 80 words of its own. Words of a block are left where a run of four of them is
    published after the third page of the site; those of a box of links after the tenth.
    """
    rows = []
    for kind, (_, after) in _SITES.items():
        seeds = [f"{seed}/{kind}/{number}" for number in range(sites)]
        counts = list(lab.map_in_processes(jobs, _left_on_site, repeat(kind), seeds, repeat(pages)))
        left, repeated, kept, own = (sum(column) for column in zip(*counts, strict=True))
        rows.append([kind, str(after), f"{left / repeated:.4f}", f"{kept / own:.4f}"])
    report.table(
        "Shares of words that are published",
        ["kind of site", "after page", "of the block or box", "of the page's own text"],
        rows,
    )


def _left_on_site(kind: str, seed: str, pages: int) -> Sequence[int]:
    """Return words left, words repeated, own words kept and own words, after the first pages."""
    made, after = _SITES[kind]
    site = made(Random(seed))  # noqa: S311 - not for secrets
    left = repeated = kept = own = 0
    with SiteCleaner() as cleaner:
        for number in range(1, pages + 1):
            page = next(site)
            text = cleaner.clean(page.html, f"https://site.example/{number}").text
            if number > after:
                left += words_left(page.repeated, text)
                repeated += word_counts(page.repeated).total()
                kept += (word_counts(page.own) & word_counts(text)).total()
                own += word_counts(page.own).total()
    return left, repeated, kept, own
