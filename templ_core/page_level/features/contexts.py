"""What the hashed scores of other segments say about a segment."""

from templ_core.page_level.features._contexts import context_columns

CONTEXTS = tuple(context_columns())
"""Names of the context features, which `_contexts.with_contexts` puts beside the others.

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
