"""Training of a page model from pages with gold, and its quality on sites it has not seen.

It is judged by nested cross-validation by site, in which no feature of a training page leaks the labels of a test page.
The scores of the hashed tables are features of the trees and networks. When fold f is held out, a
training page of fold g gets its scores from tables fitted without f and g, and a test page of fold f
gets its scores from tables fitted without f.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.config import CoreConfig
from templ_core.decide import agreed, select_segments, with_policy
from templ_core.lab.training import fit
from templ_core.lab.training.pages import TrainingPage, owner_of_each, stack
from templ_core.lab.training.quality import PageResult
from templ_core.lab.training.recall import f1_of_cuts, fit_recall_shares
from templ_core.page_level._selection import plain_f1
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.features._contexts import with_contexts
from templ_core.page_level.model._page_type import page_statistics
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, HashedTable
from templ_core.page_level.model.model_file import with_version
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import (
    About,
    Confidence,
    PageModel,
    combined_log_odds,
    confidence_inputs,
    recall_share,
)
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType, PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble
from templ_core.page_level.page_evidence import Copies, one_copy_enough

FOLDS = 5
NO_FOLD = -1
"""The fold that is left out when a model is fitted to all pages."""
_ROWS_PER_PAGE = 250
"""Most segments of a page that are trained on."""
_ROWS_PER_PAGE_MIN = 20
"""Segments of a page that are trained on however little the page weighs."""
_SAMPLE_POWER = 0.7
"""The number of segments of a page grows with its weight to this power."""
_WORDS_MAX = 200
"""The weight of a segment does not grow beyond this number of words."""


class TrainingCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """Training pages with their folds and weights; columns of length n_pages."""

    pages: Sequence[TrainingPage]
    fold: Int64s
    """Fold of each page's site, 0 to FOLDS - 1."""
    weight: Floats
    """Weight of each page, above 0."""


class HashedScores(msgspec.Struct, frozen=True, kw_only=True):
    """Held-out scores of all segments: those of tables fitted without certain folds."""

    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]]
    """The attribute table and the text table, by the two folds left out, in ascending order."""
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]]
    """The scores of all segments by both tables, by the two folds left out."""
    starts: Int64s
    """Number of the first segment of each page; last the number of segments."""

    def of_page(self, page: int, left_out: tuple[int, int]) -> tuple[Floats, Floats]:
        """Return the attribute and text scores of a page's segments by tables without two folds."""
        rows = slice(self.starts[page], self.starts[page + 1])
        attribute, text = self.log_odds[left_out]
        return attribute[rows].astype(np.float64), text[rows].astype(np.float64)


def fold_of(owner: str) -> int:
    """Return the fold of a site's owner, 0 to FOLDS - 1."""
    return zlib.crc32(owner.encode()) % FOLDS


def language_folds(languages: Sequence[str], owners: Sequence[str]) -> list[int]:
    """Return the fold of each page, 0 to FOLDS - 1, where no language is in two folds.

    All pages of an owner count as of the language that most of them have. The language of most pages comes first,
    and each goes to the fold with the fewest pages so far.

    >>> language_folds(["en", "en", "de", "en", "fr"], ["a", "a", "b", "b", "c"])
    [0, 0, 1, 1, 2]
    """
    of_owner: dict[str, Counter[str]] = {}
    for owner, language in zip(owners, languages, strict=True):
        of_owner.setdefault(owner, Counter())[language] += 1
    spoken = [of_owner[owner].most_common(1)[0][0] for owner in owners]
    fold_of_language: dict[str, int] = {}
    sizes = [0] * FOLDS
    for language, pages in Counter(spoken).most_common():
        fold = sizes.index(min(sizes))
        fold_of_language[language] = fold
        sizes[fold] += pages
    return [fold_of_language[language] for language in spoken]


def row_weights(page: TrainingPage) -> Floats:
    """Return the weight of each segment: sqrt(words), divided so that the sum grows slowly.

    The weights of a page sum to the square root of the sum of sqrt(words), so that long pages do not
    outweigh all others.
    """
    size = np.sqrt(np.minimum(page.tree.words, _WORDS_MAX))
    weights: Floats = size / np.sqrt(size.sum())
    return weights


def hashed_scores(corpus: TrainingCorpus, progress: fit.ReportProgress) -> HashedScores:
    """Fit the hashed tables without certain folds, and score all segments with each of them.

    Tables are fitted to all rows in a fixed order, not to a sample: trees and networks learn from
    their scores, and would change with each sample.
    """
    counts = [len(page.text) for page in corpus.pages]
    starts = np.concatenate([[0], np.cumsum(counts)])
    fold = np.repeat(corpus.fold, counts)
    content = np.concatenate([page.labels.content for page in corpus.pages])
    weight = np.concatenate(
        [row_weights(page) * one for page, one in zip(corpus.pages, corpus.weight, strict=True)]
    )
    counted = np.concatenate([page.labels.counts for page in corpus.pages])
    tokens = (
        (stack([page.attribute_rows for page in corpus.pages]), fit.ATTRIBUTE_PENALTY),
        (stack([page.text_rows for page in corpus.pages]), fit.TEXT_PENALTY),
    )
    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]] = {}
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]] = {}
    for left_out in left_out_pairs():
        used = np.flatnonzero(counted & ~np.isin(fold, left_out))
        sample = fit.Sample(content=content[used], weight=weight[used])
        attribute, text = (fit.fit_table(rows[used], sample, penalty) for rows, penalty in tokens)
        tables[left_out] = attribute, text
        log_odds[left_out] = (
            _table_log_odds(tokens[0][0], attribute),
            _table_log_odds(tokens[1][0], text),
        )
        progress(f"hashed tables of {_pages_used(left_out)}")
    return HashedScores(tables=tables, log_odds=log_odds, starts=starts)


def _pages_used(left_out: tuple[int, int]) -> str:
    """Return which pages are used when these folds are left out; -1 stands for none.

    >>> _pages_used((-1, -1)), _pages_used((0, 0)), _pages_used((0, 2))
    ('all pages', 'all pages but fold 1', 'all pages but folds 1 and 3')
    """
    folds = sorted({fold + 1 for fold in left_out if fold >= 0})
    if not folds:
        return "all pages"
    return f"all pages but fold{'s' if len(folds) > 1 else ''} {' and '.join(map(str, folds))}"


def _table_log_odds(rows: sparse.csr_matrix, table: HashedTable) -> Float32s:
    limit = MODEL_CONFIG.score_log_odds_max
    sums = rows @ (table.weights * np.float32(table.unit))
    log_odds: Float32s = np.clip(table.bias + sums, -limit, limit).astype(np.float32)
    return log_odds


def left_out_pairs() -> list[tuple[int, int]]:
    """Return the pairs that leave out no fold, each single fold, and to judge a model each two folds."""
    single = [(NO_FOLD, NO_FOLD), *((NO_FOLD, fold) for fold in range(FOLDS))]
    return [*single, *combinations(range(FOLDS), 2)]


def scores_of_page(
    corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int
) -> tuple[Floats, Floats]:
    """Return a page's attribute and text scores by tables that saw neither its fold nor `left_out`."""
    own = int(corpus.fold[page])
    pair = (NO_FOLD, own) if left_out == own else (min(left_out, own), max(left_out, own))
    return scores.of_page(page, pair)


def page_rows(
    corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int, page_type: PageType
) -> Float32s:
    """Return the features of a page for models that leave a fold out.

    The hashed scores among them leave out the page's own fold as well, and so should its type.
    """
    features = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return with_contexts(features.base, features.tree, features.group, attribute, text, page_type)


def training_rows(
    corpus: TrainingCorpus,
    scores: HashedScores,
    page_types: Sequence[PageType],
    left_out: int,
    seed: int,
) -> tuple[Float32s, fit.Sample]:
    """Return a sample of the rows of all pages outside a fold, with labels and weights.

    Pages of little weight give fewer rows, and each of them weighs more.
    """
    rows, content, weight = [], [], []
    for number, page in enumerate(corpus.pages):
        if corpus.fold[number] == left_out:
            continue
        share = min(corpus.weight[number], 1.0) ** _SAMPLE_POWER
        most = max(int(_ROWS_PER_PAGE * share), _ROWS_PER_PAGE_MIN)
        labelled = np.flatnonzero(page.labels.counts)
        own_seed = [seed, zlib.crc32(page.url.encode())]
        drawn = labelled[fit.drawn_places(len(labelled), most, own_seed)]
        stands_for = min(int(page.labels.counts.sum()), _ROWS_PER_PAGE) / len(drawn)
        rows.append(page_rows(corpus, scores, number, left_out, page_types[number])[drawn])
        content.append(page.labels.content[drawn])
        weight.append(row_weights(page)[drawn] * corpus.weight[number] * stands_for)
    return np.concatenate(rows), fit.Sample(
        content=np.concatenate(content), weight=np.concatenate(weight)
    )


PAGE_TYPE_OF_NAME = {
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


def held_out_page_types(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int
) -> tuple[PageTypeModel | None, list[PageType]]:
    """Return the page types for models that leave a fold out.

    Returns:
        The regression that was fitted without the fold, and the type of each page by one that saw neither this
        fold nor the page's own.
    """
    pages = range(len(corpus.pages))
    statistics = np.array([statistics_of(corpus, scores, page, left_out) for page in pages])
    model = fit_page_types(corpus, statistics, (left_out,))
    page_types = [PageType()] * len(pages)
    for fold in range(FOLDS):
        own = model if fold == left_out else fit_page_types(corpus, statistics, (left_out, fold))
        if own is None:
            continue
        for page in np.flatnonzero(corpus.fold == fold).tolist():
            page_types[page] = own.page_type(statistics[page], corpus.pages[page].names)
    return model, page_types


def fit_page_types(
    corpus: TrainingCorpus, statistics_of_pages: Floats, left_out: Sequence[int]
) -> PageTypeModel | None:
    """Fit a multinomial logistic regression of the page type to the pages outside some folds.

    It needs two different page types. The weights of the corpora do not count, because they say how far labels
    of content are trusted.

    Args:
        corpus: The pages.
        statistics_of_pages: What `page_statistics` says about each page; (n_pages, n_statistics).
        left_out: The folds.
    """
    types = {
        number: PAGE_TYPES.index(known_type)
        for number, page in enumerate(corpus.pages)
        if corpus.fold[number] not in left_out
        and (known_type := page.stated_type or PAGE_TYPE_OF_NAME.get(page.page_type))
    }
    pages, page_type = list(types), np.array(list(types.values()))
    known = np.unique(page_type)
    if len(known) < 2:
        return None
    statistics = statistics_of_pages[pages]
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
    regression.fit(rows, page_type, sample_weight=_weight_in_site(corpus, pages))
    return _filled(blank, regression, known)


def _weight_in_site(corpus: TrainingCorpus, pages: Sequence[int]) -> Floats:
    """Return the weights of pages with which a site counts as the square root of its pages, since these are alike."""
    sites = [corpus.pages[page].site for page in pages]
    pages_of = Counter(sites)
    return np.array([pages_of[site] ** -0.5 for site in sites])


def _name_rows(names: Sequence[Int64s]) -> sparse.csr_matrix:
    """Return the names of each page as a row of n_pages x NAMES_SIZE, of length 1."""
    ends = np.cumsum([0, *map(len, names)])
    values = np.concatenate([np.full(len(some), len(some) ** -0.5) for some in names])
    return sparse.csr_matrix((values, np.concatenate(names), ends), (len(names), NAMES_SIZE))


def statistics_of(corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int) -> Floats:
    """Return a page's statistics from held-out scores, for models that leave a fold out."""
    features = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return page_statistics(features.base, features.tree.words, attribute, text)


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
    names, unit = fit.in_bytes(weights[size:])
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
"""Fewest folds that must hold content, and likewise template: models leave two folds out."""


class TrainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a page model is trained."""

    trees: fit.TreeSettings = fit.TreeSettings()
    ensembles: int = 4
    """Number of tree ensembles that are averaged, each fitted to a random part of the rows."""
    teacher: fit.NetworkSettings = fit.NetworkSettings(hidden=(64, 32), epochs=5)
    teachers: int = 8
    """Number of networks that are fitted to the labels, each on a random part of the rows.

    The model's network learns their mean answer. Networks that learn from the labels themselves
    differ between seeds on whole sites."""
    network: fit.NetworkSettings = fit.NetworkSettings()
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


class _HeldOut(NamedTuple):
    """A page that was read by a model that has not seen its site."""

    page: int
    """Number of the page."""
    log_odds: Floats
    """Log-odds for content of each segment, policies applied; length n_segments."""
    copies: Copies
    page_type: PageType
    f1: Floats
    """F1 of its cuts; length of RECALL_SHARES."""


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
    types: list[PageType]
    """The type of each page, by a regression that has seen neither its fold nor the one that is left out."""


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
                f"{len(set(owners))} sites of different owners fall into {FOLDS} folds, and "
                f"{len(having)} have {name}; cross-validation needs {_FOLDS_MIN}: add sites with {name}"
            )
    return TrainingCorpus(
        pages=pages, fold=fold, weight=np.array([weights.get(page.corpus, 1.0) for page in pages])
    )


def train_page_model(
    corpus: TrainingCorpus, settings: TrainSettings, progress: fit.ReportProgress
) -> Trained:
    """Train a page model on all pages, and judge it by nested cross-validation by site."""
    scores = hashed_scores(corpus, progress)
    parts, held_out = _cross_validated(corpus, scores, settings, progress)
    recalls = _recall_shares_of_folds(corpus, held_out)
    judged = _judged_pages(corpus, held_out, recalls)
    confidences = [
        _confidence([one for one in judged if corpus.fold[one.page] != out]) for out in range(FOLDS)
    ]
    whole = _fit(corpus, scores, NO_FOLD, settings)
    progress("fitted to all pages")
    return Trained(
        model=_model(
            scores, NO_FOLD, whole, _recall_shares(corpus, held_out, NO_FOLD), _confidence(judged)
        ),
        results=[
            msgspec.structs.replace(
                one.result, confidence=confidences[corpus.fold[one.page]].of(one.inputs)
            )
            for one in judged
        ],
        held_out_models=[
            _model(scores, fold, parts[fold], recalls[fold], confidences[fold])
            for fold in range(FOLDS)
        ],
        scores=scores,
    )


def held_out_results(
    corpus: TrainingCorpus,
    scores: HashedScores,
    settings: TrainSettings,
    progress: fit.ReportProgress,
) -> list[PageResult]:
    """Return the held-out result of each page, with another seed."""
    held_out = _cross_validated(corpus, scores, settings, progress)[1]
    recalls = _recall_shares_of_folds(corpus, held_out)
    return [one.result for one in _judged_pages(corpus, held_out, recalls)]


def _cross_validated(
    corpus: TrainingCorpus,
    scores: HashedScores,
    settings: TrainSettings,
    progress: fit.ReportProgress,
) -> tuple[list[_Parts], list[_HeldOut]]:
    """Return the parts that were fitted without each fold, and what they say about the fold's pages."""
    parts: list[_Parts] = []
    held_out: list[_HeldOut] = []
    for fold in range(FOLDS):
        fitted = _fit(corpus, scores, fold, settings)
        for page in np.flatnonzero(corpus.fold == fold).tolist():
            page_type = fitted.types[page]
            rows = page_rows(corpus, scores, page, fold, page_type)
            log_odds = combined_log_odds(fitted.trees, fitted.networks, rows)
            held_out.append(_held_out(page, corpus.pages[page], log_odds, page_type))
        parts.append(fitted)
        progress(f"fold {fold + 1} of {FOLDS}: fitted without its sites, scored on them")
    return parts, held_out


def _fit(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int, settings: TrainSettings
) -> _Parts:
    """Fit trees, networks and page types without one fold."""
    seed = 1000 * settings.seed + 100 * (left_out + 1)
    page_types, types = held_out_page_types(corpus, scores, left_out)
    rows, sample = training_rows(corpus, scores, types, left_out, seed)
    ensembles = []
    for number in range(seed, seed + settings.ensembles):
        part = _part(rows, sample, settings.trees_part, number)
        ensembles.append(fit.fit_trees(*part, settings.trees, number))
    trees = fit.mean_ensemble(ensembles)
    teachers = []
    for number in range(seed, seed + settings.teachers):
        part = _part(rows, sample, settings.teachers_part, number)
        teachers.append(fit.fit_network(*part, settings.teacher, number))
    student_rows, labelled = training_rows(corpus, scores, types, left_out, _STUDENT_SEED)
    distilled = _distilled(student_rows, labelled, teachers)
    return _Parts(
        trees=trees,
        networks=[fit.fit_network(student_rows, distilled, settings.network, _STUDENT_SEED)],
        page_types=page_types,
        types=types,
    )


def _distilled(rows: Float32s, sample: fit.Sample, teachers: list[Network]) -> fit.Sample:
    """Return the sample with the mean answer of the teachers in place of its labels.

    This is distillation (Hinton, Vinyals, Dean, 2015). Students that start from the same weights are
    close to each other whatever rows their teachers saw.
    """
    log_odds = sum(teacher.log_odds(rows) for teacher in teachers) / len(teachers)
    return fit.Sample(content=1 / (1 + np.exp(-log_odds)), weight=sample.weight)


def _part(
    rows: Float32s, sample: fit.Sample, share: float, seed: int
) -> tuple[Float32s, fit.Sample]:
    chosen = fit.drawn_places(len(rows), max(round(share * len(rows)), 1), seed)
    return rows[chosen], fit.Sample(content=sample.content[chosen], weight=sample.weight[chosen])


def _confidence(judged: Sequence[_Judged]) -> Confidence:
    return fit.fit_confidence([one.inputs for one in judged], [one.result.f1 for one in judged])


def _model(
    scores: HashedScores,
    left_out: int,
    parts: _Parts,
    recall_shares: tuple[float, ...],
    confidence: Confidence,
) -> PageModel:
    attribute, text = scores.tables[NO_FOLD, left_out]
    return with_version(
        PageModel(
            attribute=attribute,
            text=text,
            trees=parts.trees,
            networks=parts.networks,
            page_types=parts.page_types,
            recall_shares=recall_shares,
            confidence=confidence,
            about=About(corpora={}, licence="", quality={}),
            version="",
        )
    )


def _held_out(number: int, page: TrainingPage, log_odds: Floats, page_type: PageType) -> _HeldOut:
    copies = Copies(text=page.text, path=page.group, once=one_copy_enough(page.once, page_type))
    words = page.tree.words
    pooled = agreed(log_odds, page.tree)
    log_odds = with_policy(pooled, words, page.text_roles, page_type, CoreConfig().comments)
    f1 = f1_of_cuts(log_odds, copies, words, page.bag)
    return _HeldOut(number, log_odds, copies, page_type, f1)


def _recall_shares_of_folds(
    corpus: TrainingCorpus, held_out: Sequence[_HeldOut]
) -> list[tuple[float, ...]]:
    """Return how much recall counts by page type, fitted to the pages outside each fold."""
    return [_recall_shares(corpus, held_out, fold) for fold in range(FOLDS)]


def _recall_shares(
    corpus: TrainingCorpus, held_out: Sequence[_HeldOut], left_out: int
) -> tuple[float, ...]:
    """Return how much recall counts by page type, fitted to the pages outside a fold."""
    used = [one for one in held_out if corpus.fold[one.page] != left_out]
    pages = [one.page for one in used]
    weight = corpus.weight[pages] * _weight_in_site(corpus, pages)
    return fit_recall_shares([one.page_type for one in used], [one.f1 for one in used], weight)


def _judged_pages(
    corpus: TrainingCorpus, held_out: Sequence[_HeldOut], recalls: Sequence[tuple[float, ...]]
) -> list[_Judged]:
    return [
        _judged(one, corpus.pages[one.page], recalls[corpus.fold[one.page]]) for one in held_out
    ]


def _judged(read: _HeldOut, page: TrainingPage, recalls: tuple[float, ...]) -> _Judged:
    words, share = page.tree.words, recall_share(read.page_type, recalls)
    choice = select_segments(read.log_odds, read.copies, words, share)
    f1, precision, recall = page.bag.f1(choice.kept)
    expected = plain_f1(read.log_odds, choice.kept, choice.repeated, words)
    return _Judged(
        page=read.page,
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
        inputs=confidence_inputs(expected, choice.kept, words, read.page_type),
    )
