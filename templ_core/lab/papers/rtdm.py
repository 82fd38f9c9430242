"""The template that pages share, found and removed by RTDM-TD, its rival, and mining of pages without it.

Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, *A Fast and Robust Method for Web Page Template
Detection and Removal*, CIKM 2006.
`templ_core.site_level.trees.tree_mapping` has the mapping RTDM-TD that `find_template` rests on. One odd page ruins
the template that all pages share, so here and in the product pages also vote for the nodes. Section 6.2 of the paper,
which follows Yi, Liu and Li (KDD 2003), measures how much templates harm those who mine the text of pages: pages are
clustered and classified by their text.

The rival is the style tree of Yi, Liu, Li, *Eliminating Noisy Information in Web Pages for Data Mining*, KDD 2003: text is
noise where the pages of the site that share its place have the same words. Its elements are known by their tags alone,
and the features of a text are its words. An element is noise if all that is inside it is, so that the texts alone
decide, and the importance of elements is not needed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import MultinomialNB

from templ_core.array_types import Bools, Floats, Int32s, UInt64s
from templ_core.dom.document import Document
from templ_core.lab.papers.class_set import count_terms
from templ_core.site_level.trees._trees import closed_tree
from templ_core.site_level.trees.tree_learner import TreeLearner, TreePage
from templ_core.site_level.trees.tree_mapping import (
    LabelledTree,
    TreeMapping,
    label_page,
    map_trees,
    node_hashes,
    page_blocks,
)
from templ_core.site_level.trees.tree_model import TreeModel, tree_evidence
from templ_core.tokens import tokenise


def find_template(pages: Iterable[LabelledTree]) -> LabelledTree | None:
    """Return the tree that all pages share (figure 5); None without pages.

    Equal pages count once, and pages are taken in order of their identities, so that the result
    depends on the set of pages alone.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.tree_mapping import label_page
    >>> pages = [
    ...     label_page(parse_document(f"<h1>Shop</h1><p>{text}", "http://a.example/")).tree
    ...     for text in ("Tea", "Milk")
    ... ]
    >>> template = find_template(pages)
    >>> template.is_text.tolist()  # html, body, h1, "Shop", p
    [False, False, False, True, False]
    """
    distinct = {int(page.identity[0]) if page.identity.size else 0: page for page in pages}
    template: LabelledTree | None = None
    for identity in sorted(distinct):
        if template is None:
            template = distinct[identity]
        elif place_template(template, distinct[identity]) is None:
            template = extract_subtree(template, distinct[identity])
    return template


def template_part(template: LabelledTree, page: LabelledTree) -> Bools:
    """Return which nodes of a page belong to the template and are removed from it.

    This takes linear time where the page holds the whole template; else it is what the mapping of the
    two shares.
    """
    places = place_template(template, page)
    if places is None:
        return common_nodes(map_trees(page, template), page, template)
    is_template = np.zeros(page.label.size, np.bool_)
    is_template[places] = True
    return is_template


def common_nodes(mapping: TreeMapping, left: LabelledTree, right: LabelledTree) -> Bools:
    """Return the nodes of the first tree that no operation touched (`retrieveTemplate`, figure 4).

    The parent of such a node is one too, so that together they are a tree.
    """
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    ones, others = mapping.left[paired], mapping.right[paired]
    common = np.zeros(left.label.size, np.bool_)
    common[ones] = left.label[ones] == right.label[others]
    return common


def extract_subtree(left: LabelledTree, right: LabelledTree) -> LabelledTree:
    """Return the part of the first tree that both share, root included (figure 6)."""
    kept = common_nodes(map_trees(left, right), left, right)
    return build_tree(label=left.label[kept], depth=left.depth[kept], segment=left.segment[kept])


def build_tree(
    *, label: UInt64s, depth: npt.NDArray[np.integer], segment: npt.NDArray[np.integer]
) -> LabelledTree:
    """Return the tree of these nodes, with the columns that follow from the others.

    >>> tree = build_tree(
    ...     label=np.array([1, 2, 3, 2, 3], np.uint64),
    ...     depth=np.array([0, 1, 2, 1, 2]),
    ...     segment=np.array([-1, -1, 0, -1, 1]),
    ... )
    >>> tree.end.tolist(), bool(tree.identity[1] == tree.identity[3])
    ([5, 3, 3, 5, 5], True)

    Args:
        label: Label of each node in document order.
        depth: Depth of each node; 0 for the root alone.
        segment: Number of each leaf's segment; -1 for elements.
    """
    depths: Int32s = np.ascontiguousarray(depth, np.int32)
    identity, end = closed_tree(label, depths)
    return LabelledTree(
        label=label,
        identity=identity,
        depth=depths,
        end=end,
        segment=segment.astype(np.int32, copy=False),
    )


def place_template(template: LabelledTree, page: LabelledTree) -> Int32s | None:
    """Return the node of the page for each node of the template; None if the page does not hold it.

    This is `Match` of figure 5. The first child that holds a subtree is as good as any later one, so
    nothing is tried twice.
    """
    places = np.empty(template.label.size, np.int32)
    if not template.label.size:
        return places
    if not page.label.size or template.label[0] != page.label[0]:
        return None
    label, identity, end = (
        column.tolist() for column in (template.label, template.identity, template.end)
    )
    page_label, page_identity, page_end = (
        column.tolist() for column in (page.label, page.identity, page.end)
    )
    # Each frame is a pair of inner nodes, and the next child on either side.
    places[0] = 0
    frames = [(0, 0, 1, 1)]
    is_placed = True
    while frames:
        node, other, child, candidate = frames.pop()
        if child == end[node]:
            is_placed = True
            if frames:
                node, other, child, candidate = frames.pop()
                frames.append((node, other, end[child], page_end[candidate]))
        elif candidate == page_end[other]:
            is_placed = False
            if frames:
                node, other, child, candidate = frames.pop()
                frames.append((node, other, child, page_end[candidate]))
        elif identity[child] == page_identity[candidate]:
            size = end[child] - child
            places[child : child + size] = np.arange(candidate, candidate + size)
            frames.append((node, other, end[child], page_end[candidate]))
        elif label[child] != page_label[candidate]:
            frames.append((node, other, child, page_end[candidate]))
        else:
            places[child] = candidate
            frames += [
                (node, other, child, candidate),
                (child, candidate, child + 1, candidate + 1),
            ]
    return places if is_placed else None


def learn_voted_templates(documents: Sequence[Document]) -> TreeModel:
    """Return the tree templates of some distinct pages of a site; pages without text do not count."""
    pages = {
        bytes(node_hashes(one.segments.texts)) + str(number).encode(): _tree_page(one)
        for number, one in enumerate(documents)
        if one.segments.texts
    }
    return TreeLearner().model(pages)


def is_voted_template(document: Document, model: TreeModel, share_min: float) -> Bools:
    """Return which segments of a page are template; length n_segments."""
    page = _tree_page(document)
    evidence = tree_evidence(page.blocks, page.texts, model, page.words, page.mass)
    if evidence is None:
        return np.zeros(len(page.texts), np.bool_)
    result: Bools = evidence.text_pages >= max(2, share_min * evidence.pages)
    return result


def _tree_page(document: Document) -> TreePage:
    texts = node_hashes(document.segments.texts)
    return TreePage(
        blocks=page_blocks(document),
        texts=texts,
        words=np.ones(len(texts), np.int32),
        mass=np.zeros(len(texts), np.int64),
    )


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


def cluster_f(texts: Sequence[str], classes: Sequence[str], seeds: Sequence[int]) -> Floats:
    """Return the F-measure of k-means for each seed, with as many clusters as classes.

    Pages are tf-idf vectors of unit length. The first centres are pages drawn with the seed. The
    F-measure is the mean over classes of the best one that any cluster reaches for the class.
    """
    counts = count_terms(texts, _TERMS_MAX)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray()
    # The distances are equal in as many dimensions as there are pages.
    left, size_of_axis, _ = np.linalg.svd(weighted, full_matrices=False)
    vectors = left * size_of_axis
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


def classify(
    texts: Sequence[str], classes: Sequence[str], sites: Sequence[str]
) -> dict[tuple[int, str, str], ClassifierScores]:
    """Classify the pages of each pair of classes by naive Bayes, in the configurations of table 3.

    Configuration 1 trains on both classes of one site and tests on the other sites. Configuration 2
    trains on one class of one site and the other class of another site, and tests on the remaining
    sites. Configuration 3 trains as configuration 2 and tests on all pages that were not trained on.
    """
    counts = count_terms(texts)
    of_class, of_site = np.array(classes), np.array(sites)
    mean_scores = {}
    for first, second in combinations(sorted(set(classes)), 2):
        for configuration in CONFIGURATIONS:
            scores = [
                _judge(counts, of_class, train, test)
                for train, test in _splits(of_class, of_site, first, second, configuration)
                if len(set(of_class[train])) == len(set(of_class[test])) == 2
            ]
            if scores:
                f, accuracy = np.mean(scores, axis=0).tolist()
                mean_scores[configuration, first, second] = ClassifierScores(f=f, accuracy=accuracy)
    return mean_scores


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


def _judge(counts: Any, of_class: _Strings, train: Bools, test: Bools) -> tuple[float, float]:
    bayes = MultinomialNB().fit(counts[train], of_class[train])
    guessed, wanted = bayes.predict(counts[test]), of_class[test]
    fs = []
    for name in bayes.classes_:
        both = np.count_nonzero((guessed == name) & (wanted == name))
        fs.append(2 * both / (np.count_nonzero(guessed == name) + np.count_nonzero(wanted == name)))
    return float(np.mean(fs)), float(np.mean(guessed == wanted))


IMPORTANCE_MIN = 0.2
"""Least importance of text that is no noise; the paper leaves the choice to the user."""
_TEXT = 0
"""Stands for a text among the tags of children."""

Styles = dict[tuple[int, tuple[int, ...]], int]
"""The number of the first child, by the number of an element and the tags of all its children."""


class StyleTree(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages of a site have at each place."""

    styles: Styles
    """Children of one style are numbered one after the other; the root is 0."""
    importance: dict[int, float]
    """Importance of the text at each place that holds one, 0 (equal on all pages) to 1."""


def learn_style_tree(documents: Sequence[Document]) -> StyleTree:
    """Return the style tree of some pages of a site."""
    styles: Styles = {}
    pages: Counter[int] = Counter()
    words: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for place, segment in _places(document, styles, grows=True):
            pages[place] += 1
            words[place].update(set(tokenise(document.segments.texts[segment].lower())))
    return StyleTree(
        styles=styles,
        importance={place: text_importance(words[place], count) for place, count in pages.items()},
    )


def text_importance(words: Counter[str], pages: int) -> float:
    """Return the importance of the text at one place, 0 to 1 (definition 4 of the paper).

    >>> text_importance(Counter({"about": 4, "us": 4}), 4)
    0.0
    >>> text_importance(Counter({"price": 4, "tea": 1, "oats": 2}), 4)
    0.5
    """
    if pages == 1 or not words:
        return 1.0
    entropy = sum(math.log(count, pages) for count in words.values())
    return max(0.0, 1 - entropy / len(words))


def is_style_noise(
    document: Document, tree: StyleTree, importance_min: float = IMPORTANCE_MIN
) -> Bools:
    """Return which segments of a page are noise; those at places that no page had are not.

    >>> from templ_core.dom.document import parse_document
    >>> pages = [
    ...     parse_document(f"<ul><li>About us</ul><p>{word}", "http://a.example/")
    ...     for word in ("Tea", "Oats", "Milk")
    ... ]
    >>> is_style_noise(pages[0], learn_style_tree(pages)).tolist()
    [True, False]
    """
    noise = np.zeros(len(document.segments.texts), np.bool_)
    for place, segment in _places(document, tree.styles, grows=False):
        noise[segment] = tree.importance[place] < importance_min
    return noise


def _places(document: Document, styles: Styles, *, grows: bool) -> Iterator[tuple[int, int]]:
    """Yield the place and the segment of each text whose place is known, or is added if the tree grows."""
    tree = label_page(document).tree
    label = np.where(tree.is_text, _TEXT, tree.label).tolist()
    end, segment = tree.end.tolist(), tree.segment.tolist()
    place = {0: 0} if end else {}
    count = 1 + sum(len(tags) for _, tags in styles)
    for node in range(len(end)):
        at = place.pop(node, None)
        if at is None:
            continue
        if segment[node] >= 0:
            yield at, segment[node]
            continue
        children = []
        child = node + 1
        while child < end[node]:
            children.append(child)
            child = end[child]
        style = at, tuple(label[one] for one in children)
        if grows and style not in styles:
            styles[style] = count
            count += len(children)
        if style in styles:
            place.update(
                zip(children, range(styles[style], styles[style] + len(children)), strict=True)
            )
