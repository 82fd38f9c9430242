"""Show what the Markdown of real pages has lost of their kept text, or has of text that was removed.

    python -m tests.quality.markdown_against_dom CORPUS ... [--pages 200]

lxml's tree says what a page has, markdown-it-py what its Markdown has. A part of a page counts as kept or
removed where its letters stand only in kept or only in removed text. The command fails if anything is wrong.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote, urljoin

import lxml.html
from markdown_it import MarkdownIt
from markdown_it.token import Token

from templ_core.array_types import Bools
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects
from workers.lab.experiments.metadata_gold import letters

_PAGES_A_SITE = 3
_LETTERS_MIN = 4
"""Fewer letters may stand anywhere."""
_NUMBERED_LINES_MIN = 3
_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#-]+)")
_SOURCES = ("data-src", "data-lazy-src", "src")
_NUMBERS = re.compile(r"\d+")
"""Numbers may be those of lines of code."""
_SHARE = re.compile(
    r"sharer?[./?]|/intent/|share\?|shareArticle|pin/create|api\.whatsapp|t\.me/share"
)
_INVISIBLE = "script|style|template|noscript|svg|math|object|iframe|textarea"


class Fault(NamedTuple):
    """Something that is wrong with the Markdown of a page."""

    kind: str
    text: str


class _Written:
    """What Markdown has."""

    def __init__(self, markdown: str) -> None:
        tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
        inline = [child for token in tokens for child in token.children or ()]
        leaves = [one for one in [*tokens, *inline] if not one.children]
        shown = [one for one in leaves if one.type != "html_inline"]
        self.text = _NUMBERS.sub("", letters("".join(one.content for one in shown)))
        self.headings = [
            letters(_plain(tokens[number + 1]))
            for number, token in enumerate(tokens)
            if token.type == "heading_open"
        ]
        self.fences = [(one.info, one.content) for one in tokens if one.type == "fence"]
        self.images = {_same(one.attrs["src"]) for one in inline if one.type == "image"}
        self.links = {_same(one.attrs["href"]) for one in inline if one.type == "link_open"}
        self.markdown = markdown


def faults(
    markup: str, url: str, document: Document, kept: Bools, markdown: str
) -> Iterator[Fault]:
    """Yield what is wrong with the Markdown of a page.

    Args:
        markup: HTML of the page.
        url: Its address, to which relative addresses are joined.
        document: The page as it was parsed.
        kept: Whether each of its segments stays.
        markdown: Its Markdown.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    root = lxml.html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    base = urljoin(url, next(iter(root.xpath("//base/@href")), ""))
    for invisible in root.xpath("|".join(f"//{tag}" for tag in _INVISIBLE.split("|"))):
        invisible.drop_tree()
    texts = [letters(text) for text in document.segments.texts]
    stays = "".join(text for text, is_kept in zip(texts, kept, strict=True) if is_kept)
    goes = "".join(text for text, is_kept in zip(texts, kept, strict=True) if not is_kept)

    def is_only(element: lxml.html.HtmlElement, where: str, elsewhere: str) -> bool:
        text = letters(element.text_content())
        return len(text) >= _LETTERS_MIN and text in where and text not in elsewhere

    written = _Written(markdown)
    for text, is_kept in zip(texts, kept, strict=True):
        if is_kept and _NUMBERS.sub("", text) not in written.text:
            yield Fault("lost text", text)
    for text in written.headings:
        if text not in stays:
            yield Fault("heading of removed text", text)
    for figure in root.xpath("//figure[.//img][figcaption]"):
        caption = figure.find("figcaption")
        images = figure.xpath(".//img")
        if is_only(caption, stays, goes) and len(images) == 1:
            wanted = _source(images[0], base)
            if wanted and wanted not in written.images:
                yield Fault("lost image of a figure", wanted)
    for tag in ("sub", "sup"):
        for element in root.xpath(f"//{tag}[not(ancestor::pre)][not(ancestor::code)][not(*)]"):
            text = (element.text or "").strip()
            is_written = f"<{tag}>{text}</{tag}>" in written.markdown
            if text.isalnum() and not is_written and is_only(element.getparent(), stays, goes):
                yield Fault(f"lost {tag}", element.getparent().text_content()[:80])
    yield from _code_faults(root, written, lambda one: is_only(one, stays, goes))
    for link in root.xpath("//a[normalize-space(@href)]"):
        target = _absolute(base, link.get("href"))
        is_written = target in written.links or link.xpath("ancestor::pre")
        if target and not is_written and is_only(link, stays, goes):
            yield Fault("lost link", target)
    for icon in root.xpath("//a[@href][not(normalize-space())]//img"):
        link = next(icon.iterancestors("a"))
        if _SHARE.search(link.get("href")) and _source(icon, base) in written.images:
            yield Fault("icon of a button that shares", link.get("href"))
    removed, held = _addresses_of(root, base, lambda one: is_only(one, goes, stays))
    for address in (written.links | written.images) & removed - held:
        yield Fault("link or image of removed text", address)
    for address in written.images:
        if address.startswith("data:"):
            yield Fault("placeholder as image", address[:40])


def _code_faults(root, written, is_kept) -> Iterator[Fault]:
    languages = Counter(info for info, _ in written.fences)
    for block in root.xpath("//pre"):
        named = _LANGUAGE.search(
            " ".join([block.get("class") or "", *block.xpath("./code/@class")])
        )
        if named and is_kept(block) and named[1].lower() not in languages:
            yield Fault("lost language of code", named[1])
    for _, code in written.fences:
        lines = [line for line in code.split("\n") if line.strip()]
        numbers = [re.match(r"\s*(\d+)(?![\d.)])", line) for line in lines]
        if len(lines) >= _NUMBERED_LINES_MIN and all(numbers):
            first = int(numbers[0][1])
            if [int(one[1]) for one in numbers] == list(range(first, first + len(lines))):
                yield Fault("numbers of lines in code", code[:60])


def _addresses_of(root, base, is_removed) -> tuple[set[str], set[str]]:
    """Return the addresses of links and images in removed text, and those that stand elsewhere."""
    removed: set[str] = set()
    held: set[str] = set()
    for element in root.xpath("//a[@href]|//img"):
        around = element
        while around is not None and not letters(around.text_content()):
            around = around.getparent()
        found = removed if around is not None and is_removed(around) else held
        if element.tag == "a":
            found.add(_absolute(base, element.get("href")))
        else:
            sources = filter(None, map(element.get, _SOURCES))
            found.update(_absolute(base, source) for source in sources)
    return removed, held


def _source(image, base: str) -> str:
    for name in _SOURCES:
        address = (image.get(name) or "").strip()
        if address and not address.startswith("data:"):
            return _absolute(base, address)
    return ""


def _absolute(base: str, address: str) -> str:
    try:
        found = urljoin(base, address.strip())
    except ValueError:
        return ""
    return _same(found) if found.startswith("http") else ""


def _same(address: str) -> str:
    """Return an address in a form in which equal addresses are equal."""
    address = address.rstrip("?#")
    return quote(unquote(re.sub(r"[\s]+", "%20", address)), safe=":/?#[]@!$&'()*+,;=%~")


def _plain(token: Token) -> str:
    shown = {"text", "code_inline"}
    return "".join(one.content for one in token.children or () if one.type in shown)


def main() -> None:
    """Print what is wrong with the Markdown of pages, at most three of a site."""
    given = read_options(__doc__, "corpora...", pages=200)
    found: Counter[str] = Counter()
    compared = 0
    for corpus in given.corpora:
        left, seen = given.pages, Counter()
        for _, record in read_objects(corpus):
            seen[record["site"]] += 1
            is_other = record.get("page_role") == "other" or not record["url"].startswith("http")
            if seen[record["site"]] > _PAGES_A_SITE or is_other:
                continue
            markup, url = record["html"].encode("utf-8", "replace").decode(), record["url"]
            try:
                document = parse_document(markup, url, with_marks=True)
            except PageError:
                continue
            decision = clean(document, None, CoreConfig()).decision
            outline = Outline(document, decision.kept, None, url)
            for fault in faults(markup, url, document, decision.kept, render_markdown(outline)):
                found[fault.kind] += 1
                print(f"{url}: {fault.kind}: {fault.text[:100]}")
            compared += 1
            left -= 1
            if not left:
                break
    for kind, count in found.most_common():
        print(f"{count} × {kind}")
    print(f"{compared} pages compared, {found.total()} faults.")
    if found:
        sys.exit(1)


if __name__ == "__main__":
    main()
