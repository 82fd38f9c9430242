"""The pages that the fusion of page and site is fitted to and judged on."""

from collections.abc import Sequence

import msgspec

from templ_core.array_types import Bools
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.pages import WordBag
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.site_columns import SiteColumns

LINK_BOX = "box of links"
"""The kind of text in a page that is a box of links, see `InjectedSegments`."""


class KnownSite(msgspec.Struct, frozen=True, kw_only=True):
    """What a site model knew about a page's site when the page arrived."""

    documents: int
    """Number of documents behind the site model; 0 before the first one."""
    columns: SiteColumns
    """Inputs of the fusion, by name; each of length n_segments. Empty without documents."""


UNKNOWN = KnownSite(documents=0, columns={})
"""The first page of a site finds nothing known."""


class FusionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of a decision on one page."""

    f1: float
    """Word F1, 0 to 1."""
    template_f1: float | None
    """Word F1 of the removed text; None if the gold names no elements or there is too little template."""
    empty: bool
    """Whether no text was kept."""
    confidence_inputs: Sequence[float] = ()
    """What the confidence of the page is told by; empty for other extractors."""


class FusionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with gold, with the evidence about it when it arrived."""

    corpus: str
    site: str
    page_type: str
    """Page type as the corpus names it; empty if it names none."""
    fold: int
    """Number of the page model that scored the page and has not seen its site."""
    seen: int
    """Number of the page among those of its site, from 1."""
    scores: PageEvidence
    known: KnownSite
    labels: Labels
    bag: WordBag
    has_selector: bool
    """Whether the gold names elements, so that all other text is template."""
    peers: dict[str, FusionOutcome]
    """The scores of other extractors, by name."""
    injected: "InjectedSegments | None" = None
    """The text that was put into the page; None = there is none."""


class InjectedSegments(msgspec.Struct, frozen=True, kw_only=True):
    """A text that was put into a page, which is template."""

    segments: Bools
    """Its segments; length n_segments."""
    kind: str
    """What of the text changes from page to page; empty = nothing. `LINK_BOX` for lines of links."""
    share: float
    """Share of the site's pages that have the text, 0 to 1."""
    taught: int
    """Pages of the site that had the text before this page."""
