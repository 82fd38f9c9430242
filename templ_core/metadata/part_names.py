"""Names of elements that are about the page itself, and of those that hold something else: menus, teasers, comments, footers."""

import functools
import re

from templ_core.page_level.features.surroundings import COMMENTS, REVIEWS, named_roles
from templ_core.patterns import pattern

ABOUT, ELSEWHERE, OWN = 1, 2, 4
"""What the names of an element say, as bits: it is about its page, it holds something else, it holds the page."""
_NAME = pattern(
    r"(?:.*[-_])?(?:nav|navbar|navigation|menu|sidebar|side-?bar|breadcrumbs?|related|recommended|recommendations|popular"
    r"|trending|latest|recent|most-?read|most-?viewed|teasers?|promos?|upcoming|calendar|ticker|you-may-(?:also-)?like"
    r"|responses?|repl(?:y|ies)|discussions?|disqus|kommentare?|comentarios?|commentaires?|commenti|reacties|read-?(?:more|next)|more-(?:news|stories|posts|articles)|siblings?|prev|next|pager|pagination|testimonials?)(?:[-_].*)?"
    r"|(?:site|page|global|main|top|colophon)?[-_]?(?:footer|masthead|topbar|top-bar)(?:[-_](?:bar|wrap|wrapper|inner|area|widgets?|container))?"
    r"|(?:site|global|main)[-_]?header|header|colophon|widget(?:[-_].*)?|secondary|navigation\w*|menu\w*|related\w*|sidebar\w*|recent\w*",
    re.IGNORECASE,
)
"""Names of elements that hold something else than the page."""
_OWN = pattern(
    r"(?:.*[-_])?(?:entry|post|article|story|content|single|hero|elementor)[-_]?(?:header|footer|meta|title|head|info|body|content|wrap|sidebar|aside).*",
    re.IGNORECASE,
)
"""Names of elements that hold the page, whatever else they are named after."""
_ABOUT = pattern(
    r"(?:.*[-_])?(?:entry|post|article|story)[-_]{0,2}(?:meta|metadata|byline|date|dateline|author)",
    re.IGNORECASE,
)
"""Names of elements that are about the page wherever they stand, unless it has many of them."""


@functools.lru_cache(maxsize=1 << 14)
def names_say(attributes: str) -> int:
    """Return what the names of an element say, as bits.

    >>> (
    ...     names_say("related-posts") == ELSEWHERE,
    ...     names_say("entry-header") == OWN,
    ...     names_say("story") == 0,
    ... )
    (True, True, True)
    """
    names = attributes.split()
    own = OWN * any(map(_OWN.fullmatch, names))
    if any(map(_ABOUT.fullmatch, names)):
        return own | ABOUT
    is_of_readers = named_roles(attributes) & (COMMENTS | REVIEWS)
    is_else = not own and any(map(_NAME.fullmatch, names))
    return own | ELSEWHERE * bool(is_of_readers or is_else)
