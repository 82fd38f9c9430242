"""Clustering and classification of pages by their text: section 6.2 of Vieira et al. (CIKM 2006).

The experiment, which follows Yi, Liu and Li (KDD 2003), measures how much templates harm those who
mine the text of pages.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import msgspec
import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import MultinomialNB

from templ_core.array_types import Bools, Floats
from templ_core.tokens import tokenise

_Strings = npt.NDArray[np.str_]

_TERMS_MAX = 2000
"""Number of the most frequent terms that clustering uses."""
CONFIGURATIONS = (1, 2, 3)
"""Numbers of the paper's ways of choosing training and test pages; see `classify`."""


class ClassifierScores(msgspec.Struct, frozen=True, kw_only=True):
    """Mean scores of a classifier over choices of sites; each 0 to 1."""

    f: float
    """Mean of the F-measures of both classes."""
    accuracy: float


def _terms(text: str) -> list[str]:
    return tokenise(text.lower())


def cluster_f(texts: Sequence[str], classes: Sequence[str], seeds: Sequence[int]) -> Floats:
    """Return the F-measure of k-means for each seed, with as many clusters as classes.

    Pages are tf-idf vectors of unit length. The first centres are pages drawn with the seed. The
    F-measure is the mean over classes of the best one that any cluster reaches for the class.

    Args:
        texts: Text of each page.
        classes: Class of each page.
        seeds: Seeds of the first centres.

    Returns:
        One value for each seed, 0 to 1.
    """
    counts = CountVectorizer(analyzer=_terms, max_features=_TERMS_MAX).fit_transform(texts)
    vectors = _rotated(TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray())
    names, number = np.unique(np.array(classes), return_inverse=True)
    size = len(names)
    fs = []
    for seed in seeds:
        means = KMeans(size, init="random", n_init=1, random_state=seed)
        both = np.zeros((size, size))
        np.add.at(both, (number, means.fit_predict(vectors)), 1)
        best = 2 * both / (both.sum(1)[:, None] + both.sum(0)[None, :])
        fs.append(best.max(1).mean())
    return np.array(fs)


def _rotated(vectors: Floats) -> Floats:
    """Return vectors with the same distances, in as many dimensions as there are pages."""
    left, size, _ = np.linalg.svd(vectors, full_matrices=False)
    rotated: Floats = left * size
    return rotated


def classify(
    texts: Sequence[str], classes: Sequence[str], sites: Sequence[str]
) -> dict[tuple[int, str, str], ClassifierScores]:
    """Classify the pages of each pair of classes by naive Bayes, in the configurations of table 3.

    Configuration 1 trains on both classes of one site and tests on the other sites. Configuration 2
    trains on one class of one site and the other class of another site, and tests on the remaining
    sites. Configuration 3 trains as configuration 2 and tests on all pages that were not trained on.

    Args:
        texts: Text of each page.
        classes: Class of each page.
        sites: Site of each page.

    Returns:
        Scores by configuration and the two classes in alphabetical order.
    """
    counts = CountVectorizer(analyzer=_terms).fit_transform(texts)
    of_class, of_site = np.array(classes), np.array(sites)
    found = {}
    for one, other in combinations(sorted(set(classes)), 2):
        for configuration in CONFIGURATIONS:
            scores = [
                _judge(counts, of_class, train, test)
                for train, test in _splits(of_class, of_site, one, other, configuration)
                if len(set(of_class[train])) == len(set(of_class[test])) == 2
            ]
            if scores:
                f, accuracy = np.mean(scores, axis=0).tolist()
                found[configuration, one, other] = ClassifierScores(f=f, accuracy=accuracy)
    return found


def _splits(
    of_class: _Strings, of_site: _Strings, one: str, other: str, configuration: int
) -> Iterator[tuple[Bools, Bools]]:
    """Yield the training pages and the test pages of each choice of sites."""
    of_pair = (of_class == one) | (of_class == other)
    sites = sorted(set(of_site.tolist()))
    if configuration == 1:
        for site in sites:
            train = of_pair & (of_site == site)
            yield train, of_pair & ~train
        return
    for site, second in permutations(sites, 2):
        train = ((of_class == one) & (of_site == site)) | (
            (of_class == other) & (of_site == second)
        )
        seen = (of_site == site) | (of_site == second) if configuration == 2 else train
        yield train, of_pair & ~seen


def _judge(counts: object, of_class: _Strings, train: Bools, test: Bools) -> tuple[float, float]:
    """Return the mean F-measure of both classes and the accuracy."""
    bayes = MultinomialNB().fit(counts[train], of_class[train])  # type: ignore[index]
    found, wanted = bayes.predict(counts[test]), of_class[test]  # type: ignore[index]
    fs = []
    for name in bayes.classes_:
        both = np.count_nonzero((found == name) & (wanted == name))
        fs.append(2 * both / (np.count_nonzero(found == name) + np.count_nonzero(wanted == name)))
    return float(np.mean(fs)), float(np.mean(found == wanted))
