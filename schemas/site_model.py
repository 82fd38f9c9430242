"""The site-model record, which carries what was learned about a site."""

from typing import Annotated

import msgspec

from templ_core.explain.template_parts import SiteTemplate

SITE_MODEL_FORMAT = 1
"""Version of the format; a reader refuses records of a newer version."""


class SiteDesign(msgspec.Struct, frozen=True, kw_only=True):
    """The last change of the design of a site."""

    since: str
    """Fetch time of the first page of the new design, an RFC 3339 time in UTC."""
    last_url: str
    """The last page before it."""
    first_url: str
    """That page."""
    known_ratio: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """Share of the places of later pages that the pages of the old design had; high where listings follow articles."""


class SiteModelRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A whole site model, which is the value of a record of `site-models`.

    It is encoded in MessagePack. The Kafka key is the site key, and a null value means that the model
    is to be forgotten.
    """

    format: int = SITE_MODEL_FORMAT
    site: str
    version: str
    """Digest of the documents that it was fitted on, the page model's version and the code's."""
    documents: Annotated[int, msgspec.Meta(ge=0, le=(1 << 31) - 1)]
    """Number of documents of the window that it was fitted on."""
    first_event_time_ms: int
    last_event_time_ms: int
    body: bytes
    """The model in the core's compact form."""
    design: SiteDesign | None = None
    """The last change of design that its fit has found; None where it found none."""
    template: SiteTemplate | None = None
    """What the site shows on nearly every page, of at most 32 768 characters; None unless
    `TEMPL_SITE_TEMPLATES=true`, and of sites with fewer than eight documents."""
