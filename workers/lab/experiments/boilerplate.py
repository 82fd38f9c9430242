"""`templ experiments boilerplate`: what is left of blocks that synthetic shops and manuals have on every page."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from random import Random
from typing import NamedTuple

import click

from templ_core import SiteCleaner
from templ_core.lab.evaluation.words import word_counts, words_left
from workers.lab.experiments.results import Report
from workers.lab.job_processes import map_in_processes
from workers.lab.options import jobs_option, option, out_option, seed_option
from workers.lab.simulate.prose import Prose, invent_place, invent_topic, language

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
    """Return sentences of about so many words."""
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


_KINDS: dict[str, tuple[Callable[[Random], Iterator[BoilerplatePage]], int]] = {
    "shop, block of 80 to 600 words": (_shop, _BLOCK_AFTER),
    "manual, block of 80 to 600 words": (_manual, _BLOCK_AFTER),
    "manual, box of 20 to 60 links by section": (_manual_with_links, _LINKS_AFTER),
}


@click.command(short_help="Measure what is left of blocks on all pages of shops and manuals.")
@option("--sites", default=20, help="Sites of each kind.")
@option("--pages", default=40, help="Pages of each site.")
@seed_option("Seed of the sites.")
@jobs_option
@out_option
def boilerplate(sites: int, pages: int, seed: int, jobs: int, out: Path | None) -> None:
    """Clean synthetic shops and manuals in order, and report what is left of what all their pages have.

    A page has 20 to 80 words of its own. Words of a block are left where a run of four of them is
    published after the third page of the site; those of a box of links after the tenth.
    """
    report, rows = Report(out), []
    for kind, (_, after) in _KINDS.items():
        seeds = [f"{seed}/{kind}/{number}" for number in range(sites)]
        found = list(map_in_processes(jobs, _run_site, repeat(kind), seeds, repeat(pages)))
        left, repeated, kept, own = (sum(column) for column in zip(*found, strict=True))
        rows.append([kind, str(after), f"{left / repeated:.4f}", f"{kept / own:.4f}"])
    report.table(
        "Shares of words that are published",
        ["kind of site", "after page", "of the block or box", "of the page's own text"],
        rows,
    )


def _run_site(kind: str, seed: str, pages: int) -> Sequence[int]:
    """Return words left, words repeated, own words kept and own words, after the first pages."""
    made, after = _KINDS[kind]
    site = made(Random(seed))  # noqa: S311 - not for secrets
    left = repeated = kept = own = 0
    with SiteCleaner() as cleaner:
        for number in range(1, pages + 1):
            page = next(site)
            text = cleaner.clean(f"https://site.example/{number}", page.html).text
            if number > after:
                left += words_left(page.repeated, text)
                repeated += word_counts(page.repeated).total()
                kept += (word_counts(page.own) & word_counts(text)).total()
                own += word_counts(page.own).total()
    return left, repeated, kept, own
