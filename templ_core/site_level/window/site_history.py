"""How a site has been learned: the documents that entered its window, and those that its model was fitted on."""

import msgspec

from templ_core.config import WindowBounds
from templ_core.site_level.window.new_text import after_fit, latest_new_runs
from templ_core.site_level.window.schedule import (
    documents_until_due,
    is_due,
    latest_place_pages,
)
from templ_core.site_level.window.site_window import Left, SiteWindow, WindowFetch, url_hash
from templ_core.stored.compact import content_bytes


class SiteHistory(msgspec.Struct, kw_only=True):
    """What decides when a site is refitted, besides its window."""

    learned: int = 0
    """Number of documents that ever entered the window."""
    fitted_at: int = 0
    """Value of `learned` when the site model was fitted last."""
    place_pages: list[int | None] = []
    """`Decision.place_pages` of the latest documents, oldest first."""
    new_runs: list[bytes] = []
    """`Decision.new_runs` of the latest documents without what the model has learned, oldest first."""

    def enter(
        self,
        window: SiteWindow,
        fetch: WindowFetch,
        place_pages: int | None,
        new_runs: bytes,
        bounds: WindowBounds,
    ) -> Left | None:
        """Add a document to the window of the site, see `SiteWindow.enter`.

        `place_pages` and `new_runs` are those of its decision.
        """
        left = window.enter(fetch, bounds)
        if left is not None:
            self.note_document(place_pages, new_runs)
        return left

    def note_document(self, place_pages: int | None, new_runs: bytes) -> None:
        """Note that a document has entered the window, with what its decision says of it."""
        self.learned += 1
        self.place_pages = latest_place_pages(self.place_pages, place_pages)
        self.new_runs = latest_new_runs(self.new_runs, new_runs)

    def note_fit(self, learned: int) -> None:
        """Note that a model was fitted when this number of documents had entered the window."""
        self.fitted_at = max(self.fitted_at, learned)
        self.new_runs = after_fit(self.new_runs)

    def is_due(self, pages: int) -> bool:
        """Return whether the schedule asks for a new site model, given the number of documents in the window."""
        return is_due(self.learned, self.fitted_at, pages, self.place_pages, self.new_runs)

    def until_due(self, pages: int) -> int:
        """Return how many documents the site learns, 1 or more, until a model is due, as far as is known."""
        return documents_until_due(self.learned, self.fitted_at, pages)


def document_fetch(url: str, time_ms: int, content_digest: bytes, body: bytes) -> WindowFetch:
    """Return what a window knows of a document in compact form, which counts with its size before compression."""
    return WindowFetch(time_ms, url_hash(url), content_digest, content_bytes(body))
