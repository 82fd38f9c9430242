"""Learning a site: what its pages share, counted page by page; its templates, fitted at times."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.distinct import distinct
from templ_core.site_level.containers.containers import find_containers
from templ_core.site_level.places.counts import Counts, occurrences
from templ_core.site_level.places.place_counts import NO_PAGES, PlaceCounts, count_page, count_pages
from templ_core.site_level.places.place_log_odds import read_places
from templ_core.site_level.places.place_table import PlaceTable, tabulate
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import COMPACT_FORMAT
from templ_core.site_level.site_templates import SiteTemplates, fit_templates
from templ_core.site_level.window.drift import find_drift
from templ_core.site_level.window.page_summary import PageSummary
from templ_core.site_level.window.window_dedup import latest_contents, teaching_pages
from templ_core.site_level.window.window_page import Contribution
from templ_core.source_digest import installed_digest


def fit_site_model(
    window: Sequence[Contribution], page_model_version: str, config: CoreConfig
) -> SiteModel:
    """The site model of a window.

    The result depends on the documents alone: equal windows give equal models with equal versions.

    Args:
        window: The window's documents in order of (event time, page id).
        page_model_version: Version of the page model in use.
        config: The core's thresholds.
    """
    learner = SiteLearner(page_model_version, config)
    learner.follow(window)
    return learner.model(fit_templates(window, config))


class Change(msgspec.Struct, frozen=True, array_like=True):
    """A change of a site's design."""

    place: int
    """Index in the window of the first page after a design that has gone."""
    documents: int
    """Documents of the site model that came before it."""


class SiteLearner:
    """Counts the pages of one site; adds what comes and subtracts exactly what was added.

    Exact repeats and near-duplicates of an article count once. At any time the counts equal those
    of a learner that has seen the window and nothing else.
    """

    def __init__(self, page_model_version: str, config: CoreConfig) -> None:
        self._page_model_version = page_model_version
        self._config = config
        self._window: Sequence[Contribution] = ()
        self._taught: dict[tuple[str, bytes], PageSummary] = {}
        self._counts = NO_PAGES
        self.fit = 1.0
        """How like the last page is to its cluster, 0 to 1."""
        self.change: Change | None = None
        """The last change of design, while the window has pages of the design before."""

    @property
    def window(self) -> Sequence[Contribution]:
        """The documents that were learned, in order of (event time, page id)."""
        return self._window

    def follow(self, window: Sequence[Contribution]) -> None:
        """Learn what is new in a window, and forget what has left it.

        Args:
            window: All of the window's documents in order of (event time, page id).
        """
        contents = [one.content_digest for one in window]
        places = latest_contents(contents, max(len(contents), 1))
        first = [window[place] for place in places]
        indexes = teaching_pages([one.page for one in first])
        teaching = {
            (first[index].page_id, first[index].content_digest): first[index].page
            for index in indexes
        }
        come = [page for name, page in teaching.items() if name not in self._taught]
        left = [page for name, page in self._taught.items() if name not in teaching]
        if len(come) + len(left) < len(teaching):
            self._counts = self._counts.learn_one(_counts_of(come)).forget_one(_counts_of(left))
        else:
            self._counts = _counts_of(teaching.values())
        self._window, self._taught = window, teaching
        drift = find_drift([one.page for one in first], self._config)
        self.fit, self.change = drift.fit, None
        if drift.changed_at is not None:
            self.change = Change(
                place=places[drift.changed_at], documents=bisect_left(indexes, drift.changed_at)
            )

    def model(self, templates: SiteTemplates) -> SiteModel:
        """What is known now, with the site's templates in their latest form."""
        return SiteModel(
            version=self._version(templates),
            places=_with_boxes(tabulate(self._counts), list(self._taught.values())),
            trees=templates.trees,
            phrases=templates.phrases,
        )

    def _version(self, templates: SiteTemplates) -> str:
        config = self._config.digest()
        learned_by = f"{installed_digest()}/{COMPACT_FORMAT}/{self._page_model_version}/{config}"
        digest = hashlib.blake2b(f"{learned_by}/{templates.version}".encode(), digest_size=8)
        for one in self._window:
            digest.update(one.page_id.encode() + b"\0" + one.content_digest)
        return digest.hexdigest()


def _counts_of(pages: Iterable[PageSummary]) -> PlaceCounts:
    return count_pages([count_page(page.places, page.content_log_odds) for page in pages])


def _with_boxes(table: PlaceTable, pages: Sequence[PageSummary]) -> PlaceTable:
    """The table with the containers that its places give each page."""
    content, best = [], []
    for page in pages:
        places = page.places
        probability = read_places(table, places, page.content_log_odds).content
        words = places.words.astype(np.float64)
        found = find_containers(places.first, places.last, probability, words)
        content.append(places.boxes[found.content])
        best.append(places.boxes[found.best])
    return msgspec.structs.replace(
        table,
        content_boxes=occurrences(np.array(content, np.uint64)),
        best_boxes=_among(occurrences(np.array(best, np.uint64)), pages),
    )


def _among(votes: Counts, pages: Sequence[PageSummary]) -> Counts:
    """Votes for boxes, with the pages that have a box there."""
    boxes = [distinct(page.places.boxes) for page in pages]
    pages_with = occurrences(np.concatenate([np.empty(0, np.uint64), *boxes]))
    return Counts(
        keys=votes.keys,
        sums=np.concatenate([votes.sums, pages_with.of(votes.keys)]),
        labels=votes.labels,
    )
