"""From pages with gold to a page model and its quality on sites it has not seen."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats
from templ_core.config import CoreConfig
from templ_core.lab.training.fit import (
    NetworkSettings,
    Sample,
    TreeSettings,
    fit_network,
    fit_trees,
)
from templ_core.lab.training.fit_confidence import fit_confidence
from templ_core.lab.training.fit_page_types import fit_page_types, statistics_of
from templ_core.lab.training.nested import (
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
from templ_core.lab.training.pages import TrainingPage, owner_of_each
from templ_core.lab.training.quality import PageResult
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.model_file import with_version
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import About, PageModel, combined_log_odds
from templ_core.page_level.model.page_type import PageType, PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble, mean_ensemble
from templ_core.page_level.selection.repeats import Copies, one_copy_enough, select_segments
from templ_core.page_level.selection.text_policy import with_policy

_LESSON_SEED = 0
"""Of the rows and first weights of the network that learns from the teachers, whatever their seed."""
OWNERS_MIN = 10
"""Owners of sites that cross-validation needs at least."""
FOLDS_MIN = 3
"""Folds that need content, and template: models leave two out."""


class TrainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is trained."""

    trees: TreeSettings = TreeSettings()
    ensembles: int = 4
    """Ensembles of trees in the mean, each fitted to a random part of the rows."""
    teacher: NetworkSettings = NetworkSettings(hidden=(64, 32), epochs=5)
    teachers: int = 24
    """Networks fitted to the labels, each on a random part of the rows. What they say in the mean is
    what the model's network learns: networks that learn from labels flip whole sites."""
    network: NetworkSettings = NetworkSettings()
    trees_part: float = 0.3
    """Share of the rows that each ensemble of trees is fitted to."""
    part: float = 0.6
    """Share of the rows that each teacher is fitted to."""
    seed: int = 0


class TooFewSites(ValueError):
    """Cross-validation by site is impossible."""


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """Models without their `about`, and what each page scored unseen."""

    model: PageModel
    """Fitted to all pages."""
    results: list[PageResult]
    blind: list[PageModel]
    """For each fold the model that has not seen its pages."""
    scores: HashedScores
    """Of the hashed tables, the same for every seed."""


class _Parts(msgspec.Struct, frozen=True, kw_only=True):
    trees: TreeEnsemble
    networks: list[Network]
    page_types: PageTypeModel | None


def gather(pages: Sequence[TrainingPage], weights: dict[str, float]) -> Corpus:
    """Pages with their folds and weights.

    Args:
        pages: All training pages.
        weights: Weight of a page of each corpus; 1 for those not named.

    Raises:
        TooFewSites: without some two folds no content, or no template, would be left to learn.
    """
    owners = owner_of_each([(page.url, page.site) for page in pages])
    fold = np.array([fold_of(owner) for owner in owners], np.int64)
    if len(set(owners)) < OWNERS_MIN:
        raise TooFewSites(
            f"{len(set(owners))} sites of different owners have usable labels; "
            f"cross-validation needs at least {OWNERS_MIN}"
        )
    for name, wanted in (("content", 1), ("template", 0)):
        having = {
            one
            for one, page in zip(fold.tolist(), pages, strict=True)
            if ((page.labels.content >= 0.5) == wanted)[page.labels.counts].any()
        }
        if len(having) < FOLDS_MIN:
            raise TooFewSites(
                f"{len(set(owners))} sites of different owners fall into {FOLDS} folds, of which "
                f"{len(having)} have {name}; cross-validation needs {FOLDS_MIN}: add sites with {name}"
            )
    return Corpus(
        pages=pages,
        fold=fold,
        weight=np.array([weights.get(page.corpus, 1.0) for page in pages]),
    )


def train(corpus: Corpus, settings: TrainSettings, progress: Progress) -> Trained:
    """The model fitted to all pages, those that leave a fold out, and their results."""
    scores = hashed_scores(corpus, progress)
    parts, results = _cross_validated(corpus, scores, settings, progress)
    folds = [int(corpus.fold[page]) for page, _ in results]
    lines = [
        _confidence(corpus, [one for one, fold in zip(results, folds, strict=True) if fold != out])
        for out in range(FOLDS)
    ]
    whole = _fit(corpus, scores, NONE, settings)
    progress("fitted to all pages")
    return Trained(
        model=_model(scores, NONE, whole, _confidence(corpus, results)),
        results=[
            msgspec.structs.replace(one, confidence=lines[fold].of(one.confidence))
            for (_, one), fold in zip(results, folds, strict=True)
        ],
        blind=[_model(scores, fold, parts[fold], lines[fold]) for fold in range(FOLDS)],
        scores=scores,
    )


def train_unjudged(corpus: Corpus, settings: TrainSettings, progress: Progress) -> PageModel:
    """The model fitted to all pages, without `about`: for labels that are no gold to judge by."""
    scores = hashed_scores(corpus, progress, judged=False)
    return _model(scores, NONE, _fit(corpus, scores, NONE, settings), _confidence(corpus, []))


def unseen_results(
    corpus: Corpus, scores: HashedScores, settings: TrainSettings, progress: Progress
) -> list[tuple[int, PageResult]]:
    """Number and result of each page, scored by a model that has not seen its site.

    Args:
        corpus: All pages.
        scores: Of the hashed tables, as of `train`.
        settings: With another seed than `train` was given.
        progress: Told what was just done.
    """
    return _cross_validated(corpus, scores, settings, progress)[1]


def _cross_validated(
    corpus: Corpus, scores: HashedScores, settings: TrainSettings, progress: Progress
) -> tuple[list[_Parts], list[tuple[int, PageResult]]]:
    """What was fitted without each fold, and the result of each page by what has not seen it."""
    parts: list[_Parts] = []
    results: list[tuple[int, PageResult]] = []
    for fold in range(FOLDS):
        fitted = _fit(corpus, scores, fold, settings)
        for page in np.flatnonzero(corpus.fold == fold).tolist():
            log_odds = combined_log_odds(
                fitted.trees, fitted.networks, page_rows(corpus, scores, page, fold)
            )
            page_type = PageType()
            if fitted.page_types is not None:
                page_type = fitted.page_types.page_type(statistics_of(corpus, scores, page, fold))
            results.append((page, _result(corpus.pages[page], log_odds, page_type)))
        parts.append(fitted)
        progress(f"fold {fold + 1} of {FOLDS}: fitted without its sites, scored on them")
    return parts, results


def _fit(corpus: Corpus, scores: HashedScores, left_out: int, settings: TrainSettings) -> _Parts:
    seed = 1000 * settings.seed + 100 * (left_out + 1)
    rows, sample = training_rows(corpus, scores, left_out, seed)
    ensembles = []
    for number in range(seed, seed + settings.ensembles):
        part = _part(rows, sample, settings.trees_part, number)
        ensembles.append(fit_trees(*part, settings.trees, number))
    trees = mean_ensemble(ensembles)
    teachers = []
    for number in range(seed, seed + settings.teachers):
        part = _part(rows, sample, settings.part, number)
        teachers.append(fit_network(*part, settings.teacher, number))
    pupils, unlabelled = training_rows(corpus, scores, left_out, _LESSON_SEED)
    lesson = _taught(pupils, unlabelled, teachers)
    return _Parts(
        trees=trees,
        networks=[fit_network(pupils, lesson, settings.network, _LESSON_SEED)],
        page_types=fit_page_types(corpus, scores, left_out),
    )


def _taught(rows: Float32s, sample: Sample, teachers: list[Network]) -> Sample:
    """The sample with what the teachers say in the mean in the place of its labels.

    Distillation (Hinton, Vinyals, Dean 2015). Networks that learn it from the same first weights
    are close to each other whatever rows their teachers saw.
    """
    log_odds = sum(teacher.log_odds(rows) for teacher in teachers) / len(teachers)
    return Sample(content=1 / (1 + np.exp(-log_odds)), weight=sample.weight)


def _part(rows: Float32s, sample: Sample, share: float, seed: int) -> tuple[Float32s, Sample]:
    """A random part of the rows."""
    size = max(round(share * len(rows)), 1)
    chosen = np.sort(np.random.default_rng(seed).choice(len(rows), size, replace=False))
    return rows[chosen], Sample(content=sample.content[chosen], weight=sample.weight[chosen])


def _confidence(corpus: Corpus, results: Sequence[tuple[int, PageResult]]) -> Confidence:
    return fit_confidence(
        [one.confidence for _, one in results],
        [one.f1 for _, one in results],
        [float(corpus.weight[page]) for page, _ in results],
    )


def _model(scores: HashedScores, left_out: int, parts: _Parts, confidence: Confidence) -> PageModel:
    attribute, text = scores.tables[NONE, left_out]
    return with_version(
        PageModel(
            attribute=attribute,
            text=text,
            trees=parts.trees,
            networks=parts.networks,
            page_types=parts.page_types,
            confidence=confidence,
            about=About(corpora={}, licence="", quality={}),
            version="",
        )
    )


def _result(page: TrainingPage, log_odds: Floats, page_type: PageType) -> PageResult:
    config = CoreConfig()
    copies = Copies(text=page.text, path=page.group, once=one_copy_enough(page.once, page_type))
    log_odds = with_policy(log_odds, page.tree.words, page.text_roles, page_type, config.comments)
    choice = select_segments(log_odds, copies, page.tree.words, config.f1_recall_share)
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
