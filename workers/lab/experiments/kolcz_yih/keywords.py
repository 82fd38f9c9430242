"""`templ experiments kolcz-yih-keywords`: tables 1 and 2 of Kolcz and Yih (PKDD 2007)."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from templ_core.clean import decide_page
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.lab.evaluation.bootstrap import bootstrap
from templ_core.lab.layout.presentation import Presentation
from templ_core.lab.papers.kolcz_yih.block_features import read_block_features
from templ_core.lab.papers.kolcz_yih.cross_site import cross_site_scores
from templ_core.lab.papers.kolcz_yih.fit_block_detector import (
    fit_block_detector,
    joined,
    sample_blocks,
)
from templ_core.lab.papers.kolcz_yih.fit_keywords import fit_keywords, ranked
from templ_core.lab.papers.kolcz_yih.keywords import (
    DocumentFrequency,
    KeywordPage,
    document_frequency,
    top_n,
)
from templ_core.lab.papers.kolcz_yih.text_blocks import read_blocks
from templ_core.lab.training.labels.site_pages import TooFewPages, read_sites
from workers.errors import InputProblem
from workers.lab.experiments.corpora.keyword_pages import (
    Keeps,
    TaggedPage,
    read_plain_pages,
    read_tagged_pages,
)
from workers.lab.experiments.corpora.site_records import read_site_pages
from workers.lab.experiments.results import Report, out_option

TOPS = (1, 2, 3, 5, 10)
TEMPLATE_RECALL = 0.5
"""Of the forest, as in the paper."""


class Setting(msgspec.Struct, frozen=True):
    """A row of the paper's tables."""

    name: str
    clean_train: bool
    clean_test: bool
    counted_on: str
    """The pages of the document frequencies: train, both, or diverse ones."""
    paper: tuple[float, float, float, float, float]


SETTINGS = (
    Setting("ORD", False, False, "train", (34.80, 27.16, 24.28, 19.23, 17.06)),  # noqa: FBT003
    Setting("DN", False, True, "train", (37.74, 28.11, 25.48, 22.14, 20.55)),  # noqa: FBT003
    Setting("DF", False, False, "both", (41.09, 31.68, 26.04, 22.44, 19.17)),  # noqa: FBT003
    Setting("DN-DF", False, True, "both", (40.46, 32.00, 27.66, 23.71, 21.28)),  # noqa: FBT003
    Setting("DN_both", True, True, "train", (36.48, 27.68, 24.84, 21.71, 20.47)),  # noqa: FBT003
    Setting("DN-DF_both", True, True, "both", (39.20, 31.79, 26.96, 23.44, 21.04)),  # noqa: FBT003
    Setting("ODP-DF", False, False, "diverse", (29.35, 25.58, 23.57, 19.14, 16.82)),  # noqa: FBT003
)


@click.command()
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--train",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Pages of many sites, to learn the extraction from.",
)
@click.option(
    "--diverse",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Other pages of many sites, for ODP-DF: keywords are not needed.",
)
@click.option(
    "--forest",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Clean by Kolcz and Yih's random forest, fitted to these: several pages a site, no gold.  "
    "[default: clean by the shipped page model]",
)
@click.option("--pages-per-site", default=20, show_default=True, help="The first with keywords.")
@click.option("--seed", default=0, show_default=True, help="Of the forest and the intervals.")
@out_option
def kolcz_yih_keywords(
    corpora: Sequence[Path],
    *,
    train: Sequence[Path],
    diverse: Sequence[Path],
    forest: Sequence[Path],
    pages_per_site: int,
    seed: int,
    out: Path | None,
) -> None:
    """Keyword extraction from CORPORA before and after cleaning: top-N scores.

    The gold are a page's own keywords: of its meta elements and its links to tags, which are taken out
    of the page first. CORPORA should be sites that neither the extraction nor the cleaner has seen.
    """
    keeps = _forest(forest, seed) if forest else _page_model
    taught = _tagged(train, pages_per_site, keeps)
    tested = _tagged(corpora, pages_per_site, keeps)
    report = Report(out)
    for name, pages in (("learned from", taught), ("tested on", tested)):
        sites = len({page.site for page in pages})
        wanted = np.mean([len(page.wanted) for page in pages])
        report.say(f"{name} {len(pages)} pages of {sites} sites, {wanted:.1f} keywords a page")
    other = document_frequency(read_plain_pages(diverse))
    scores = {}
    for setting in SETTINGS:
        scores[setting.name] = _scores(setting, taught, tested, other)
        click.echo(setting.name, err=True)
    sites = [page.site for page in tested]
    rows = []
    for setting in SETTINGS:
        means = [
            f"{100 * bootstrap(column.tolist(), sites, seed).of_pages:.2f} ({paper:.2f})"
            for column, paper in zip(scores[setting.name].T, setting.paper, strict=True)
        ]
        rows.append([setting.name, *means])
    for one, base in (("DN", "ORD"), ("DN-DF", "DF")):
        gains = 100 * (scores[one] - scores[base])
        rows.append([f"{one} - {base}", *(_interval(column, sites, seed) for column in gains.T)])
    header = ["in brackets: the paper's", *(f"Top{n}" for n in TOPS)]
    report.table("tables 1 and 2: keyword extraction, %", header, rows)


def _tagged(corpora: Sequence[Path], pages_per_site: int, keeps: Keeps) -> list[TaggedPage]:
    pages = list(read_tagged_pages(corpora, pages_per_site, keeps))
    if not pages:
        raise InputProblem(f"{', '.join(map(str, corpora))}: no page has keywords of its own")
    return pages


def _page_model(document: Document, _: Presentation) -> np.ndarray:
    return decide_page(document, None, CoreConfig()).kept


def _forest(corpora: Sequence[Path], seed: int) -> Keeps:
    """Keeps what is in no block that the forest calls template, at the recall of the paper."""
    try:
        sites = enumerate(read_sites(read_site_pages(corpora)))
        samples = [sample_blocks(site, number) for number, site in sites]
    except TooFewPages as error:
        raise InputProblem(f"{', '.join(map(str, corpora))}: {error}") from None
    sample = joined(one for one in samples if one is not None)
    scores = cross_site_scores(sample, seed, lambda done: click.echo(done, err=True))["forest"]
    least = float(np.quantile(scores[sample.template], 1 - TEMPLATE_RECALL))
    detector = fit_block_detector(sample, seed)

    def keeps(document: Document, presentation: Presentation) -> np.ndarray:
        blocks = read_blocks(document, presentation)
        kept = np.ones(len(document.segments.texts), np.bool_)
        if len(blocks.node):
            features = read_block_features(document, presentation, blocks)
            template = detector.forest_probability(features) >= least
            for node in blocks.node[template].tolist():
                owner = document.segments.owner
                kept &= (owner < node) | (owner >= document.nodes.end[node])
        return kept

    return keeps


def _scores(
    setting: Setting,
    taught: Sequence[TaggedPage],
    tested: Sequence[TaggedPage],
    diverse: DocumentFrequency,
) -> np.ndarray:
    """Top-N score of each page, a column for each N."""

    def seen(page: TaggedPage, *, clean: bool) -> KeywordPage:
        return page.cleaned if clean else page.found

    counted = {"train": taught, "both": [*taught, *tested]}.get(setting.counted_on)
    frequency = diverse
    if counted is not None:
        frequency = document_frequency(seen(one, clean=setting.clean_train) for one in counted)
    model = fit_keywords(
        ((seen(page, clean=setting.clean_train), page.wanted) for page in taught), frequency
    )
    found = []
    for page in tested:
        best = ranked(seen(page, clean=setting.clean_test), frequency, model, max(TOPS))
        found.append([top_n(best, page.wanted, n) for n in TOPS])
    return np.array(found)


def _interval(values: np.ndarray, sites: Sequence[str], seed: int) -> str:
    mean = bootstrap(values.tolist(), sites, seed)
    if mean.pages_interval is None:
        return f"{mean.of_pages:.2f}"
    interval = mean.pages_interval
    return f"{mean.of_pages:+.2f} [{interval.low:.2f}, {interval.high:.2f}]"
