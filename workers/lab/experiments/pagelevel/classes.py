"""`templ experiments pagelevel-classes`: table 3 of Chakrabarti et al. (WWW 2007)."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from templ_core.lab.papers.cross_site_classes import TopicPage, cross_site_accuracies
from workers.lab.experiments.corpora.class_pages import (
    CLEANERS,
    class_set_options,
    cleaned_class_set,
    described,
)
from workers.lab.experiments.results import Report, out_option

PAPER = {"full text": 38.22, "SITELEVEL": 43.45, "basic": 43.6, "smooth": 45.13}
ARTICLE_ALONE = "article alone"


@click.command()
@class_set_options
@out_option
def pagelevel_classes(
    classifier: Path,
    corpora: Sequence[Path],
    articles: int,
    templates: int,
    seed: int,
    out: Path | None,
) -> None:
    """Classification of pages by topic across sites, before and after cleaning.

    Each topic is learned on the pages of one template, another one for each of the two topics, and
    told on those of all other templates, by naive Bayes; means over all pairs of templates. CORPORA
    are those with `gold_selector` that hold the sites of the class set.
    """
    cleaned = cleaned_class_set(classifier, corpora, articles, templates, seed)
    report = Report(out)
    report.say(described(cleaned))
    texts = {name: [one.texts[name] for one in cleaned] for name in CLEANERS}
    texts[ARTICLE_ALONE] = [one.page.text for one in cleaned]
    accuracies = {
        name: cross_site_accuracies(
            [
                TopicPage(
                    topic=one.page.topic,
                    site=one.page.site,
                    article=one.page.article,
                    text=text,
                )
                for one, text in zip(cleaned, some, strict=True)
            ]
        )
        for name, some in texts.items()
    }
    rows = [
        [", ".join(pair), *(f"{found[pair]:.1%}" for found in accuracies.values())]
        for pair in accuracies[ARTICLE_ALONE]
    ]
    rows.append(["mean", *(f"{fmean(found.values()):.1%}" for found in accuracies.values())])
    rows.append(["the paper's mean", *(_paper(name) for name in accuracies)])
    report.table("table 3: accuracy of two-class problems", ["", *accuracies], rows)


def _paper(cleaner: str) -> str:
    return f"{PAPER[cleaner]} %" if cleaner in PAPER else ""
