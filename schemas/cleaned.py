"""The cleaned record, which is the output for a page."""

from typing import Annotated, Literal

import msgspec

from schemas.site_model import SiteDesign
from schemas.source import Source
from templ_core.metadata.fields import Metadata
from templ_core.page_changes import PageChanges
from templ_core.page_quality import PageQuality
from templ_core.records.records import PageRecords
from templ_core.rendering.chunks import Chunk

RevisionReason = Literal[
    "first-mature-model",
    "settled-model",
    "repeated-text",
    "redesign",
    "superseded",
    "changed",
    "corrected",
]
"""Why a text is published again."""

Warning_ = Literal[
    "empty",
    "abstained",
    "truncated",
    "segments-dropped",
    "script-rendered",
    "declared-text",
    "error-page",
    "gate",
    "bot-wall",
    "consent-wall",
    "log-in",
    "paywall",
    "not-learned",
    "time-replaced",
    "headers-dropped",
    "forms-dropped",
    "records-cut",
]
PageKind = Literal["article", "documentation", "forum", "product", "listing", "other"]
"""What a page is."""

Ratio = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """Near-duplicate key of the cleaned text.

    The algorithm `simhash64-3gram` is a 64-bit SimHash over the set of 3-token shingles of `text`, or
    over its tokens when there are fewer than three. Tokens are lower-cased words, or characters in
    scripts without word spaces. Each is hashed with BLAKE2b to 64 bits, big-endian. The hash of a
    shingle is mix(a ^ rotl(b, 21) ^ rotl(c, 42)), where mix is the finaliser of SplitMix64.
    Two records are near-duplicates when their values differ in at most 3 bits. An empty text has
    no fingerprint.
    """

    algorithm: Literal["simhash64-3gram"]
    bits: Literal[64]
    value: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]


class TextSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A run of inline text between two block borders, with the decision about it."""

    text: str
    kept: bool
    templateness: Ratio
    """How surely the text is template, from 0 (content) to 1 (template)."""
    reason: str
    """Name of the rule that made the decision; README.md describes each."""
    section: Count
    """Number of the section of the page: an element whose text is all kept or all left out, or nearly so."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link of a page."""

    text: str
    """Text of the link, or the alternative text of an image in it; at most 300 characters."""
    url: str
    """Absolute http address."""
    place: Literal["content", "template"]
    """Whether the link is in text that was kept."""


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a page from which its site learns, beside its text."""

    charset: str | None
    """Charset by which the page was decoded; null where nothing is known of it."""
    repeated_ratio: Ratio | None
    """Share of the words of an article that other pages of its site have, too; null where nothing is known of them."""
    language: str | None
    """Language of the page, where it declares one."""
    left_out: list[str] | None
    """The texts of the page that are not in `text`, or not whole; null where the record would be too large with them."""
    design: SiteDesign | None = None
    """The last change of the design of the site; null where its model knows none."""


class CleanedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The clean text of a page.

    Consumers use the record with the highest `revision` of each `source`. A record with the same
    `source` and `revision` as an earlier one was delivered again and can be dropped. On Kafka the
    key is the URL, and a null value means that the page no longer exists.
    """

    schema: Literal["cleaned/1", "cleaned/2", "cleaned/3"] = "cleaned/3"
    """Version of the record; one of version 1 has no field behind `segments`, and those before 3 had `changes` and
    `duplicate_of` on Kafka."""
    url: str
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    fetched_at: str | None
    """Time of the fetch, an RFC 3339 time in UTC.

    Where the input gives none that can be read, it is the timestamp of the Kafka record. It is null for
    a page of a file without a time.
    """
    id: str
    """Id of the page as the feed gave it, or `topic-partition-offset`."""
    title: str
    """Title of the page as it is there; `metadata.title` is without the name of the site."""
    text: str
    """Paragraphs and list items are lines, table cells are separated by tabs, and `pre` is verbatim."""
    method: Literal["page", "site"]
    """`site` when evidence from other pages of the site had weight in the decision."""
    confidence: Ratio
    """Expected word F1 of `text` against what a person would keep; 0 for an empty text."""
    revision: Count
    """0 for the first output of a page, and one more each time its text is published again."""
    revision_reason: RevisionReason | None = None
    """Why the text was published again; null for revision 0."""
    source: Source
    """Where the page came from."""
    site_model_version: str | None
    """Version of the site model that was used; null when there was none."""
    page_model_version: str
    """Version of the page model, which knows no site."""
    cleaner_version: str
    """Version of the code and its configuration. Equal versions of cleaner and models give equal text."""
    fingerprint: Fingerprint | None
    """Near-duplicate key of `text`; null for an empty text."""
    warnings: list[Warning_]
    """What a reader of the record should know; README.md describes each."""
    chars_in: Count
    """Characters of the page's visible text."""
    chars_out: Count
    """Characters of `text`."""
    blocks_kept: Count
    """Text segments that were kept, whole or in part."""
    blocks_removed: Count
    """Text segments that were removed."""
    segments: list[TextSegment] | None = None
    """The text segments with their decisions; null unless they were asked for."""
    page_type: PageKind | None = None
    """What the page is; null in records of version 1 and for pages without text."""
    metadata: Metadata | None = None
    """What is known of the page besides its text; null where that is switched off."""
    markdown: str | None = None
    """The kept text as Markdown; null unless it was asked for."""
    html: str | None = None
    """The kept text as HTML without scripts, styles and classes; null unless it was asked for."""
    links: list[Link] | None = None
    """The links of the whole page, at most 2000; null unless they were asked for."""
    site_settings_version: str | msgspec.UnsetType = msgspec.UNSET
    """Version of the site's settings that the text was made with; absent where the site has none."""
    changes: PageChanges | msgspec.UnsetType = msgspec.UNSET
    """What has changed since an earlier fetch; absent but in files, where it was asked for and an earlier fetch is known."""
    quality: PageQuality | msgspec.UnsetType = msgspec.UNSET
    """What the page may be in place of one with content; absent unless it was asked for and the page has text."""
    records: PageRecords | msgspec.UnsetType = msgspec.UNSET
    """The posts, items and fields of the page; absent unless they were asked for."""
    chunks: list[Chunk] | msgspec.UnsetType = msgspec.UNSET
    """The kept text in sections by headings; absent unless they were asked for."""
    duplicate_of: str | msgspec.UnsetType = msgspec.UNSET
    """URL of the page of another site that published this content first; absent but in files, where it was asked for
    and is known."""
    observed: Observed | msgspec.UnsetType = msgspec.UNSET
    """What `templ watch` needs besides; absent unless it was asked for, and for pages from which the site does not learn."""


class DeletedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page that no longer exists, in files; on Kafka it is a null value under the URL."""

    schema: Literal["deleted/1"] = "deleted/1"
    url: str
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    id: str
    """Id of the record that reported it."""
    source: Source
    """Where that record came from."""
    fetched_at: str | None = None
    """When it was found that the page is gone, an RFC 3339 time in UTC; null where no time is known."""
