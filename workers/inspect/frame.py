"""A crawled page as a document for a sandboxed frame, with every segment coloured by its decision.

The markup is written again: elements, attributes and style rules that are known to be harmless, text, and
marks around it. What is not on a list does not exist in the frame. The sandbox and two content security
policies, that of the frame and that of the report around it, back this up.

Of style sheets only rules for layout and type stay. Nothing that stays can fetch, and nothing hides text: a page
is looked at for what was decided about all of its text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import tinycss2

from templ_core.patterns import pattern
from workers.inspect.frame_tree import End, FrameEvent, Piece, Start
from workers.inspect.html_templates import render


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELEMENTS = _word_set(
    """
    a abbr address article aside b bdi bdo big blockquote br caption center cite code col
    colgroup dd del details dfn div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4
    h5 h6 header hgroup hr i ins kbd legend li main mark menu nav ol p pre q rp rt ruby s samp
    section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u
    ul var wbr
    """
)
"""The elements that stay as they are."""
_AS_BLOCK = "div"
_AS_INLINE = {"label": "span", "button": "span", "nobr": "span", "acronym": "span", "data": "span"}
_ROOTS = {"html": "templ-html", "body": "templ-body"}
_GONE = _word_set(
    """
    area applet base basefont bgsound embed frame head input keygen link map meta noembed
    noframes object param script select source style svg template textarea title track math
    iframe audio video canvas option optgroup datalist
    """
)
"""Elements that lose their tags and keep the text inside, if it counts."""
_VOID = frozenset(["br", "col", "hr", "wbr"])
_SIZE = pattern(r"\d{1,4}%?")
_NUMBER = pattern(r"-?\d{1,4}")
_WORD = pattern(r"[A-Za-z]{1,16}")
_COLOUR = pattern(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,24}")
_LANGUAGE = pattern(r"[A-Za-z0-9-]{1,35}")
_NAME = pattern(r"[^\s\0<>&\"'`=]{1,100}")
ATTRIBUTES = {
    "align": _WORD,
    "bgcolor": _COLOUR,
    "border": _SIZE,
    "cellpadding": _SIZE,
    "cellspacing": _SIZE,
    "clear": _WORD,
    "color": _COLOUR,
    "colspan": _NUMBER,
    "dir": _WORD,
    "height": _SIZE,
    "lang": _LANGUAGE,
    "rowspan": _NUMBER,
    "size": _NUMBER,
    "span": _NUMBER,
    "start": _NUMBER,
    "valign": _WORD,
    "value": _NUMBER,
    "width": _SIZE,
}
"""The attributes that stay besides `id`, `class` and `style`, and what their values must be."""
_IMAGE_DATA = pattern(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
_IMAGE_CHARS_MAX = 200_000
_DEPTH_MAX = 200
_HINTS_MAX = 8
"""Pieces of a segment that show its whole hint; later ones show the first line."""
_ALT_CHARS = 60
_OWN = "templ-"
"""Beginning of the ids and classes of the report; a page has none of them."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How a segment is shown."""

    groups: tuple[str, ...]
    """Names of the filters that show the segment; `kept` and `unsure`, for a close decision, are among them."""
    hint: str
    """What is shown on hover."""


class _Tag(msgspec.Struct, frozen=True):
    name: str
    attributes: Mapping[str, str] = {}
    is_end: bool = False


def frame_document(
    events: Sequence[FrameEvent],
    marks: Sequence[Mark],
    filters: Sequence[str],
    sheets: Sequence[str] = (),
) -> str:
    """Return the document of the frame, which shows a page and its segments with the page's style sheets.

    Its segments have the ids `templ-s0` and so on. Where its address ends in `#templ-only-` and the name of a
    filter, of letters, digits and dashes, segments without this group are pale. It opens at the first segment that
    is kept.
    """
    group_classes = {name: f"templ-{number}" for number, name in enumerate(filters)}
    document = render(
        "inspect/templates/frame.html",
        sheet=harmless_sheet(sheets),
        filters=filters,
        first=next((number for number, mark in enumerate(marks) if "kept" in mark.groups), None),
        written=_MarkedWriter(marks, group_classes).written(events),
    )
    return str(document)  # which an attribute escapes


class PageWriter:
    """Writes a page from those of its elements, attributes and texts that are harmless."""

    def __init__(self) -> None:
        self._open: list[str | None] = []
        self._depth = 0

    def written(self, events: Sequence[FrameEvent]) -> Iterator[_Tag | str]:
        """Yield the tags and texts of a page; every element that it opens is closed."""
        for event in events:
            match event:
                case Piece():
                    yield from self._text(event)
                case Start():
                    yield from self._start(event)
                case End():
                    yield from self._end()
        while self._open:
            yield from self._end()

    def _start(self, start: Start) -> Iterator[_Tag | str]:
        tag = _written_tag(start.tag)
        if start.tag == "img":
            yield from _image(start.attributes)
        if tag is None or self._depth >= _DEPTH_MAX:
            self._open.append(None)
            return
        yield _Tag(tag, self.attributes(start))
        self._open.append(None if tag in _VOID else tag)
        self._depth += tag not in _VOID

    def _end(self) -> Iterator[_Tag]:
        tag = self._open.pop()
        if tag is not None:
            self._depth -= 1
            yield _Tag(tag, is_end=True)

    def _text(self, piece: Piece) -> Iterator[_Tag | str]:
        text = piece.text.replace("\0", "")
        if not piece.text.strip():
            yield text
        elif piece.segment is None:
            yield from _span(text, {"class": "templ-n"})
        else:
            yield from _span(text, self.marked(piece, piece.segment))

    def attributes(self, start: Start) -> dict[str, str]:
        """Return the harmless attributes of an element."""
        return harmless_attributes(start)

    def marked(self, piece: Piece, segment: int) -> dict[str, str]:  # noqa: ARG002 - of subclasses
        """Return the attributes of the element around a piece of a segment."""
        return {}


class _MarkedWriter(PageWriter):
    """Writes a page with every segment coloured by its decision."""

    def __init__(self, marks: Sequence[Mark], group_classes: Mapping[str, str]) -> None:
        super().__init__()
        self._marks = marks
        self._group_classes = group_classes
        self._pieces: Counter[int] = Counter()

    def marked(self, piece: Piece, segment: int) -> dict[str, str]:
        mark = self._marks[segment]
        kind = "r" if "kept" not in mark.groups else "c" if piece.is_cut else "k"
        unsure = ["templ-u"] if "unsure" in mark.groups and kind != "c" else []
        groups = [self._group_classes[name] for name in mark.groups]
        number = self._pieces[segment]
        self._pieces[segment] += 1
        return {
            **({} if number else {"id": f"templ-s{segment}"}),
            "class": " ".join([f"templ-{kind}", *unsure, "templ-s", *groups]),
            "title": mark.hint if number < _HINTS_MAX else mark.hint.partition("\n")[0],
        }


def _written_tag(tag: str) -> str | None:
    """Return the element that stands for one of the page; None for none."""
    if tag in ELEMENTS:
        return tag
    if tag in _GONE or tag == "img":
        return None
    return _AS_INLINE.get(tag, _AS_BLOCK)


def _span(text: str, attributes: Mapping[str, str]) -> Iterator[_Tag | str]:
    yield _Tag("span", attributes)
    yield text
    yield _Tag("span", is_end=True)


def harmless_attributes(start: Start) -> dict[str, str]:
    """Return the attributes of an element that are known to be harmless."""
    harmless: dict[str, str] = {}
    classes = [_ROOTS[start.tag]] if start.tag in _ROOTS else []
    for name, value in start.attributes.items():
        if name == "class":
            classes += [name for name in value.split() if _is_free_name(name)]
        elif name == "id" and _is_free_name(value):
            harmless["id"] = value
        elif name == "style" and (style := harmless_style(value)):
            harmless["style"] = style
        elif name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value.strip()):
            harmless[name] = value.strip()
    if classes:
        harmless["class"] = " ".join(classes)
    if start.tag == "details":
        harmless["open"] = ""
    return harmless


def _is_free_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not name.lower().startswith(_OWN)


def _image(attributes: Mapping[str, str]) -> Iterator[_Tag | str]:
    """Yield an image whose data is in the page, else a box with its description."""
    source = attributes.get("src", "").strip()
    if len(source) <= _IMAGE_CHARS_MAX and _IMAGE_DATA.fullmatch(source):
        sizes = {name: attributes.get(name, "").strip() for name in ("width", "height")}
        shown = {name: size for name, size in sizes.items() if _SIZE.fullmatch(size)}
        yield _Tag("img", {"src": source, "alt": "", **shown})
    else:
        alt = " ".join(attributes.get("alt", "").split())[:_ALT_CHARS]
        yield from _span(alt or "image", {"class": "templ-i"})


PROPERTIES = _word_set(
    """
    align-content align-items align-self background-color border border-block border-bottom
    border-bottom-color border-bottom-style border-bottom-width border-collapse border-color border-inline
    border-left border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style border-top
    border-top-color border-top-style border-top-width border-width box-sizing clear color column-count
    column-gap column-width columns direction display flex flex-basis flex-direction flex-flow flex-grow
    flex-shrink flex-wrap float font font-family font-size font-style font-variant font-weight gap
    grid-area grid-auto-flow grid-column grid-column-end grid-column-start grid-row grid-row-end
    grid-row-start grid-template grid-template-areas grid-template-columns grid-template-rows
    justify-content justify-items justify-self letter-spacing line-height list-style-type margin
    margin-block margin-bottom margin-inline margin-left margin-right margin-top max-width min-height
    min-width order overflow-wrap padding padding-block padding-bottom padding-inline padding-left
    padding-right padding-top row-gap table-layout text-align text-decoration text-transform
    vertical-align white-space width word-break word-spacing
    """
)
"""The properties that stay."""
FUNCTIONS = _word_set("calc clamp fit-content hsl hsla max min minmax repeat rgb rgba var")
"""The functions that values may use; none of them fetches anything."""
_PSEUDO_FUNCTIONS = frozenset(["is", "not", "nth-child", "nth-last-child", "nth-of-type", "where"])
_VALUE_TOKENS = frozenset(
    ["ident", "number", "dimension", "percentage", "hash", "whitespace", "string", "comment"]
)
_SELECTOR_TOKENS = frozenset(
    ["ident", "hash", "whitespace", "string", "comment", "number", "dimension"]
)
_SELECTOR_MARKS = frozenset(".>+~*:,=|^$")
_MEDIA_MARKS = frozenset(":,<>=")
_MOVING = ("letter-spacing", "margin", "word-spacing")
_NEGATIVE = pattern(r"(?<![\w-])-[\d.]")
_CSS_CHARS_MAX = 1 << 20
_OWN_ROOTS = {"html": ".templ-html", "body": ".templ-body", ":root": ".templ-html"}


def harmless_sheet(sheets: Iterable[str]) -> str:
    """Return the harmless rules of style sheets as one sheet.

    >>> harmless_sheet(
    ...     ["p { color: red; background: url(//a.example/x) } @import '//b.example/y';"]
    ... )
    'p{color:red}'
    """
    out: list[str] = []
    room = _CSS_CHARS_MAX
    for sheet in sheets:
        room -= len(sheet)
        if room < 0:
            break
        rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
        with suppress(RecursionError):  # blocks inside blocks, deeper than any page needs
            out += _rules(rules)
    return _unmarked("".join(out))


def harmless_style(style: str) -> str:
    """Return the harmless declarations of a style attribute.

    >>> harmless_style("float: left; position: fixed; width: expression(alert(1))")
    'float:left'
    """
    with suppress(RecursionError):
        return _unmarked(_declarations(tinycss2.parse_blocks_contents(style, skip_comments=True)))
    return ""


def _unmarked(css: str) -> str:
    """Return CSS in which no markup can begin: a style element would end at its end tag."""
    return css.replace("<", "\\3c ").replace("\0", "")


def _rules(rules: Sequence[Any]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selector = _selector(rule.prelude)
            body = _declarations(tinycss2.parse_blocks_contents(rule.content, skip_comments=True))
            if selector and body:
                yield f"{selector}{{{body}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
            condition = _tokens(rule.prelude, frozenset(), _SELECTOR_TOKENS, _MEDIA_MARKS)
            inside = tinycss2.parse_rule_list(
                rule.content, skip_comments=True, skip_whitespace=True
            )
            body = "".join(_rules([node for node in inside if node.type == "qualified-rule"]))
            if condition and "print" not in condition and body:
                yield f"@media {condition}{{{body}}}"


def _declarations(content: Sequence[Any]) -> str:
    declarations = []
    for node in content:
        if node.type != "declaration":
            continue
        name = node.lower_name
        solid = [part for part in node.value if part.type not in {"whitespace", "comment"}]
        if name == "background" and len(solid) == 1:
            name = "background-color"
        is_variable = name.startswith("--")
        if name not in PROPERTIES and not is_variable:
            continue
        value = _tokens(node.value, FUNCTIONS, _VALUE_TOKENS, frozenset(",/"))
        if value and not _hides(name, value):
            label = node.name if is_variable else name
            declarations.append(f"{label}:{value}{' !important' if node.important else ''}")
    return ";".join(declarations)


def _hides(name: str, value: str) -> bool:
    """Return whether a declaration may take text out of sight."""
    if name == "display" or name.startswith("--"):
        return value.lower() in {"none", "contents"}
    return "-" in value and name.startswith(_MOVING) and _NEGATIVE.search(value) is not None


def _selector(tokens: Sequence[Any]) -> str:
    """Return a selector in which the page's root elements are those of the frame."""
    text = _tokens(tokens, _PSEUDO_FUNCTIONS, _SELECTOR_TOKENS, _SELECTOR_MARKS)
    if not text or "templ-" in text:
        return ""
    parts, before = [], ""
    for token in _without_comments(tokens):
        part = token.serialize()
        is_type = token.type == "ident" and before not in {".", ":", "#"}
        parts.append(_OWN_ROOTS.get(part.lower(), part) if is_type else part)
        before = part
    return "".join(parts).strip().replace(":root", _OWN_ROOTS[":root"])


def _without_comments(tokens: Sequence[Any]) -> list[Any]:
    return [token for token in tokens if token.type != "comment"]


def _tokens(
    tokens: Sequence[Any], functions: frozenset[str], types: frozenset[str], marks: frozenset[str]
) -> str:
    """Return the text of tokens that are all allowed; nothing if one of them is not."""
    for token in tokens:
        if token.type == "literal":
            is_allowed = token.value in marks or token.value in {"<=", ">="}
        elif token.type == "function":
            is_allowed = token.lower_name in functions and bool(
                _tokens(token.arguments, functions, types, marks | frozenset("+-*/,"))
                or not token.arguments
            )
        elif token.type in {"() block", "[] block"}:
            inside = _tokens(token.content, functions, types, marks | frozenset("+-*/,^$~|="))
            is_allowed = bool(inside)
        else:
            is_allowed = token.type in types
        if not is_allowed:
            return ""
    return str(tinycss2.serialize(_without_comments(tokens))).strip()
