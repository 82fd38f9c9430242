"""The columns of a page, made by a simple walk over lxml's elements; `page_columns` must return the same."""

import re

from lxml import etree

from templ_core.dom.tags import INLINE, INVISIBLE, SPACE_AFTER

_ATTRIBUTES = ("id", "class", "role", "itemprop")
_HIDING_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD = re.compile(r"\w")
_PAGE_LINKS = ("#", "javascript:")
_NODE_COLUMNS = ("element_type", "depth", "parent", "end", "hidden", "images")
_SEGMENT_COLUMNS = (
    "owner", "inline_from", "inline_to", "links", "link_chars", "external_links", "page_links",
)  # fmt: skip


class SlowPageColumns:
    """Builds the columns of a page in one walk of the tree."""

    def __init__(self, root, host):
        self._host = host
        self._nodes = []
        self._segments = []
        self._open_nodes = []
        self._buffer = []
        self._links = {}
        self._invisible = 0
        self._flush()
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._enter(element)
            else:
                if event == "end":
                    self._leave(element.tag)
                if not self._invisible:
                    self._add(element.tail)
        self._flush()

    def _is_open(self, *tags):
        return any(self._tag(node) in tags for node in self._open_nodes)

    def _tag(self, node):
        return self._nodes[node]["element_type"][0]

    def _blocks(self):
        return [node for node in self._open_nodes if self._tag(node) not in INLINE]

    def _enter(self, element):
        tag = element.tag
        if tag not in INLINE and not self._invisible:
            self._flush()
        if self._invisible or tag in INVISIBLE:
            self._invisible += 1
            return
        self._open_node(element)
        if tag not in INLINE:
            self._run_start = len(self._nodes)
        elif tag == "a":
            self._open_link(element.get("href") or "")
        elif tag == "br":
            self._break_line()
        elif tag == "img" and self._blocks():
            self._nodes[self._blocks()[-1]]["images"] += 1
        self._add(element.text)

    def _open_node(self, element):
        values = [element.get(name) or "" for name in _ATTRIBUTES]
        is_hidden = element.get("hidden") is not None or element.get("aria-hidden") == "true"
        self._open_nodes.append(len(self._nodes))
        self._nodes.append(
            {
                "element_type": (element.tag, "\n".join([*values, ""]) if any(values) else ""),
                "depth": len(self._open_nodes) - 1,
                "parent": self._open_nodes[-2] if self._open_nodes[1:] else -1,
                "hidden": int(is_hidden or bool(_HIDING_STYLE.search(element.get("style") or ""))),
                "images": 0,
            }
        )

    def _open_link(self, href):
        self._links["links"] += 1
        if href.startswith(("http:", "https:", "//")):
            authority = href.partition("//")[2].partition("/")[0]
            self._links["external_links"] += authority.lower() != self._host
        elif href.startswith(_PAGE_LINKS):
            self._links["page_links"] += 1

    def _leave(self, tag):
        if self._invisible:
            self._invisible -= 1
            return
        if tag not in INLINE:
            self._flush()
        elif tag in SPACE_AFTER:
            self._buffer.append(" ")
        self._nodes[self._open_nodes.pop()]["end"] = len(self._nodes)

    def _add(self, text):
        if not text:
            return
        self._buffer.append(text)
        if self._is_open("a"):
            self._links["link_chars"] += sum(map(len, text.split()))
        if not text.isspace():
            self._after_break = False

    def _break_line(self):
        if self._after_break and not self._is_open("pre"):
            self._flush()
        else:
            self._buffer.append("\n" if self._is_open("pre") else "\v")
            self._after_break = True

    def _flush(self):
        """End the current segment, if it holds a word."""
        text = "".join(self._buffer)
        if _WORD.search(text):
            self._segments.append(
                {
                    "text": text.strip("\r\n") if self._is_open("pre") else _collapse(text),
                    "owner": self._blocks()[-1] if self._blocks() else 0,
                    "inline_from": self._run_start,
                    "inline_to": len(self._nodes),
                    **self._links,
                }
            )
        self._buffer = []
        open_links = sum(self._tag(node) == "a" for node in self._open_nodes)
        self._links = {"links": open_links, "link_chars": 0, "external_links": 0, "page_links": 0}
        self._run_start = len(self._nodes)
        self._after_break = False

    def columns(self):
        """Return element types, columns of nodes, texts and columns of segments, as `page_columns` does."""
        element_types = list(dict.fromkeys(node["element_type"] for node in self._nodes))
        numbers = {pair: number for number, pair in enumerate(element_types)}
        nodes = [node | {"element_type": numbers[node["element_type"]]} for node in self._nodes]
        return (
            element_types,
            {name: [node[name] for node in nodes] for name in _NODE_COLUMNS},
            [segment["text"] for segment in self._segments],
            {name: [segment[name] for segment in self._segments] for name in _SEGMENT_COLUMNS},
        )


def _collapse(text):
    r"""Return `text` with each run of white space as one blank, line breaks (`\v`) as line feeds."""
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
        if text.strip():
            return " ".join(text.split())
    return ""
