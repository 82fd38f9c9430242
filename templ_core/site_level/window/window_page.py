"""A document of a site's window, as the site is learned from it."""

import msgspec

from templ_core.site_level.window.page_summary import PageSummary


class WindowPage(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a window."""

    page_id: str
    content_digest: bytes
    """Digest of the document's compact form: equal for documents with equal content."""
    page: PageSummary
