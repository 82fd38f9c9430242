"""The tree templates of a site, one for each kind of page, learned page by page.

A page joins the kind whose element paths are most like its own, or starts a new one. There it votes:
for every place that it has, and for its text there. Pages that are nearly the same count once.

The evidence for one page comes from `tree_evidence(document, model)` in `tree_evidence.py`.
"""

import functools

import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.distinct import distinct_groups
from templ_core.dom.document import Document
from templ_core.site_level.places.node_frequency import UInt64s
from templ_core.site_level.places.path_counts import NO_PATHS, Int64s
from templ_core.site_level.trees._clusters import shared_sum
from templ_core.site_level.trees.labelled_tree import PageTree, tree_of
from templ_core.site_level.trees.tree_mapping import page_identity, tree_part
from templ_core.site_level.trees.tree_model import TreeKind, TreeModel
from templ_core.site_level.trees.voted_tree import Vote, VotedTree

_TEXTS_MAX = 8
"""Texts of a place that a model keeps."""


class _Texts(msgspec.Struct, frozen=True, eq=False):
    """The texts of a page."""

    labels: UInt64s
    """Distinct labels of its leaves, ascending."""
    chars: Int64s
    """Characters of each where it stands first."""


class _Page(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What is kept of a page that was learned."""

    identity: tuple[int, str]
    title: str
    chars: Int64s
    """Characters of each segment."""
    page: PageTree

    @functools.cached_property
    def texts(self) -> _Texts:
        """Told apart only where another page has the title."""
        tree = self.page.tree
        leaves = np.flatnonzero(tree.is_text)
        first = leaves[distinct_groups(tree.label[leaves])[0]]
        return _Texts(labels=tree.label[first], chars=self.chars[tree.segment[first]])


class _Kind:
    """One kind of page while it is learned."""

    def __init__(self) -> None:
        self.votes = VotedTree()
        self.paths = NO_PATHS


class _Counted(msgspec.Struct, eq=False):
    """A page that was counted, and the pages like it that were not."""

    page: _Page
    kind: _Kind
    vote: Vote
    alike: list[_Page]


class TreeLearner:
    """Learns the tree templates of one site; forgets exactly what it learned.

    After the same pages in the same order it gives the same model, on any machine. Bounded by
    `tree_kinds_max` kinds of `tree_nodes_max` nodes: the kind with the fewest pages and the least
    supported nodes go first.
    """

    def __init__(self, config: CoreConfig) -> None:
        self._config = config
        self._kinds: list[_Kind] = []
        self._counted: list[_Counted] = []

    def learn_one(self, document: Document, texts: UInt64s | None = None) -> None:
        """Learn a page.

        Args:
            document: The page.
            texts: `node_hashes` of its segments, where they are known already.
        """
        page = _read(document, texts)
        if not page.chars.size:
            return
        for counted in self._counted:
            if self._is_alike(counted.page, page):
                counted.alike.append(page)
                return
        self._count(page, [])

    def forget_one(self, document: Document, texts: UInt64s | None = None) -> bool:
        """Forget a page that was learned; whether it was.

        Where it stood for others that are nearly the same, the oldest of them takes its place.
        """
        page = _read(document, texts)
        for number, counted in enumerate(self._counted):
            if counted.page.identity == page.identity:
                del self._counted[number]
                self._uncount(counted)
                return True
        for counted in self._counted:
            for number, one in enumerate(counted.alike):
                if one.identity == page.identity:
                    del counted.alike[number]
                    return True
        return False

    def model(self) -> TreeModel:
        """What is known so far: a value, kinds of more pages first."""
        kinds = [_model_kind(kind, self._config) for kind in self._kinds if kind.votes.pages > 1]
        return TreeModel(kinds=sorted(kinds, key=lambda kind: -kind.pages))

    def _is_alike(self, one: _Page, other: _Page) -> bool:
        """Whether two pages are the same article, fetched twice or at two addresses."""
        if one.title != other.title:
            return False
        texts, others = one.texts, other.texts
        shared, chars = shared_sum(others.labels, others.chars, texts.labels)
        return shared >= self._config.alike_share * max(int(texts.chars.sum()), chars)

    def _count(self, page: _Page, alike: list[_Page]) -> None:
        kind = self._nearest(page.page.paths)
        vote = kind.votes.add(page.page.tree, self._config.tree_nodes_max)
        kind.paths = kind.paths.changed(page.page.paths, 1)
        self._counted.append(_Counted(page, kind, vote, alike))

    def _uncount(self, counted: _Counted) -> None:
        kind = counted.kind
        if any(one is kind for one in self._kinds):
            kind.votes.remove(counted.vote)
            kind.paths = kind.paths.changed(counted.page.page.paths, -1)
            if not kind.votes.pages:
                self._remove_kind(kind)
        if counted.alike:
            self._count(counted.alike[0], counted.alike[1:])

    def _nearest(self, paths: UInt64s) -> _Kind:
        """The kind most like a page, the oldest of several; a new one when none is like it."""
        nearest, most = None, self._config.kind_likeness_min
        for kind in self._kinds:
            likeness = kind.paths.likeness(paths, kind.votes.pages)
            if likeness > most:
                nearest, most = kind, likeness
        if nearest is not None:
            return nearest
        if len(self._kinds) == self._config.tree_kinds_max:
            self._remove_kind(min(self._kinds, key=lambda kind: kind.votes.pages))
        self._kinds.append(_Kind())
        return self._kinds[-1]

    def _remove_kind(self, kind: _Kind) -> None:
        self._kinds = [one for one in self._kinds if one is not kind]


def _read(document: Document, texts: UInt64s | None) -> _Page:
    page = tree_of(document, texts)
    chars = np.fromiter(map(len, document.segments.texts), np.int64)
    identity = page_identity(page.tree), document.title
    return _Page(identity=identity, title=document.title, chars=chars, page=page)


def _model_kind(kind: _Kind, config: CoreConfig) -> TreeKind:
    """The places and texts that enough pages of a kind have."""
    votes = kind.votes
    pages_min = max(2, config.template_share * votes.pages)
    kept = votes.support >= pages_min
    texts = votes.texts.of(kept)
    text_place, text, text_pages = texts.recurring(_TEXTS_MAX)
    return TreeKind(
        pages=votes.pages,
        tree=tree_part(votes.tree, kept),
        support=votes.support[kept],
        distinct=np.diff(texts.start),
        text_place=text_place,
        text=text,
        text_pages=text_pages,
        paths=kind.paths.frequent(pages_min),
    )
