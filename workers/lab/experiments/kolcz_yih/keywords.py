"""`templ experiments kolcz-yih-keywords`: tables 1 and 2 of Kolcz and Yih (PKDD 2007)."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.lab.evaluation.report import bootstrap
from templ_core.lab.layout import Presentation
from templ_core.lab.papers.kolcz_yih.block_detector import (
    BlockSample,
    cross_site_scores,
    fit_block_detector,
    sample_blocks,
)
from templ_core.lab.papers.kolcz_yih.blocks import read_block_features, read_blocks
from templ_core.lab.papers.kolcz_yih.keywords import (
    DocumentFrequency,
    KeywordPage,
    document_frequency,
    fit_keywords,
    rank_keywords,
    top_n,
)
from templ_core.lab.training.labels.site_pages import TooFewPages, read_sites
from workers.errors import InputProblem
from workers.lab.experiments.corpora.keyword_pages import (
    KeywordTestPage,
    SegmentFilter,
    read_plain_pages,
    read_tagged_pages,
)
from workers.lab.experiments.corpora.site_records import read_site_pages
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option

_TOPS = (1, 2, 3, 5, 10)
_TEMPLATE_RECALL = 0.5
"""Recall of template blocks at which the random forest cleans, as in the paper."""


class _Setting(msgspec.Struct, frozen=True):
    """A row of the paper's tables."""

    name: str
    clean_train: bool
    clean_test: bool
    counted_on: str
    """Pages on which document frequencies are counted: `train`, `both` or `diverse`."""
    paper: tuple[float, float, float, float, float]


_PAPER_SETTINGS = (
    _Setting("ORD", False, False, "train", (34.80, 27.16, 24.28, 19.23, 17.06)),  # noqa: FBT003
    _Setting("DN", False, True, "train", (37.74, 28.11, 25.48, 22.14, 20.55)),  # noqa: FBT003
    _Setting("DF", False, False, "both", (41.09, 31.68, 26.04, 22.44, 19.17)),  # noqa: FBT003
    _Setting("DN-DF", False, True, "both", (40.46, 32.00, 27.66, 23.71, 21.28)),  # noqa: FBT003
    _Setting("DN_both", True, True, "train", (36.48, 27.68, 24.84, 21.71, 20.47)),  # noqa: FBT003
    _Setting("DN-DF_both", True, True, "both", (39.20, 31.79, 26.96, 23.44, 21.04)),  # noqa: FBT003
    _Setting("ODP-DF", False, False, "diverse", (29.35, 25.58, 23.57, 19.14, 16.82)),  # noqa: FBT003
)


@click.command(short_help="Kolcz and Yih (2007): keyword extraction.")
@corpora_argument
@click.option(
    "--train",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Corpus of many sites to train the keyword extraction on; may be repeated.",
)
@click.option(
    "--diverse",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Corpus of many other sites, without keywords, for the document frequencies of row "
    "ODP-DF; may be repeated.",
)
@click.option(
    "--forest",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Clean with Kolcz and Yih's random forest, trained on this corpus, which needs several "
    "pages a site and no gold; may be repeated.  [default: clean with the shipped page model]",
)
@click.option(
    "--pages-per-site",
    default=20,
    show_default=True,
    help="Number of pages with keywords to use of each site.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the forest and of the bootstrap."
)
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
    """Measure keyword extraction from CORPORA before and after cleaning, by top-N scores.

    The gold are a page's own keywords, from its meta elements and its links to tags; both are
    removed from the page first. CORPORA should hold sites on which neither the extraction nor the
    cleaner was trained.
    """
    keeps = _forest(forest, seed) if forest else _page_model
    training = _tagged(train, pages_per_site, keeps)
    testing = _tagged(corpora, pages_per_site, keeps)
    report = Report(out)
    for name, pages in (("trained on", training), ("tested on", testing)):
        site_count = len({page.site for page in pages})
        wanted = np.mean([len(page.wanted) for page in pages])
        report.say(f"{name} {len(pages)} pages of {site_count} sites, {wanted:.1f} keywords a page")
    other = document_frequency(read_plain_pages(diverse))
    scores = {}
    for setting in _PAPER_SETTINGS:
        scores[setting.name] = _scores(setting, training, testing, other)
        click.echo(setting.name, err=True)
    sites = [page.site for page in testing]
    rows = []
    for setting in _PAPER_SETTINGS:
        means = [
            f"{100 * bootstrap(column.tolist(), sites, seed).of_pages:.2f} ({paper:.2f})"
            for column, paper in zip(scores[setting.name].T, setting.paper, strict=True)
        ]
        rows.append([setting.name, *means])
    for one, base in (("DN", "ORD"), ("DN-DF", "DF")):
        gains = 100 * (scores[one] - scores[base])
        rows.append([f"{one} - {base}", *(_interval(column, sites, seed) for column in gains.T)])
    header = ["in brackets: the paper's", *(f"Top{n}" for n in _TOPS)]
    report.table("tables 1 and 2: keyword extraction, %", header, rows)


def _tagged(
    corpora: Sequence[Path], pages_per_site: int, keeps: SegmentFilter
) -> list[KeywordTestPage]:
    pages = list(read_tagged_pages(corpora, pages_per_site, keeps))
    if not pages:
        raise InputProblem(f"{', '.join(map(str, corpora))}: no page has keywords")
    return pages


def _page_model(document: Document, _: Presentation) -> np.ndarray:
    return clean(document, None, CoreConfig()).decision.kept


def _forest(corpora: Sequence[Path], seed: int) -> SegmentFilter:
    """Return a filter that drops the blocks which the forest calls template."""
    try:
        sites = enumerate(read_sites(read_site_pages(corpora)))
        samples = [sample_blocks(site, number) for number, site in sites]
    except TooFewPages as error:
        raise InputProblem(f"{', '.join(map(str, corpora))}: {error}") from None
    sample = BlockSample.joined(one for one in samples if one is not None)
    scores = cross_site_scores(sample, seed, lambda done: click.echo(done, err=True))["forest"]
    least = float(np.quantile(scores[sample.template], 1 - _TEMPLATE_RECALL))
    detector = fit_block_detector(sample, seed)

    def keeps(document: Document, presentation: Presentation) -> np.ndarray:
        blocks = read_blocks(document, presentation)
        kept = np.ones(len(document.segments.texts), np.bool_)
        if len(blocks.node):
            features = read_block_features(document, presentation, blocks)
            template = detector.template_probability(features) >= least
            for node in blocks.node[template].tolist():
                owner = document.segments.owner
                kept &= (owner < node) | (owner >= document.nodes.end[node])
        return kept

    return keeps


def _scores(
    setting: _Setting,
    training: Sequence[KeywordTestPage],
    testing: Sequence[KeywordTestPage],
    diverse: DocumentFrequency,
) -> np.ndarray:
    """Return the top-N score of each page, with one column for each N."""

    def seen(page: KeywordTestPage, *, clean: bool) -> KeywordPage:
        return page.cleaned if clean else page.found

    counted = {"train": training, "both": [*training, *testing]}.get(setting.counted_on)
    frequency = diverse
    if counted is not None:
        frequency = document_frequency(seen(one, clean=setting.clean_train) for one in counted)
    model = fit_keywords(
        ((seen(page, clean=setting.clean_train), page.wanted) for page in training), frequency
    )
    found = []
    for page in testing:
        best = rank_keywords(seen(page, clean=setting.clean_test), frequency, model, max(_TOPS))
        found.append([top_n(best, page.wanted, n) for n in _TOPS])
    return np.array(found)


def _interval(values: np.ndarray, sites: Sequence[str], seed: int) -> str:
    mean = bootstrap(values.tolist(), sites, seed)
    if mean.pages_interval is None:
        return f"{mean.of_pages:.2f}"
    interval = mean.pages_interval
    return f"{mean.of_pages:+.2f} [{interval.low:.2f}, {interval.high:.2f}]"
