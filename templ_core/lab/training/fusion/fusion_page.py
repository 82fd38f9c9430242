"""A page as the fusion of site and page is fitted to it and judged on it."""

import msgspec

from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.pages import WordBag
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.site_inputs import Columns


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What was known about a page's site when it came."""

    documents: int
    """Documents that the site's model rested on, 1 or more."""
    columns: Columns
    """Inputs of the fusion."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one page came to."""

    f1: float
    template_f1: float | None
    """None where the gold names no elements, or with too little template."""
    empty: bool


class FusionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with gold, and what was known about its site when it came."""

    corpus: str
    site: str
    kind: str
    """Type of page; empty where the corpus does not say."""
    fold: int
    """Of the page model that scored it, which has not seen its site."""
    seen: int
    """Number of the page among those of its site, from 1."""
    scores: PageEvidence
    known: list[Known]
    """By each way of learning its site; empty for a site's first page."""
    labels: Labels
    bag: WordBag
    has_selector: bool
    """Whether its gold names elements, so that all other text is template."""
    peers: dict[str, Outcome]
    """What other extractors make of it."""
