"""What the hashed scores of other segments say about a segment."""

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.features import _contexts
from templ_core.page_level.page_tree import PageTree

CONTEXTS = tuple(_contexts.context_columns())
"""Names of the context features.

The first guess of a segment is its probability of content by the two hashed scores alone,
sigmoid(score_weight * (attribute + text)). "over the
cut", "expected f1" and "cut" belong to the page cut by the first guess (see `expected_f1`); "rank"
is the place of a segment in the order of first guesses, 0 to 1.

Then come means of the first guess by words, among segments of the same path and inside the nodes
L1 to L5 and T, "plain" ones by segments; first guesses of the one to three segments before and
after and means over windows of 4, 10 and 25 segments, 0 beyond the page; and shares of the page's
content mass, which is the sum of first guess * words.

The best subtree is the node whose text alone would have the best expected F1; the position of a
segment is relative to it, and its F1 to that of the page. Then come ten means of the two scores.

The last three come from the isotonic smoothing of the first guess over the page's tree (Chakrabarti
et al., WWW 2007): the smoothed guess, how far it is from the guess, and the logarithm of the words of
the section that the segment is in.
"""


def with_contexts(
    features: Float32s, tree: PageTree, group: Int64s, attribute: Floats, text: Floats
) -> Float32s:
    """Return a page's features and its context features side by side; n_segments rows.

    Args:
        features: The features of `read_features`; n_segments rows.
        tree: The page's tree.
        group: Path group of each segment.
        attribute: Log-odds of the attribute scores; length n_segments.
        text: Log-odds of the text scores; length n_segments.

    Example:
        >>> import numpy as np
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.features.page_features import read_features
        >>> page = read_features(parse_document("<nav>Home</nav><p>It rains.", "https://a.com/"))
        >>> rows = with_contexts(
        ...     page.rows, page.tree, page.group, np.array([-3.0, 3.0]), np.array([-1.0, 1.0])
        ... )
        >>> first = page.rows.shape[1]
        >>> [round(float(row[first + CONTEXTS.index("one_before")]), 2) for row in rows]
        [0.0, 0.06]
    """
    return _contexts.with_contexts(features, tree, group, attribute, text)
