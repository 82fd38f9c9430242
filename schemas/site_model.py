"""Value of `site-models`: what is learned about one site."""

import msgspec

SITE_MODEL_FORMAT = 1


class SiteModelRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A whole site model in MessagePack, published under the site key; null = forget the site."""

    format: int = SITE_MODEL_FORMAT
    site: str
    version: str
    """Digest over the documents it was fitted on, the page model's and the code's version."""
    documents: int
    """Documents of the window that it was fitted on."""
    first_event_time_ms: int
    last_event_time_ms: int
    body: bytes
    """The model in the core's compact form."""
