"""Features of where a segment stands: among its like, around the main text, under which tags."""

GROUP_FEATURES = (
    "number",
    "share",
    "link density",
    "log mean words",
    "sentence ends",
    "log deviation",
)
"""Of all segments of a path: their number, their share of the page's words, then means by words."""
GROUPS = ("path", "tags")
"""Owners of equal tags and attributes up to the root, and of equal tags."""
COPY_FEATURES = ("copies", "later copy")
"""How often a text stands on the page, and whether it stood before."""
POSITION_FEATURES = ("inside", "levels", "side")
"""Relative to a node: inside it or not; compressed levels from it up to the common ancestor;
before (-1), inside (0) or after it (1)."""
MAIN_SHARES = (0.4, 0.6, 0.8)
"""Of the words in good segments, which the deepest node with that many holds."""
MAIN_FEATURES = (
    *(f"main {share}: {name}" for share in MAIN_SHARES for name in (*POSITION_FEATURES, "share")),
    "among long",
)
"""Around the main nodes, and before (0), among (1) or after (2) the long segments.

A segment is good when it reads like sentences and long when it has many words, few of them links.
"""
SEMANTIC_TAGS = (
    "nav", "aside", "header", "footer", "main", "article", "section", "form", "table", "ul", "ol",
    "li", "dl", "blockquote", "pre", "figure", "button", "select", "details", "td", "p", "noscript",
)  # fmt: skip
FARTHEST, NO_SUCH_TAG = 12, 14
TAG_FEATURES = (
    *(f"up to {tag}" for tag in SEMANTIC_TAGS),
    "inside main",
    "inside article",
)
"""Levels up to the nearest element of each tag, at most FARTHEST, NO_SUCH_TAG without one; then
whether in main and in article, -1 when the page has none."""
