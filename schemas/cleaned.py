"""What goes out: the cleaned record."""

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

    `simhash64-3gram`: 64-bit SimHash over the set of 3-token shingles of `text` (fewer than three
    tokens: over the tokens). Tokens are lower-cased words, or characters in scripts without word
    spaces, hashed with BLAKE2b to 64 bits big-endian; a shingle's hash is
    mix(a ^ rotl(b, 21) ^ rotl(c, 42)), mix being SplitMix64's finaliser.
    Two records are near-duplicates when their values differ in at most 3 bits. An empty text has
    no fingerprint.
    """

    algorithm: Literal["simhash64-3gram"]
    bits: Literal[64]
    value: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]


class TextSegment(msgspec.Struct, frozen=True, kw_only=True):
    """One run of inline text between two block borders, with what was decided and why."""

    text: str
    kept: bool
    templateness: Ratio
    """0 = content, 1 = template."""
    reason: str
    """Name of the rule that decided."""
    section: Count
    """Number of the part of the page that shares one smoothed score."""


class CleanedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The clean text of one page.

    Consumers take the highest `revision` per `source`; a repeat with equal `source` and `revision`
    is a redelivery and can be dropped. The Kafka key is the URL, a null value is a deletion.
    """

    schema: Literal["cleaned/1"] = "cleaned/1"
    url: str
    site: str
    """Site key: what shares templates."""
    fetched_at: str | None
    """As the page record said it; null when it said nothing."""
    id: str
    title: str
    text: str
    """Paragraphs and list items are lines, table cells are separated by tabs, `pre` is verbatim."""
    method: Literal["page", "site"]
    """`site` where evidence from other pages of the site had weight in the decision."""
    confidence: Ratio
    """Word F1 to expect of `text` against what a person would keep; 0 where there is no text."""
    revision: Count
    """0 for the first output of a page, +1 each time a better site model changes its text."""
    revision_reason: RevisionReason | None = None
    """Why the text is published again; null for revision 0."""
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
    """Only on request."""


class DeletedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page that is gone, in files; on Kafka it is a null value under the URL."""

    schema: Literal["deleted/1"] = "deleted/1"
    url: str
    site: str
    id: str
    source: Source
