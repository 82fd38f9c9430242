"""A web of synthetic sites whose articles link to articles on their topic, and whose templates link anywhere."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.array_types import Floats, Int64s
from templ_core.dom.parse.parse_page import parse_markup
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.page import SyntheticPage

TOPICS = 5
"""Number of topics of articles."""
_CITED = (2, 8)
"""Least number of articles that an article links to, and one more than the most."""
_ON_TOPIC = 0.9
"""Share of the articles that link to articles on their own topic; the others link to other topics."""
_PARTNERS = 8
"""Number of articles of other sites to which every page of a site links."""
_ANCHOR_WORDS = 3


class WebPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the synthetic web."""

    url: str
    site: str
    markup: str
    topic: int
    """Number of the article's topic; -1 for pages that are no articles."""
    quality: float
    """What makes others link to an article: its weight when they choose, 0 for other pages."""
    cited: list[str]
    """Addresses of the articles to which the content links."""


def make_web(sites: int, pages: int, seed: int) -> list[WebPage]:
    """Return the pages of a synthetic web, each address once.

    Args:
        sites: Number of sites.
        pages: Number of requests to all sites; a page that is requested twice is there once.
        seed: Equal seeds give equal pages.
    """
    settings = FeedSettings(genre="news", sites=sites, pages=pages, seed=seed, languages=("en",))
    fetched = list({page.url: page for page in simulate_feed(settings)}.values())
    draw = np.random.default_rng(seed)
    articles = [page for page in fetched if page.page_role == "article"]
    topic = draw.integers(TOPICS, size=len(articles))
    quality = draw.pareto(1.0, len(articles))
    partners: dict[str, list[SyntheticPage]] = {}
    for site in dict.fromkeys(page.site for page in fetched):
        others = [page for page in articles if page.site != site]
        drawn = draw.choice(len(others), min(_PARTNERS, len(others)), replace=False)
        partners[site] = [others[number] for number in drawn]
    numbers = {page.url: number for number, page in enumerate(articles)}
    web = []
    for page in fetched:
        own = numbers.get(page.url, -1)
        chosen = _cited(own, topic, quality, draw) if own >= 0 else []
        wanted = [articles[number].url for number in chosen]
        markup, cited = _linked(page, wanted, partners[page.site])
        web.append(
            WebPage(
                url=page.url,
                site=page.site,
                markup=markup,
                topic=int(topic[own]) if own >= 0 else -1,
                quality=float(quality[own]) if own >= 0 else 0.0,
                cited=cited,
            )
        )
    return web


def _cited(own: int, topic: Int64s, quality: Floats, draw: np.random.Generator) -> list[int]:
    """Return the numbers of the articles that an article links to; nearly all are on its topic."""
    on_topic = topic == topic[own] if draw.random() < _ON_TOPIC else topic != topic[own]
    weight = quality * on_topic
    weight[own] = 0
    count = min(int(draw.integers(*_CITED)), int(np.count_nonzero(weight)))
    if not count:
        return []
    shares = (weight / weight.sum()).tolist()
    return [int(one) for one in draw.choice(len(weight), count, replace=False, p=shares)]


def _linked(
    page: SyntheticPage, wanted: Sequence[str], partners: Sequence[SyntheticPage]
) -> tuple[str, list[str]]:
    """Return the page with links in the first words of its paragraphs, and those that found a place."""
    root = parse_markup(page.html)
    if root is None:
        raise ValueError(f"{page.url}: the simulator wrote a page without elements")
    content = CSSSelector(page.gold_selector)(root) if page.gold_selector and wanted else []
    places = [one for element in content for one in element.iter("p") if (one.text or "").strip()]
    cited = list(wanted[: len(places)])
    for place, url in zip(places, cited, strict=False):
        words = (place.text or "").split()
        link = etree.Element("a", href=url)
        link.text = " ".join(words[:_ANCHOR_WORDS])
        link.tail = " " + " ".join(words[_ANCHOR_WORDS:])
        place.text = None
        place.insert(0, link)
    body = root.find("body")
    bar = etree.SubElement(root if body is None else body, "ul")
    for partner in partners:
        link = etree.SubElement(etree.SubElement(bar, "li"), "a", href=partner.url)
        link.text = f"Partner: {urlsplit(partner.url).path}"
    return etree.tostring(root, encoding="unicode", method="html", doctype="<!DOCTYPE html>"), cited
