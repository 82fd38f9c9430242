"""Inputs of a page's type besides its page model: its address, the shape of its lists, its prices and buttons."""

import functools
import math
from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS, names
from templ_core.metadata._scans import types_with_tags
from templ_core.metadata.buy_buttons import BUTTON_CHARS_MAX, BUTTONS
from templ_core.metadata.prices import shows_price
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_LISTS = names(
    """
    all archive archives author browse cat catalog catalogs catalogue catalogues categoria categorias categorie categories category
    collection collections index kategorie kategorien list lists market page rubrik search section sections tag tags topic topics
    """
)
"""Parts of addresses behind which a list is named."""
_LAST_OF_LISTS = _LISTS | names(
    "articles blog blogs events issues jobs news newest posts press products resources shop store stories"
)
"""Last parts of the addresses of lists."""
_PRODUCTS = names(
    "artikel dp item items itm p prod prodotto produit produits product products producto productos produkt produkte produto sku"
)
_THREADS = names(
    "discussion forum forums question questions showthread t thread threads topic viewthread viewtopic"
)
_MANUALS = names("api doc docs documentation guide help man manual reference wiki")
_HOME = frozenset(("", "index", "home", "default"))
_ENDING = pattern(r"\.(?:html?|php|aspx?)$")
_PAGE = pattern(r"page\d*")
_DATE = pattern(r"/(?:19|20)\d\d/[01]\d")
_FIGURES = pattern(r"\d{4}")
_NO_LETTERS = pattern(r"[\W\d_]+")
_NO_NAME = pattern(r"[-_.]")
_OF_LIST = pattern(r"(?:^|&)(?:s|q|page|paged|cat|category|search|query)=")
_OF_PRODUCT = pattern(r"(?:^|&)(?:product_id|product|pid|sku|variant)=")
_DEPTH_MAX, _WORDS_MAX = 5, 8
_USUAL_PATH = "/a/a-a-a-a"
"""A path of the usual depth and length, for pages without a known address."""

_BEGINNING_CHARS = 3
_BUTTON_BEGINS = frozenset(button[:_BEGINNING_CHARS] for button in BUTTONS)
_SHOP_STEMS = Stems(
    (
        "add-to-cart", "addtocart", "add-to-bag", "add-to-basket", "product-form", "single-product", "buy-box", "buybox",
        "product-detail", "product-page", "product-info", "product-main", "product-single", "product-summary", "product-gallery",
        "product-image",
    )
)  # fmt: skip
_HEADINGS = frozenset(HEADING_LEVELS)
_TOP_HEADINGS = frozenset(("h1",))
_LINK_CHARS_MIN = 12
"""Characters of the shortest text of a link that names a page."""
_PRICE_CHARS_MAX = 60
_BEHIND_HEADLINE = 40
"""Texts behind the headline among which the price of a product stands."""
_PROBABILITY_MIN = 0.01


def kind_inputs(document: Document, url: str, decision: Decision) -> list[float]:
    """Return what the type of a page is computed from: 33 numbers.

    Args:
        document: The page, with at least one segment.
        url: Its address.
        decision: What becomes of its segments.
    """
    kind = decision.page_type
    shares = (
        kind.article,
        kind.documentation,
        kind.forum,
        kind.product,
        kind.listing,
        kind.other,
    )
    return [
        *(math.log(share + _PROBABILITY_MIN) for share in shares),
        *_of_address(url),
        *_of_page(document, decision.kept),
    ]


@functools.lru_cache(1 << 10)
def _of_address(url: str) -> Sequence[float]:
    """Return the inputs from the parts of an address."""
    try:
        _, host, path, query, _ = urlsplit(url)
    except ValueError:
        host, path, query = "", "", ""
    if not host and not path:
        path = _USUAL_PATH
    parts = [part for part in unquote(path).lower().split("/") if part]
    last = _ENDING.sub("", parts[-1]) if parts else ""
    before = {_ENDING.sub("", part) for part in parts[:-1]}
    words = [word for word in _NO_LETTERS.split(last) if word]
    query = query.lower()
    of_thread = {*before, _NO_NAME.split(last)[0]}
    return (
        float(len(parts) <= 1 and last in _HOME),
        float(not before.isdisjoint(_LISTS) or _PAGE.fullmatch(last) is not None),
        float(last in _LAST_OF_LISTS),
        float(not before.isdisjoint(_PRODUCTS)),
        float(not of_thread.isdisjoint(_THREADS) or "topic" in query),
        float(not before.isdisjoint(_MANUALS)),
        float(min(len(parts), _DEPTH_MAX)),
        float(min(len(words), _WORDS_MAX)),
        float(_DATE.search(path) is not None),
        float(_FIGURES.search(last) is not None),
        float(_OF_LIST.search(query) is not None),
        float(_OF_PRODUCT.search(query) is not None),
        float(last in _MANUALS),
    )


def _of_page(document: Document, kept: Bools) -> list[float]:
    """Return the inputs from the elements and texts between the first and the last kept text."""
    nodes, segments = document.nodes, document.segments
    texts = segments.texts
    chars = np.fromiter(map(len, texts), np.int64, len(texts))
    types = nodes.element_type[segments.owner].astype(np.int64)
    is_of_heading = np.zeros((2, len(nodes.element_types)), np.bool_)
    for row, tags in zip(is_of_heading, (_HEADINGS, _TOP_HEADINGS), strict=True):
        row[types_with_tags(nodes.element_types, tags)] = True
    is_any_heading, is_top = is_of_heading[:, types]
    content = kept.nonzero()[0]
    first, end = (int(content[0]), int(content[-1]) + 1) if len(content) else (0, 0)
    of_kept = chars[kept]
    is_link = 2 * segments.link_chars[first:end] > chars[first:end]
    is_heading = is_any_heading[first:end]
    shapes = types[first:end] * (1 << 16) + nodes.depth[segments.owner[first:end]]
    headings, linked = int(is_heading.sum()), int((is_heading & is_link).sum())
    top = is_top.nonzero()[0]
    at = int(top[0]) if len(top) else first
    buttons = sum(
        text[:_BEGINNING_CHARS].lower() in _BUTTON_BEGINS
        and len(text) <= BUTTON_CHARS_MAX
        and text.lower().startswith(BUTTONS)
        for text in texts
    )
    return [
        math.log1p(_most_alike(shapes[is_link & (chars[first:end] > _LINK_CHARS_MIN)])),
        math.log1p(linked),
        (linked + 0.2) / (headings + 1),
        float(
            any(
                len(text) <= _PRICE_CHARS_MAX and shows_price(text)
                for text in texts[at : at + _BEHIND_HEADLINE]
            )
        ),
        float(buttons > 0),
        math.log1p(buttons),
        math.log1p(len(_SHOP_STEMS.found_in_attributes(nodes.element_types))),
        math.log1p(float(of_kept.sum())),
        float(of_kept.max(initial=0)) / max(float(of_kept.sum()), 1.0),
        float(len(top) == 1),
        math.log1p(headings),
        math.log1p(_most_alike(shapes[is_heading])),
        float(kept.mean()),
        math.log1p(float(of_kept.mean()) if len(of_kept) else 0.0),
    ]


def _most_alike(shapes: Int64s) -> int:
    """Return how many texts have the shape that most have."""
    return max(Counter(shapes.tolist()).values(), default=0)
