"""`templ experiments pagelevel-classes`: table 3 of Chakrabarti et al. (WWW 2007)."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from templ_core.evaluation.cross_site_classes import TopicPage, cross_site_accuracies
from workers.cli.experiments.class_pages import CLEANERS, clean_pages, read_class_set
from workers.cli.experiments.gold_pages import read_classifier
from workers.cli.experiments.results import Report, out_option

PAPER = {"full text": 38.22, "SITELEVEL": 43.45, "basic": 43.6, "smooth": 45.13}
ARTICLE_ALONE = "article alone"


@click.command()
@click.argument("classifier", type=click.Path(path_type=Path))
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--articles", default=40, show_default=True, help="Articles of each topic.")
@click.option("--templates", default=4, show_default=True, help="Templates of each article.")
@click.option("--seed", default=0, show_default=True, help="Same seed and corpora, same pages.")
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
    pages = read_class_set(
        corpora, articles_per_topic=articles, templates_per_article=templates, seed=seed
    )
    cleaned = clean_pages(pages, read_classifier(classifier))
    report = Report(out)
    report.say(
        f"{len(cleaned)} pages: {len({one.page.article for one in cleaned})} articles in templates "
        f"of {len({one.page.site for one in cleaned})} sites"
    )
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
