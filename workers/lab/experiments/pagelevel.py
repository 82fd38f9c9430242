"""PAGELEVEL and its variants: table 1, figures 1 to 3 of Chakrabarti et al. (WWW 2007)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import msgspec
import numpy as np
from sklearn.metrics import adjusted_rand_score

from templ_core.array_types import Bools, Floats, Int64s, UInt64s
from templ_core.config import CoreConfig
from templ_core.decide import decide
from templ_core.errors import PageError
from templ_core.lab.evaluation import segments
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel import variants
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures, read_node_features
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.labels.site_labels import CorpusPage, ReadPage, TooFewPages
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import read_page_evidence
from workers.errors import InputProblem
from workers.inspect.plots import Plot
from workers.lab import experiment as lab
from workers.lab.corpora import (
    corpus_name,
    read_objects,
    read_record,
    read_site_pages,
    read_written,
    record_labels,
    record_markup,
    records_with,
    site_of,
)
from workers.lab.evaluation.page_models import PageModels, models_of_folds
from workers.lab.plots import line_chart


class ScoredPage(ReadPage, frozen=True, kw_only=True):
    """A page with the scores of PAGELEVEL's classifier."""

    record: dict[str, Any]
    """Record of the page in its corpus."""
    features: NodeFeatures
    block_templateness: Floats
    """Templateness of each block, from 0 to 1."""
    templateness: Floats
    """Templateness of the block in which each segment stands, from 0 to 1."""
    sizes: Floats
    """Number of words of each segment, at least 1."""


def read_classifier(path: Path) -> variants.SmoothedClassifier:
    """Return the classifier of a file.

    Raises:
        InputProblem: The file cannot be read.
    """
    return read_written(path, variants.decode_classifier, "of `templ experiments pagelevel-train`")


def score_record(
    record: dict[str, Any], classifier: variants.SmoothedClassifier
) -> ScoredPage | None:
    """Return the page of a record with its scores, or None if it has no text or is refused."""
    read = read_record(record)
    if read is None:
        return None
    markup, document = read
    try:
        presentation = read_presentation(document, markup)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    features = read_node_features(document, presentation)
    templateness = classifier.templateness(features)
    words = read_words(read_characters(document.segments.texts))
    return ScoredPage(
        page=CorpusPage(corpus="", site=site_of(record), url=record["url"], body=b""),
        record=record,
        document=document,
        presentation=presentation,
        words=words,
        features=features,
        block_templateness=templateness,
        templateness=variants.segment_scores(features, document.segments.owner, templateness),
        sizes=words.per_segment.clip(1).astype(float),
    )


PENALTY_MULTIPLES = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
"""Multiples of the paper's penalty factor, for the figures over the penalty."""

PageVariant = Callable[[ScoredPage], variants.Variant]
"""Computes one variant's decisions for a page."""


def merging_variant(delta: float) -> PageVariant:
    """Return the paper's merge of neighbouring segments whose scores differ by less than delta."""
    return lambda page: variants.basic_merge_variant(page.templateness, page.sizes, delta)


def smoothing_variant(
    factor: float = variants.PENALTY_FACTOR, penalty: variants.Penalty = "area"
) -> PageVariant:
    """Return the paper's smoothing with a penalty factor."""
    return lambda page: variants.smooth_variant(
        page.features, page.document.segments.owner, page.block_templateness, factor, penalty
    )


@click.command(short_help="Train PAGELEVEL's classifier without gold.")
@lab.corpora
@click.option("--out", type=lab.FILE, required=True, help="File to write the classifier to.")
def pagelevel_train(corpora: Sequence[Path], out: Path) -> None:
    """Train the four regressions of PAGELEVEL on CORPORA.

    CORPORA need several pages a site and no gold: SITELEVEL labels what recurs on each site. The
    other `pagelevel` experiments need the classifier; they must not use sites of CORPORA.
    """
    try:
        classifier = variants.train_smoothed_classifier(
            read_site_pages(corpora), lambda done: click.echo(done, err=True)
        )
    except TooFewPages as error:
        raise InputProblem(str(error)) from None
    out.write_bytes(variants.encode_classifier(classifier))


_F_DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_COUNTED = {"text": "Text", "anchor_text": "AT", "links": "Links"}
_PLACES = {"in_templates": "in templates", "in_content": "in content"}
_PAPER = {
    "basic": {"text": 0.63, "anchor_text": 0.71, "links": 0.75},
    "smooth": {"text": 0.66, "anchor_text": 0.73, "links": 0.77},
}
"""f in templates from the paper's table 1, data set RANDOM."""

SiteFs = dict[tuple[str, str], np.ndarray]


LabelledPage = tuple[ScoredPage, Labels]
"""A page with its gold labels."""


@lab.command("Chakrabarti et al. (2007): f in templates.")
@click.argument("classifier", type=lab.PATH)
@lab.corpora
@lab.option("--pages-per-site", default=20, help="Number of pages with gold to use of each site.")
def pagelevel_templates(
    report: lab.Report, classifier: Path, corpora: Sequence[Path], pages_per_site: int
) -> None:
    """Measure the f of text, anchor text and links in templates, and in content.

    Three variants are compared: basic, basic + merge, and smooth.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA are JSON Lines with `html`, `site` and
    `gold_selector`. Counts are summed over the pages of a site; figures are means over sites with
    95 % intervals of the bootstrap over sites. The merge uses the delta with the best mean f in
    templates on these very pages.
    """
    model = read_classifier(classifier)
    pages = [
        labelled
        for record in lab.tracked(records_with(corpora, "gold_selector", pages_per_site), "scoring")
        if (page := score_record(record, model)) and (labelled := _labelled(page))
    ]
    if not pages:
        raise InputProblem("no page has a `gold_selector` that names its content")
    sites = len({page.record["site"] for page, _ in pages})
    report.say(f"{len(pages)} pages of {sites} sites")
    _report_f(report, pages)
    _report_f_by_penalty(report, pages)


def _labelled(page: ScoredPage) -> LabelledPage | None:
    labels = record_labels(page.record, record_markup(page.record), page.document)
    if labels is None or not labels.content.any():
        return None
    return page, labels


def _report_f(report: lab.Report, pages: Sequence[LabelledPage]) -> None:
    merges = {delta: site_f(pages, merging_variant(delta)) for delta in _F_DELTAS}
    best = max(merges, key=lambda delta: _in_templates(merges[delta]))
    compared = {
        "all is template": site_f(
            pages, lambda page: variants.basic_variant(np.ones(len(page.sizes)))
        ),
        "basic": site_f(pages, lambda page: variants.basic_variant(page.templateness)),
        f"basic + merge, delta {best:g}": merges[best],
        "smooth": site_f(pages, smoothing_variant()),
    }
    rows = []
    for place, counted in compared["smooth"]:
        row = [f"{_COUNTED[counted]} {_PLACES[place]}"]
        for name, fs in compared.items():
            paper = _PAPER.get(name, {}).get(counted) if place == "in_templates" else None
            row.append(_site_mean(fs[place, counted]) + (f" (paper {paper})" if paper else ""))
        names = list(compared)
        for one, other in pairwise(names[1:]):
            gain = compared[other][place, counted] - compared[one][place, counted]
            row.append(_site_mean(gain))
        rows.append(row)
    header = ["f", *compared, "merge - basic", "smooth - merge"]
    report.table("table 1: f-measure", header, rows)


def _in_templates(fs: SiteFs) -> float:
    return float(np.mean([np.nanmean(fs["in_templates", counted]) for counted in _COUNTED]))


def _report_f_by_penalty(report: lab.Report, pages: Sequence[LabelledPage]) -> None:
    rows: list[list[lab.Cell]] = []
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in _COUNTED.values()}
    for penalty in variants.PENALTIES:
        for multiple in PENALTY_MULTIPLES:
            fs = site_f(pages, smoothing_variant(multiple * variants.PENALTY_FACTOR, penalty))
            means = [float(np.nanmean(fs["in_templates", counted])) for counted in _COUNTED]
            rows.append([penalty, f"{multiple * variants.PENALTY_FACTOR:g}", *means])
            if penalty == "area":
                for points, mean in zip(lines.values(), means, strict=True):
                    points.append((multiple, mean))
    report.figure("figure-2", _penalty_chart("f in templates against the penalty", "f", lines))
    report.table("figure 2: f in templates by penalty", ["penalty", "c", *lines], rows)


def _penalty_chart(title: str, measure: str, lines: dict[str, list[tuple[float, float]]]) -> Plot:
    return line_chart(title, "factor multiplied into the penalty 0.01 A / A_i", measure, lines)


def site_f(pages: Sequence[LabelledPage], variant: PageVariant) -> SiteFs:
    """Return the f of each site, by place and count; NaN if the site's gold has none of it."""
    sums: dict[tuple[str, str], defaultdict[str, list[segments.Overlap]]] = {
        (place, counted): defaultdict(list) for place in _PLACES for counted in _COUNTED
    }
    for page, labels in pages:
        overlaps = segments.template_f(
            page.document, page.sizes, variant(page).kept, labels.content, labels.counts
        )
        for (place, counted), by_site in sums.items():
            by_site[page.record["site"]].append(overlaps[place][counted])
    return {
        key: np.array([_f(some) for _, some in sorted(by_site.items())])
        for key, by_site in sums.items()
    }


def _f(some: Sequence[segments.Overlap]) -> float:
    f = segments.total_overlap(some).f
    return float("nan") if f is None else f


def _site_mean(values: np.ndarray) -> str:
    scored = values[~np.isnan(values)].tolist()
    return lab.mean_text(scored, [str(number) for number in range(len(scored))], of_sites=True)


_RAND_DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_GN1_TEMPLATE = (0, 4)
"""Classes of GN1 that count as template: boilerplate and related content."""
_SYNTHETIC_CONTENT = ("content", "neutral", "comments")


SegmentedPage = tuple[ScoredPage, Int64s]
"""A page with the gold group of each segment; -1 for segments that are not in the gold."""


@lab.command("Chakrabarti et al. (2007): segmentation.")
@click.argument("classifier", type=lab.PATH)
@lab.corpora
@lab.option("--pages-per-site", default=20, help="Number of pages with gold to use of each site.")
@click.option(
    "--runs",
    is_flag=True,
    help="Take the gold blocks themselves, as runs of text, for the gold segmentation.",
)
def pagelevel_segmentation(
    report: lab.Report,
    classifier: Path,
    corpora: Sequence[Path],
    *,
    pages_per_site: int,
    runs: bool,
) -> None:
    """Measure the adjusted RAND index of three segmentations: basic, basic + merge, and smooth.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA are JSON Lines with `gold_blocks` (L3S-GN1)
    or `sections` (`templ simulate`). The gold segments are the largest elements that are all
    template or all not, as in the paper. Figures are means over pages with 95 % intervals of the
    bootstrap over sites. The merge uses the delta that is best on these very pages.
    """
    model = read_classifier(classifier)
    for path in corpora:
        pages = [
            segmented
            for field in ("gold_blocks", "sections")
            for record in lab.tracked(records_with([path], field, pages_per_site), "scoring")
            if (page := score_record(record, model)) and (segmented := _segmented(page, runs=runs))
        ]
        if not pages:
            raise InputProblem(f"{path}: no page has `gold_blocks` or `sections`")
        name = corpus_name(path)
        sites = len({page.record["site"] for page, _ in pages})
        report.say(f"{name}: {len(pages)} pages of {sites} sites")
        _report_rands(report, name, pages)
        _report_rands_by_penalty(report, name, pages)


def _segmented(page: ScoredPage, *, runs: bool) -> SegmentedPage | None:
    """Return the page with its gold segmentation, or None if that has a single group."""
    if page.record.get("gold_blocks"):
        blocks = [
            (block_class in _GN1_TEMPLATE, text) for block_class, text in page.record["gold_blocks"]
        ]
    else:
        blocks = [
            (one["kind"] not in _SYNTHETIC_CONTENT, one["text"]) for one in page.record["sections"]
        ]
    group = segments.block_of_each(page.document.segments.texts, [text for _, text in blocks])
    if not runs:
        label = np.array([int(is_template) for is_template, _ in blocks])[group]
        group = np.where(group >= 0, segments.largest_fragments(page.document, label), -1)
    scored = group[group >= 0]
    return (page, group) if len(set(scored.tolist())) > 1 else None


def _report_rands(report: lab.Report, name: str, pages: Sequence[SegmentedPage]) -> None:
    merges = {delta: page_rands(pages, merging_variant(delta)) for delta in _RAND_DELTAS}
    best = max(merges, key=lambda delta: float(merges[delta].mean()))
    rands = {
        "basic": page_rands(pages, lambda page: variants.basic_variant(page.templateness)),
        f"basic + merge, delta {best:g}": merges[best],
        "smooth": page_rands(pages, smoothing_variant()),
    }
    basic, merged, smooth = rands.values()
    rands |= {"merge - basic": merged - basic, "smooth - merge": smooth - merged}
    sites = [page.record["site"] for page, _ in pages]
    rows = [[label, lab.mean_text(some.tolist(), sites)] for label, some in rands.items()]
    report.table(f"figure 1: segmentation of {name}", ["", "adjusted RAND"], rows)


def _report_rands_by_penalty(report: lab.Report, name: str, pages: Sequence[SegmentedPage]) -> None:
    lines = {
        str(penalty): [
            (
                multiple,
                float(
                    page_rands(
                        pages, smoothing_variant(multiple * variants.PENALTY_FACTOR, penalty)
                    ).mean()
                ),
            )
            for multiple in PENALTY_MULTIPLES
        ]
        for penalty in variants.PENALTIES
    }
    title = f"segmentation of {name} against the penalty"
    report.figure(f"figure-3-{name}", _penalty_chart(title, "adjusted RAND", lines))
    rows = [
        [f"{multiple * variants.PENALTY_FACTOR:g}", *(mean for _, mean in some)]
        for multiple, *some in zip(PENALTY_MULTIPLES, *lines.values(), strict=True)
    ]
    report.table(f"figure 3: adjusted RAND by penalty, {name}", ["c", *lines], rows)


def page_rands(pages: Sequence[SegmentedPage], variant: PageVariant) -> Floats:
    """Return the adjusted RAND index of each page."""
    rands = []
    for page, group in pages:
        in_gold = group >= 0
        rands.append(adjusted_rand_score(variant(page).group[in_gold], group[in_gold]))
    return np.array(rands)


_SITE_PAGES_MIN = 5
"""Pages with gold that a site needs: what one of fewer pages has alone says little."""


class LabelledTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The labelled segments of a page; columns of length n_labelled."""

    text: UInt64s
    """Hash of each segment's words."""
    words: Floats
    is_template: Bools
    is_kept: Bools
    """Whether the page level keeps the segment."""


Words = Counter[str]
"""Counts of the words of a site.

Of texts on one page of their site alone: `template` and `content`, `template_removed` by the page level, of which what
a site repeats has none, and `content_kept` by it. `all_template` is the template on however many pages."""


@lab.command("Template that one page of a site has alone.", name="pagelevel-specific")
@lab.corpora
@lab.folds(
    "Directory that `templ train --folds` wrote; each page is judged by a model that was trained "
    "without its site.",
    required=True,
)
def pagelevel_specific(report: lab.Report, corpora: Sequence[Path], folds: Path) -> None:
    """Measure how much template the page level finds that no other page of its site has.

    Chakrabarti et al. (2007) show it on a page of lyrics: a list of the singer's other songs is
    template, but it stands on that page alone, so that a method that counts pages keeps it. CORPORA
    are JSON Lines with `gold_selector`; text outside the selected elements is template.
    """
    models = models_of_folds(folds)
    rows = []
    for corpus in corpora:
        sites: defaultdict[str, list[LabelledTexts]] = defaultdict(list)
        for site, texts in _read_pages(corpus, models):
            sites[site].append(texts)
        known = [pages for pages in sites.values() if len(pages) >= _SITE_PAGES_MIN]
        if known:
            rows.append(_row(corpus_name(corpus), [specific_words(pages) for pages in known]))
    if not rows:
        raise InputProblem("no site has enough pages with a `gold_selector`")
    head = [
        "corpus", "sites", "share of the template", "removed by the page level",
        "content on one page, kept",
    ]  # fmt: skip
    report.table("Text that one page of its site has alone", head, rows)


def specific_words(pages: Sequence[LabelledTexts]) -> Words:
    """Return the counts of a site from its pages."""
    on_pages = Counter(text for page in pages for text in set(page.text.tolist()))
    total = Words()
    for page in pages:
        alone = np.array([on_pages[text] == 1 for text in page.text.tolist()], np.bool_)
        template, content = alone & page.is_template, alone & ~page.is_template
        chosen = {
            "template": template,
            "template_removed": template & ~page.is_kept,
            "content": content,
            "content_kept": content & page.is_kept,
            "all_template": page.is_template,
        }
        total.update({name: page.words[some].sum().item() for name, some in chosen.items()})
    return total


def _row(corpus: str, sites: Sequence[Words]) -> list[lab.Cell]:
    parts = {"template": "all_template", "template_removed": "template", "content_kept": "content"}
    ratios = [
        [one[part] / one[whole] for one in sites if one[whole]] for part, whole in parts.items()
    ]
    return [corpus, len(sites), *(fmean(some) if some else None for some in ratios)]


def _read_pages(corpus: Path, models: PageModels) -> Iterator[tuple[str, LabelledTexts]]:
    """Yield the site and the labelled texts of each page with a selector."""
    records = [record for _, record in read_objects(corpus) if record.get("gold_selector")]
    names = [(corpus_name(corpus), one["url"], site_of(one)) for one in records]
    for record, (_, _, site), fold in zip(records, names, models.left_out(names), strict=True):
        if fold is not None and (texts := _labelled_texts(record, fold[1])):
            yield site, texts


def _labelled_texts(record: dict[str, Any], model: PageModel) -> LabelledTexts | None:
    read = read_record(record)
    if read is None or not read[1].segments.texts:
        return None
    labels = record_labels(record, *read)
    if labels is None:
        return None
    page = read_page_evidence(read[1], model)
    kept = decide(page, None, CoreConfig()).kept
    counts = labels.counts
    return LabelledTexts(
        text=page.features.text[counts],
        words=page.words[counts],
        is_template=labels.content[counts] < 0.5,
        is_kept=kept[counts],
    )
