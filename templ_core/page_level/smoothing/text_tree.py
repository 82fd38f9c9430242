"""The tree that scores are smoothed on: elements with text, and segments as their leaves."""

import msgspec

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.page_level.smoothing import _text_tree
from templ_core.page_level.smoothing.isotonic import Smoothed, smooth


class TextTree(msgspec.Struct, frozen=True, kw_only=True):
    """The elements of a page that have text, and its segments, in document order.

    An element that holds exactly what the element around it holds is left out, and one with a single
    segment, for which the segment stands; both make no difference to the cost of a smoothing.
    """

    parent: Int32s
    """Parent of each node; -1 for roots; length n_nodes."""
    leaf: Int32s
    """Node of each segment; length n_segments."""
    words: Floats
    """Words inside each node, at least 1; length n_nodes."""

    def smooth(self, templateness: Floats, penalty: float) -> Smoothed:
        """Return the smoothed templateness and the sections of the nodes.

        A segment weighs the square root of its words, and a new section at node i costs c * A / A_i
        with words as the area A (Chakrabarti et al., WWW 2007, section 5.3).

        >>> import numpy as np
        >>> tree = text_tree(np.array([0, 0, 2]), np.array([3, 2, 3]), np.array([9.0, 9.0, 9.0]))
        >>> tree.smooth(np.array([0.1, 0.2, 0.9]), 0.2).score[tree.leaf].round(2).tolist()
        [0.1, 0.1, 0.9]

        Args:
            templateness: Of each segment, 0 to 1; length n_segments.
            penalty: c, not negative.
        """
        columns = _text_tree.smoothing_columns(self.leaf, self.words, templateness, penalty)
        return smooth(self.parent, *columns)

    def of_segments(self, smoothed: Smoothed) -> tuple[Floats, Floats]:
        """Return the smoothed score of each segment, and the words of its section; length n_segments.

        >>> import numpy as np
        >>> tree = text_tree(np.array([0, 0]), np.array([3, 2]), np.array([4.0, 9.0, 1.0]))
        >>> score, words = tree.of_segments(tree.smooth(np.array([0.1, 0.1, 0.9]), 0.01))
        >>> score.round(1).tolist(), words.tolist()
        ([0.1, 0.1, 0.9], [13.0, 13.0, 1.0])

        Args:
            smoothed: What `smooth` returned.
        """
        return _text_tree.of_segments(self.leaf, self.words, smoothed.score, smoothed.section)


def text_tree(first: Int64s, last: Int64s, words: Floats) -> TextTree:
    """Return the tree of a page's text.

    >>> import numpy as np
    >>> tree = text_tree(np.array([0, 0, 0, 2]), np.array([3, 3, 2, 3]), np.ones(3))
    >>> tree.parent.tolist(), tree.leaf.tolist(), tree.words.tolist()
    ([-1, 0, 1, 1, 0], [2, 3, 4], [3.0, 2.0, 1.0, 1.0, 1.0])

    Args:
        first: First segment inside each element, in document order; length n_elements.
        last: One past the last segment inside each element.
        words: Number of words of each segment, at least 1; length n_segments.
    """
    return TextTree(**_text_tree.text_tree(first, last, words))
