"""`templ experiments links-without-templates`: HITS and PageRank with the links of templates, and without them.

Kleinberg, *Authoritative sources in a hyperlinked environment*, Journal of the ACM 46, 1999; Brin, Page, *The anatomy of
a large-scale hypertextual web search engine*, WWW 1998. Bar-Yossef and Rajagopalan (WWW 2002) found that links in
templates mislead such rankings.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from urllib.parse import urljoin, urlsplit

import click
import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector
from scipy import sparse
from scipy.sparse.linalg import spsolve, svds
from scipy.stats import spearmanr

from templ_core import CleanedPage, CleanerOptions, clean_site
from templ_core.array_types import Floats, Int64s
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.papers.rtdm import is_voted_template, learn_voted_templates
from templ_core.rendering.links import page_links
from templ_core.rendering.outline import Outline
from workers.lab import experiment as lab
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.synthetic_page import SyntheticPage

_DECIMALS = 9
"""Decimals to which scores are rounded, so that pages with equal links have equal scores."""
_DAMPING = 0.85
"""Probability of following a link; otherwise any page is visited next."""


def link_matrix(links: Iterable[tuple[int, int]], pages: int) -> sparse.csr_array:
    """Return a matrix with 1 where the page of the row links to the page of the column.

    Repeated links, and links of a page to itself, are left out.
    """
    pairs = np.array([pair for pair in set(links) if pair[0] != pair[1]], np.int64).reshape(-1, 2)
    ones = np.ones(len(pairs))
    return sparse.csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(pages, pages))


def hits(links: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return the hub score and the authority score of each page; both vectors have unit length.

    >>> hubs, authorities = hits(link_matrix([(0, 2), (1, 2), (1, 3)], 4))
    >>> int(hubs.argmax()), int(authorities.argmax())
    (1, 2)
    """
    if not links.nnz:
        return np.zeros(links.shape[0]), np.zeros(links.shape[0])
    left, _, right = svds(links, k=1, v0=np.ones(links.shape[0]))
    return np.abs(left[:, 0]).round(_DECIMALS), np.abs(right[0]).round(_DECIMALS)


def page_rank(links: sparse.csr_array) -> Floats:
    """Return the PageRank of each page; the sum is 1. A page without links leads to all pages.

    >>> page_rank(link_matrix([(0, 2), (1, 2)], 3)).round(2).tolist()
    [0.21, 0.21, 0.57]
    """
    # Visits of any page, those behind a page without links among them, are the same multiple of 1.
    pages = links.shape[0]
    followed = links.T @ sparse.diags_array(1 / np.maximum(links.sum(axis=1), 1))
    rank = spsolve((sparse.eye_array(pages) - _DAMPING * followed).tocsc(), np.ones(pages))
    result: Floats = (rank / rank.sum()).round(_DECIMALS)
    return result


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
    """Return the pages of a synthetic web that this number of requests to all sites finds, each address once."""
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


_TOP = 10
_VOTES_MIN = 0.5
"""Share of the pages that must have a text at its place for it to be template by votes."""
_ALL, _ABROAD, _VOTES, _TEMPL, _CONTENT = LINK_SETS = (
    "all links", "links to other sites", "links outside the votes' template",
    "links in the text that templ keeps", "content's links alone",
)  # fmt: skip


@lab.command("HITS and PageRank without templates.", name="links-without-templates")
@lab.option("--sites", type=click.IntRange(2), default=24, help="Number of sites.")
@lab.option("--pages", type=click.IntRange(1), default=720, help="Number of pages of all sites.")
@lab.seed("Seed of the synthetic web.")
def links_without_templates(report: lab.Report, sites: int, pages: int, seed: int) -> None:
    """Rank the pages of a synthetic web by HITS and PageRank, with the links of templates and without.

    Articles have a topic and a quality. They link to articles on their topic, more often to those of
    higher quality. Beside the synthetic site's own navigation, every page of a site links to the
    same few partners: articles of other sites, on any topic.

    HITS runs on the pages of a topic and all pages that link to them or that they link to. Figures
    of HITS are means over topics: among the ten best authorities and hubs, the share of articles on
    the topic, the share of the topic's ten best articles, and the number of sites. For PageRank they
    are the articles' share of the whole rank and the rank correlation with their quality.
    """
    web = make_web(sites, pages, seed)
    links = read_links(web)
    articles = sum(page.topic >= 0 for page in web)
    report.say(f"{len(web)} pages of {len({page.site for page in web})} sites, {articles} articles")
    header = [
        "", "links a page", "authorities on topic", "best articles", "hubs on topic",
        "sites of hubs", "PageRank of articles", "its correlation with quality",
    ]  # fmt: skip
    rows = [[name, *rank_pages(web, links[name])] for name in LINK_SETS]
    report.table("link analysis by the links that are used", header, rows)


Links = set[tuple[str, str]]


def read_links(web: Sequence[WebPage]) -> dict[str, Links]:
    """Return the links of each of `LINK_SETS`, as pairs of the addresses of both pages."""
    by_site = group_by(web, lambda page: page.site)
    links_of_set: dict[str, Links] = {name: set() for name in LINK_SETS}
    links_of_set[_CONTENT] = {(page.url, target) for page in web for target in page.cited}
    options = CleanerOptions(with_links=True)
    for some in lab.tracked(by_site.values(), "cleaning", len(by_site)):
        cleaned = [
            one
            for one in clean_site(
                [(page.markup, page.url) for page in some], options, site=some[0].site
            )
            if isinstance(one, CleanedPage)
        ]
        votes = learn_voted_templates([one.document for one in cleaned])
        for one in cleaned:
            host = urlsplit(one.url).netloc
            links = {(one.url, urljoin(one.url, link.url)) for link in one.links()}
            links_of_set[_ALL] |= links
            links_of_set[_ABROAD] |= {pair for pair in links if urlsplit(pair[1]).netloc != host}
            links_of_set[_TEMPL] |= {(one.url, link.url) for link in one.links() if link.is_content}
            outside = ~is_voted_template(one.document, votes, _VOTES_MIN)
            outline = Outline(one.document, outside, None, one.url)
            links_of_set[_VOTES] |= {
                (one.url, link.url) for link in page_links(outline) if link.is_content
            }
    return links_of_set


def rank_pages(web: Sequence[WebPage], links: Links) -> list[lab.Cell]:
    """Return the figures of the table for one set of links."""
    urls = sorted({page.url for page in web} | {url for pair in links for url in pair})
    number = {url: place for place, url in enumerate(urls)}
    known = {number[page.url]: page for page in web}
    matrix = link_matrix(((number[one], number[other]) for one, other in links), len(urls))
    topics = [_topic_figures(known, matrix, topic) for topic in range(TOPICS)]
    rank = page_rank(matrix)
    articles = [place for place, page in known.items() if page.topic >= 0]
    quality = [known[place].quality for place in articles]
    return [
        len(links) / len(web),
        *(fmean(column) for column in zip(*topics, strict=True)),
        float(rank[articles].sum()),
        float(spearmanr(rank[articles], quality).statistic),
    ]


def _topic_figures(
    known: Mapping[int, WebPage], matrix: sparse.csr_array, topic: int
) -> list[float]:
    """Return the figures of HITS on one topic: those of authorities, then those of hubs."""
    root = [place for place, page in known.items() if page.topic == topic]
    near = np.zeros(matrix.shape[0], np.bool_)
    near[root] = True
    near |= (matrix[root].sum(axis=0) > 0) | (matrix[:, root].sum(axis=1) > 0)
    base = np.flatnonzero(near)
    hubs, authorities = (
        [known.get(place) for place in base[np.argsort(-scores, kind="stable")[:_TOP]].tolist()]
        for scores in hits(matrix[base][:, base])
    )
    best = sorted((known[place] for place in root), key=lambda page: -page.quality)[:_TOP]
    return [
        fmean(page is not None and page.topic == topic for page in authorities),
        fmean(page in authorities for page in best),
        fmean(page is not None and page.topic == topic for page in hubs),
        float(len({page.site for page in hubs if page is not None})),
    ]
