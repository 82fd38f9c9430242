"""Learning a site: what the pages of its window share, counted page by page."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.site_level._keyed_sums import common_keys
from templ_core.site_level.config import MASS_UNIT, PLACES_CONFIG
from templ_core.site_level.keyed_sums import (
    KeyedSums,
    count_keys,
    distinct,
)
from templ_core.site_level.places._containers import best_container
from templ_core.site_level.places._places import pooled_content
from templ_core.site_level.places.places import (
    NO_PAGES,
    PlaceCounts,
    count_pages,
    tabulate,
)
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import SITE_MODEL_FORM
from templ_core.site_level.strings.window_strings import WindowStrings
from templ_core.site_level.titles import shared_ends
from templ_core.site_level.trees.tree_learner import TreeLearner, TreePage
from templ_core.site_level.window.drift import find_drift
from templ_core.site_level.window.page_summary import PageSummary
from templ_core.site_level.window.revisions import DesignChange
from templ_core.site_level.window.window_dedup import distinct_pages, first_of_each
from templ_core.source_digest import installed_digest

LEARNED_PAGES_MAX = 2000
"""Pages whose counts are kept in memory, about 50 kB each."""


class SiteLearner:
    """Counts the pages of one site; adds what comes and subtracts exactly what was added.

    Of near-duplicates only the first page counts. At any time the counts equal those of a learner that
    has seen the present window and nothing else.
    """

    def __init__(self, page_model_version: str, config: CoreConfig) -> None:
        self._page_model_version = page_model_version
        self._config = config
        self.window: Sequence[bytes] = ()
        """Content digests of the documents that were learned, in the order of the window."""
        self.known: dict[bytes, PageSummary] = {}
        """The documents of the window, by content digest."""
        self._counted: dict[bytes, PageSummary] = {}
        self._counts = NO_PAGES
        self._strings = WindowStrings()
        self._trees = TreeLearner()
        self.fit = 1.0
        """How like the last page is to its cluster, 0 to 1."""
        self.change: DesignChange | None = None
        """The last change of design, while the window has pages from before it."""

    def __len__(self) -> int:
        """Return the number of documents that were learned."""
        return len(self.window)

    def follow(self, window: Sequence[tuple[bytes, PageSummary]]) -> None:
        """Learn what is new in a window, and forget what has left it.

        Args:
            window: Content digest and summary of each of the window's documents in its order. Documents of one
                digest have equal summaries.
        """
        contents = [digest for digest, _ in window]
        places = first_of_each(contents)
        first = [window[place] for place in places]
        indexes = distinct_pages([page for _, page in first])
        counted = dict([first[index] for index in indexes])
        come = [page for digest, page in counted.items() if digest not in self._counted]
        left = [page for digest, page in self._counted.items() if digest not in counted]
        if len(come) + len(left) < len(counted):
            self._counts = self._counts.learn_one(_counts_of(come)).forget_one(_counts_of(left))
        else:
            self._counts = _counts_of(counted.values())
        self.window, self._counted = contents, counted
        self.known = dict(first)
        drift = find_drift([page.paths for _, page in first])
        self.fit, self.change = drift.fit, None
        if drift.changed_at is not None:
            self.change = DesignChange(
                place=places[drift.changed_at],
                documents=bisect_left(indexes, drift.changed_at),
                known_ratio=_known_ratio([page for _, page in first], drift.changed_at, drift.gone),
            )

    def model(self) -> SiteModel:
        """Return what is known now."""
        table = tabulate(self._counts)
        best, trees = [], {}
        for digest, page in self._counted.items():
            places = page.places
            mass, _, content, *_ = pooled_content(
                table, places, page.content_log_odds, 0.0, MASS_UNIT, PLACES_CONFIG
            )
            words = places.words.astype(np.float64)
            container = best_container(places.first, places.last, content, words)
            best.append(places.containers[container])
            trees[digest] = TreePage(
                blocks=page.blocks, texts=places.text, words=places.words, mass=mass
            )
        votes = count_keys(np.array(best, np.uint64))
        return SiteModel(
            version=self._version(),
            places=msgspec.structs.replace(
                table, best_containers=_among(votes, self._counts.containers)
            ),
            trees=self._trees.model(trees),
            strings=self._strings.learn(
                {name: (page.places.shape, page.strings) for name, page in self._counted.items()},
                self._counts.shapes,
            ),
            titles=shared_ends([(page.title, page.title_ends) for page in self._counted.values()]),
        )

    def _version(self) -> str:
        config = self._config.digest()
        learned_by = (
            f"{installed_digest()}/{SITE_MODEL_FORM.format}/{self._page_model_version}/{config}"
        )
        digest = hashlib.blake2b(learned_by.encode(), digest_size=8)
        digest.update(b"".join(self.window))
        return digest.hexdigest()


def _known_ratio(pages: Sequence[PageSummary], changed_at: int, gone: Sequence[int]) -> float:
    """Return the share of the anchors of pages since a change that some others have, in the median."""
    known = distinct(np.concatenate([pages[index].places.anchor for index in gone]))
    later = [distinct(page.places.anchor) for page in pages[changed_at : changed_at + len(gone)]]
    return float(np.median([common_keys(page, known) / len(page) for page in later]))


def _counts_of(pages: Iterable[PageSummary]) -> PlaceCounts:
    return count_pages([(page.places, page.content_log_odds) for page in pages])


def _among(votes: KeyedSums, pages_with: KeyedSums) -> KeyedSums:
    """Return votes for containers, with the pages that have an element at the place of each."""
    return KeyedSums(
        keys=votes.keys,
        sums=np.concatenate([votes.sums, pages_with.of(votes.keys)]),
        labels=votes.labels,
    )
