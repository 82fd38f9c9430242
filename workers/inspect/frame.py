"""A crawled page as a document for a sandboxed frame, with every segment coloured by its decision.

The markup is written anew: elements, attributes and style rules that are known to be harmless, text, and
marks around it. What is not on a list does not exist in the frame. The sandbox and two content security
policies, that of the frame and that of the report around it, stand behind this.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import msgspec

from workers.inspect.frame_css import harmless_sheet, harmless_style, word_set
from workers.inspect.frame_tree import End, FrameEvent, Piece, Start
from workers.inspect.report_parts import POLICY

ELEMENTS = word_set(
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
_GONE = word_set(
    """
    area applet base basefont bgsound embed frame head input keygen link map meta noembed
    noframes object param script select source style svg template textarea title track math
    iframe audio video canvas option optgroup datalist
    """
)
"""Elements of which only the text inside stays, if there is any that counts."""
_VOID = frozenset(["br", "col", "hr", "wbr"])
_SIZE = re.compile(r"\d{1,4}%?")
_NUMBER = re.compile(r"-?\d{1,4}")
_WORD = re.compile(r"[A-Za-z]{1,16}")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,24}")
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}")
_NAME = re.compile(r"[^\s\0<>&\"'`=]{1,100}")
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
_IMAGE_DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
_IMAGE_CHARS_MAX = 200_000
_DEPTH_MAX = 200
_HINTS_MAX = 8
"""Pieces of a segment that show its whole hint; later ones show the first line."""
_ALT_CHARS = 60
_OWN = "templ-"
"""Beginning of the ids and classes of the report; a page has none of them."""

FRAME_STYLE = """
:where(html) { background: #fff; color: #222; font: 15px/1.4 system-ui, sans-serif; }
:where(body) { margin: 8px; overflow-wrap: anywhere; }
.templ-body, .templ-html { display: block; min-width: 0 !important; max-width: 100%; }
.templ-k, .templ-r, .templ-c, .templ-n { all: unset !important;
  font-size: max(1em, 11px) !important; line-height: 1.35 !important; color: #10151a !important; }
.templ-k { background: #cdeccf !important; box-shadow: 0 0 0 1px #7cc28a !important; }
.templ-r { background: #f7d3cc !important; box-shadow: 0 0 0 1px #dc9a8d !important; }
.templ-c { background: #f7d3cc !important; text-decoration: line-through #b03a24 !important;
  box-shadow: 0 0 0 1px #b03a24 !important; }
.templ-n { background: #eceff2 !important; }
.templ-u { background: #f6ecb8 !important; }
.templ-r.templ-u { text-decoration: underline dotted #b03a24 !important; }
.templ-i { display: inline-block; min-width: 1em; padding: 0 .3em; font: 11px/1.4 sans-serif;
  color: #445; background: repeating-linear-gradient(45deg, #e8ecf0 0 6px, #f4f6f8 6px 12px);
  border: 1px solid #ccd3da; }
:target { outline: 3px solid #0b62c4 !important; }
"""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How a segment is shown."""

    kept: bool
    is_unsure: bool
    """Whether the decision was close."""
    groups: tuple[str, ...]
    """Names of the filters that show the segment."""
    hint: str
    """What is shown on hover."""


def frame_document(
    events: Sequence[FrameEvent],
    marks: Sequence[Mark],
    filters: Sequence[str],
    sheets: Sequence[str] = (),
) -> str:
    """Return the document of the frame.

    Its segments have the ids `templ-s0` and so on. Where its address ends in `#templ-only-` and the name of a
    filter, segments without this group are pale.

    Args:
        events: The page.
        marks: How each segment is shown.
        filters: Names of the filters, of letters, digits and dashes.
        sheets: Style sheets of the page.
    """
    group_classes = {name: f"templ-{number}" for number, name in enumerate(filters)}
    rules = "".join(
        f"#templ-only-{name}:target ~ div .templ-s:not(.{group}){{opacity:.18!important}}"
        for name, group in group_classes.items()
    )
    targets = "".join(f'<i id="templ-only-{name}" hidden></i>' for name in filters)
    body = _Writer(marks, group_classes).body(events)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>Page</title><style>{harmless_sheet(sheets)}</style>"
        f"<style>{FRAME_STYLE}{rules}</style></head><body>{targets}<div>{body}</div></body></html>"
    )


class _Writer:
    """Writes a page anew from elements, attributes and text that are harmless."""

    def __init__(self, marks: Sequence[Mark], group_classes: Mapping[str, str]) -> None:
        self._marks = marks
        self._group_classes = group_classes
        self._pieces: Counter[int] = Counter()
        self._out: list[str] = []
        self._open: list[str | None] = []
        self._depth = 0

    def body(self, events: Sequence[FrameEvent]) -> str:
        """Return the markup of a page; every element that it opens is closed."""
        for event in events:
            match event:
                case Piece():
                    self._text(event)
                case Start():
                    self._start(event)
                case End():
                    self._end()
        while self._open:
            self._end()
        return "".join(self._out)

    def _start(self, start: Start) -> None:
        tag = _written_tag(start.tag)
        if start.tag == "img":
            self._out.append(_image(start.attributes))
        if tag is None or self._depth >= _DEPTH_MAX:
            self._open.append(None)
            return
        self._out.append(f"<{tag}{_attributes(start)}>")
        if tag in _VOID:
            self._open.append(None)
            return
        self._depth += 1
        self._open.append(tag)

    def _end(self) -> None:
        tag = self._open.pop()
        if tag is not None:
            self._depth -= 1
            self._out.append(f"</{tag}>")

    def _text(self, piece: Piece) -> None:
        text = escape(piece.text.replace("\0", ""))
        if not piece.text.strip():
            self._out.append(text)
            return
        if piece.segment is None:
            self._out.append(f'<span class="templ-n">{text}</span>')
            return
        mark = self._marks[piece.segment]
        kind = "c" if piece.is_cut and mark.kept else "k" if mark.kept else "r"
        classes = [f"templ-{kind}", "templ-s", *(self._group_classes[name] for name in mark.groups)]
        if mark.is_unsure and kind != "c":
            classes.insert(1, "templ-u")
        number = self._pieces[piece.segment]
        self._pieces[piece.segment] += 1
        name = "" if number else f' id="templ-s{piece.segment}"'
        hint = mark.hint if number < _HINTS_MAX else mark.hint.partition("\n")[0]
        self._out.append(
            f'<span{name} class="{" ".join(classes)}" title="{escape(hint)}">{text}</span>'
        )


def _written_tag(tag: str) -> str | None:
    """Return the element that stands for one of the page; None for none."""
    if tag in ELEMENTS:
        return tag
    if tag in _GONE or tag == "img":
        return None
    return _AS_INLINE.get(tag, _AS_BLOCK)


def _attributes(start: Start) -> str:
    found: list[tuple[str, str]] = []
    classes = [_ROOTS[start.tag]] if start.tag in _ROOTS else []
    for name, value in start.attributes.items():
        if name == "class":
            classes += [one for one in value.split() if _is_free_name(one)]
        elif name == "id" and _is_free_name(value):
            found.append(("id", value))
        elif name == "style":
            style = harmless_style(value)
            if style:
                found.append(("style", style))
        elif name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value.strip()):
            found.append((name, value.strip()))
    if classes:
        found.append(("class", " ".join(classes)))
    if start.tag == "details":
        found.append(("open", ""))
    return "".join(f' {name}="{escape(value)}"' for name, value in found)


def _is_free_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not name.lower().startswith(_OWN)


def _image(attributes: Mapping[str, str]) -> str:
    """Return an image whose data is in the page, else a box with its description."""
    source = attributes.get("src", "").strip()
    if len(source) <= _IMAGE_CHARS_MAX and _IMAGE_DATA.fullmatch(source):
        sizes = "".join(
            f' {name}="{attributes[name].strip()}"'
            for name in ("width", "height")
            if _SIZE.fullmatch(attributes.get(name, "").strip())
        )
        return f'<img src="{escape(source)}" alt=""{sizes}>'
    alt = " ".join(attributes.get("alt", "").split())[:_ALT_CHARS]
    return f'<span class="templ-i">{escape(alt) or "image"}</span>'
