"""Learning a site: what its pages share, page by page or from a window at once."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core import __version__
from templ_core.config import CoreConfig
from templ_core.distinct import distinct
from templ_core.dom.codec import decode_document
from templ_core.dom.document import Document
from templ_core.site_level.containers import find_containers
from templ_core.site_level.counts import Counts, occurrences
from templ_core.site_level.learned_page import LearnedPage
from templ_core.site_level.phrases import refit as find_phrases
from templ_core.site_level.place_counts import PlaceCounts, count_page, count_pages
from templ_core.site_level.place_odds import read_places
from templ_core.site_level.place_table import PlaceTable, tabulate
from templ_core.site_level.places import PagePlaces
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import COMPACT_FORMAT
from templ_core.site_level.teaching import latest_contents
from templ_core.site_level.tree_template import TreeLearner


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a window."""

    page_id: str
    content_digest: bytes
    page: LearnedPage
    document: bytes | None
    """In compact form (`dom.codec`), for trees and phrases; None where it is too old for them."""


def fit_site_model(
    window: Sequence[Contribution], page_model_version: str, config: CoreConfig
) -> SiteModel:
    """The site model of a window.

    Exact repeats are counted once. The result depends on the documents alone: equal windows give
    equal models with equal versions.

    Args:
        window: The window's documents in order of (event time, page id).
        page_model_version: Version of the page model in use.
        config: The core's thresholds.
    """
    return SiteLearner(page_model_version, config, window).model()


class SiteLearner:
    """Learns one site, document by document, and forgets exactly what it learned.

    Its places equal those of a refit of the same documents at any time; its trees equal them while
    documents leave in the order in which they came.
    """

    def __init__(
        self, page_model_version: str, config: CoreConfig, window: Sequence[Contribution] = ()
    ) -> None:
        """Start with a window, in order of (event time, page id)."""
        self._page_model_version = page_model_version
        self._config = config
        self._window = list(window)
        self._counts = count_pages([_counts_of(one) for one in self._distinct()])
        self._trees = TreeLearner(config)
        self._tree_pages: dict[bytes, tuple[Document, PagePlaces]] = {}
        self._follow()

    def learn_one(self, contribution: Contribution) -> None:
        """Learn a document, later than all before."""
        if all(one.content_digest != contribution.content_digest for one in self._window):
            self._counts = self._counts.learn_one(_counts_of(contribution))
        self._window.append(contribution)
        self._follow()

    def forget_one(self, page_id: str) -> None:
        """Forget a document that was learned.

        Raises:
            KeyError: it was not.
        """
        for place, gone in enumerate(self._window):
            if gone.page_id == page_id:
                del self._window[place]
                break
        else:
            raise KeyError(page_id)
        if all(one.content_digest != gone.content_digest for one in self._window):
            self._counts = self._counts.forget_one(_counts_of(gone))
        self._follow()

    def model(self) -> SiteModel:
        """What is known now."""
        documents = [document for document, _ in self._tree_pages.values()]
        return SiteModel(
            version=self._version(),
            places=_with_boxes(tabulate(self._counts), [one.page for one in self._distinct()]),
            trees=self._trees.model(),
            phrases=find_phrases(documents, self._config),
        )

    def _follow(self) -> None:
        """Make the trees those of the latest documents."""
        known = [one for one in self._distinct() if one.document is not None]
        latest = known[-self._config.template_pages :]
        bodies = {one.content_digest: one.document for one in latest}
        for digest in [digest for digest in self._tree_pages if digest not in bodies]:
            document, places = self._tree_pages.pop(digest)
            self._trees.forget_one(document, places.text)
        for one in latest:
            body = bodies.get(one.content_digest)
            if body is not None and one.content_digest not in self._tree_pages:
                document = decode_document(body)
                self._tree_pages[one.content_digest] = document, one.page.places
                self._trees.learn_one(document, one.page.places.text)

    def _distinct(self) -> list[Contribution]:
        """The first document of each content."""
        contents = [one.content_digest for one in self._window]
        first = latest_contents(contents, max(len(contents), 1))
        return [self._window[index] for index in first]

    def _version(self) -> str:
        config = self._config.digest()
        digest = hashlib.blake2b(
            f"{__version__}/{COMPACT_FORMAT}/{self._page_model_version}/{config}".encode(),
            digest_size=8,
        )
        for one in self._window:
            digest.update(one.page_id.encode() + b"\0" + one.content_digest)
        return digest.hexdigest()


def _counts_of(contribution: Contribution) -> PlaceCounts:
    return count_page(contribution.page.places, contribution.page.content_odds)


def _with_boxes(table: PlaceTable, pages: Sequence[LearnedPage]) -> PlaceTable:
    """The table with the containers that its places give each page."""
    content, best = [], []
    for page in pages:
        places = page.places
        probability = 1 / (1 + np.exp(-read_places(table, places, page.content_odds).odds))
        words = places.words.astype(np.float64)
        found = find_containers(places.first, places.last, probability, words)
        content.append(places.boxes[found.content])
        best.append(places.boxes[found.best])
    return msgspec.structs.replace(
        table,
        content_boxes=occurrences(np.array(content, np.uint64)),
        best_boxes=_among(occurrences(np.array(best, np.uint64)), pages),
    )


def _among(votes: Counts, pages: Sequence[LearnedPage]) -> Counts:
    """Votes for boxes, with the pages that have a box there."""
    boxes = [distinct(page.places.boxes) for page in pages]
    pages_with = occurrences(np.concatenate([np.empty(0, np.uint64), *boxes]))
    return Counts(
        keys=votes.keys,
        sums=np.concatenate([votes.sums, pages_with.of(votes.keys)]),
        labels=votes.labels,
    )
