"""From pages with gold to a page model and its quality on sites it has not seen."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.config import CoreConfig
from templ_core.page_level.model_file import make_model
from templ_core.page_level.network import Network
from templ_core.page_level.page_model import About, PageModel, combined_odds
from templ_core.page_level.repeats import Copies, choose
from templ_core.page_level.tree_ensemble import TreeEnsemble
from templ_core.training.fit import NetworkSettings, TreeSettings, fit_network, fit_trees
from templ_core.training.nested import (
    FOLDS,
    NONE,
    Corpus,
    HashedScores,
    Progress,
    fold_of,
    hashed_scores,
    page_rows,
    training_rows,
)
from templ_core.training.pages import TrainingPage, owner_of_each
from templ_core.training.quality import PageResult

OWNERS_MIN = 10
"""Owners of sites that cross-validation needs at least."""


class TrainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is trained."""

    trees: TreeSettings = TreeSettings()
    network: NetworkSettings = NetworkSettings()
    networks: int = 3
    """Networks in the mean, from different random starts."""
    seed: int = 0


class TooFewSites(ValueError):
    """Cross-validation by site is impossible."""


def gather(pages: Sequence[TrainingPage], weights: dict[str, float]) -> Corpus:
    """Pages with their folds and weights.

    Args:
        pages: All training pages.
        weights: Weight of a page of each corpus; 1 for those not named.

    Raises:
        TooFewSites: a fold would be empty, or nearly so.
    """
    owners = owner_of_each([(page.url, page.site) for page in pages])
    fold = np.array([fold_of(owner) for owner in owners], np.int64)
    if len(set(owners)) < OWNERS_MIN or len(set(fold.tolist())) < FOLDS:
        raise TooFewSites(
            f"{len(set(owners))} sites of different owners have usable gold; "
            f"cross-validation needs at least {OWNERS_MIN}, spread over {FOLDS} folds"
        )
    return Corpus(
        pages=pages,
        fold=fold,
        weight=np.array([weights.get(page.corpus, 1.0) for page in pages]),
    )


def train(
    corpus: Corpus, settings: TrainSettings, progress: Progress
) -> tuple[PageModel, list[PageResult], list[PageModel]]:
    """Models without their `about`, and what each page scored unseen.

    Returns:
        The model fitted to all pages; the results; for each fold the model that has not seen it.
    """
    scores = hashed_scores(corpus, settings.seed, progress)
    about = About(corpora={}, licence="", quality={})
    results: list[PageResult] = []
    blind: list[PageModel] = []
    for fold in range(FOLDS):
        trees, networks = _fit(corpus, scores, fold, settings)
        blind.append(make_model(*scores.tables[NONE, fold], trees, networks, about))
        for page in np.flatnonzero(corpus.fold == fold).tolist():
            odds = combined_odds(trees, networks, page_rows(corpus, scores, page, fold))
            results.append(_result(corpus.pages[page], odds))
        progress(f"fold {fold + 1} of {FOLDS}: fitted without its sites, scored on them")
    trees, networks = _fit(corpus, scores, NONE, settings)
    attribute, text = scores.tables[NONE, NONE]
    progress("fitted to all pages")
    return make_model(attribute, text, trees, networks, about), results, blind


def _fit(
    corpus: Corpus, scores: HashedScores, left_out: int, settings: TrainSettings
) -> tuple[TreeEnsemble, list[Network]]:
    rows, sample = training_rows(corpus, scores, left_out)
    seed = settings.seed + 100 * (left_out + 1)
    trees = fit_trees(rows, sample, settings.trees, seed)
    networks = [
        fit_network(rows, sample, settings.network, seed + number)
        for number in range(settings.networks)
    ]
    return trees, networks


def _result(page: TrainingPage, odds: npt.NDArray[np.float64]) -> PageResult:
    recall_share = CoreConfig().f1_recall_share
    copies = Copies(text=page.text, path=page.group, once=page.once)
    choice = choose(odds, copies, page.tree.words, recall_share)
    f1, precision, recall = page.bag.f1(choice.kept)
    return PageResult(
        corpus=page.corpus,
        site=page.site,
        kind=page.kind,
        f1=f1,
        precision=precision,
        recall=recall,
        confidence=choice.expected_f1,
    )
