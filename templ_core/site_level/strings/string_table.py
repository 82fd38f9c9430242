"""The strings that a site repeats, in the form in which they are looked up."""

import functools
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import UInt8s, UInt16s, UInt64s
from templ_core.site_level.strings._string_evidence import StringFinder
from templ_core.site_level.strings._strings import numbered

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
        """Return the tokens of a page's segments; a break where no string of the site has one."""
        return numbered(self.shapes, shapes, FIRST_SHAPE)


_NOTHING = np.zeros(1, np.uint16)
NO_STRINGS = StringTable(
    shapes=np.empty(0, np.uint64),
    usual=_NOTHING,
    words=(_NOTHING, _NOTHING, _NOTHING),
    alike=np.empty((ALIKE_ROWS, 0), np.uint8),
)
"""The table of a window in which nothing recurs."""
