"""What the elements around each segment say about it, as bits, and its text role: comment, review or consent text.

An element shows the role of its text by a whole class name or id ("comment-list", "cookie-banner").
The names are those of content management systems, comment services and consent managers, in several
languages; none belongs to a single site. A consent text is also known by its words: a small element
that mentions cookies and asks to accept them.
"""

import functools
import operator
import re

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom._tree import bits_above, has_bits, last_with_bits, tag_bits
from templ_core.dom.document import Document
from templ_core.dom.parse.declared_body import LEAD
from templ_core.dom.tags import HEADING_LEVELS, WHOLE_PAGE
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features._stems import Stems
from templ_core.page_level.page_tree import PageTree
from templ_core.patterns import pattern

COMMENTS, REVIEWS, CONSENT = 1, 2, 4
"""Bits of the text roles."""

_PART = (
    r"(?:-(?:list|listing|area|sections?|container|wrap|wrapper|threads?|body|content|text|items?|"
    r"block|box|holder|form|inner|outer|main|feed|panel|module|respond|widget|tab|root|app|count|"
    r"title|header|heading|author|meta|metadata|reply|replies|footer|group|embed|template))*"
)
_COMMENT_NAME = pattern(
    r"(?:(?:wp|post|article|blog|entry|users?|readers?|page|story|news|js|fb|facebook|node|field|"
    r"block|the|all|video|single|recent|view)-){0,2}"
    rf"(?:comments?|commentlist|commentform|commentaires?|kommentare?|comentarios?|commenti){_PART}"
    r"|respond|disqus(?:-.*)?|dsq-.*|livefyre.*|fyre-.*|giscus|utterances|hyvor-talk.*|isso-thread"
)
_REVIEW_NAME = pattern(
    r"(?:(?:customer|users?|product|woocommerce|site|guest|recent|all|readers?|js)-){0,2}"
    rf"reviews{_PART}|(?:spr|jdgm|yotpo|bv|stamped|okendo|loox)-review.*|bv-content-.*"
)
_CONSENT_NAME = pattern(
    r"(?:.*-)?(?:cookies?|gdpr|ccpa|consent|dsgvo|lgpd|rgpd)-?(?:law|consent|notices?|notification|"
    r"info|banner|bar|popup|pop-up|modal|dialog|message|msg|overlay|alert|warning|disclaimer|"
    r"settings|preferences|compliance|manager|layer|hint|prompt|accept|agreement|box|panel|root|"
    r"wrapper|container|widget)(?:-.*)?"
    r"|onetrust.*|ot-sdk.*|cookiebot.*|cybot.*|cc-window|cc-banner|cmplz.*|didomi.*|qc-cmp.*|"
    r"truste-.*|trustarc.*|borlabs.*|cky-.*|cli-modal.*|cli-bar.*|usercentrics.*|iubenda-cs.*|"
    r"eupopup.*|sp-message.*|fc-consent.*|osano.*|klaro|tarteaucitron.*|evidon.*|cookieconsent.*"
)
_CASE = pattern(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = pattern(r"[0-9]+")
"""No role depends on a number, so the names of numbered comments are read once."""

_NAME_STEMS = (
    *("comment", "kommentar", "comentario", "respond", "disqus", "dsq", "fyre", "giscus"),
    *("utterances", "hyvor", "isso", "review", "bv-content", "cookie", "gdpr", "ccpa", "consent"),
    *("dsgvo", "lgpd", "rgpd", "onetrust", "ot-sdk", "cybot", " cc-window", " cc-banner"),
    *("cmplz", "didomi", "qc-cmp", "truste-", "trustarc", "borlabs", "cky-", " cli-modal"),
    *(" cli-bar", "usercentrics", "iubenda", "eupopup", "sp-message", "osano", "klaro"),
    *("tarteaucitron", "evidon"),
)
"""Parts of names: each name that shows a text role holds one of them.

Hyphens may be missing in a name, where upper case sets its words apart.
"""
_CONSENT_STEMS = (
    "ookie", "уки", "УКИ", "erezler", "iastecz", "västei", "nformasjonskaps", "クッキー",
)  # fmt: skip
"""Parts of the words for cookies, without non-ASCII letters that could be upper-case."""
_USE = pattern(
    r"\buses?\b|\busing\b|\bstores?\b|verwende|nutz|setz|utilis|utiliz|usamos|\busa\b|gebruik|używa|"
    r"korzysta|wykorzyst|stosuj|использу|kullan|använd|bruger|bruker|käyt|使用|利用",
    re.IGNORECASE,
)
_ASK = pattern(
    r"accept|allow|agree|consent|continu|\bok\b|got it|understand|decline|reject|akzeptier|zustimm|"
    r"einverstanden|ablehn|refuser|acept|aceit|accett|aceptar|entendido|akkoord|accepteer|akcept|"
    r"zgadzam|zgoda|соглас|соглаш|принять|kabul|godkänn|acceptér|godta|hyväksy|同意|許可",
    re.IGNORECASE,
)


class TextRoles(msgspec.Struct, frozen=True, kw_only=True):
    """Which segments have which text role; columns of length n_segments."""

    comments: Bools
    """Comments of readers on an article or in a guestbook, and posts that a forum calls comments."""
    reviews: Bools
    """Reviews by customers."""
    consent: Bools
    """Notices about cookies and the like, and their settings."""
    leads: Bools
    """The headline, and the text below it that the page declares as its description."""


def read_text_roles(document: Document, tree: PageTree, surroundings: Int32s) -> TextRoles:
    """Return the text roles on a page with at least one segment.

    Args:
        document: The page.
        tree: The page's tree.
        surroundings: The bits of `read_surroundings`.
    """
    comments, reviews, consent = has_bits(surroundings, (COMMENTS, REVIEWS, CONSENT))
    for segment in _consent_texts(document, tree):
        consent[segment] = True
    if np.count_nonzero(consent):
        words_max = FEATURE_CONFIG.consent_share_max * tree.words.sum()
        if tree.words[consent].sum() > words_max:
            consent = np.zeros(len(tree.words), np.bool_)
    leads: Bools = document.segments.declared == LEAD
    return TextRoles(comments=comments, reviews=reviews, consent=consent, leads=leads)


def roles_of_types(element_types: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the number of each element type that is named after a text role, and the bits of its roles.

    Args:
        element_types: Pairs of tag and attributes.
    """
    return [
        (number, named_roles(_NUMBER.sub("0", element_types[number][1])))
        for number in name_stems().found_in_attributes(element_types)
        if element_types[number][0] not in WHOLE_PAGE
    ]


@functools.cache
def name_stems() -> Stems:
    """Return the automaton that finds attributes which may name a text role."""
    return Stems({*_NAME_STEMS, *(stem.replace("-", "") for stem in _NAME_STEMS)})


@functools.cache
def _consent_stems() -> Stems:
    return Stems(_CONSENT_STEMS)


@functools.lru_cache(maxsize=1 << 14)
def named_roles(attributes: str) -> int:
    """Return the text roles that class names and an id name, as bits.

    Args:
        attributes: Class names, id and role of an element, separated by white space.

    Example:
        >>> named_roles("wide cookie-banner") == CONSENT
        True
        >>> named_roles("no-comments")
        0
    """
    names = attributes.split()
    roles = [_roles_of_name(names[number]) for number in name_stems().found_in(names)]
    return functools.reduce(operator.or_, roles, 0)


@functools.lru_cache(maxsize=1 << 14)
def _roles_of_name(name: str) -> int:
    plain = _CASE.sub("-", name).replace("_", "-").lower()
    return (
        COMMENTS * (_COMMENT_NAME.fullmatch(plain) is not None)
        | REVIEWS * (_REVIEW_NAME.fullmatch(plain) is not None)
        | CONSENT * (_CONSENT_NAME.fullmatch(plain) is not None)
    )


def _consent_texts(document: Document, tree: PageTree) -> list[int]:
    """Return the segments that mention the use of cookies in a small element that asks to accept it."""
    texts = document.segments.texts
    candidates = _consent_stems().found_in(texts)
    if not candidates:
        return []
    notices = []
    words_before = np.concatenate([np.zeros(1), np.cumsum(tree.words)])
    for segment in candidates:
        first, last = _notice(document, tree, segment)
        is_small = words_before[last] - words_before[first] <= FEATURE_CONFIG.consent_words_max
        if is_small and _USE.search(texts[segment]) and _ASK.search("\n".join(texts[first:last])):
            notices.append(segment)
    return notices


def _notice(document: Document, tree: PageTree, segment: int) -> tuple[int, int]:
    """Return the range of the segments in the smallest element around a segment's block.

    Where the segment is alone in the parent of its block, that is the segment itself.
    """
    above = max(int(document.nodes.parent[tree.owner[segment]]), 0)
    if tree.last[above] - tree.first[above] > 1:
        above = int(tree.above[0, segment])
    return int(tree.first[above]), int(tree.last[above])


HEADING = 8
"""Bit of the segments inside a heading; the bits below are those of text roles."""
REPEATING = 16
"""Bit of the segments inside code, tables and definition lists, which repeat text on purpose."""

VERBATIM = 32
"""Bit of the segments inside elements that show code or input as it is."""

_TAGS = (
    dict.fromkeys(HEADING_LEVELS, HEADING)
    | dict.fromkeys(("table", "dl", "td"), REPEATING)
    | dict.fromkeys(("code", "kbd", "samp", "textarea", "tt"), VERBATIM)
    | {"pre": REPEATING | VERBATIM}
)


def read_surroundings(document: Document) -> Int32s:
    """Return the bits of all elements around each segment; length n_segments.

    They are the bits of text roles for the names of elements, `HEADING`, `REPEATING` and `VERBATIM`.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> page = parse_document("<h1>a</h1><pre><b>b</b></pre>c", "https://example.com/")
        >>> (read_surroundings(page) == [HEADING, REPEATING | VERBATIM, 0]).all()
        np.True_
    """
    nodes = document.nodes
    bits = tag_bits(nodes.element_types, _TAGS)
    for element_type, roles in roles_of_types(nodes.element_types):
        bits[element_type] |= roles
    return bits_above(nodes.parent, nodes.element_type, bits, document.segments.owner)


def last_headings(surroundings: Int32s) -> Int64s:
    """Return the number of the last heading before each segment; length n_segments.

    It is -1 for segments without a heading before them.

    Args:
        surroundings: The bits of `read_surroundings`.
    """
    return last_with_bits(surroundings, HEADING)
