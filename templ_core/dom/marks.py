"""Where links, images and emphasis stand in the text of a page."""

import msgspec

from templ_core.array_types import Int32s


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """The links, images and emphasised texts of a page; columns of length n_marks.

    An element whose text is in several segments has a mark in each of them.
    """

    node: Int32s
    """Number of the inline element; its tag says what the mark means."""
    segment: Int32s
    """Number of the segment that holds the mark."""
    start: Int32s
    """Place in the segment's text at which the mark begins, in bytes of UTF-8.

    It is -1 for a mark that stands in no segment, because there is no word beside it; `segment` is
    then the number of the segment that follows.
    """
    end: Int32s
    """Place at which the mark ends; an image is empty."""
    target: Int32s
    """Number of the address in `values`; -1 = none."""
    label: Int32s
    """Number of an image's alternative text in `values`; -1 = none."""
    values: list[str]
    """Addresses as the page has them, and alternative texts."""
