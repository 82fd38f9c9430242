"""The class set: near-duplicates and classes of pages, tables 2 and 3 of Chakrabarti et al. (WWW 2007)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.fingerprint import are_near_duplicates, min_hashes, simhash
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.papers import class_set
from templ_core.lab.papers.pagelevel.variants import (
    SmoothedClassifier,
    basic_variant,
    smooth_variant,
)
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.lab.training.labels.site_labels import count_site, site_labels
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import record_markup, records_with
from workers.lab.experiments.pagelevel import ScoredPage, read_classifier, score_record

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


CleanedPage = tuple[class_set.ClassPage, dict[str, str]]
"""A page of the class set, with the text that each of CLASS_SET_CLEANERS leaves of it."""


def read_class_set(
    corpora: Sequence[Path],
    *,
    articles_per_topic: int,
    templates_per_article: int,
    seed: int,
    template_sites: Sequence[str] = CLASS_SET_TEMPLATES,
) -> list[class_set.ClassPage]:
    """Return the class set: articles on several topics, each inside the templates of other sites.

    Raises:
        InputProblem: The corpora lack articles of a topic, or have too few templates.
    """
    by_site = read_source_pages(corpora)
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
    return class_set.class_set(
        topics,
        templates,
        articles_per_topic=articles_per_topic,
        templates_per_article=templates_per_article,
        seed=seed,
    )


def read_source_pages(corpora: Sequence[Path]) -> defaultdict[str, list[class_set.SourcePage]]:
    """Return the pages of each site that have gold text and a `gold_selector`."""
    by_site: defaultdict[str, list[class_set.SourcePage]] = defaultdict(list)
    for record in records_with(corpora, "gold_selector"):
        gold = GoldSelectors.of(record)
        if gold is not None and record.get("gold_text"):
            site = record["site"]
            by_site[site].append(
                class_set.SourcePage(
                    site=site, url=record["url"], markup=record_markup(record), gold=gold
                )
            )
    return by_site


_TEMPLATES = 4
"""Number of templates in which each article appears."""


def class_set_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments and options of the commands that use the cleaned class set."""
    for add in (
        lab.seed("Seed of the selection; equal seeds and corpora give equal pages."),
        lab.option("--articles", default=40, help="Number of articles of each topic."),
        lab.corpora,
        click.argument("classifier", type=lab.PATH),
    ):
        command = add(command)
    return command


def read_cleaned(
    *, classifier: Path, corpora: Sequence[Path], articles: int, seed: int
) -> tuple[list[CleanedPage], str]:
    """Return the pages of the class set with their cleaned texts, and a phrase that counts them."""
    pages = read_class_set(
        corpora, articles_per_topic=articles, templates_per_article=_TEMPLATES, seed=seed
    )
    cleaned = clean_class_pages(pages, read_classifier(classifier))
    return cleaned, (
        f"{len(cleaned)} pages: {len({page.article for page, _ in cleaned})} articles in templates "
        f"of {len({page.site for page, _ in cleaned})} sites"
    )


def clean_class_pages(
    pages: Sequence[class_set.ClassPage], classifier: SmoothedClassifier
) -> list[CleanedPage]:
    """Return the pages with the text of each cleaner; SITELEVEL counts over all pages of a site."""
    by_site: defaultdict[str, list[tuple[class_set.ClassPage, ScoredPage]]] = defaultdict(list)
    for page in lab.tracked(pages, "cleaning"):
        scored = score_record({"html": page.markup, "url": page.url}, classifier)
        if scored is not None:
            by_site[page.site].append((page, scored))
    cleaned = []
    for some in by_site.values():
        frequency = count_site([scored for _, scored in some])
        for page, scored in some:
            template = site_labels(scored, frequency).template_segment
            cleaned.append((page, _texts(scored, template)))
    return cleaned


def _texts(page: ScoredPage, site_template: np.ndarray) -> dict[str, str]:
    document = page.document
    smoothed = smooth_variant(page.features, document.segments.owner, page.block_templateness)
    kept = (
        np.ones(len(page.sizes), np.bool_),
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


_PAPER_DUPLICATES = {
    "full text": ("30.9 %", "86.5 %"),
    "SITELEVEL": ("42.7 %", "83.2 %"),
    "smooth": ("76 %", "91.6 %"),
}
_NEAR_BITS = 3
"""Most bits in which the fingerprints of near-duplicates differ (Manku, Jain, Das Sarma, WWW 2007)."""
_Pair = tuple[CleanedPage, CleanedPage]


@lab.command("Chakrabarti et al. (2007): near-duplicates.")
@class_set_options
def pagelevel_duplicates(report: lab.Report, **chosen: Any) -> None:
    """Measure near-duplicate detection, before and after cleaning, by min-hashes and by fingerprints.

    Duplicates are pairs of one real article inside two real templates. Non-duplicates are pairs of
    two articles inside one template.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA need `gold_selector` and the sites of the
    class set.
    """
    cleaned, counted = read_cleaned(**chosen)
    same = _pairs(cleaned, lambda page: page.article)
    different = sorted(
        _pairs(cleaned, lambda page: page.site),
        key=lambda pair: class_set.hash_of(chosen["seed"], *(page.url for page, _ in pair)),
    )[: len(same)]
    sizes = sorted(len(text.split()) for text in {page.text for page, _ in cleaned})
    report.say(
        f"{counted}; median article {sizes[len(sizes) // 2]} words; {len(same)} duplicate and {len(different)} other pairs"
    )
    rows = [
        [
            cleaner,
            *_shares(
                lambda one, other: are_near_duplicates(_hashes(one), _hashes(other)),
                cleaner,
                same,
                different,
            ),
            *_shares(_have_near_keys, cleaner, same, different),
            *_PAPER_DUPLICATES.get(cleaner, ("", "")),
        ]
        for cleaner in CLASS_SET_CLEANERS
    ]
    header = ["", "duplicates found", "others kept apart"]
    header += ["found by fingerprint", "kept apart by it", "the paper's", "the paper's"]
    report.table("table 2: near-duplicates", header, rows)


def _pairs(pages: Iterable[CleanedPage], key: Callable[[class_set.ClassPage], str]) -> list[_Pair]:
    """Return the pairs with equal keys: of one article, or of one site and different articles."""
    return [
        (one, other)
        for some in group_by(pages, lambda page: key(page[0])).values()
        for one, other in combinations(some, 2)
        if (one[0].article == other[0].article) == (key(one[0]) == one[0].article)
    ]


def _shares(
    is_near: Callable[[str, str], bool],
    cleaner: str,
    same: Sequence[_Pair],
    others: Sequence[_Pair],
) -> list[str]:
    """Return the shares of duplicates that are found, and of other pairs that are kept apart."""
    found, taken = (
        fmean([is_near(*(texts[cleaner] for _, texts in pair)) for pair in pairs] or [0])
        for pairs in (same, others)
    )
    return [f"{found:.1%}", f"{1 - taken:.1%}"]


_hashes = cache(min_hashes)
_key = cache(simhash)


def _have_near_keys(text: str, other: str) -> bool:
    first, second = _key(text), _key(other)
    if first is None or second is None:
        return False
    return (first ^ second).bit_count() <= _NEAR_BITS


_PAPER_ACCURACY = {"full text": 38.22, "SITELEVEL": 43.45, "basic": 43.6, "smooth": 45.13}
_ARTICLE_ALONE = "article alone"


@lab.command("Chakrabarti et al. (2007): classification.")
@class_set_options
def pagelevel_classes(report: lab.Report, **chosen: Any) -> None:
    """Measure the classification of pages by topic across sites, before and after cleaning.

    For every pair of topics and templates, naive Bayes learns each topic from pages in one
    template, a different one for each topic, and classifies the pages in all other templates.
    Accuracies are means over all pairs.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA need `gold_selector` and the sites of the
    class set.
    """
    cleaned, counted = read_cleaned(**chosen)
    report.say(counted)
    texts = {name: [some[name] for _, some in cleaned] for name in CLASS_SET_CLEANERS}
    texts[_ARTICLE_ALONE] = [page.text for page, _ in cleaned]
    pages = [page for page, _ in cleaned]
    columns = [[getattr(page, name) for page in pages] for name in ("topic", "site", "article")]
    accuracies = {
        name: class_set.cross_site_accuracies(some, *columns) for name, some in texts.items()
    }
    rows = [
        [", ".join(pair), *(f"{found[pair]:.1%}" for found in accuracies.values())]
        for pair in accuracies[_ARTICLE_ALONE]
    ]
    rows.append(["mean", *(f"{fmean(found.values()):.1%}" for found in accuracies.values())])
    paper = (f"{_PAPER_ACCURACY[name]} %" if name in _PAPER_ACCURACY else "" for name in accuracies)
    rows.append(["the paper's mean", *paper])
    report.table("table 3: accuracy of two-class problems", ["", *accuracies], rows)
