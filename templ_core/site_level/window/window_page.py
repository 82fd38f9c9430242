"""A document of a site's window, as the site is learned from it."""

import msgspec

from templ_core.site_level.window.page_summary import PageSummary


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a window."""

    page_id: str
    content_digest: bytes
    page: PageSummary
    document: bytes | None = None
    """In compact form (`dom.codec`), where templates are fitted on it."""
