"""Training of a page model from pages with gold, and its quality on sites it has not seen."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.config import CoreConfig
from templ_core.decide import page_recall_share
from templ_core.lab.training.fit import (
    NetworkSettings,
    ReportProgress,
    Sample,
    TreeSettings,
    drawn_places,
    fit_confidence,
    fit_network,
    fit_trees,
    in_bytes,
)
from templ_core.lab.training.nested import (
    FOLDS,
    NO_FOLD,
    HashedScores,
    TrainingCorpus,
    fold_of,
    hashed_scores,
    language_folds,
    page_rows,
    scores_of_page,
    training_rows,
)
from templ_core.lab.training.pages import TrainingPage, owner_of_each
from templ_core.lab.training.quality import PageResult
from templ_core.page_level._selection import plain_f1
from templ_core.page_level.model._page_type import page_statistics
from templ_core.page_level.model.confidence import Confidence, confidence_inputs
from templ_core.page_level.model.hashed_scores import NAMES_SIZE
from templ_core.page_level.model.model_file import with_version
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import About, PageModel, combined_log_odds
from templ_core.page_level.model.page_type import (
    PAGE_TYPES,
    PageType,
    PageTypeModel,
)
from templ_core.page_level.model.tree_ensemble import TreeEnsemble, mean_ensemble
from templ_core.page_level.selection import (
    Copies,
    agreed,
    one_copy_enough,
    select_segments,
    with_policy,
)

_PAGE_TYPE_OF_NAME = {
    **dict.fromkeys(("article", "news", "blog", "magazine"), "article"),
    **dict.fromkeys(("documentation", "docs", "wiki"), "documentation"),
    "forum": "forum",
    "product": "product",
    **dict.fromkeys(("collection", "listing"), "listing"),
    **dict.fromkeys(("service", "organisation", "corporate"), "other"),
}
"""The model's page type for each name that corpora use, which holds where a page's markup states none; other
pages are left out."""
_PENALTY = 1 / 3
"""Strength of the L2 penalty on the weights of names."""
_STATISTICS_SHARE = 0.1
"""What statistics are multiplied with, so that the penalty holds their weights down more than those of names."""
_STEPS_MAX = 200


def fit_page_types(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int
) -> PageTypeModel | None:
    """Fit a multinomial logistic regression of the page type to the pages outside a fold.

    It needs two different page types.
    """
    types = {
        number: PAGE_TYPES.index(known_type)
        for number, page in enumerate(corpus.pages)
        if corpus.fold[number] != left_out
        and (known_type := page.stated_type or _PAGE_TYPE_OF_NAME.get(page.page_type))
    }
    pages, page_type = list(types), np.array(list(types.values()))
    known = np.unique(page_type)
    if len(known) < 2:
        return None
    statistics = np.array([statistics_of(corpus, scores, page, left_out) for page in pages])
    deviation = statistics.std(axis=0)
    blank = PageTypeModel(
        mean=statistics.mean(axis=0).astype(np.float32),
        scale=np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0).astype(np.float32),
        weights=np.empty((0, 0), np.float32),
        biases=np.empty(0, np.float32),
        names=np.empty((0, 0), np.int8),
        unit=1.0,
    )
    inputs = blank.standardised(statistics) * _STATISTICS_SHARE
    names = _name_rows([corpus.pages[page].names for page in pages])
    regression = LogisticRegression(C=1 / _PENALTY, max_iter=_STEPS_MAX, tol=1e-3)
    rows = sparse.hstack([inputs, names]).tocsr()
    regression.fit(rows, page_type, sample_weight=corpus.weight[pages])
    return _filled(blank, regression, known)


def _name_rows(names: Sequence[Int64s]) -> sparse.csr_matrix:
    """Return the names of each page as a row of n_pages x NAMES_SIZE, of length 1."""
    ends = np.cumsum([0, *map(len, names)])
    values = np.concatenate([np.full(len(some), len(some) ** -0.5) for some in names])
    return sparse.csr_matrix((values, np.concatenate(names), ends), (len(names), NAMES_SIZE))


def statistics_of(corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int) -> Floats:
    """Return a page's statistics from held-out scores, for models that leave a fold out."""
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return page_statistics(one.base, one.tree.words, attribute, text)


def _filled(blank: PageTypeModel, regression: LogisticRegression, known: Int64s) -> PageTypeModel:
    """Return the model with the regression's coefficients; unknown page types get no probability."""
    size = len(blank.mean)
    weights = np.zeros((size + NAMES_SIZE, len(PAGE_TYPES)))
    biases = np.full(len(PAGE_TYPES), -100, np.float32)
    if len(known) == 2:
        biases[known] = 0.0
        weights[:, known[1]] = regression.coef_[0]
        biases[known[1]] = regression.intercept_[0]
    else:
        weights[:, known] = regression.coef_.T
        biases[known] = regression.intercept_
    names, unit = in_bytes(weights[size:])
    return msgspec.structs.replace(
        blank,
        weights=(weights[:size] * _STATISTICS_SHARE).astype(np.float32),
        biases=biases,
        names=names,
        unit=unit,
    )


_STUDENT_SEED = 0
"""Seed of the rows and first weights of the student network, whatever the seed of the training."""
_OWNERS_MIN = 10
"""Least number of owners of sites that cross-validation needs."""
_FOLDS_MIN = 3
"""Least number of folds with content, and with template, since models leave two folds out."""


class TrainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a page model is trained."""

    trees: TreeSettings = TreeSettings()
    ensembles: int = 4
    """Number of tree ensembles that are averaged, each fitted to a random part of the rows."""
    teacher: NetworkSettings = NetworkSettings(hidden=(64, 32), epochs=5)
    teachers: int = 24
    """Number of networks that are fitted to the labels, each on a random part of the rows.

    The model's network learns their mean answer. Networks that learn from the labels themselves
    differ between seeds on whole sites."""
    network: NetworkSettings = NetworkSettings()
    trees_part: float = 0.3
    """Share of the rows that each tree ensemble is fitted to, above 0, at most 1."""
    teachers_part: float = 0.6
    """Share of the rows that each teacher is fitted to, above 0, at most 1."""
    seed: int = 0


class TooFewSites(ValueError):
    """There are too few sites for cross-validation by site."""


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """A trained page model, the models of its cross-validation, and their results.

    The models' `about` is empty.
    """

    model: PageModel
    """The model that is fitted to all pages."""
    results: list[PageResult]
    """The result of each page by the model that has not seen its site."""
    held_out_models: list[PageModel]
    """For each fold, the model that has not seen its pages."""
    scores: HashedScores
    """Held-out scores of the hashed tables; they do not depend on the seed."""


class _Judged(NamedTuple):
    """A page that was cleaned by a model that has not seen its site."""

    page: int
    """Number of the page."""
    result: PageResult
    """Its scores; its confidence is still the F1 that the cut expects."""
    inputs: list[float]
    """The inputs of its confidence."""


class _Parts(NamedTuple):
    """The parts of a page model that are fitted on the held-out scores of the hashed tables."""

    trees: TreeEnsemble
    networks: list[Network]
    page_types: PageTypeModel | None


def gather(
    pages: Sequence[TrainingPage], weights: dict[str, float], *, by_language: bool = False
) -> TrainingCorpus:
    """Return the training corpus: the pages with their folds and weights.

    Args:
        pages: All training pages.
        weights: Weight of a page by corpus; pages of other corpora weigh 1.
        by_language: Whether folds leave out languages, and not only sites.

    Raises:
        TooFewSites: If two folds were left out, no content or no template might be left to learn.
    """
    owners = owner_of_each([(page.url, page.site) for page in pages])
    folds = (
        language_folds([page.language for page in pages], owners)
        if by_language
        else [fold_of(owner) for owner in owners]
    )
    fold = np.array(folds, np.int64)
    if len(set(owners)) < _OWNERS_MIN:
        raise TooFewSites(
            f"{len(set(owners))} sites of different owners have usable labels; "
            f"cross-validation needs at least {_OWNERS_MIN}"
        )
    for name, wanted in (("content", 1), ("template", 0)):
        having = {
            one
            for one, page in zip(fold.tolist(), pages, strict=True)
            if ((page.labels.content >= 0.5) == wanted)[page.labels.counts].any()
        }
        if len(having) < _FOLDS_MIN:
            raise TooFewSites(
                f"{len(set(owners))} sites of different owners fall into {FOLDS} folds, of which "
                f"{len(having)} have {name}; cross-validation needs {_FOLDS_MIN}: add sites with {name}"
            )
    return TrainingCorpus(
        pages=pages,
        fold=fold,
        weight=np.array([weights.get(page.corpus, 1.0) for page in pages]),
    )


def train_page_model(
    corpus: TrainingCorpus, settings: TrainSettings, progress: ReportProgress
) -> Trained:
    """Train a page model on all pages, and judge it by nested cross-validation by site."""
    scores = hashed_scores(corpus, progress)
    parts, judged = _cross_validated(corpus, scores, settings, progress)
    confidences = [
        _confidence([one for one in judged if corpus.fold[one.page] != out]) for out in range(FOLDS)
    ]
    whole = _fit(corpus, scores, NO_FOLD, settings)
    progress("fitted to all pages")
    return Trained(
        model=_model(scores, NO_FOLD, whole, _confidence(judged)),
        results=[
            msgspec.structs.replace(
                one.result, confidence=confidences[corpus.fold[one.page]].of(one.inputs)
            )
            for one in judged
        ],
        held_out_models=[
            _model(scores, fold, parts[fold], confidences[fold]) for fold in range(FOLDS)
        ],
        scores=scores,
    )


def train_unjudged(
    corpus: TrainingCorpus, settings: TrainSettings, progress: ReportProgress
) -> PageModel:
    """Train a page model on all pages without cross-validation.

    This is for labels that are no gold, by which a model cannot be judged. The model's `about` is
    empty, and its confidence is not corrected.
    """
    scores = hashed_scores(corpus, progress, judged=False)
    return _model(scores, NO_FOLD, _fit(corpus, scores, NO_FOLD, settings), _confidence([]))


def held_out_results(
    corpus: TrainingCorpus, scores: HashedScores, settings: TrainSettings, progress: ReportProgress
) -> list[PageResult]:
    """Return the held-out result of each page, with another seed."""
    return [one.result for one in _cross_validated(corpus, scores, settings, progress)[1]]


def _cross_validated(
    corpus: TrainingCorpus, scores: HashedScores, settings: TrainSettings, progress: ReportProgress
) -> tuple[list[_Parts], list[_Judged]]:
    """Return the parts that were fitted without each fold, and the held-out result of each page."""
    parts: list[_Parts] = []
    judged: list[_Judged] = []
    for fold in range(FOLDS):
        fitted = _fit(corpus, scores, fold, settings)
        for page in np.flatnonzero(corpus.fold == fold).tolist():
            log_odds = combined_log_odds(
                fitted.trees, fitted.networks, page_rows(corpus, scores, page, fold)
            )
            page_type = PageType()
            if fitted.page_types is not None:
                statistics = statistics_of(corpus, scores, page, fold)
                page_type = fitted.page_types.page_type(statistics, corpus.pages[page].names)
            judged.append(_judged(page, corpus.pages[page], log_odds, page_type))
        parts.append(fitted)
        progress(f"fold {fold + 1} of {FOLDS}: fitted without its sites, scored on them")
    return parts, judged


def _fit(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int, settings: TrainSettings
) -> _Parts:
    """Fit trees, networks and page types without one fold."""
    seed = 1000 * settings.seed + 100 * (left_out + 1)
    rows, sample = training_rows(corpus, scores, left_out, seed)
    ensembles = []
    for number in range(seed, seed + settings.ensembles):
        part = _part(rows, sample, settings.trees_part, number)
        ensembles.append(fit_trees(*part, settings.trees, number))
    trees = mean_ensemble(ensembles)
    teachers = []
    for number in range(seed, seed + settings.teachers):
        part = _part(rows, sample, settings.teachers_part, number)
        teachers.append(fit_network(*part, settings.teacher, number))
    student_rows, labelled = training_rows(corpus, scores, left_out, _STUDENT_SEED)
    distilled = _distilled(student_rows, labelled, teachers)
    return _Parts(
        trees=trees,
        networks=[fit_network(student_rows, distilled, settings.network, _STUDENT_SEED)],
        page_types=fit_page_types(corpus, scores, left_out),
    )


def _distilled(rows: Float32s, sample: Sample, teachers: list[Network]) -> Sample:
    """Return the sample with the mean answer of the teachers in place of its labels.

    This is distillation (Hinton, Vinyals, Dean, 2015). Students that start from the same weights are
    close to each other whatever rows their teachers saw.
    """
    log_odds = sum(teacher.log_odds(rows) for teacher in teachers) / len(teachers)
    return Sample(content=1 / (1 + np.exp(-log_odds)), weight=sample.weight)


def _part(rows: Float32s, sample: Sample, share: float, seed: int) -> tuple[Float32s, Sample]:
    """Return a random part of the rows, at least one."""
    chosen = drawn_places(len(rows), max(round(share * len(rows)), 1), seed)
    return rows[chosen], Sample(content=sample.content[chosen], weight=sample.weight[chosen])


def _confidence(judged: Sequence[_Judged]) -> Confidence:
    return fit_confidence([one.inputs for one in judged], [one.result.f1 for one in judged])


def _model(scores: HashedScores, left_out: int, parts: _Parts, confidence: Confidence) -> PageModel:
    attribute, text = scores.tables[NO_FOLD, left_out]
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


def _judged(number: int, page: TrainingPage, log_odds: Floats, page_type: PageType) -> _Judged:
    config = CoreConfig()
    copies = Copies(text=page.text, path=page.group, once=one_copy_enough(page.once, page_type))
    pooled = agreed(log_odds, page.tree)
    log_odds = with_policy(pooled, page.tree.words, page.text_roles, page_type, config.comments)
    share = page_recall_share(page_type, config)
    words = page.tree.words
    choice = select_segments(log_odds, copies, words, share)
    f1, precision, recall = page.bag.f1(choice.kept)
    expected = plain_f1(log_odds, choice.kept, choice.repeated, words)
    return _Judged(
        page=number,
        result=PageResult(
            corpus=page.corpus,
            site=page.site,
            page_type=page.page_type,
            language=page.language,
            f1=f1,
            precision=precision,
            recall=recall,
            confidence=expected,
        ),
        inputs=confidence_inputs(expected, choice.kept, words, page_type),
    )
