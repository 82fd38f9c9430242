"""The page record of JSON Lines files, and the headers of a page message."""

import msgspec

HEADER_URL = "url"
HEADER_SITE = "site"
HEADER_FETCHED_AT = "fetched-at"
HEADER_CONTENT_TYPE = "content-type"
HEADER_CONTENT_ENCODING = "content-encoding"
HEADER_STATUS = "status"
HEADER_ID = "id"

CLOUD_EVENT_HEADERS = {"ce_subject": HEADER_URL, "ce_time": HEADER_FETCHED_AT, "ce_id": HEADER_ID}
"""Headers of a page message by the headers of CloudEvents in binary mode that stand for them."""


class PageRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A crawled page as a line of JSON; unknown fields are ignored.

    Exactly one of `html` (text) and `html_base64` (the fetched bytes) must be given, except for a page
    that no longer exists (`status` 404 or 410).
    """

    url: str
    html: str | None = None
    html_base64: str | None = None
    site: str | None = None
    fetched_at: str | int | float | None = None
    """Time of the fetch: RFC 3339, Unix seconds or Unix milliseconds."""
    content_type: str | None = None
    charset: str | None = None
    status: int | None = None
    id: str | None = None


class ScrapyClusterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of scrapy-cluster's crawl result that templ reads."""

    url: str
    body: str
    response_url: str | None = None
    status_code: int | None = None
    timestamp: str | int | float | None = None
    encoding: str | None = None
    crawlid: str | None = None
    appid: str | None = None
    response_headers: dict[str, object] | None = None


class CloudEventRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a CloudEvent in structured mode (JSON) that templ reads."""

    specversion: str
    subject: str
    """URL of the page."""
    id: str | None = None
    time: str | None = None
    datacontenttype: str | None = None
    data: str | None = None
    """The page as text."""
    data_base64: str | None = None
    """The fetched bytes."""
