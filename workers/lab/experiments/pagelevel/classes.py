"""`templ experiments pagelevel-classes`: table 3 of Chakrabarti et al. (WWW 2007)."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from templ_core.lab.papers.class_set import TopicPage, cross_site_accuracies
from workers.lab.experiments.corpora.class_pages import (
    CLASS_SET_CLEANERS,
    class_set_options,
    clean_class_set,
    describe_class_set,
)
from workers.lab.experiments.results import Report
from workers.lab.options import out_option

_PAPER = {"full text": 38.22, "SITELEVEL": 43.45, "basic": 43.6, "smooth": 45.13}
_ARTICLE_ALONE = "article alone"


@click.command(short_help="Chakrabarti et al. (2007): classification.")
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
    """Measure the classification of pages by topic across sites, before and after cleaning.

    For every pair of topics and templates, naive Bayes learns each topic from pages in one
    template, a different one for each topic, and classifies the pages in all other templates.
    Accuracies are means over all pairs.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA need `gold_selector` and the sites of the
    class set.
    """
    cleaned = clean_class_set(classifier, corpora, articles, templates, seed)
    report = Report(out)
    report.say(describe_class_set(cleaned))
    texts = {name: [one.texts[name] for one in cleaned] for name in CLASS_SET_CLEANERS}
    texts[_ARTICLE_ALONE] = [one.page.text for one in cleaned]
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
        for pair in accuracies[_ARTICLE_ALONE]
    ]
    rows.append(["mean", *(f"{fmean(found.values()):.1%}" for found in accuracies.values())])
    rows.append(["the paper's mean", *(_paper(name) for name in accuracies)])
    report.table("table 3: accuracy of two-class problems", ["", *accuracies], rows)


def _paper(cleaner: str) -> str:
    return f"{_PAPER[cleaner]} %" if cleaner in _PAPER else ""
