"""The columns of a page, made by a simple walk over lxml's elements; `page_columns` must return the same."""

import re

from lxml import etree

from templ_core.dom.tags import (
    ANCHORS,
    BLOCKS,
    CONTROLS,
    EMPTY,
    HEADING_LEVELS,
    INLINE,
    INVISIBLE,
    PHRASES,
    SPACE_AFTER,
    STANDS_ALONE,
    WHOLE_PAGE,
)

_ATTRIBUTES = ("id", "class", "role", "itemprop")
_HIDING_STYLE = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|clip\s*:\s*rect\(\s*(?:[01](?:px)?(?:\s|,)*){4}\)|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:left|top|text-indent)\s*:\s*-(?:\d{4,}px|\d{3,}r?em))",
    re.IGNORECASE,
)
_POINT = tuple(
    re.compile(rf"(?<![\w-]){name}\s*:\s*{value}", re.IGNORECASE)
    for name, value in (("width", "[01]px"), ("height", "[01]px"), ("overflow", "hidden"))
)
_NOTHING = r"[.0]+(?:px|r?em|pt|%)?\s*(?:!\s*important\s*)?(?:;|\Z)"
_FADING = re.compile(
    rf"(?<![\w-])(?:opacity\s*:\s*{_NOTHING}|transform\s*:\s*scale\(\s*[.0]+\s*(?:,\s*[.0]+\s*)?\)"
    r"|content-visibility\s*:\s*hidden|clip-path\s*:\s*circle\(\s*[.0]+(?:px|%)?\s*[)a])",
    re.IGNORECASE,
)
_MOTION = re.compile(r"transition|animation|will-change|translate|filter", re.IGNORECASE)
_CLIPPED = re.compile(r"(?<![\w-])overflow(?:-y)?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_FLAT = re.compile(rf"(?<![\w-])(?:max-)?height\s*:\s*{_NOTHING}", re.IGNORECASE)
_BOX = re.compile(
    r"(?<![\w-])(?:display\s*:\s*(?!inline\s*(?:[;!]|\Z))|position\s*:\s*(?:absolute|fixed)|float\s*:\s*[lr])",
    re.IGNORECASE,
)
_NO_FONT = re.compile(
    rf"(?<![\w-])(?:font-size\s*:\s*{_NOTHING}|font\s*:\s*[.0]+(?:px)?[\s/])", re.IGNORECASE
)
_DISPLAY = re.compile(
    r"(?<![\w-])display\s*:\s*(?:(?P<cell>table-cell)|(?P<block>block|flex|grid|flow-root|list-item|table(?:-row)?))"
    r"\s*(?:[;!]|\Z)",
    re.IGNORECASE,
)
_ROW = re.compile(r"(?<![\w-])display\s*:\s*table-row\s*(?:[;!]|\Z)", re.IGNORECASE)
_HIDDEN_CHARS_MAX = 300
_FOR_SCREEN_READERS = re.compile(
    r"(?<!\S)(?!not-)[\w-]*(?:off-?screen|(?:sr[-_]?only|sr[-_]?text|visually[-_]?hidden|hidden-visually|readers?-only"
    r"|hidden-accessible|screen-?(?:reader|only)(?:-?only)?|a(?:11|ll)y-(?:hidden|text|only)|accessib(?:ly|ility|le)-hidden|show-for-sr|assistive-text|element-invisible|mw-editsection)"
    r"(?:[s_-][\w-]*)?)(?!\S)",
    re.IGNORECASE,
)
_HIDDEN_CLASS = re.compile(
    r"(?<!\S)(?:hidden|is-hidden|d-none|hide|invisible|ng-hide|uk-hidden|w3-hide|display-none|u-hide|hiddenStructure)(?!\S)"
)
_SHOWING_CLASS = re.compile(r"(?<!\S)(?:[\w-]+:\S|d-\w+-\w+|(?:visible|show)-\S)")
_DIALOG = re.compile(
    r"(?<![a-z])(modal|popup|pop-up|dialog|alertdialog|lightbox|overlay|offcanvas|off-canvas)(?![a-z])",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?s:(?:(?!tooltip).)*)tooltip[-_t]")
_WORD = re.compile(r"\w")
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_OF_ROW = ("td", "th", "dt")
_PAGE_LINKS = ("#", "javascript:")
_NODE_COLUMNS = ("element_type", "depth", "parent", "end", "hidden", "images")
_SEGMENT_COLUMNS = (
    "owner", "inline_from", "inline_to", "links", "link_chars", "external_links", "page_links",
)  # fmt: skip
_COUNTS = _SEGMENT_COLUMNS[3:]
_SIGN_COLUMNS = ("owner", "inline_from", "before")
_SEAM = "\ue000"
"""Stands where two words may not meet."""
_LETTER = r"[^\W\U00020000-\U0010ffff]"
_BULLETS = "\u2022\u25cf\u25aa\u25e6\u2023"


class _Holder:
    """An element that is a block, or that may be one: the text around it decides."""

    def __init__(self, node, tag, is_part):
        self.node, self.tag, self.is_part = node, tag, is_part
        self.own_pieces = []
        self.holds_block = False
        self.unseen = self.without_font = 0
        self.hides = self.needs_no_elements = False
        self.before = ()


class _Piece:
    """A stretch of a run's text that one holder has."""

    def __init__(self, owner, inline_from, open_links):
        self.owner, self.inline_from, self.inline_to = owner, inline_from, None
        self.open_links = open_links
        self.texts = []
        self.counts = dict.fromkeys(_COUNTS, 0)
        self.goes_on = False


class SlowPageColumns:
    """Builds the columns of a page in one walk of the tree."""

    def __init__(self, root, host):
        self._host = host
        self._nodes = []
        self._segments, self._signs = [], []
        self._open = []
        self._holders = []
        self._invisible = self._open_links = self._images = 0
        self._begin_run()
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._enter(element)
            else:
                if event == "end":
                    self._leave(element.tag)
                if not self._invisible:
                    self._add(element.tail)
        self._flush()

    @property
    def _piece(self):
        return self._pieces[-1]

    def _block(self):
        return self._holders[-1].node if self._holders else -1

    def _is_in_pre(self):
        return any(holder.tag == "pre" for holder in self._holders)

    def _enter(self, element):
        tag = element.tag
        if self._invisible or tag in INVISIBLE:
            self._invisible += 1
            return
        kind = self._kind(tag)
        if kind == "block":
            self._flush()
        style = element.get("style") or ""
        is_unseen = (
            element.get("hidden", "until-found") != "until-found"
            or element.get("popover") is not None
            or bool(_HIDING_STYLE.search(style))
            or all(one.search(style) for one in _POINT)
        )
        names = " ".join(element.get(name) or "" for name in ("class", "id", "role"))
        is_closed_dialog = kind != "inline" and is_unseen and _DIALOG.search(names)
        if is_closed_dialog or (tag == "dialog" and element.get("open") is None):
            self._invisible += 1
            return
        fading = _fading(style)
        node = len(self._nodes)
        self._open_node(element, is_hidden=is_unseen)
        is_hidden = is_unseen
        hides = (is_unseen or fading) and not any(
            element.get(name) for name in ("id", "class", "role")
        )
        hides = hides and not _ROW.search(style) and tag not in WHOLE_PAGE | {"tr", "li"}
        is_without_font = fading == "font" and not is_unseen
        is_unseen |= _hides(element.get("class") or "")
        is_unseen |= fading == "fades"
        mark = {"kind": kind, "node": node, "tag": tag, "start": len(self._text()), "after": ""}
        mark["run"], mark["piece"] = self._pieces, self._piece
        self._open.append(mark)
        if self._holders:
            mark["outer_unseen"] = self._holders[-1].unseen, self._holders[-1].without_font
        if kind != "inline":
            in_text = tag == "noscript" and bool(_collapse(self._run()))
            self._enter_holder(mark, unseen=int(kind == "part" and (is_unseen or in_text)))
            if kind == "block":
                holder = self._holders[-1]
                holder.hides, holder.needs_no_elements = hides, is_without_font
                holder.before = len(self._segments), len(self._signs), self._images
        elif tag == "a":
            self._open_link(element.get("href") or "", mark)
        elif tag == "br":
            self._break_line()
        elif tag == "img" and self._block() >= 0:
            self._nodes[self._block()]["images"] += 1
        elif element.get("role") == "tooltip" or _NOTE.match(element.get("class") or ""):
            mark["after"] = " "
            self._keep_apart()
        elif tag == "rt":
            self._open_bracket(mark)
        may_break = kind == "inline" and tag not in {"img", "br"} and not (is_hidden or fading)
        display = _DISPLAY.search(style) if may_break else None
        if display and display["cell"]:
            mark["after"] = " "
            self._keep_apart()
        elif display:
            mark["after"] = "\n"
            self._begin_line()
        if kind == "inline" and tag != "img" and self._holders:
            holder = self._holders[-1]
            if fading != "font" and (element.get("class") is not None or "font" in style):
                holder.without_font = 0
            if is_unseen:
                holder.unseen += 1
            elif is_without_font:
                holder.without_font = 1
        self._images += tag == "img"
        if tag == "sup":
            self._in_power = True
        self._add(element.text)

    def _kind(self, tag):
        if tag in BLOCKS:
            return "block"
        if tag in STANDS_ALONE:
            return "part"
        is_known = tag in INLINE or tag in EMPTY
        in_phrases = bool(self._holders) and self._holders[-1].tag in PHRASES
        return "inline" if is_known or ":" in tag or in_phrases else "part"

    def _open_node(self, element, *, is_hidden):
        values = [element.get(name) or "" for name in _ATTRIBUTES]
        if not values[2] and _ROW.search(element.get("style") or ""):
            values[2] = "row"
        self._nodes.append(
            {
                "element_type": (element.tag, "\n".join([*values, ""]) if any(values) else ""),
                "depth": len(self._open),
                "parent": self._open[-1]["node"] if self._open else -1,
                "hidden": int(is_hidden or element.get("aria-hidden") == "true"),
                "images": 0,
            }
        )

    def _enter_holder(self, mark, *, unseen):
        holder = _Holder(mark["node"], mark["tag"], mark["kind"] == "part")
        if holder.is_part:
            if mark["tag"] in CONTROLS or mark["tag"] in SPACE_AFTER:
                self._keep_apart()
            self._begin_piece(mark["node"], mark["node"] + 1, mark["node"])
        holder.unseen = unseen
        self._holders.append(holder)
        if not holder.is_part:
            self._piece.inline_from = len(self._nodes)
            self._piece.owner = mark["node"]

    def _open_link(self, href, mark):
        self._open_links += 1
        self._piece.counts["links"] += 1
        mark["is_anchor"] = False
        if href.startswith(("http:", "https:", "//")):
            authority = href.partition("//")[2].partition("/")[0]
            self._piece.counts["external_links"] += authority.lower() != self._host
        elif href.startswith(_PAGE_LINKS):
            self._piece.counts["page_links"] += 1
            mark["is_anchor"] = True

    def _open_bracket(self, mark):
        text = _collapse(self._run())
        if self._is_unseen() or self._is_in_pre() or not text or text[-1] in "(\uff08":
            return
        self._end_with("(")
        mark["bracket"] = True

    def _leave(self, tag):
        if self._invisible:
            self._invisible -= 1
            if not self._invisible and tag in SPACE_AFTER:
                self._keep_apart()
            return
        mark = self._open.pop()
        self._nodes[mark["node"]]["end"] = len(self._nodes)
        if tag == "sup":
            self._in_power = False
        if tag == "a":
            self._open_links -= 1
            self._leave_anchor(mark)
        if mark["kind"] != "inline":
            self._leave_holder(mark)
            return
        if mark.get("bracket") and mark["run"] is self._pieces:
            if mark["piece"] is self._piece and _collapse(self._text()).endswith("("):
                self._piece.texts = [self._text()[: self._text().rindex("(")]]
            else:
                self._end_with(")")
        if tag in SPACE_AFTER or mark["after"] == " ":
            self._keep_apart()
        if mark["after"] == "\n":
            self._begin_line()
        if self._holders:
            self._holders[-1].unseen, self._holders[-1].without_font = mark["outer_unseen"]

    def _leave_anchor(self, mark):
        if not mark["is_anchor"] or self._is_in_pre() or mark["piece"] is not self._piece:
            return
        text = self._text()
        sign = text[mark["start"] :]
        around = self._holders[-1].tag if self._holders else ""
        is_anchor = around in _OF_ROW and _collapse(sign) in ANCHORS
        if sign and (is_anchor or (around in HEADING_LEVELS and not _WORD.search(sign))):
            kept = text[: mark["start"]]
            if _collapse(text) != _collapse(kept):
                self._piece.texts = [kept + " "]

    def _leave_holder(self, mark):
        holder = self._holders[-1]
        if holder.is_part and not holder.holds_block:
            if mark["tag"] in SPACE_AFTER:
                self._keep_apart()
            outer = self._holders[-2].node if self._holders[1:] else -1
            self._begin_piece(len(self._nodes), len(self._nodes), outer)
            self._holders.pop()
            self._join(holder)
            return
        self._flush()
        self._holders.pop()
        if holder.hides and holder.before[2] == self._images:
            self._forget(holder)
        self._piece.owner = self._block()

    def _forget(self, holder):
        segments, signs, _ = holder.before
        if holder.needs_no_elements and len(self._nodes) > holder.node + 1:
            return
        if sum(len(one["text"]) for one in self._segments[segments:]) <= _HIDDEN_CHARS_MAX:
            del self._segments[segments:], self._signs[signs:]

    def _is_unseen(self):
        return bool(self._holders) and bool(
            self._holders[-1].unseen or self._holders[-1].without_font
        )

    def _add(self, text):
        text = _UNSEEN.sub("", text or "")
        if not text or self._is_unseen():
            return
        if not self._is_in_pre():
            if self._in_power:
                self._in_power = False
                if re.search(r"[0-9]$", self._run()) and re.match("[0-9+\u2212-]", text):
                    self._piece.texts.append("^")
            before = _collapse(self._run())
            if not before and self._is_in_item():
                text = re.sub(rf"^\s*(?:[{_BULLETS}]|\u00b7(?!\S))", "", text)
            elif not before and re.match(rf"\s*[{_BULLETS}]{_LETTER}", text):
                bullet = re.search(rf"[{_BULLETS}]", text).end()
                text = f"{text[:bullet]} {text[bullet:]}"
            elif (
                before in tuple(_BULLETS)
                and self._run()[-1] in _BULLETS
                and re.match(_LETTER, text)
            ):
                text = " " + text
        self._piece.texts.append(text)
        if self._open_links:
            self._piece.counts["link_chars"] += sum(map(len, text.split()))
        if not text.isspace():
            self._after_break = False
            if self._holders:
                self._holders[-1].own_pieces.append(len(self._pieces) - 1)

    def _keep_apart(self):
        if not self._is_unseen():
            self._piece.texts.append(" " if self._is_in_pre() else _SEAM)

    def _text(self):
        return "".join(self._piece.texts)

    def _run(self):
        return "".join("".join(piece.texts) for piece in self._pieces)

    def _end_with(self, bracket):
        """Add a bracket right behind the last character that is not blank."""
        for piece in reversed(self._pieces):
            piece.texts = [re.sub(rf"[\s{_SEAM}]+$", "", "".join(piece.texts))]
            if piece.texts[0]:
                break
        self._piece.texts.append(bracket)

    def _break_line(self):
        if self._after_break and not self._is_in_pre():
            self._flush()
        else:
            self._piece.texts.append("\n" if self._is_in_pre() else "\v")
            self._after_break = True

    def _begin_line(self):
        if not self._is_unseen() and not self._is_in_pre():
            self._piece.texts.append("\v")

    def _is_in_item(self):
        if not self._holders:
            return False
        own, outer = self._holders[-1], self._holders[-2] if self._holders[1:] else None
        is_first = outer is not None and outer.tag == "li" and own.node == outer.node + 1
        return own.tag == "li" or is_first

    def _begin_run(self):
        self._pieces = [_Piece(self._block(), len(self._nodes), self._open_links)]
        self._after_break = False
        self._in_power = getattr(self, "_in_power", False)

    def _begin_piece(self, inline_to, inline_from, owner):
        is_blank = not (self._run() if self._is_in_pre() else _collapse(self._run()))
        if is_blank and len(self._pieces) == 1:
            self._piece.inline_from, self._piece.owner = inline_from, owner
            return
        self._piece.inline_to = inline_to
        self._pieces.append(_Piece(owner, inline_from, self._open_links))

    def _join(self, holder):
        """Join the pieces between the first and the last that are the holder's own."""
        if holder.own_pieces:
            for piece in self._pieces[holder.own_pieces[0] : holder.own_pieces[-1]]:
                piece.goes_on = True
        holder.own_pieces = []

    def _flush(self):
        """End the current run of text; keep what is shown of it."""
        for holder in reversed(self._holders):
            self._join(holder)
            if not holder.is_part:
                break
            holder.holds_block = True
        self._piece.inline_to = len(self._nodes)
        together = []
        for piece in self._pieces:
            together.append(piece)
            if not piece.goes_on:
                self._end_segment(together)
                together = []
        self._begin_run()

    def _end_segment(self, pieces):
        text = "".join("".join(piece.texts) for piece in pieces)
        if not _collapse(text):
            return
        text = text.strip("\r\n") if self._is_in_pre() else _collapse(text)
        counts = {name: sum(piece.counts[name] for piece in pieces) for name in _COUNTS}
        counts["links"] += pieces[0].open_links
        row = {
            "text": text,
            "owner": max(pieces[0].owner, 0),
            "inline_from": pieces[0].inline_from,
            "inline_to": pieces[-1].inline_to,
            **counts,
        }
        in_row = bool(self._holders) and self._holders[-1].tag in _OF_ROW
        if self._is_in_pre() or _WORD.search(text):
            self._segments.append(row)
        elif not counts["link_chars"] or (in_row and not counts["page_links"]):
            self._signs.append(row | {"before": len(self._segments)})

    def columns(self):
        """Return element types, columns of nodes, texts and columns of segments and signs, as `page_columns` does."""
        element_types = list(dict.fromkeys(node["element_type"] for node in self._nodes))
        numbers = {pair: number for number, pair in enumerate(element_types)}
        nodes = [node | {"element_type": numbers[node["element_type"]]} for node in self._nodes]
        return (
            element_types,
            {name: [node[name] for node in nodes] for name in _NODE_COLUMNS},
            [segment["text"] for segment in self._segments],
            {name: [segment[name] for segment in self._segments] for name in _SEGMENT_COLUMNS},
            [sign["text"] for sign in self._signs],
            {name: [sign[name] for sign in self._signs] for name in _SIGN_COLUMNS},
        )


def _fading(style):
    """Return how a style shows nothing of its element; empty if it shows it."""
    if _FADING.search(style):
        return "" if _MOTION.search(style) else "fades"
    if _CLIPPED.search(style) and _FLAT.search(style):
        return "fades" if _BOX.search(style) else "flattens"
    return "font" if _NO_FONT.search(style) else ""


def _hides(names):
    """Return whether classes hide text in a line."""
    if _FOR_SCREEN_READERS.search(names):
        return True
    return bool(_HIDDEN_CLASS.search(names)) and not _SHOWING_CLASS.search(names)


def _collapse(text):
    r"""Return `text` with each run of white space as one blank, line breaks (`\v`) as line feeds."""
    text = re.sub(rf"[\s{_SEAM}]*\s[\s{_SEAM}]*", lambda blanks: blanks[0].replace(_SEAM, ""), text)
    text = re.sub(f"{_SEAM}+", _SEAM, text)
    text = re.sub(rf"(?<=[a-zA-Z0-9\u0080-\U0010ffff]){_SEAM}(?={_LETTER})", " ", text)
    text = text.replace(_SEAM, "")
    if "\v" not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split("\v"))
    return "\n".join(line for line in lines if line)


def slow_title(root):
    """Return the first title that is not blank."""
    for element in root.iter("meta", "title"):
        if element.tag == "title":
            text = "".join(element.itertext())
        elif element.get("property") == "og:title":
            text = element.get("content") or ""
        else:
            continue
        text = " ".join(_UNSEEN.sub("", text).split())
        if text:
            return text
    return ""
