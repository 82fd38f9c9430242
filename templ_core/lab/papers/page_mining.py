"""Clustering and classifying pages by their text: section 6.2 of Vieira et al. (CIKM 2006).

What a page's template costs those who mine its text; after Yi, Liu and Li (KDD 2003).
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

Strings = npt.NDArray[np.str_]

TERMS_MAX = 2000
"""Most frequent terms, for clustering."""
CONFIGURATIONS = (1, 2, 3)


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """Of a classifier, 0 to 1, mean over sites."""

    f: float
    """Mean of the F of both classes."""
    accuracy: float


def _terms(text: str) -> list[str]:
    return tokenise(text.lower())


def cluster_f(texts: Sequence[str], classes: Sequence[str], seeds: Sequence[int]) -> Floats:
    """F of K-means for each seed, with as many clusters as classes; length n_seeds.

    Pages are vectors of tf-idf of unit length; the first centres are pages drawn with the seed. F is
    the mean over classes of the best F that any cluster reaches for the class.
    """
    counts = CountVectorizer(analyzer=_terms, max_features=TERMS_MAX).fit_transform(texts)
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
    """Vectors with the same distances, in as many dimensions as there are pages."""
    left, size, _ = np.linalg.svd(vectors, full_matrices=False)
    rotated: Floats = left * size
    return rotated


def classify(
    texts: Sequence[str], classes: Sequence[str], sites: Sequence[str]
) -> dict[tuple[int, str, str], Scores]:
    """Naive Bayes on each pair of classes, by configuration (table 3) and classes.

    1 = trained on both classes of one site, judged on the other sites; 2 = trained on one class of one
    site and the other class of another site, judged on the sites left; 3 = trained as in 2, judged on
    all pages but those.
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
                found[configuration, one, other] = Scores(f=f, accuracy=accuracy)
    return found


def _splits(
    of_class: Strings, of_site: Strings, one: str, other: str, configuration: int
) -> Iterator[tuple[Bools, Bools]]:
    """The pages to train on and those to judge by."""
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


def _judge(counts: object, of_class: Strings, train: Bools, test: Bools) -> tuple[float, float]:
    bayes = MultinomialNB().fit(counts[train], of_class[train])  # type: ignore[index]
    found, wanted = bayes.predict(counts[test]), of_class[test]  # type: ignore[index]
    fs = []
    for name in bayes.classes_:
        both = np.count_nonzero((found == name) & (wanted == name))
        fs.append(2 * both / (np.count_nonzero(found == name) + np.count_nonzero(wanted == name)))
    return float(np.mean(fs)), float(np.mean(found == wanted))
