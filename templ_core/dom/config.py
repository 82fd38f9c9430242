"""The tunable numbers of the way from bytes to a document, one struct for each stage."""

import msgspec


class DecodeConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Limits and thresholds of decoding: content encoding, charset, content type."""

    encodings_max: int = 4
    """Number of content encodings that may be applied one after another to a body; servers send one."""
    members_max: int = 100
    """Number of compressed streams that may follow one another in a body.

    Each costs some microseconds, and an empty one is only 20 bytes long.
    """
    zstd_step_bytes: int = 256
    """Compressed bytes given to the zstd decoder at a time.

    Its output cannot be bounded otherwise: at most 8 MiB come out of one step.
    """
    wide_zero_ratio: float = 0.1
    """Least share of NUL bytes on one side of the byte pairs of UTF-16, 0 to 1.

    Every ASCII character of the markup has a NUL there.
    """
    wide_stray_ratio: float = 0.02
    """Largest share of NUL bytes on the other side of byte pairs in UTF-16, 0 to 1."""
    utf8_purity_ratio: float = 4
    """A page with more non-ASCII characters than this for each broken one is damaged UTF-8."""
    claim_purity_ratio: float = 50
    """A page with more non-ASCII characters than this for each broken one fits a multi-byte charset.

    Foreign bytes fit these charsets more easily than UTF-8, so the value is above `utf8_purity_ratio`.
    """
    meta_reach_bytes: int = 64 << 10
    """Bytes at the start of a page in which a `meta` element may declare the charset.

    Browsers look at 1 kB, but scripts often stand before the declaration.
    """
    detector_bytes: int = 8 << 10
    """Bytes of text shown to the charset detector, which takes 0.1 ms a kB."""
    detector_reach_bytes: int = 1 << 20
    """Bytes of a page from which the text for the detector is taken."""
    binary_sample_bytes: int = 8192
    """Bytes of a page in which control characters are counted to recognise binary files."""
    control_ratio_max: float = 0.3
    """Largest share of control characters in the sample of a page, 0 to 1."""
    control_ratio_max_not_utf8: float = 0.05
    """Largest share of control characters in a sample that is not UTF-8, 0 to 1."""


class ScanConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the parser is trusted with before markup is repaired or refused."""

    depth_max: int = 512
    """Containers open at once in a repaired page, as in browsers; deeper ones are left out."""
    text_depth_max: int = 768
    """Elements open at once in a repaired page that hold lines of text, such as paragraphs."""
    surplus_depth: int = 32
    """Elements beyond the allowed depth that the start tag of another one may end.

    More are not looked at for each such tag; it is left out.
    """
    parser_depth: int = 2048
    """Elements open at once at which libxml2 gives up and says so; the page is then repaired."""
    attributes_max: int = 512
    """Attributes of one tag; further ones are dropped.

    libxml2 compares each attribute of a tag with all others.
    """
    elements_max: int = 700_000
    """Elements of a page of up to 22 MB; one without text takes up to 2 microseconds."""
    element_bytes_min: int = 32
    """Bytes of a larger page for each of its elements: it may have more, as its deadline is longer."""
    segments_max: int = 150_000
    """Segments of a page of up to 10 MB; each takes up to 12 microseconds, with its element, until the
    page is clean and learned from."""
    segment_bytes_min: int = 64
    """Bytes of a larger page for each of its segments: it may have more, as its deadline is longer."""
    repaired_tags_max: int = 400_000
    """Tags of a page that has to be repaired tag by tag; each takes 2 microseconds."""
    steps_max: int = 100_000_000
    """Most comparisons of stray end tags with open elements; this number takes half a second."""
    large_bytes: int = 400_000
    """A smaller page cannot stall the parser for more than a second by its number of tags."""
    harmless_tags: int = 20_000
    """Number of tags that cannot cause more comparisons than `steps_max`.

    At worst one half of them are end tags, and each is compared with the other half.
    """
    very_large_bytes: int = 1_000_000
    """A larger page can also stall the parser by many tags of a few thousand bytes."""
    tag_window_bytes: int = 4000
    """A tag with too many attributes is longer than such a window of the markup."""
    tag_window_bytes_very_large: int = 500
    """The shorter window for pages of more than `very_large_bytes`."""
    long_tag_chars: int = 1000
    """Attributes are counted in longer tags only."""


class DeclaredBodyConfig(msgspec.Struct, frozen=True, kw_only=True):
    """When the text that a page declares to be its article counts."""

    letters_min: int = 200
    """Letters and digits of the shortest body that counts; a shorter one is a teaser."""
    found_ratio_min: float = 0.7
    """Share of the letters of a body, 0 to 1, that must stand on the page."""
    own_letters_min: int = 20
    """Letters of a segment that counts for `found_ratio_min`; shorter text stands anywhere."""
    edge_letters: int = 40
    """Letters of the beginning and of the end of a segment that are looked for in the body.

    The middle may differ, since pages put notes and names of links into their sentences.
    """
    bodies_max: int = 8
    """Bodies of a page that are looked at; the longest one counts."""


class LeadConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Where the lead of a page is looked for."""

    letters_min: int = 30
    """Letters and digits of the shortest lead and of the shortest description that counts."""
    segments_max: int = 8
    """Segments behind the headline among which the lead is: bylines and dates stand before it."""
    descriptions_max: int = 20
    """Claims with the word that are looked at; descriptions stand in the head."""
    description_bytes_max: int = 4000
    """Bytes of a description that are read."""
