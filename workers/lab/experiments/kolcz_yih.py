"""Template blocks and keywords: figure 1, tables 1 and 2 of Kolcz and Yih (PKDD 2007)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click
import numpy as np
from lxml import etree

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.errors import PageError
from templ_core.lab.evaluation.curves import curve_of_scores, recall_at
from templ_core.lab.layout import Presentation, read_presentation
from templ_core.lab.papers.kolcz_yih import block_detector
from templ_core.lab.papers.kolcz_yih.blocks import read_block_features, read_blocks
from templ_core.lab.papers.kolcz_yih.keywords import (
    PHRASE_WORDS_MAX,
    DocumentFrequency,
    KeywordPage,
    Passage,
    document_frequency,
    fit_keywords,
    normal_phrase,
    rank_keywords,
    top_n,
)
from templ_core.lab.training.labels.site_labels import CorpusPage, TooFewPages, read_sites
from templ_core.lab.training.pages import thin
from templ_core.page_level.features.page_features import read_features
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import read_objects, read_record, read_site_pages, record_markup, site_of
from workers.lab.plots import line_chart

_NAMES = {"text": "text", "maxent": "maxent", "forest": "rf"}
_PRECISIONS = (0.8, 0.85, 0.9, 0.95)
_POINTS = 60


@lab.command("Kolcz and Yih (2007): template blocks.")
@lab.corpora
@lab.option("--pages-per-site", default=60, help="Number of pages to draw from each site.")
@lab.seed("Seed of the random forest.")
def kolcz_yih(report: lab.Report, corpora: Sequence[Path], pages_per_site: int, seed: int) -> None:
    """Measure precision and recall of template blocks on unseen sites, by 10-fold cross-validation.

    CORPORA need several pages a site and no gold, since labels are counted on the sites themselves.
    Pages are drawn in two ways: by hash, like the paper's crawl, and by the shortest paths, like
    its directory.
    """
    pages = list(read_site_pages(corpora))
    samplings = {
        "crawl": thin(pages, pages_per_site),
        "directory": thin(pages, max(pages_per_site // 2, 1), lambda url: len(urlsplit(url).path)),
    }
    del pages
    for name, drawn in samplings.items():
        sample = _sample(drawn)
        count, template = len(sample.template), float(sample.template.mean())
        report.say(
            f"{name}: {len(drawn)} pages drawn, {len(set(sample.site.tolist()))} sites, "
            f"{count} labelled blocks, {template:.1%} of them template"
        )
        _report(report, name, sample, seed)


def _sample(pages: Iterable[CorpusPage]) -> block_detector.BlockSample:
    try:
        sites = lab.tracked(read_sites(pages), "labelling sites")
        samples = [block_detector.sample_blocks(site, number) for number, site in enumerate(sites)]
    except TooFewPages as error:
        raise InputProblem(str(error)) from None
    return block_detector.BlockSample.joined(one for one in samples if one is not None)


def _report(report: lab.Report, name: str, sample: block_detector.BlockSample, seed: int) -> None:
    scores = block_detector.cross_site_scores(sample, seed, lambda done: click.echo(done, err=True))
    weights = {
        "unweighted": np.ones(len(sample.template)),
        "classes weighted equally": block_detector.balanced(sample.template),
    }
    rows: list[list[lab.Cell]] = []
    lines = {}
    for weighting, weight in weights.items():
        for detector, title in _NAMES.items():
            curve = curve_of_scores(scores[detector], sample.template, weight)
            recalls = [float(recall_at(curve, wanted)) for wanted in _PRECISIONS]
            rows.append([f"{title}, {weighting}", *recalls])
            if weighting == "unweighted":
                lines[title] = block_detector.thinned_curve(curve, _POINTS)
    header = ["recall of template", *(f"at precision {wanted:.2f}" for wanted in _PRECISIONS)]
    report.table(f"{name}: cross-site 10-fold", header, rows)
    title, ticks = f"Figure 1, {name}: blocks of unseen sites", [fifth / 5 for fifth in range(6)]
    chart = line_chart(title, "recall", "precision", lines, ticks=ticks)
    report.figure(f"kolcz-yih-{name}", chart)


_SITE_SHARE_MAX = 0.3
"""Largest share of a site's pages on which a keyword may be; others do not describe a page."""
_META = {
    "name": ("keywords", "news_keywords", "parsely-tags"),
    "property": ("article:tag", "og:article:tag"),
}
_SEPARATORS = str.maketrans(";，、\n", ",,,,")

SegmentFilter = Callable[[Document, Any], np.ndarray]
"""Returns which segments of a document stay; the second argument is its presentation."""


class KeywordTestPage(NamedTuple):
    """A page without its list of tags, before and after cleaning."""

    site: str
    wanted: frozenset[str]
    """Keywords to be found, in the form that `normal_phrase` returns."""
    found: KeywordPage
    cleaned: KeywordPage


class _Marked(NamedTuple):
    url: str
    markup: str
    """Markup of the page without links to tags."""
    keywords: frozenset[str]


def _tagged(
    corpora: Sequence[Path], pages_per_site: int, keeps: SegmentFilter
) -> list[KeywordTestPage]:
    """Return the pages that have keywords of their own which occur in their text."""
    by_site: defaultdict[str, list[_Marked]] = defaultdict(list)
    for path in corpora:
        for _, record in read_objects(path):
            marked = _marked(record)
            if marked is not None and marked.keywords:
                by_site[site_of(record)].append(marked)
    tested: list[KeywordTestPage] = []
    for site, pages in lab.tracked(by_site.items(), "cleaning"):
        on_pages = Counter(keyword for page in pages for keyword in page.keywords)
        most = max(_SITE_SHARE_MAX * len(pages), 1)
        own = [frozenset(one for one in page.keywords if on_pages[one] <= most) for page in pages]
        test_pages = (
            _keyword_test_page(site, page, some, keeps)
            for page, some in zip(pages, own, strict=True)
            if some
        )
        tested += islice(filter(None, test_pages), pages_per_site)
    if not tested:
        raise InputProblem(f"{', '.join(map(str, corpora))}: no page has keywords")
    return tested


def _marked(record: dict[str, Any]) -> _Marked | None:
    try:
        root = parse_markup(record_markup(record))
    except PageError:
        return None
    if root is None:
        return None
    texts = [
        meta.get("content") or ""
        for meta in root.iter("meta")
        if any((meta.get(name) or "").lower() in names for name, names in _META.items())
    ]
    tags = [link for link in root.iter("a") if _is_tag(link)]
    texts += ["".join(link.itertext()) for link in tags]
    for link in tags:
        link.tag = "script"  # invisible, and its tail stays
        for inner in list(link):
            link.remove(inner)
    phrases = {
        normal_phrase(one) for text in texts for one in text.translate(_SEPARATORS).split(",")
    }
    return _Marked(
        record["url"],
        etree.tostring(root, encoding="unicode", method="html"),
        frozenset(one for one in phrases if one and one.count(" ") < PHRASE_WORDS_MAX),
    )


def _is_tag(link: Any) -> bool:
    names = (link.get("rel") or "").lower().split()
    return "tag" in names and "category" not in names


def _keyword_test_page(
    site: str, page: _Marked, own: frozenset[str], keeps: SegmentFilter
) -> KeywordTestPage | None:
    try:
        document = parse_document(page.markup, page.url)
        presentation = read_presentation(document, page.markup)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    whole = _keyword_page(document)
    wanted = own & document_frequency([whole]).pages_with.keys()
    if not wanted:
        return None
    cleaned = _keyword_page(document, keeps(document, presentation))
    return KeywordTestPage(site, wanted, whole, cleaned)


def _keyword_page(document: Document, kept: np.ndarray | None = None) -> KeywordPage:
    segments, tags = document.segments, document.nodes.tags
    if not segments.texts:
        return KeywordPage(title=document.title, passages=[])
    shares = np.round(read_features(document).link_density, 3).tolist()
    stay = [True] * len(shares) if kept is None else kept.tolist()
    columns = zip(segments.texts, shares, segments.owner.tolist(), stay, strict=True)
    return KeywordPage(
        title=document.title,
        passages=[
            Passage(text=text, link_share=share, heading=tags[owner] in HEADING_LEVELS)
            for text, share, owner, stays in columns
            if stays
        ],
    )


_TOPS = (1, 2, 3, 5, 10)
_TEMPLATE_RECALL = 0.5
"""Recall of template blocks at which the random forest cleans, as in the paper."""


class _Setting(NamedTuple):
    """A row of the paper's tables: what is cleaned, where document frequencies are counted."""

    cleaned: str
    """`nothing`, the pages to `test` on, or `both` those and the ones to train on."""
    counted_on: str
    """`train`, `both` or `diverse`."""
    paper: tuple[float, float, float, float, float]


_PAPER_SETTINGS = {
    "ORD": _Setting("nothing", "train", (34.80, 27.16, 24.28, 19.23, 17.06)),
    "DN": _Setting("test", "train", (37.74, 28.11, 25.48, 22.14, 20.55)),
    "DF": _Setting("nothing", "both", (41.09, 31.68, 26.04, 22.44, 19.17)),
    "DN-DF": _Setting("test", "both", (40.46, 32.00, 27.66, 23.71, 21.28)),
    "DN_both": _Setting("both", "train", (36.48, 27.68, 24.84, 21.71, 20.47)),
    "DN-DF_both": _Setting("both", "both", (39.20, 31.79, 26.96, 23.44, 21.04)),
    "ODP-DF": _Setting("nothing", "diverse", (29.35, 25.58, 23.57, 19.14, 16.82)),
}


@lab.command("Kolcz and Yih (2007): keyword extraction.")
@lab.corpora
@lab.several_corpora(
    "--train",
    "Corpus of many sites to train the keyword extraction on; may be repeated.",
    required=True,
)
@lab.several_corpora(
    "--diverse",
    "Corpus of many other sites, without keywords, for the document frequencies of row "
    "ODP-DF; may be repeated.",
    required=True,
)
@lab.several_corpora(
    "--forest",
    "Clean with Kolcz and Yih's random forest, trained on this corpus, which needs several "
    "pages a site and no gold; may be repeated.  [default: clean with the shipped page model]",
)
@lab.option(
    "--pages-per-site", default=20, help="Number of pages with keywords to use of each site."
)
@lab.seed("Seed of the forest.")
def kolcz_yih_keywords(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    train: Sequence[Path],
    diverse: Sequence[Path],
    forest: Sequence[Path],
    pages_per_site: int,
    seed: int,
) -> None:
    """Measure keyword extraction from CORPORA before and after cleaning, by top-N scores.

    The gold are a page's own keywords, from its meta elements and its links to tags; both are
    removed from the page first. CORPORA should hold sites on which neither the extraction nor the
    cleaner was trained.
    """
    keeps = _forest(forest, seed) if forest else _page_model
    training = _tagged(train, pages_per_site, keeps)
    testing = _tagged(corpora, pages_per_site, keeps)
    for name, pages in (("trained on", training), ("tested on", testing)):
        site_count = len({page.site for page in pages})
        wanted = np.mean([len(page.wanted) for page in pages])
        report.say(f"{name} {len(pages)} pages of {site_count} sites, {wanted:.1f} keywords a page")
    other = document_frequency(
        _keyword_page(read[1])
        for path in diverse
        for _, record in read_objects(path)
        if (read := read_record(record))
    )
    scores, rows = {}, []
    for name, setting in _PAPER_SETTINGS.items():
        scores[name] = _scores(setting, training, testing, other)
        means = zip(scores[name].mean(axis=0), setting.paper, strict=True)
        rows.append([name, *(f"{100 * mean:.2f} ({paper:.2f})" for mean, paper in means)])
        click.echo(name, err=True)
    sites = [page.site for page in testing]
    for one, base in (("DN", "ORD"), ("DN-DF", "DF")):
        gains = (100 * (scores[one] - scores[base])).T.tolist()
        cells = [lab.mean_text(column, sites, form="+.2f") for column in gains]
        rows.append([f"{one} - {base}", *cells])
    header = ["in brackets: the paper's", *(f"Top{n}" for n in _TOPS)]
    report.table("tables 1 and 2: keyword extraction, %", header, rows)


def _page_model(document: Document, _: Presentation) -> np.ndarray:
    return clean(document, None, CoreConfig()).decision.kept


def _forest(corpora: Sequence[Path], seed: int) -> SegmentFilter:
    """Return a filter that drops the blocks which the forest calls template."""
    sample = _sample(read_site_pages(corpora))
    scores = block_detector.cross_site_scores(
        sample, seed, lambda done: click.echo(done, err=True)
    )["forest"]
    least = float(np.quantile(scores[sample.template], 1 - _TEMPLATE_RECALL))
    detector = block_detector.fit_block_detector(sample, seed)

    def keeps(document: Document, presentation: Presentation) -> np.ndarray:
        blocks = read_blocks(document, presentation)
        kept = np.ones(len(document.segments.texts), np.bool_)
        if len(blocks.node):
            features = read_block_features(document, presentation, blocks)
            scored = detector.scores(features.rows, block_detector.word_rows(features.words))
            template = scored["forest"] >= least
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
    train, test = (
        [page.cleaned if setting.cleaned in cleaned else page.found for page in pages]
        for pages, cleaned in ((training, {"both"}), (testing, {"both", "test"}))
    )
    frequency = diverse
    if setting.counted_on != "diverse":
        # The paper counts both sets as the pages to train on are: cleaned or not.
        counted = [*training, *testing] if setting.counted_on == "both" else training
        frequency = document_frequency(
            page.cleaned if setting.cleaned == "both" else page.found for page in counted
        )
    wanted = [page.wanted for page in training]
    model = fit_keywords(zip(train, wanted, strict=True), frequency)
    best = [rank_keywords(page, frequency, model, max(_TOPS)) for page in test]
    return np.array(
        [
            [top_n(ranked, page.wanted, n) for n in _TOPS]
            for ranked, page in zip(best, testing, strict=True)
        ]
    )
