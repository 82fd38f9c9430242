"""The class set of the experiments, and the text that each cleaner leaves of its pages."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.lab.papers.class_set import ClassPage, SourcePage, class_set
from templ_core.lab.papers.pagelevel.smoothed_classifier import SmoothedClassifier
from templ_core.lab.papers.pagelevel.variants import basic_variant, smooth_variant
from templ_core.lab.training.labels.node_templates import count_site, site_labels
from templ_core.lab.training.labels.site_pages import CorpusPage, ReadPage
from workers.errors import InputProblem
from workers.lab.experiments.corpora.scored_pages import (
    ScoredPage,
    read_classifier,
    records_with,
    score_markup,
)
from workers.lab.options import corpora_argument

TOPIC_SITES = {
    "soccer": ("americansocceranalysis.com",),
    "cooking": ("orangette.net", "foodgoesinmouth.com"),
    "philosophy": ("certaindoubts",),
    "games": ("insertcredit.com",),
    "electronics": ("semifluid.com",),
}
"""English-language sites that each write about a single topic."""
CLASS_SET_TEMPLATES = (
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
"""Other English-language sites, whose pages each have their content in one element."""
CLASS_SET_CLEANERS = ("full text", "SITELEVEL", "basic", "smooth", "shipped page model")


class CleanedClassPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the class set, with the text that each cleaner leaves of it."""

    page: ClassPage
    texts: dict[str, str]
    """Text by cleaner; the cleaners are those of CLASS_SET_CLEANERS."""


def read_class_set(
    corpora: Sequence[Path],
    *,
    articles_per_topic: int,
    templates_per_article: int,
    seed: int,
    template_sites: Sequence[str] = CLASS_SET_TEMPLATES,
) -> list[ClassPage]:
    """Return the class set: articles on several topics, each inside the templates of other sites.

    Raises:
        InputProblem: The corpora lack articles of a topic, or have too few templates.
    """
    by_site: defaultdict[str, list[SourcePage]] = defaultdict(list)
    for record in records_with(corpora, "gold_selector"):
        if record.get("gold_text"):
            by_site[record["site"]].append(_source(record))
    topics = {
        topic: [page for site in sites for page in by_site[site]]
        for topic, sites in TOPIC_SITES.items()
    }
    templates = {site: by_site[site] for site in template_sites if by_site[site]}
    lacking = [topic for topic, pages in topics.items() if not pages]
    if lacking or len(templates) < templates_per_article:
        raise InputProblem(
            f"the class set needs articles on {', '.join(TOPIC_SITES)} and templates of at least "
            f"{templates_per_article} of the sites {', '.join(template_sites)}; the corpora lack "
            f"articles on {', '.join(lacking) or 'no topic'} and have {len(templates)} templates"
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
    """Add the arguments and options of the commands that use the cleaned class set."""
    for add in (
        click.option(
            "--seed",
            default=0,
            show_default=True,
            help="Seed of the selection; equal seeds and corpora give equal pages.",
        ),
        click.option(
            "--templates",
            default=4,
            show_default=True,
            help="Number of templates in which each article appears.",
        ),
        click.option(
            "--articles", default=40, show_default=True, help="Number of articles of each topic."
        ),
        corpora_argument,
        click.argument("classifier", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def clean_class_set(
    classifier: Path, corpora: Sequence[Path], articles: int, templates: int, seed: int
) -> list[CleanedClassPage]:
    """Return the cleaned pages of the class set.

    Args:
        classifier: File of `templ experiments pagelevel-train`.
        corpora: Corpora with the sites of the class set.
        articles: Number of articles of each topic.
        templates: Number of templates in which each article appears.
        seed: Seed of the selection.

    Raises:
        InputProblem: The corpora lack pages, or the classifier cannot be read.
    """
    pages = read_class_set(
        corpora, articles_per_topic=articles, templates_per_article=templates, seed=seed
    )
    return clean_class_pages(pages, read_classifier(classifier))


def describe_class_set(pages: Sequence[CleanedClassPage]) -> str:
    """Return a phrase that counts the pages, articles and templates."""
    return (
        f"{len(pages)} pages: {len({one.page.article for one in pages})} articles in templates "
        f"of {len({one.page.site for one in pages})} sites"
    )


def clean_class_pages(
    pages: Sequence[ClassPage], classifier: SmoothedClassifier
) -> list[CleanedClassPage]:
    """Return the pages with the text of each cleaner; SITELEVEL counts over all pages of a site."""
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
            found.append(CleanedClassPage(page=page, texts=_texts(scored, template)))
    return found


def _read_page(page: ClassPage, scored: ScoredPage) -> ReadPage:
    return ReadPage(
        page=CorpusPage(corpus="class set", site=page.site, url=page.url, body=b""),
        document=scored.document,
        presentation=scored.presentation,
        words=scored.all_words,
    )


def _texts(page: ScoredPage, site_template: np.ndarray) -> dict[str, str]:
    document = page.document
    smoothed = smooth_variant(page.features, document.segments.owner, page.block_templateness)
    kept = (
        np.ones(len(page.words), np.bool_),
        ~site_template,
        basic_variant(page.templateness).kept,
        smoothed.kept,
        clean(document, None, CoreConfig()).decision.kept,
    )
    return {
        cleaner: "\n".join(
            text for text, stays in zip(document.segments.texts, some, strict=True) if stays
        )
        for cleaner, some in zip(CLASS_SET_CLEANERS, kept, strict=True)
    }
