"""The cleaned record, which is the output for a page."""

from typing import Annotated, Literal

import msgspec

from schemas.source import Source

RevisionReason = Literal["first-mature-model", "settled-model", "redesign", "superseded"]
"""Why a text is published again."""

Warning_ = Literal[
    "empty",
    "abstained",
    "truncated",
    "segments-dropped",
    "script-rendered",
    "error-page",
    "gate",
    "not-learned",
]

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
    """Name of the rule that made the decision."""
    section: Count
    """Number of the section of the page, whose segments share one smoothed score."""


class CleanedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The clean text of a page.

    Consumers use the record with the highest `revision` of each `source`. A record with the same
    `source` and `revision` as an earlier one was delivered again and can be dropped. On Kafka the
    key is the URL, and a null value means that the page no longer exists.
    """

    schema: Literal["cleaned/1"] = "cleaned/1"
    url: str
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    fetched_at: str | None
    """Time of the fetch as the page record gave it; null when it gave none."""
    id: str
    title: str
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
    site_model_version: str | None
    page_model_version: str
    cleaner_version: str
    fingerprint: Fingerprint | None
    warnings: list[Warning_]
    chars_in: Count
    """Characters of the page's visible text."""
    chars_out: Count
    """Characters of `text`."""
    blocks_kept: Count
    blocks_removed: Count
    segments: list[TextSegment] | None = None
    """The text segments with their decisions; null unless they were asked for."""


class DeletedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page that no longer exists, in files; on Kafka it is a null value under the URL."""

    schema: Literal["deleted/1"] = "deleted/1"
    url: str
    site: str
    id: str
    source: Source
