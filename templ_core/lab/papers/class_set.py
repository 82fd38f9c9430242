"""The class set: real articles of known topics inside real templates of other sites.

What the papers took from shops that sell the same things and from sites with the same song texts
(Vieira et al., CIKM 2006, section 5; Chakrabarti et al., WWW 2007, sections 6.2 and 6.3) is made from
pages whose content is known: the article of one page takes the place of the content of another.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence

import msgspec
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.dom.parse.parse_page import parse_markup
from templ_core.lab.evaluation.gold import visible_text

ARTICLE_WORDS_MIN = 50
_SEPARATOR = re.compile(r"\s+[|»–—·-]\s+")


class SourcePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose content a CSS selector names."""

    site: str
    url: str
    markup: str
    content: str
    exclude: str | None = None
    neutral: str | None = None


class Article(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a page."""

    topic: str
    url: str
    title: str
    markup: str
    text: str


class ClassPage(msgspec.Struct, frozen=True, kw_only=True):
    """An article in a template of another site."""

    topic: str
    article: str
    """Address that the article is from."""
    site: str
    """Whose template it stands in."""
    url: str
    """Of the page that lent the template, with the article's number as fragment."""
    markup: str
    text: str
    """The article alone: the gold."""


def class_set(
    topics: Mapping[str, Sequence[SourcePage]],
    templates: Mapping[str, Sequence[SourcePage]],
    *,
    articles_per_topic: int,
    templates_per_article: int,
    seed: int,
) -> list[ClassPage]:
    """Articles of each topic, each in several templates, ordered by topic, article and site.

    Articles, their templates and the page that lends a template are drawn by hash; a site lends its
    pages in turn, so that each is used about equally often.

    Args:
        topics: Pages with articles, by topic.
        templates: Pages that lend their template, by site; no site of `topics`.
        articles_per_topic: Articles that are drawn; fewer where there are fewer.
        templates_per_article: Sites that each article is put in.
        seed: Same seed and pages, same set.
    """
    lenders = {site: _shuffled(pages, seed) for site, pages in templates.items()}
    turns = dict.fromkeys(templates, 0)
    found: list[ClassPage] = []
    for topic, pages in topics.items():
        for article in _articles(topic, _shuffled(pages, seed), articles_per_topic):
            sites = sorted(templates, key=lambda site: _drawn(seed, article.url, site))
            placed = 0
            for site in sites:
                if placed == templates_per_article:
                    break
                host = lenders[site][turns[site] % len(lenders[site])]
                turns[site] += 1
                markup = put_into(host, article)
                if markup is not None:
                    found.append(_class_page(article, host, markup, len(found)))
                    placed += 1
    return found


def _class_page(article: Article, host: SourcePage, markup: str, number: int) -> ClassPage:
    return ClassPage(
        topic=article.topic,
        article=article.url,
        site=host.site,
        url=f"{host.url}#{number}",
        markup=markup,
        text=article.text,
    )


def _shuffled(pages: Sequence[SourcePage], seed: int) -> list[SourcePage]:
    return sorted(pages, key=lambda page: (_drawn(seed, page.site, page.url), page.url))


def _drawn(seed: int, *names: str) -> bytes:
    return hashlib.blake2b("\n".join([str(seed), *names]).encode("utf-8", "replace")).digest()


def _articles(topic: str, pages: Sequence[SourcePage], count: int) -> list[Article]:
    """The first `count` different articles."""
    found: dict[str, Article] = {}
    for page in pages:
        if len(found) == count:
            break
        article = read_article(topic, page)
        if article is not None:
            found.setdefault(article.text, article)
    return list(found.values())


def read_article(topic: str, page: SourcePage) -> Article | None:
    """The content of a page; None where it is not one element or too short."""
    root = parse_markup(page.markup)
    place = _content(root, page)
    if root is None or place is None:
        return None
    for element in CSSSelector(page.exclude, translator="html")(place) if page.exclude else ():
        _drop(element)
    text = " ".join(visible_text(place).split())
    if len(text.split()) < ARTICLE_WORDS_MIN:
        return None
    inner = (place.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in place
    )
    return Article(
        topic=topic,
        url=page.url,
        title=_headline(root),
        markup=inner,
        text=text,
    )


def _headline(root: etree._Element) -> str:
    """The longest part of the title: not the name of the site."""
    title = " ".join((root.findtext(".//title") or "").split())
    return max(_SEPARATOR.split(title), key=len)


def put_into(host: SourcePage, article: Article) -> str | None:
    """The host's page with the article as its content; None where its content is not one element.

    The host's title becomes the article's; what else belongs to the host's article (byline, date,
    comments) goes.
    """
    root = parse_markup(host.markup)
    place = _content(root, host)
    if root is None or place is None:
        return None
    around = set(place.iterancestors())
    neutral = CSSSelector(host.neutral, translator="html")(root) if host.neutral else []
    headline = next((one for one in neutral if one.tag in ("h1", "h2")), None)
    for element in neutral:
        if element is headline:
            _fill(element, f"<span>{_escaped(article.title)}</span>")
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
    """The only outermost element that the selector names."""
    if root is None:
        return None
    selected = CSSSelector(page.content, translator="html")(root)
    outermost = [one for one in selected if not set(selected).intersection(one.iterancestors())]
    return outermost[0] if len(outermost) == 1 else None


def _fill(element: etree._Element, markup: str) -> None:
    """Replace what is inside an element."""
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
    """Take an element out; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
