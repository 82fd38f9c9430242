"""The strings that a site repeats, in the form in which they are looked up."""

import functools
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import UInt8s, UInt16s, UInt64s
from templ_core.site_level.strings._string_evidence import StringFinder
from templ_core.site_level.strings._strings import numbered
from templ_core.site_level.strings.suffix_array import BREAK

FIRST_SHAPE = 2
"""The token of the first shape of a table."""
ALIKE_ROWS = 2
"""Rows of `StringTable.alike`."""


class StringTable(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The maximal strings of a window, by the share of its pages that have them.

    Every part of a string is on at least as many pages as the whole. So the longest string of a page that is
    on enough pages is the longest that it has in common with any string of a level.
    """

    shapes: UInt64s
    """The shapes of segments that recur, in ascending order; the token of `shapes[i]` is FIRST_SHAPE + i."""
    usual: UInt16s
    """Strings of whole segments that most pages have, each behind a break."""
    words: tuple[UInt16s, UInt16s, UInt16s]
    """Strings of words inside segments that few, some and many pages have, likewise."""
    alike: UInt8s
    """How often the text before and behind each shape that is prose stands there on other pages, too, in 1/255; shape
    (2, n_shapes). Texts that most pages have, or many more pages than have the shape, do not count."""

    @functools.cached_property
    def usual_finder(self) -> StringFinder:
        """What finds the strings of whole segments."""
        return StringFinder(self.usual)

    @functools.cached_property
    def word_finders(self) -> Sequence[StringFinder]:
        """What finds the strings of words: those of few, some and many pages."""
        return [StringFinder(one) for one in self.words]

    def segment_tokens(self, shapes: UInt64s) -> UInt16s:
        """Return the tokens of a page's segments; a break where no string of the site has one.

        Args:
            shapes: The shape of each segment.
        """
        return numbered(self.shapes, shapes, FIRST_SHAPE)


def bounded_strings(table: StringTable, share: float) -> StringTable:
    """Return the strings in the first part of each column.

    Args:
        table: All strings.
        share: How much of each column stays, 0 to 1.
    """
    few, some, many = (_first(one, share) for one in table.words)
    return msgspec.structs.replace(table, usual=_first(table.usual, share), words=(few, some, many))


def _first(corpus: UInt16s, share: float) -> UInt16s:
    return np.append(corpus[: int(share * len(corpus))], BREAK).astype(np.uint16)


_NOTHING = np.zeros(1, np.uint16)
NO_STRINGS = StringTable(
    shapes=np.empty(0, np.uint64),
    usual=_NOTHING,
    words=(_NOTHING, _NOTHING, _NOTHING),
    alike=np.empty((ALIKE_ROWS, 0), np.uint8),
)
"""The table of a window in which nothing recurs."""
