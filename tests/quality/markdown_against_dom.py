"""Show what the Markdown of real pages has lost of their kept text, or has of text that was removed.

    python -m tests.quality.markdown_against_dom CORPUS ... [--pages 200] [--step 2]

lxml's tree says what a page has, and the HTML that markdown-it-py makes of its Markdown what a reader sees: text,
emphasis, deleted text, code, numbers of lists, cells under their heads, links and pictures. A part of a page counts
as kept or removed where its letters stand only in kept or only in removed text. Signs of Markdown that a reader
sees, and the page's own text does not have, are stray marks. The command fails if anything is wrong.
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
_STRAY_MARKS = ("**", "*", "~~", "`", "](")
_BLOCKS = "p|div|li|ul|ol|table|tr|td|th|h1|h2|h3|h4|h5|h6|pre|blockquote|figure|dl|dt|dd|section|article|img"
_EMPHASIS = (
    ("strong", "strong|b"), ("em", "em|i"), ("s", "del|s|strike"), ("code", "code|kbd|samp|tt"),
)  # fmt: skip
_PREFIX_LETTERS = 24
_PLACEHOLDER = re.compile(r"data:|.*/(?:blank|spacer|loading|lazy|placeholder|clear|pixel)\.\w+$")
_SIZE = re.compile(r"[\d.]+[wx],?")
"""What stands behind an address in a `srcset`."""
_NUMBER_MAX = 999_999_999
_NUMBERS = re.compile(r"\d+")
"""Numbers may be those of lines of code."""
_SHARE = re.compile(
    r"sharer?[./?]|/intent/|share\?|shareArticle|pin/create|api\.whatsapp|t\.me/share"
)
_INVISIBLE = "script|style|template|noscript|svg|math|object|iframe|textarea"
_UNSEEN = """//*[@hidden or contains(translate(@style, ' ', ''), 'display:none')
    or contains(translate(@style, ' ', ''), 'visibility:hidden')
    or contains(@class, 'sr-only') or contains(@class, 'screen-reader-text') or contains(@class, 'visually-hidden')]"""
"""Elements that nobody sees, which are read only where they are blocks."""


class Fault(NamedTuple):
    """Something that is wrong with the Markdown of a page."""

    kind: str
    text: str


class _Written:
    """What Markdown has."""

    def __init__(self, markdown: str) -> None:
        reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        tokens = reader.parse(markdown)
        inline = [child for token in tokens for child in token.children or ()]
        html = reader.render(markdown).replace("\0", "")
        self.tree = lxml.html.fragment_fromstring(html, create_parent="div")
        self.shown = self.tree.text_content()
        self.text = _NUMBERS.sub("", letters(self.shown))
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
    for invisible in root.xpath(
        "|".join([*(f"//{tag}" for tag in _INVISIBLE.split("|")), _UNSEEN])
    ):
        invisible.drop_tree()
    texts = [letters(text) for text in document.segments.texts]
    stays = "".join(text for text, is_kept in zip(texts, kept, strict=True) if is_kept)
    goes = "".join(text for text, is_kept in zip(texts, kept, strict=True) if not is_kept)

    def is_only(element: lxml.html.HtmlElement, where: str, elsewhere: str) -> bool:
        text = letters(element.text_content())
        return len(text) >= _LETTERS_MIN and text in where and text not in elsewhere

    written = _Written(markdown)
    for text, is_kept in zip(document.segments.texts, kept, strict=True):
        lines = map(letters, text.split("\n")) if is_kept else ()
        if any(_NUMBERS.sub("", line) not in written.text for line in lines):
            yield Fault("lost text", text)
    for text in written.headings:
        if text not in stays:
            yield Fault("heading of removed text", text)
    for mark in _STRAY_MARKS:
        own = sum(
            text.count(mark)
            for text, is_kept in zip(document.segments.texts, kept, strict=True)
            if is_kept
        )
        if written.shown.count(mark) > own:
            yield Fault(
                "stray mark",
                next((line for line in written.shown.split("\n") if mark in line), mark),
            )
    yield from _emphasis_faults(root, written, lambda one: is_only(one, stays, goes))
    yield from _number_faults(root, written, lambda one: is_only(one, stays, goes))
    yield from _table_faults(root, written, lambda one: is_only(one, stays, goes))
    for figure in root.xpath("//figure[.//img][figcaption]"):
        caption = figure.find("figcaption")
        images = figure.xpath(".//img")
        if is_only(caption, stays, goes) and len(images) == 1:
            wanted = _sources(images[0], base)
            if wanted and not wanted & written.images:
                yield Fault("lost image of a figure", min(wanted))
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
        if link.get("href").strip().startswith("#") and (
            link.xpath("|".join(f"ancestor::h{level}" for level in range(1, 7)))
        ):
            continue  # The anchor of a heading is none.
        if target and not is_written and is_only(link, stays, goes):
            yield Fault("lost link", target)
    for icon in root.xpath("//a[@href][not(normalize-space())]//img"):
        link = next(icon.iterancestors("a"))
        if _SHARE.search(link.get("href")) and _sources(icon, base) & written.images:
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
        around = next(element.iterancestors("figure"), element) if element.tag == "img" else element
        while around is not None and not letters(around.text_content()):
            around = around.getparent()
        counts = removed if around is not None and is_removed(around) else held
        if element.tag == "a":
            counts.add(_absolute(base, element.get("href")))
        else:
            counts.update(_sources(element, base))
    return removed, held


def _sources(image, base: str) -> set[str]:
    """Return the addresses that the attributes of an image, and of the sources of its `picture`, may name."""
    elements = set()
    for element in [image, *image.xpath("ancestor::picture//source")]:
        for name, value in element.items():
            if name.endswith("srcset"):
                elements.update(one.strip(",") for one in value.split() if not _SIZE.fullmatch(one))
            elif name == "src" or name.startswith("data-"):
                elements.add(value)
    addresses = {one.strip() for one in elements if not _PLACEHOLDER.match(one)}
    return {_absolute(base, one) for one in addresses if one} - {""}


def _emphasis_faults(root, written, is_kept) -> Iterator[Fault]:
    for tag, sources in _EMPHASIS:
        shown = "".join(letters(one.text_content()) for one in written.tree.iter(tag))
        for element in root.xpath("|".join(f"//{source}" for source in sources.split("|"))):
            in_code = element.xpath(
                "ancestor::pre|ancestor::code|ancestor::kbd|ancestor::samp|ancestor::tt"
            )
            has_blocks = any(True for _ in element.iter(*_BLOCKS.split("|")))
            text = letters(element.text_content())
            if not in_code and not has_blocks and is_kept(element) and text not in shown:
                yield Fault(f"lost {tag}", element.text_content().strip())


def _own_letters(item) -> str:
    """Return the first letters of a list item, without those of lists in it."""
    texts = item.xpath("text()|*[not(self::ul)][not(self::ol)]//text()")
    return letters("".join(texts))[:_PREFIX_LETTERS]


def _numbered(of_list) -> Iterator[tuple[int, lxml.html.HtmlElement]]:
    """Yield the numbers of the items of an ordered list (HTML standard, section 4.4.8), and the items."""
    items = of_list.findall("li")
    is_reversed = of_list.get("reversed") is not None
    number = _whole(of_list.get("start"), len(items) if is_reversed else 1)
    for item in items:
        number = _whole(item.get("value"), number)
        yield number, item
        number += -1 if is_reversed else 1


def _whole(text: str | None, otherwise: int) -> int:
    match = re.match(r"\s*([-+]?\d+)", text or "")
    return int(match[1]) if match and abs(int(match[1])) < 1 << 31 else otherwise


def _number_faults(root, written, is_kept) -> Iterator[Fault]:
    shown: dict[str, set[int]] = {}
    for of_list in written.tree.iter("ol"):
        for number, item in _numbered(of_list):
            shown.setdefault(_own_letters(item), set()).add(number)
    for of_list in root.iter("ol"):
        if of_list.xpath("ancestor::table|ancestor::pre"):
            continue
        for number, item in _numbered(of_list):
            own = _own_letters(item)
            in_range = 0 <= number <= _NUMBER_MAX
            if len(own) >= _LETTERS_MIN and in_range and is_kept(item) and own in shown:
                if number not in shown[own]:
                    yield Fault("wrong number", f"{number} {own}")
            elif (
                len(own) >= _LETTERS_MIN
                and in_range
                and is_kept(item)
                and not item.xpath(".//pre|.//table")
            ):
                yield Fault("lost list item", f"{number} {own}")


def _grid(table) -> Iterator[tuple[int, int, int, lxml.html.HtmlElement]]:
    """Yield row, column, and column behind of each cell of a table."""
    held: dict[int, int] = {}
    for row, cells in enumerate(table.iter("tr")):
        column = 0
        for cell in cells.iterchildren("td", "th"):
            while held.get(column, 0) > row:
                column += 1
            width = min(max(_whole(cell.get("colspan"), 1), 1), 1000)
            height = _whole(cell.get("rowspan"), 1) or 1 << 16
            yield row, column, column + width, cell
            for place in range(column, column + width):
                held[place] = row + height
            column += width


def _table_faults(root, written, is_kept) -> Iterator[Fault]:
    heads_of: dict[str, set[str]] = {}
    for table in written.tree.iter("table"):
        cells = [
            (row, column, letters(cell.text_content())) for row, column, _, cell in _grid(table)
        ]
        heads = {column: text for row, column, text in cells if row == 0}
        for row, column, text in cells:
            if row:
                heads_of.setdefault(text, set()).add(heads.get(column, ""))
    for table in root.xpath("//table[.//th][not(.//table)][not(.//pre)]"):
        cells = list(_grid(table))
        heads = [cell for cell in cells if cell[0] == 0]
        texts = Counter(letters(cell.text_content()) for _, _, _, cell in cells)
        if (
            not is_kept(table)
            or table.xpath(".//tfoot")
            or any(cell.tag != "th" for _, _, _, cell in heads)
        ):
            continue
        for row, begin, end, cell in cells:
            text = letters(cell.text_content())
            if not row or texts[text] > 1 or len(text) < _LETTERS_MIN or text not in heads_of:
                continue
            above = [head for head in heads if head[1] < end and begin < head[2]]
            wanted = {letters(head.text_content()) for _, _, _, head in above} or {""}
            wanted |= {"" for _, first, _, _ in above if first != begin}
            # The names of pictures that show nothing may stand behind a head.
            if not any(
                got.startswith(one) if one else not got for got in heads_of[text] for one in wanted
            ):
                yield Fault("cell under another head", text)


def _absolute(base: str, address: str) -> str:
    try:
        absolute = urljoin(base, address.strip())
    except ValueError:
        return ""
    return _same(absolute) if absolute.startswith("http") else ""


def _same(address: str) -> str:
    """Return an address in a form in which equal addresses are equal."""
    address = address.rstrip("?#")
    return quote(unquote(re.sub(r"[\s]+", "%20", address)), safe=":/?#[]@!$&'()*+,;=%~")


def _plain(token: Token) -> str:
    shown = {"text", "code_inline"}
    return "".join(one.content for one in token.children or () if one.type in shown)


def main() -> None:
    """Print what is wrong with the Markdown of pages, at most three of a site."""
    given = read_options(__doc__, "corpora...", pages=200, step=1)
    found: Counter[str] = Counter()
    wrong_pages: Counter[str] = Counter()
    compared = 0
    for corpus in given.corpora:
        left, seen = given.pages, Counter()
        for place, (_, record) in enumerate(read_objects(corpus)):
            seen[record["site"]] += 1
            is_other = record.get("page_role") == "other" or not record["url"].startswith("http")
            if seen[record["site"]] > _PAGES_A_SITE or is_other or place % given.step:
                continue
            markup, url = record["html"].encode("utf-8", "replace").decode(), record["url"]
            try:
                document = parse_document(markup, url, with_marks=True)
            except PageError:
                continue
            decision = clean(document, None, CoreConfig()).decision
            outline = Outline(document, decision.kept, None, url)
            of_page = list(
                faults(markup, url, outline.document, outline.kept, render_markdown(outline))
            )
            for fault in of_page:
                print(f"{url}: {fault.kind}: {fault.text[:100]}")
            found.update(fault.kind for fault in of_page)
            wrong_pages.update({fault.kind for fault in of_page})
            compared += 1
            left -= 1
            if not left:
                break
    for kind, count in found.most_common():
        print(f"{count} × {kind} on {wrong_pages[kind]} pages")
    print(f"{compared} pages compared, {found.total()} faults.")
    if found:
        sys.exit(1)


if __name__ == "__main__":
    main()
