"""The class set: real articles of known topics inside real templates of other sites.

The papers needed pages with the same content and different templates. They took shops that sell the
same goods and sites with the same song texts (Vieira et al., CIKM 2006, section 5; Chakrabarti et al.,
WWW 2007, sections 6.2 and 6.3). Here such pages are made from pages with known content: the article
of one page replaces the content of another page.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from xml.sax.saxutils import escape

import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from templ_core.dom.parse.parse_page import parse_markup
from templ_core.lab.evaluation.words import visible_text
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.tokens import tokenise

_ARTICLE_WORDS_MIN = 50
_SEPARATOR = re.compile(r"\s+[|»–—·-]\s+")
"""Separates the headline from the name of the site in a title."""


class SourcePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose content a CSS selector names."""

    site: str
    url: str
    markup: str
    gold: GoldSelectors
    """The neutral elements are headline, byline and the like outside the content."""


class Article(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a page, taken out of it."""

    topic: str
    url: str
    """Address of the page."""
    title: str
    markup: str
    text: str
    """Visible text, with white space collapsed."""


class ClassPage(msgspec.Struct, frozen=True, kw_only=True):
    """An article inside the template of another site."""

    topic: str
    article: str
    """Address of the page that the article is from."""
    site: str
    """The site whose template it is in."""
    url: str
    """Address of the page whose template it is in, with a running number as fragment."""
    markup: str
    text: str
    """The text of the article alone, which is the gold."""


def class_set(
    topics: Mapping[str, Sequence[SourcePage]],
    templates: Mapping[str, Sequence[SourcePage]],
    *,
    articles_per_topic: int,
    templates_per_article: int,
    seed: int,
) -> list[ClassPage]:
    """Return articles of each topic, each in several templates, ordered by topic, article and site.

    Articles and templates are drawn by hash. A site lends its pages in turn, so that each page is
    used about equally often.

    Args:
        topics: Pages with articles, by topic.
        templates: Pages that lend their template, by site; no site of `topics` may be among them.
        articles_per_topic: Most articles to draw of each topic.
        templates_per_article: Number of sites that each article is put into.
        seed: Seed of the hashes; equal seeds and pages give equal sets.
    """
    lenders = {site: _shuffled(pages, seed) for site, pages in templates.items()}
    turns = dict.fromkeys(templates, 0)
    class_pages: list[ClassPage] = []
    for topic, pages in topics.items():
        for article in _articles(topic, _shuffled(pages, seed), articles_per_topic):
            sites = sorted(templates, key=lambda site: hash_of(seed, article.url, site))
            placed = 0
            for site in sites:
                if placed == templates_per_article:
                    break
                host = lenders[site][turns[site] % len(lenders[site])]
                turns[site] += 1
                markup = put_into(host, article)
                if markup is not None:
                    page = ClassPage(
                        topic=article.topic,
                        article=article.url,
                        site=host.site,
                        url=f"{host.url}#{len(class_pages)}",
                        markup=markup,
                        text=article.text,
                    )
                    class_pages.append(page)
                    placed += 1
    return class_pages


def _shuffled(pages: Sequence[SourcePage], seed: int) -> list[SourcePage]:
    """Return the pages in an order that depends on the seed only."""
    return sorted(pages, key=lambda page: (hash_of(seed, page.site, page.url), page.url))


def hash_of(seed: int, *names: str) -> bytes:
    """Return a hash by which pages are drawn."""
    return hashlib.blake2b("\n".join([str(seed), *names]).encode("utf-8", "replace")).digest()


def _articles(topic: str, pages: Sequence[SourcePage], count: int) -> list[Article]:
    """Return the first `count` different articles of some pages."""
    article_of_text: dict[str, Article] = {}
    for page in pages:
        if len(article_of_text) == count:
            break
        article = read_article(topic, page)
        if article is not None:
            article_of_text.setdefault(article.text, article)
    return list(article_of_text.values())


def read_article(topic: str, page: SourcePage) -> Article | None:
    """Return the content of a page, or None if it is not exactly one element or is too short."""
    root = parse_markup(page.markup)
    place = _content(root, page)
    if root is None or place is None:
        return None
    for element in _selected(place, page.gold.exclude):
        _drop(element)
    text = " ".join(visible_text(place).split())
    if len(text.split()) < _ARTICLE_WORDS_MIN:
        return None
    inner = (place.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in place
    )
    parts = _SEPARATOR.split(" ".join((root.findtext(".//title") or "").split()))
    # The longest part of the title is rarely the name of the site.
    title = max(parts, key=len)
    return Article(topic=topic, url=page.url, title=title, markup=inner, text=text)


def put_into(host: SourcePage, article: Article) -> str | None:
    """Return the markup of the host with the article in place of the host's content.

    The title of the article replaces that of the host. Byline, date and comments of the host's own
    article are removed. The result is None if the content of the host is not exactly one element.
    """
    root = parse_markup(host.markup)
    place = _content(root, host)
    if root is None or place is None:
        return None
    around = set(place.iterancestors())
    neutral = _selected(root, host.gold.neutral)
    headline = next((one for one in neutral if one.tag in ("h1", "h2")), None)
    for element in neutral:
        if element is headline:
            _fill(element, f"<span>{escape(article.title)}</span>")
        elif element is not place and element not in around and headline not in set(element.iter()):
            _drop(element)
    _fill(place, article.markup)
    for title in root.iter("title"):
        _fill(title, "")
        title.text = article.title
    for meta in root.iter("meta"):
        if meta.get("property") == "og:title":
            meta.set("content", article.title)
    return etree.tostring(root, encoding="unicode", method="html", doctype="<!DOCTYPE html>")


def _content(root: etree._Element | None, page: SourcePage) -> etree._Element | None:
    """Return the outermost element that the content selector names, or None if there are several."""
    if root is None:
        return None
    selected = _selected(root, page.gold.content)
    outermost = [one for one in selected if not set(selected).intersection(one.iterancestors())]
    return outermost[0] if len(outermost) == 1 else None


def _selected(root: etree._Element, selector: str | None) -> list[etree._Element]:
    return CSSSelector(selector, translator="html")(root) if selector else []


def _fill(element: etree._Element, markup: str) -> None:
    attributes, tail = dict(element.attrib), element.tail
    element.clear()
    element.tail = tail
    for name, value in attributes.items():
        element.set(name, value)
    inside = parse_markup(f"<html><body><div>{markup}</div></body></html>") if markup else None
    wrapper = inside.find("body/div") if inside is not None else None
    if wrapper is not None:
        element.text = wrapper.text
        element.extend([*wrapper, *wrapper.itersiblings()])


def _drop(element: etree._Element) -> None:
    """Remove an element, but keep the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def cross_site_accuracies(
    texts: Sequence[str], topics: Sequence[str], sites: Sequence[str], articles: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Return the accuracy of multinomial naive Bayes for each pair of topics, 0 to 1.

    An accuracy is the mean over all ordered pairs of sites. The first site provides the training
    pages of the first topic, the second site those of the second topic. All other pages of both
    topics are classified, except those with an article that was trained on.

    >>> topics, sites = ["oven", "oven", "ball", "ball"], ["a.org", "b.org", "a.org", "b.org"]
    >>> cross_site_accuracies(topics, topics, sites, ["1", "2", "3", "4"])
    {('ball', 'oven'): 1.0}
    """
    counts = count_terms(texts)
    of_topic, of_site, article = map(np.array, (topics, sites, articles))
    accuracies = {}
    for first, second in combinations(sorted(set(topics)), 2):
        shares = []
        for site, other_site in permutations(sorted(set(sites)), 2):
            trained_first = (of_topic == first) & (of_site == site)
            trained_second = (of_topic == second) & (of_site == other_site)
            trained = trained_first | trained_second
            of_pair = (of_topic == first) | (of_topic == second)
            tested = of_pair & ~np.isin(article, article[trained])
            if trained_first.any() and trained_second.any() and tested.any():
                known = np.flatnonzero(counts[trained].sum(axis=0))
                bayes = MultinomialNB().fit(counts[trained][:, known], of_topic[trained])
                guessed = bayes.predict(counts[tested][:, known])
                shares.append(float(np.mean(guessed == of_topic[tested])))
        if shares:
            accuracies[first, second] = sum(shares) / len(shares)
    return accuracies


def count_terms(texts: Sequence[str], most: int | None = None) -> sparse.csr_matrix:
    """Return how often each text has each term, or each of the `most` frequent ones; (n_texts, n_terms)."""
    vectorizer = CountVectorizer(analyzer=lambda text: tokenise(text.lower()), max_features=most)
    return vectorizer.fit_transform(texts)
