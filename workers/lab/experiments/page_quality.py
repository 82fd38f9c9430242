"""`templ experiments page-quality`: how well pages without content are separated from others of the same sites."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from templ_core.array_types import Floats
from templ_core.clean_document import clean_examined, examine
from templ_core.dom.codec import document_columns
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_quality import KINDS, WITHOUT_MAX, Weights, with_slopes
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import PageSummary, summarise_page
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.stored.compact import content_digest
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_name, read_objects, record_markup, site_of, write_file
from workers.lab.simulate.without_content import without_content
from workers.processes.options import CONFIG

_FOLDS = 5
_CONFIG = msgspec.structs.replace(CONFIG, quality=True)
_LEARNED = (3, 8, 40)
"""Pages that a site may have learned."""
_Learned = tuple[bytes, PageSummary]
"""The digest and the summary of a learned page."""
_DECIMALS = 4
_CONTENT = len(KINDS)
"""The class of pages with content."""
_PENALTY = 0.03
_KNOTS = (0.25, 0.5, 0.75)
"""Shares of the pages that are below the knots of an input."""
_CONTENT_BIAS = (1.3, 1.3)
"""What pages with content are favoured by, of unknown and of known sites: so much that of pages without content as many are
found as by the weights of 2026-11-27, 0.86 and 0.90."""
_GOLD_WORDS_MIN = 15
"""A page with less gold is without content as it is."""


class JudgedPage(NamedTuple):
    """One page, and what it is."""

    site: str
    kind: int
    """Its number in `KINDS`, or `_CONTENT`."""
    inputs: Sequence[float]
    has_gold: bool
    """Whether somebody has said what its content is."""


@lab.command("Tell pages without content from others.", "page-quality")
@lab.corpora
@lab.option("--pages", default=10, help="Most pages of a site that are taken.")
@click.option(
    "--model",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the weights to this file.",
)
@lab.jobs
@lab.seed("Seed of what becomes of the pages.")
def page_quality(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    pages: int,
    model: Path | None,
    jobs: int,
    seed: int,
) -> None:
    """Take the content out of pages of CORPORA, and find these pages among those with content.

    CORPORA is JSON Lines with `gold_selector`, such as those of `templ simulate`. Half of each site's pages are
    learned. The weights that judge a site were fitted to four fifths of the other sites.
    """
    by_site: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for corpus in corpora:
        for _, record in read_objects(corpus):
            by_site[f"{corpus_name(corpus)} {site_of(record)}"].append(record)
    work = lab.map_in_processes(
        jobs, site_samples, by_site, by_site.values(), repeat(pages), repeat(seed)
    )
    samples = [one for some in lab.tracked(work, "sites", len(by_site)) for one in some]
    sites = sorted({one.site for one in samples})
    of_site = np.random.default_rng(seed).permutation(len(sites)) % _FOLDS
    weights = []
    for is_known, name in ((False, "unknown to templ"), (True, "known")):
        some = [one for one in samples if bool(one.inputs[-1]) == is_known]
        given = np.array([one.inputs for one in some])
        knots = np.quantile(given, _KNOTS, axis=0).round(_DECIMALS).tolist()
        rows = np.array([with_slopes(one.inputs, knots) for one in some])
        kinds = np.array([one.kind for one in some])
        folds = np.array([of_site[sites.index(one.site)] for one in some])
        probability = np.zeros((len(some), _CONTENT + 1))
        for fold in range(_FOLDS):
            bias, columns = fit_weights(rows[folds != fold], kinds[folds != fold])
            bias[_CONTENT] += _CONTENT_BIAS[is_known]
            probability[folds == fold] = softmax(rows[folds == fold] @ columns.T + bias, axis=1)
        counts = Counter(kinds.tolist())
        table: list[list[lab.Cell]] = [
            [name, counts[kind], *_figures(probability[:, kind] >= 0.5, kinds == kind)]
            for kind, name in enumerate(KINDS)
        ]
        of_any = _figures(1 - probability[:, _CONTENT] >= WITHOUT_MAX, kinds != _CONTENT)
        report.table(
            f"{len(sites)} sites {name}, each judged by weights of others; found are pages of a probability "
            f"of at least 0.5, of any kind of at least {WITHOUT_MAX}",
            ["", "pages", "precision", "recall"],
            [*table, ["any of them", len(some) - counts[_CONTENT], *of_any]],
            3,
        )
        report.table(
            f"Pages with content that are taken for one without, sites {name}",
            ["corpus", "pages", "share"],
            _taken_for_none(some, 1 - probability[:, _CONTENT] >= WITHOUT_MAX),
            3,
        )
        bias, columns = fit_weights(rows, kinds)
        bias[_CONTENT] += _CONTENT_BIAS[is_known]
        weights.append(
            Weights(bias.round(_DECIMALS).tolist(), columns.round(_DECIMALS).tolist(), knots)
        )
    if model is not None:
        write_file(model, msgspec.json.encode(weights) + b"\n")


def _taken_for_none(pages: Sequence[JudgedPage], found: Any) -> list[list[lab.Cell]]:
    """Return for each corpus how many pages have content, and the share of them that is found without."""
    taken: defaultdict[str, list[bool]] = defaultdict(list)
    for page, is_found in zip(pages, found.tolist(), strict=True):
        if page.kind == _CONTENT and page.has_gold:
            taken[page.site.partition(" ")[0]].append(is_found)
    return [[name, len(some), sum(some) / len(some)] for name, some in sorted(taken.items())]


def _figures(found: Any, wanted: Any) -> tuple[float, float]:
    right = float((found & wanted).sum())
    return right / max(float(found.sum()), 1.0), right / max(float(wanted.sum()), 1.0)


def fit_weights(rows: Floats, kinds: Any) -> tuple[Floats, Floats]:
    """Return the bias and the weights of a logistic regression; pages with content are as rare as the others."""
    scaler = StandardScaler().fit(rows)
    fitted = LogisticRegression(C=_PENALTY, max_iter=500).fit(scaler.transform(rows), kinds)
    weights = fitted.coef_ / scaler.scale_
    return fitted.intercept_ - weights @ scaler.mean_, weights


def site_samples(
    site: str, records: Sequence[Mapping[str, Any]], pages: int, seed: int
) -> list[JudgedPage]:
    """Return pages of a site as they are, and without content."""
    page_model = shipped_model()
    rng = np.random.default_rng([seed, *site.encode()])
    learned: dict[str, _Learned] = {}
    for record in records[::2][: max(_LEARNED)]:
        document = _document(record, record_markup(dict(record)).encode("utf-8", "replace"))
        if document is not None:
            digest = content_digest(document_columns(document))
            learned[record["url"]] = digest, summarise_page(document, page_model)
    window = list(learned.values())
    models = [_fitted(window[:count], page_model) for count in _LEARNED if len(records) > 1]
    samples = []
    others = records[1::2] or records
    for number in rng.permutation(len(others))[:pages].tolist():
        record = others[number]
        markup = record_markup(dict(record))
        bodies = [(_CONTENT, markup.encode("utf-8", "replace"))]
        gold = record.get("gold_text")
        if gold is not None and len(gold.split()) < _GOLD_WORDS_MIN:
            continue
        selectors, kind = GoldSelectors.of(record), int(rng.integers(_CONTENT))
        if selectors is not None:
            emptied = without_content(markup, selectors, KINDS[kind], f"{seed} {record['url']}")
            bodies += [] if emptied is None else [(kind, emptied)]
        for kind, body in bodies:
            document = _document(record, body)
            if document is None:
                continue
            page = examine(document, page_model)
            pick = int(rng.integers(len(_LEARNED)))
            for model in (None, *models[pick : pick + 1]):
                cleaned = clean_examined(page, model, _CONFIG, page_model)
                samples.append(JudgedPage(site, kind, cleaned.quality_inputs, gold is not None))
    return samples


def _fitted(window: Sequence[_Learned], page_model: PageModel) -> SiteModel | None:
    learner = SiteLearner(page_model.version, CONFIG)
    learner.follow(window)
    return learner.model() if window else None


def _document(record: Mapping[str, Any], body: bytes) -> Document | None:
    try:
        document = read_document(body, record["url"], charset="utf-8")
    except PageError:
        return None
    return document if document.segments.texts else None
