"""`templ experiments pagelevel-specific`: template text that stands on one page of its site alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, UInt64s
from templ_core.config import CoreConfig
from templ_core.decide import decide
from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.lab.training.labels.gold_labels import GoldSelectors, selected_labels
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import read_page_evidence
from workers.errors import InputProblem
from workers.lab.corpora import corpus_name, read_objects, record_markup
from workers.lab.evaluation.page_models import PageModels, models_of_folds
from workers.lab.experiments.results import Cell, Report
from workers.lab.options import DIRECTORY, corpora_argument, out_option

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


class SpecificWords(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the words of texts that stand on one page of their site alone."""

    template: float = 0.0
    """Words of template."""
    template_removed: float = 0.0
    """Those that the page level removes; what a site repeats has none of them."""
    content: float = 0.0
    """Words of content."""
    content_kept: float = 0.0
    """Those that the page level keeps."""
    all_template: float = 0.0
    """Words of template, on however many pages."""


@click.command("pagelevel-specific", short_help="Template that one page of a site has alone.")
@corpora_argument
@click.option(
    "--folds",
    required=True,
    type=DIRECTORY,
    help="Directory that `templ train --folds` wrote; each page is judged by a model that was "
    "trained without its site.",
)
@out_option
def pagelevel_specific(corpora: Sequence[Path], folds: Path, out: Path | None) -> None:
    """Measure how much template the page level finds that no other page of its site has.

    Chakrabarti et al. (2007) show it on a page of lyrics: a list of the singer's other songs is
    template, but it stands on that page alone, so that a method that counts pages keeps it. CORPORA
    are JSON Lines with `gold_selector`; text outside the selected elements is template.
    """
    models, report = models_of_folds(folds), Report(out)
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


def specific_words(pages: Sequence[LabelledTexts]) -> SpecificWords:
    """Return the counts of a site from its pages."""
    on_pages = Counter(text for page in pages for text in set(page.text.tolist()))
    total = np.zeros(len(SpecificWords.__struct_fields__))
    for page in pages:
        alone = np.array([on_pages[text] == 1 for text in page.text.tolist()], np.bool_)
        template, content = alone & page.is_template, alone & ~page.is_template
        chosen = (
            template,
            template & ~page.is_kept,
            content,
            content & page.is_kept,
            page.is_template,
        )
        total += [page.words[some].sum() for some in chosen]
    counts = zip(SpecificWords.__struct_fields__, total.tolist(), strict=True)
    return SpecificWords(**dict(counts))


def _row(corpus: str, sites: Sequence[SpecificWords]) -> list[Cell]:
    def mean(part: str, whole: str) -> float | None:
        ratios = [getattr(one, part) / getattr(one, whole) for one in sites if getattr(one, whole)]
        return fmean(ratios) if ratios else None

    return [
        corpus,
        len(sites),
        mean("template", "all_template"),
        mean("template_removed", "template"),
        mean("content_kept", "content"),
    ]


def _read_pages(corpus: Path, models: PageModels) -> Iterator[tuple[str, LabelledTexts]]:
    """Yield the site and the labelled texts of each page with a selector."""
    records = [record for _, record in read_objects(corpus) if record.get("gold_selector")]
    names = [(corpus_name(corpus), one["url"], one.get("site") or one["url"]) for one in records]
    for record, (_, url, site), fold in zip(records, names, models.left_out(names), strict=True):
        if fold is None:
            continue
        texts = _labelled_texts(record, url, fold[1])
        if texts is not None:
            yield site, texts


def _labelled_texts(record: dict[str, Any], url: str, model: PageModel) -> LabelledTexts | None:
    try:
        markup = record_markup(record)
        document = parse_document(markup, url)
    except PageError:
        return None
    gold = GoldSelectors.of(record)
    labels = selected_labels(document, markup, gold) if gold and document.segments.texts else None
    if labels is None:
        return None
    page = read_page_evidence(document, model)
    kept = decide(page, None, CoreConfig()).kept
    counts = labels.counts
    return LabelledTexts(
        text=page.features.text[counts],
        words=page.words[counts],
        is_template=labels.content[counts] < 0.5,
        is_kept=kept[counts],
    )
