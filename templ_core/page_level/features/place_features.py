"""Features of where a segment stands.

It stands among similar ones, around the main text, under tags, and in or beside what the page declares.
"""

from templ_core.array_types import UInt64s
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features import _declared_features, _place_features
from templ_core.page_level.features._characters import first_distinct
from templ_core.page_level.features.characters import read_characters, read_words

GROUP_FEATURES = tuple(_place_features.group_columns())
"""Names of the features of all segments of a group together.

They are the number of segments (as a logarithm), their share of the page's words, then link
density, words and sentence ends by word, and the standard deviation of their words.
"""
GROUPS = ("path", "tags")
"""Names of the two groups of a segment.

The owners of a path group have equal tags and attributes up to the root, those of a tags group
equal tags.
"""
COPY_FEATURES = tuple(_place_features.copy_columns())
"""Names of the features of equal texts: how often a text stands on the page, and whether it has
occurred before."""
POSITION_FEATURES = tuple(_place_features.position_columns())
"""Names of the features of a position relative to a node.

They are inside it (1) or not (0), the compressed levels from the node up to the common ancestor,
and the side: before (-1), inside (0) or after it (1).
"""
MAIN_FEATURES = (
    *(
        f"main {share}: {name}"
        for share in FEATURE_CONFIG.main_shares
        for name in (*POSITION_FEATURES, "share")
    ),
    "among long",
)
"""Names of the features around the main nodes.

A main node is the deepest node with a certain share of the words in good segments; "share" is its
share of all words. "among long" is 0 before, 1 among and 2 after the long segments. A segment is
good when it reads like sentences, and long when it has many words, few of them in links.
"""
SEMANTIC_TAGS = (
    "nav", "aside", "header", "footer", "main", "article", "section", "form", "table", "ul", "ol",
    "li", "dl", "blockquote", "pre", "figure", "button", "select", "details", "td", "p", "noscript",
)  # fmt: skip
"""Tags whose nearest element above a segment is looked for; at most 32, one bit each."""
TAG_FEATURES = (
    *(f"up to {tag}" for tag in SEMANTIC_TAGS),
    "inside main",
    "inside article",
)
"""Names of the features of the elements above a segment.

"up to" counts the levels to the nearest element of a tag, see `FeatureConfig.tag_levels_max`. The
last two are 1 inside and 0 outside of such an element, and -1 where the page has none.
"""
DECLARED_FEATURES = tuple(f"declared: {name}" for name in _declared_features.declared_columns())
"""Names of the features of what a page declares.

They are whether a segment is inside (1) or outside (-1) the declared article body, or that there is none
(0); the share of the page's words that is inside; the share of the segment's words that the title has; and
the logarithm of the words between the headline and the segment, below 0 before the headline. The headline
is the segment most like the title, a heading if there is one.
"""
_TITLE_WORDS_MAX = 64


def title_hashes(title: str) -> UInt64s:
    """Return the hash of each word of a title.

    >>> len(title_hashes("Rain, rain and cold")), len(title_hashes(""))
    (4, 0)
    """
    return read_words(read_characters([title])).hashes


def title_words(title: UInt64s) -> UInt64s:
    """Return the first different words of a title.

    >>> len(title_words(title_hashes("Rain, rain and cold")))
    3

    Args:
        title: Hash of each word, from `title_hashes`.
    """
    return first_distinct(title, _TITLE_WORDS_MAX)
