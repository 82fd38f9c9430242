"""`templ experiments foschini-injected`: finds injected strings; Foschini (2007), section 6.1."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import click
from rich.console import Console
from rich.progress import track

from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini.matching import Locality, PhraseMatcher, settled_spans
from templ_core.lab.papers.foschini.phrase_corpus import LINE, lines_of_segments, token_places
from templ_core.lab.papers.foschini.phrases import PhrasesConfig, learn_phrases
from workers.lab.experiments.corpora.text_pages import TextPage, read_text_pages
from workers.lab.experiments.foschini.injection import (
    INJECTION_LENGTHS,
    INJECTION_PLACES,
    InjectedPage,
    count_host_lines,
    inject,
    make_injected_strings,
)
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option

_SHARES = (0.1, 0.3, 0.6, 1.0)
_PAGES_MIN = 20

_StringShape = tuple[str, int, bool]
"""The place and length of an injected string, and whether it has a slot."""


@click.command(short_help="Foschini (2007): find injected strings.")
@corpora_argument
@click.option(
    "--pages", default=60, show_default=True, help="Largest number of pages to use of each site."
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the strings; equal seeds and corpora give equal strings.",
)
@out_option
def foschini_injected(corpora: Sequence[Path], pages: int, seed: int, out: Path | None) -> None:
    """Inject strings into the content of real pages, and measure which of them phrases find.

    Only the content of pages with `gold_selector` is used. Each site gets nine strings of 1 to 30
    words from its own vocabulary. They stand as blocks of their own, at the start or end of a
    block, or inside one; half of them have a slot with a number, time, date or month that changes.
    Each string is injected into a share of the pages. Phrases are learned on every second page and
    evaluated on the others.
    """
    report = Report(out)
    console = Console(stderr=True)
    sites = {
        site: texts[:pages]
        for site, some in read_text_pages(corpora).items()
        if len(texts := _contents(some)) >= _PAGES_MIN
    }
    report.say(f"{len(sites)} sites, {sum(map(len, sites.values()))} pages")
    summary = []
    for share in _SHARES:
        found: Counter[_StringShape] = Counter()
        put: Counter[_StringShape] = Counter()
        removed = right = words = 0
        for shift, site in enumerate(
            track(sorted(sites), f"share {share}", console=console, disable=not console.is_terminal)
        ):
            rng = Random(f"{seed}/{site}/{share}")  # noqa: S311 - not for secrets
            vocabulary = sorted(
                {word for text in sites[site] for word in text.split() if word.isalpha()}
            )
            templates = make_injected_strings(vocabulary, shift, rng)
            injected = [inject(text, templates, share, rng) for text in sites[site]]
            learned = [page.text for page in injected[::2]]
            matcher = PhraseMatcher(
                learn_phrases(
                    [learned[index] for index in distinct_plain_texts(learned)], PhrasesConfig()
                )
            )
            for page in injected[1::2]:
                both, gone, all_words = _judge(
                    page,
                    matcher,
                    found,
                    put,
                    [(one.place, len(one.words), one.slot is not None) for one in templates],
                )
                right += both
                removed += gone
                words += all_words
        _report_share(report, share, found, put)
        summary.append(
            [
                f"{share:.0%}",
                _share(found.total(), put.total()),
                _share(_with_slot(found), _with_slot(put)),
                _share(right, removed),
                _share(removed - right, words - put.total()),
            ]
        )
    header = [
        "on pages",
        "recall of words",
        "recall, with a slot",
        "precision of words",
        "content lost",
    ]
    report.table("all places and lengths", header, summary)


def _contents(pages: Sequence[TextPage]) -> list[str]:
    """Return the content of each page that has enough lines for all strings."""
    texts = []
    for page in pages:
        if page.labels is None:
            continue
        lines = zip(lines_of_segments(page.document), page.labels.content, strict=True)
        text = LINE.join(line for line, content in lines if content > 0.5)
        if count_host_lines(text) >= len(INJECTION_LENGTHS):
            texts.append(text)
    return texts


def _judge(
    page: InjectedPage,
    matcher: PhraseMatcher,
    found: Counter[_StringShape],
    put: Counter[_StringShape],
    shapes: Sequence[_StringShape],
) -> tuple[int, int, int]:
    """Count a page's injected words; return the words removed rightly, removed, and in all."""
    spans = settled_spans(page.text, matcher.spans(page.text), Locality())
    places = [start for token, start, _ in token_places(page.text) if token != LINE]
    removed = [any(start <= place < end for start, end in spans) for place in places]
    right = 0
    for number, start, end in page.spans:
        inside = [
            is_gone for place, is_gone in zip(places, removed, strict=True) if start <= place < end
        ]
        put[shapes[number]] += len(inside)
        found[shapes[number]] += sum(inside)
        right += sum(inside)
    return right, sum(removed), len(places)


def _report_share(
    report: Report, share: float, found: Counter[_StringShape], put: Counter[_StringShape]
) -> None:
    rows = []
    for length in INJECTION_LENGTHS:
        row = [str(length)]
        for place in INJECTION_PLACES:
            shapes = [(place, length, slot) for slot in (False, True)]
            row.append(_share(sum(found[one] for one in shapes), sum(put[one] for one in shapes)))
        rows.append(row)
    header = ["words", *INJECTION_PLACES]
    report.table(f"recall of strings on {share:.0%} of the pages, by length", header, rows)


def _with_slot(words: Counter[_StringShape]) -> int:
    return sum(count for (_, _, has_slot), count in words.items() if has_slot)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""
