"""The class set of the experiments, and what each cleaner leaves of its pages."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from templ_core.clean import decide_page
from templ_core.config import CoreConfig
from templ_core.lab.papers.class_set import ClassPage, SourcePage, class_set
from templ_core.lab.papers.pagelevel.smoothed_classifier import SmoothedClassifier
from templ_core.lab.papers.pagelevel.variants import basic, smooth
from templ_core.lab.training.labels.node_templates import count_site, site_labels
from templ_core.lab.training.labels.site_pages import ReadPage, SitePage
from workers.errors import InputProblem
from workers.lab.experiments.corpora.gold_pages import (
    ScoredPage,
    read_classifier,
    records,
    score_markup,
)

TOPICS = {
    "soccer": ("americansocceranalysis.com",),
    "cooking": ("orangette.net", "foodgoesinmouth.com"),
    "philosophy": ("certaindoubts",),
    "games": ("insertcredit.com",),
    "electronics": ("semifluid.com",),
}
"""Sites in English that write about one thing each."""
TEMPLATES = (
    "freepressokc.com",
    "postlibertarian.com",
    "drawerb.com",
    "lexinsider",
    "storiesovercoffee",
    "blog.biicode.com",
    "helijet.com",
    "applevalleycitizens.org",
    "freshwinds.org.uk",
    "sproutdistro.com",
    "art.350.org",
    "zine.artcat.com",
)
"""Other sites in English, whose content is one element on each page."""
CLEANERS = ("full text", "SITELEVEL", "basic", "smooth", "shipped page model")


class CleanedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the class set with the text that each cleaner leaves."""

    page: ClassPage
    texts: dict[str, str]
    """By cleaner, see CLEANERS."""


def read_class_set(
    corpora: Sequence[Path],
    *,
    articles_per_topic: int,
    templates_per_article: int,
    seed: int,
    template_sites: Sequence[str] = TEMPLATES,
) -> list[ClassPage]:
    """The class set made of the corpora's pages with a `gold_selector`.

    Raises:
        InputProblem: pages of some topic, or of all templates, are missing.
    """
    by_site: defaultdict[str, list[SourcePage]] = defaultdict(list)
    for record in records(corpora, "gold_selector"):
        if record.get("gold_text"):
            by_site[record["site"]].append(_source(record))
    topics = {
        topic: [page for site in sites for page in by_site[site]] for topic, sites in TOPICS.items()
    }
    templates = {site: by_site[site] for site in template_sites if by_site[site]}
    lacking = [topic for topic, pages in topics.items() if not pages]
    if lacking or len(templates) < templates_per_article:
        raise InputProblem(
            f"the corpora have no articles on {', '.join(lacking) or 'nothing'} and templates of "
            f"{len(templates)} sites; needed are the sites of {', '.join(TOPICS)} and "
            f"{templates_per_article} of {', '.join(template_sites)}"
        )
    return class_set(
        topics,
        templates,
        articles_per_topic=articles_per_topic,
        templates_per_article=templates_per_article,
        seed=seed,
    )


def _source(record: Mapping[str, Any]) -> SourcePage:
    return SourcePage(
        site=record["site"],
        url=record["url"],
        markup=record["html"],
        content=record["gold_selector"],
        exclude=record.get("gold_exclude"),
        neutral=record.get("gold_neutral"),
    )


def class_set_options(command: Callable[..., None]) -> Callable[..., None]:
    """Arguments and options of the commands on cleaned pages of the class set."""
    for add in (
        click.option(
            "--seed", default=0, show_default=True, help="Same seed and corpora, same pages."
        ),
        click.option(
            "--templates", default=4, show_default=True, help="Templates of each article."
        ),
        click.option("--articles", default=40, show_default=True, help="Articles of each topic."),
        click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path)),
        click.argument("classifier", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def cleaned_class_set(
    classifier: Path, corpora: Sequence[Path], articles: int, templates: int, seed: int
) -> list[CleanedPage]:
    """The class set that `class_set_options` ask for, cleaned.

    Raises:
        InputProblem: pages of some topic, or of all templates, are missing; no classifier.
    """
    pages = read_class_set(
        corpora, articles_per_topic=articles, templates_per_article=templates, seed=seed
    )
    return clean_pages(pages, read_classifier(classifier))


def described(pages: Sequence[CleanedPage]) -> str:
    """How many pages, articles and templates there are."""
    return (
        f"{len(pages)} pages: {len({one.page.article for one in pages})} articles in templates "
        f"of {len({one.page.site for one in pages})} sites"
    )


def clean_pages(pages: Sequence[ClassPage], classifier: SmoothedClassifier) -> list[CleanedPage]:
    """The pages with what each cleaner leaves of them; SITELEVEL counts over all of a site's."""
    by_site: defaultdict[str, list[tuple[ClassPage, ScoredPage]]] = defaultdict(list)
    for page in pages:
        scored = score_markup(page.markup, page.url, classifier, {})
        if scored is not None:
            by_site[page.site].append((page, scored))
    found = []
    for some in by_site.values():
        read = [_read_page(page, scored) for page, scored in some]
        frequency = count_site(read)
        for (page, scored), one in zip(some, read, strict=True):
            template = site_labels(one, frequency).template_segment
            found.append(CleanedPage(page=page, texts=_texts(scored, template)))
    return found


def _read_page(page: ClassPage, scored: ScoredPage) -> ReadPage:
    return ReadPage(
        page=SitePage(corpus="class set", site=page.site, url=page.url, body=b""),
        document=scored.document,
        presentation=scored.presentation,
        words=scored.all_words,
    )


def _texts(page: ScoredPage, site_template: np.ndarray) -> dict[str, str]:
    document = page.document
    smoothed = smooth(page.features, document.segments.owner, page.block_templateness)
    kept = (
        np.ones(len(page.words), np.bool_),
        ~site_template,
        basic(page.templateness).kept,
        smoothed.kept,
        decide_page(document, None, CoreConfig()).kept,
    )
    return {
        cleaner: "\n".join(
            text for text, stays in zip(document.segments.texts, some, strict=True) if stays
        )
        for cleaner, some in zip(CLEANERS, kept, strict=True)
    }
