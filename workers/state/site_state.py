"""Numbers that summarise a site's window, and their totals over the sites of a store."""

import operator
from typing import NamedTuple

import msgspec
from msgspec.structs import astuple

from schemas.site_model import SiteModelRecord
from templ_core.site_level.window.site_history import SiteHistory

NEVER_MS = -(1 << 62)
"""A time before all others."""


class SiteState(SiteHistory, msgspec.Struct, kw_only=True):
    """Numbers that summarise one site's window; they are written with every change of it."""

    pages: int = 0
    """Documents in the window."""
    bytes: int = 0
    """Sum of their sizes, not compressed."""
    newest_ms: int = NEVER_MS
    """Highest event time of the window's documents and deletions."""
    oldest_ms: int = 0
    """Event time of the oldest document; 0 for an empty window."""
    model_version: str | None = None
    """Version of the last published site model; None before the first."""
    fit: float = 1.0
    """Similarity of the newest page to the cluster of pages nearest to it at the last fit, 0 to 1."""
    changed_at_ms: int | None = None
    """Event time of the first page after the last change of design; None when there was none."""
    of_old_design: int = 0
    """Documents of the last model from before that change of design."""
    deletions: int = 0
    """Number of deleted URLs that are remembered."""
    packed_at: int = 0
    """Value of `learned` when the site's newest compression dictionary was made, which is its number."""
    packed_pages: int = 0
    """Documents in the window when that dictionary was made."""
    dictionaries: list[int] = []
    """Numbers of the stored dictionaries."""


class FittedSite(NamedTuple):
    """A site model that was fitted, and what the state of its site notes of it."""

    model: SiteModelRecord
    learned: int
    """Value of `SiteState.learned` when it was fitted."""
    fit: float
    changed_at_ms: int | None
    of_old_design: int
    """See the fields of these names in `SiteState`."""
    learned_text: bool = False
    """Whether its newest pages repeat text that the model before did not know."""


class WindowTotals(msgspec.Struct, frozen=True):
    """Totals over the sites of one or several window stores."""

    sites: int = 0
    """Sites with at least one document in their window."""
    documents: int = 0
    """Documents in all windows."""
    bytes: int = 0
    """Bytes of the documents, not compressed."""
    models_due: int = 0
    """Sites whose model the schedule wants fitted again."""
    redesigned_sites: int = 0
    """Sites whose window still holds pages of a design that the site no longer uses."""
    fit_sum: float = 0.0
    """Sum of `SiteState.fit` over the sites that have documents."""

    def __add__(self, other: "WindowTotals") -> "WindowTotals":
        return WindowTotals(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: "WindowTotals") -> "WindowTotals":
        return WindowTotals(*map(operator.sub, astuple(self), astuple(other)))


def totals_of(state: SiteState) -> WindowTotals:
    """Return what one site adds to the totals of its store."""
    has_pages = state.pages > 0
    return WindowTotals(
        sites=int(has_pages),
        documents=state.pages,
        bytes=state.bytes,
        models_due=int(model_is_due(state)),
        redesigned_sites=int(state.changed_at_ms is not None),
        fit_sum=state.fit if has_pages else 0.0,
    )


def model_is_due(state: SiteState) -> bool:
    """Return whether the schedule wants the site's model fitted again."""
    return state.is_due(state.pages)
