"""`templ experiments page-type`: the types of pages whose markup does not state them."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from templ_core.array_types import Floats, Int64s
from templ_core.clean_document import clean
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.kind_inputs import kind_inputs
from templ_core.lab.training.train import PAGE_TYPE_OF_NAME
from templ_core.page_kind import KindWeights
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.model.page_type import PAGE_TYPES
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_name, read_objects, record_markup, site_of, write_file
from workers.lab.evaluation.judge import without_statements
from workers.lab.evaluation.page_models import models_of_folds
from workers.processes.options import CONFIG
from workers.processes.page_model import page_model_of

_FOLDS = 5
_DECIMALS = 4
_PENALTY = 0.5
_WEIGHT_PAGES = 3
"""Pages of one type that a site counts for at most."""
_FAVOURED = {"product": 0.4, "listing": 0.6}
"""Log-odds by which types with few pages in the corpora are favoured."""
_NAMES = {**PAGE_TYPE_OF_NAME, "shop": "product"}
_NO_NAMES = ("organisation", "corporate")
"""Names of sites that say nothing of the types of their pages."""


class TypedPage(NamedTuple):
    """One page, and its type."""

    corpus: str
    site: str
    type: int
    """Its number in PAGE_TYPES."""
    found: int
    """The number of the type that the page model alone finds."""
    inputs: Sequence[float]


@lab.command("Tell the types of pages whose markup states none.", "page-type")
@lab.corpora
@lab.option("--pages", default=12, help="Most pages of a site, and most of its listings.")
@lab.folds("Directory of the models that `templ train --folds` wrote.", required=True)
@click.option(
    "--model",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the weights to this file.",
)
@lab.jobs
@lab.seed("Seed of the folds of sites.")
def page_type(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    pages: int,
    folds: Path,
    model: Path | None,
    jobs: int,
    seed: int,
) -> None:
    """Tell the types of pages of CORPORA, without what their markup states, by the names that CORPORA give them.

    Each page is cleaned by a page model, and judged by weights, of other sites. Pages with the `page_role` `other` are listings.
    """
    taken: Counter[tuple[str, str, object]] = Counter()
    records = []
    for corpus in corpora:
        for _, record in read_objects(corpus):
            key = corpus_name(corpus), site_of(record), record.get("page_role")
            taken[key] += 1
            if (_type_of(record) is not None) and taken[key] <= pages:
                records.append((corpus_name(corpus), record))
    work = lab.map_in_processes(jobs, typed_page, records, repeat(folds))
    typed = [one for one in lab.tracked(work, "pages", len(records)) if one is not None]
    inputs = np.array([one.inputs for one in typed])
    types = np.array([one.type for one in typed])
    times = Counter((one.site, one.type) for one in typed)
    weight = np.array([min(1.0, _WEIGHT_PAGES / times[one.site, one.type]) for one in typed])
    sites = sorted({one.site for one in typed})
    order = np.random.default_rng(seed).permutation(len(sites)) % _FOLDS
    fold = np.array([order[sites.index(one.site)] for one in typed])
    chosen = np.zeros(len(typed), np.int64)
    for number in range(_FOLDS):
        others = fold != number
        bias, weights = _fit(inputs[others], types[others], weight[others])
        chosen[~others] = (inputs[~others] @ weights.T + bias).argmax(axis=1)
    before = np.array([one.found for one in typed])
    for name in dict.fromkeys(one.corpus for one in typed):
        of = np.array([one.corpus == name for one in typed])
        report.table(
            f"Types of {of.sum()} pages of {name}, each judged by weights of other sites; in brackets the page model alone",
            ["", "pages", "recall", "precision", *PAGE_TYPES],
            _rows(types[of], chosen[of], before[of]),
        )
    if model is not None:
        bias, weights = _fit(inputs, types, weight)
        written = KindWeights(bias.round(_DECIMALS).tolist(), weights.round(_DECIMALS).tolist())
        write_file(model, msgspec.json.encode(written) + b"\n")


def _type_of(record: Mapping[str, Any]) -> int | None:
    """Return the number of a page's type by the names of its corpus; None where they do not say it."""
    name, role = str(record.get("kind") or ""), record.get("page_role")
    of_name = _NAMES.get(name)
    if role == "other":
        return None if of_name == "documentation" else PAGE_TYPES.index("listing")
    return None if of_name is None or name in _NO_NAMES else PAGE_TYPES.index(of_name)


def typed_page(page: tuple[str, dict[str, Any]], folds: Path) -> TypedPage | None:
    """Return a page of a corpus with its type and the inputs for it; None for one without text."""
    corpus, record = page
    type_number = _type_of(record)
    body = without_statements(record_markup(record)).encode("utf-8", "replace")
    try:
        document = read_document(body, record["url"], charset="utf-8")
    except PageError:
        return None
    if type_number is None or not document.segments.texts:
        return None
    of_sites, models = _models(folds)
    model = models[of_sites.get(corpus, {}).get(site_of(record), 0)]
    decision = clean(document, None, CONFIG, model).decision
    likely = msgspec.structs.astuple(decision.page_type)
    return TypedPage(
        corpus,
        site_of(record),
        type_number,
        likely.index(max(likely)),
        kind_inputs(document, record["url"], decision),
    )


@functools.cache
def _models(folds: Path) -> tuple[Mapping[str, Mapping[str, int]], list[PageModel]]:
    """Return the number of the model for each corpus and site, and the models."""
    models = models_of_folds(folds)
    return models.folds, [page_model_of(body) for body in models.bodies]


def _fit(inputs: Floats, types: Int64s, weight: Floats) -> tuple[Floats, Floats]:
    """Return the bias and the weights of a logistic regression, the biases of rare types raised."""
    scaler = StandardScaler().fit(inputs)
    fitted = LogisticRegression(C=_PENALTY, max_iter=1000)
    fitted.fit(scaler.transform(inputs), types, sample_weight=weight)
    weights = np.zeros((len(PAGE_TYPES), inputs.shape[1]))
    bias = np.full(len(PAGE_TYPES), -100.0)
    weights[fitted.classes_] = fitted.coef_ / scaler.scale_
    bias[fitted.classes_] = fitted.intercept_ - weights[fitted.classes_] @ scaler.mean_
    for name, log_odds in _FAVOURED.items():
        bias[PAGE_TYPES.index(name)] += log_odds
    return bias, weights


def _rows(types: Int64s, chosen: Int64s, before: Int64s) -> list[list[lab.Cell]]:
    rows: list[list[lab.Cell]] = []
    for number, name in enumerate(PAGE_TYPES):
        of = types == number
        if not of.any():
            continue
        recall = f"{(chosen[of] == number).mean():.3f} ({(before[of] == number).mean():.3f})"
        precision = f"{_share(types, chosen, number)} ({_share(types, before, number)})"
        confused = np.bincount(chosen[of], minlength=len(PAGE_TYPES)).tolist()
        rows.append([name, int(of.sum()), recall, precision, *confused])
    rows.append(
        [
            "all",
            len(types),
            f"{(chosen == types).mean():.3f} ({(before == types).mean():.3f})",
            None,
        ]
    )
    return rows


def _share(types: Int64s, chosen: Int64s, number: int) -> str:
    return f"{(types[chosen == number] == number).mean():.3f}" if (chosen == number).any() else "-"
