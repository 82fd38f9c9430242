"""`templ experiments new-text`: how long a text that a known site begins to repeat stays in its pages."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import click

from templ_core import SiteCleaner
from templ_core.errors import PageError
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import parsed, serialised
from workers.lab.experiments.injected_pages import inject, vocabulary_of
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.site import FIELD_GENRES, SITE_GENRES
from workers.lab.simulate.synthetic_page import SyntheticPage

_WORDS = 53
_DAYS = 10.0
"""Days of a feed, which all are in the window of its last page."""
_TAUGHT_PAGES = 5
"""Pages with the text that a site is given to learn it."""
_PAGES_WITH_TEXT = 30


class Trial(NamedTuple):
    """A site that begins to repeat a text, at one seed."""

    seed: int
    with_text: int
    """Pages that have the text."""
    left: list[int]
    """Which of them, counted from 1, were published with it."""
    models: int
    """Models that were fitted since the first of these pages."""

    @property
    def left_late(self) -> int:
        """Pages after the first five with the text that were published with it."""
        return sum(one > _TAUGHT_PAGES for one in self.left)


@lab.command("New text on known sites.", name="new-text")
@lab.option(
    "--kind",
    type=click.Choice([*SITE_GENRES, *FIELD_GENRES]),
    default="news",
    help="What sort of site begins to repeat a text.",
)
@click.option(
    "--known",
    multiple=True,
    type=click.IntRange(min=1),
    default=(60, 300, 1000),
    show_default=True,
    help="Pages of the site before the text; may be repeated.",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    type=click.FloatRange(0, 1, min_open=True),
    default=(1.0, 0.3),
    show_default=True,
    help="Share of the pages that have the text from then on; may be repeated.",
)
@lab.option("--seeds", type=click.IntRange(min=1), default=5, help="How many sites are tried.")
def new_text(
    report: lab.Report, *, kind: str, known: Sequence[int], shares: Sequence[float], seeds: int
) -> None:
    """Let synthetic sites that are known begin to repeat a text, and count the pages that keep it.

    It is 53 words of the site's vocabulary, word for word the same, behind a random paragraph of the content. Each
    page is cleaned with what the pages before it have taught, and is not cleaned again.
    """
    rows: list[list[lab.Cell]] = []
    for pages in known:
        for share in shares:
            trials = [
                _trial(kind, pages, share, seed)
                for seed in lab.tracked(range(seeds), f"{pages} pages, {share:.0%}", seeds)
            ]
            after = sum(one.with_text - _TAUGHT_PAGES for one in trials)
            rows.append(
                [
                    pages,
                    f"{share:.0%}",
                    sum(one.left_late for one in trials) / after,
                    ", ".join(str(max(one.left, default=0)) for one in trials),
                    sum(one.models for one in trials) / seeds,
                ]
            )
    report.table(
        f"a text of {_WORDS} words on {_PAGES_WITH_TEXT} pages of each of {seeds} {kind} sites",
        [
            "known pages",
            "share with the text",
            f"left after the first {_TAUGHT_PAGES}",
            "last page with it, by seed",
            "models",
        ],
        rows,
    )


def _trial(kind: str, known: int, share: float, seed: int) -> Trial:
    settings = FeedSettings(
        genre=kind,  # type: ignore[arg-type]
        sites=1,
        pages=known + round(4 * _PAGES_WITH_TEXT / share),
        seed=seed,
        days=_DAYS,
    )
    cleaner, rng, text = SiteCleaner(), Random(seed), ""  # noqa: S311 - not for secrets
    words: set[str] = set()
    left: list[int] = []
    models: set[str | None] = set()
    with_text = 0
    for number, page in enumerate(simulate_feed(settings)):
        markup = page.html
        if number < known:
            words.update((page.gold_text or "").split())
        elif number == known:
            text = _text(words, rng)
        put = markup_with(page, text, rng) if text and rng.random() < share else None
        try:
            cleaned = cleaner.clean(put or markup, page.url, page.fetched_at, status=page.status)
        except PageError:
            continue
        if put is not None:
            with_text += 1
            left += [with_text] * (text in cleaned.text)
        if with_text:
            models.add(cleaned.site_model_version)
        if with_text == _PAGES_WITH_TEXT:
            break
    return Trial(seed, with_text, left, len(models) - 1)


def _text(words: set[str], rng: Random) -> str:
    vocabulary = vocabulary_of(words)
    if not vocabulary:
        raise InputProblem("the site has too few different words; take more known pages")
    return " ".join(rng.choice(vocabulary) for _ in range(_WORDS)).capitalize() + "."


def markup_with(page: SyntheticPage, text: str, rng: Random) -> str | None:
    """Return the markup of a page with a text behind a paragraph of its content; None where it has no content."""
    selectors = GoldSelectors.of(page.record())
    root = parsed(page.html)
    if selectors is None or not inject(root, selectors, [text], "p", rng):
        return None
    return serialised(root).decode()
