"""`templ experiments links-without-templates`: HITS and PageRank with the links of templates, and without them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import urljoin, urlsplit

import click
import numpy as np
from scipy import sparse
from scipy.stats import spearmanr

from templ_core import CleanedPage, CleanerOptions, clean_site
from templ_core.lab.papers.link_analysis import hits, link_matrix, page_rank
from templ_core.lab.papers.rtdm import is_voted_template, learn_voted_templates
from templ_core.rendering.links import page_links
from templ_core.rendering.outline import Outline
from workers.lab.experiments.results import Cell, Report, tracked
from workers.lab.options import option, out_option, seed_option
from workers.lab.simulate.linked_web import TOPICS, WebPage, make_web

_TOP = 10
_VOTES_MIN = 0.5
"""Share of the pages that must have a text at its place for it to be template by votes."""
_ALL, _ABROAD, _VOTES, _TEMPL, _CONTENT = LINK_SETS = (
    "all links", "links to other sites", "links outside the votes' template",
    "links in the text that templ keeps", "content's links alone",
)  # fmt: skip


@click.command("links-without-templates", short_help="HITS and PageRank without templates.")
@option("--sites", type=click.IntRange(2), default=24, help="Number of sites.")
@option("--pages", type=click.IntRange(1), default=720, help="Number of pages of all sites.")
@seed_option("Seed of the synthetic web.")
@out_option
def links_without_templates(sites: int, pages: int, seed: int, out: Path | None) -> None:
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
    found = read_links(web)
    report = Report(out)
    articles = sum(page.topic >= 0 for page in web)
    report.say(f"{len(web)} pages of {len({page.site for page in web})} sites, {articles} articles")
    header = [
        "", "links a page", "authorities on topic", "best articles", "hubs on topic",
        "sites of hubs", "PageRank of articles", "its correlation with quality",
    ]  # fmt: skip
    rows = [[name, *rank_pages(web, found[name])] for name in LINK_SETS]
    report.table("link analysis by the links that are used", header, rows)


Links = set[tuple[str, str]]


def read_links(web: Sequence[WebPage]) -> dict[str, Links]:
    """Return the links of each of `LINK_SETS`, as pairs of the addresses of both pages."""
    by_site: defaultdict[str, list[WebPage]] = defaultdict(list)
    for page in web:
        by_site[page.site].append(page)
    found: dict[str, Links] = {name: set() for name in LINK_SETS}
    found[_CONTENT] = {(page.url, target) for page in web for target in page.cited}
    options = CleanerOptions(with_links=True)
    for some in tracked(by_site.values(), "cleaning", len(by_site)):
        cleaned = [
            one
            for one in clean_site([(page.url, page.markup) for page in some], options)
            if isinstance(one, CleanedPage)
        ]
        votes = learn_voted_templates([one.document for one in cleaned])
        for one in cleaned:
            host = urlsplit(one.url).netloc
            links = {(one.url, urljoin(one.url, link.url)) for link in one.links()}
            found[_ALL] |= links
            found[_ABROAD] |= {pair for pair in links if urlsplit(pair[1]).netloc != host}
            found[_TEMPL] |= {(one.url, link.url) for link in one.links() if link.is_content}
            outside = ~is_voted_template(one.document, votes, _VOTES_MIN)
            outline = Outline(one.document, outside, None, one.document.marks, one.url)
            found[_VOTES] |= {
                (one.url, link.url) for link in page_links(outline) if link.is_content
            }
    return found


def rank_pages(web: Sequence[WebPage], links: Links) -> list[Cell]:
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
