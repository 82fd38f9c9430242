"""The columns of a page, made by a simple walk over lxml's elements; `flatten` must return the same."""

import re

from templ_core.dom.tags import INLINE, INVISIBLE, SPACE_AFTER

_ATTRIBUTES = ("id", "class", "role", "itemprop")
_HIDING_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD = re.compile(r"\w")
_PAGE_LINKS = ("#", "javascript:")
_COUNTS = ("inline_from", "inline_to", "links", "link_chars", "external_links", "page_links")


class SlowFlattener:
    """Builds the columns of a page in one walk of the tree."""

    def __init__(self, host):
        self._host = host
        self._tags = []
        self._depth = []
        self._attributes = []
        self._hidden = []
        self._images = []
        self._texts = []
        self._owner = []
        self._counts = []
        self._blocks = []
        self._buffer = []
        self._links = self._link_chars = self._external = self._on_page = 0
        self._run_start = 0
        self._open_links = self._open_pre = self._invisible = self._open_nodes = 0
        self._after_break = False

    def walk(self, root):
        open_elements = []
        for element in root.iter():
            while open_elements and not open_elements[-1][1]:
                self._leave(open_elements.pop()[0])
            if open_elements:
                parent, left = open_elements[-1]
                open_elements[-1] = parent, left - 1
            self._enter(element)
            open_elements.append((element, len(element)))
        while open_elements:
            self._leave(open_elements.pop()[0])
        self._flush()

    def _enter(self, element):
        tag = element.tag
        if not isinstance(tag, str):
            return
        if self._invisible or tag in INVISIBLE:
            if tag not in INLINE and not self._invisible:
                self._flush()
            self._invisible += 1
            return
        inline = tag in INLINE
        if not inline:
            self._flush()
        self._open_node(element, tag)
        if not inline:
            self._blocks.append(len(self._tags) - 1)
            self._run_start = len(self._tags)
            self._open_pre += tag == "pre"
        elif tag == "a":
            self._open_link(element)
        elif tag == "br":
            self._break_line()
        elif tag == "img" and self._blocks:
            self._images[self._blocks[-1]] += 1
        if element.text:
            self._add(element.text)

    def _open_node(self, element, tag):
        self._tags.append(tag)
        self._depth.append(self._open_nodes)
        self._open_nodes += 1
        self._images.append(0)
        get = element.get
        if element.attrib:
            values = [get(name) or "" for name in _ATTRIBUTES]
            self._attributes.append("\n".join([*values, ""]) if any(values) else "")
            style = get("style")
            self._hidden.append(
                get("hidden") is not None
                or get("aria-hidden") == "true"
                or (style is not None and _HIDING_STYLE.search(style) is not None)
            )
        else:
            self._attributes.append("")
            self._hidden.append(False)

    def _open_link(self, element):
        self._open_links += 1
        self._links += 1
        href = element.get("href") or ""
        if href.startswith(("http:", "https:", "//")):
            authority = href.partition("//")[2].partition("/")[0]
            self._external += authority.lower() != self._host
        elif href.startswith(_PAGE_LINKS):
            self._on_page += 1

    def _leave(self, element):
        tag = element.tag
        if isinstance(tag, str):
            if self._invisible:
                self._invisible -= 1
            else:
                self._close(tag)
        if element.tail and not self._invisible:
            self._add(element.tail)

    def _close(self, tag):
        self._open_nodes -= 1
        if tag not in INLINE:
            self._flush()
            self._blocks.pop()
            self._open_pre -= tag == "pre"
        elif tag == "a":
            self._open_links -= 1
        elif tag in SPACE_AFTER:
            self._buffer.append(" ")

    def _add(self, text):
        self._buffer.append(text)
        if self._open_links:
            self._link_chars += sum(map(len, text.split()))
        if self._after_break and not text.isspace():
            self._after_break = False

    def _break_line(self):
        if self._after_break and not self._open_pre:
            self._flush()
        else:
            self._buffer.append("\n" if self._open_pre else "\v")
            self._after_break = True

    def _flush(self):
        """End the current segment, if it holds a word."""
        if self._buffer:
            text = "".join(self._buffer)
            if _WORD.search(text):
                self._texts.append(text.strip("\r\n") if self._open_pre else _collapse(text))
                self._owner.append(self._blocks[-1] if self._blocks else 0)
                counts = (
                    *(self._run_start, len(self._tags)),
                    *(self._links, self._link_chars, self._external, self._on_page),
                )
                self._counts.append(dict(zip(_COUNTS, counts, strict=True)))
            self._buffer = []
        self._links = self._open_links
        self._link_chars = self._external = self._on_page = 0
        self._run_start = len(self._tags)
        self._after_break = False

    def columns(self):
        """Return element types, columns of nodes, texts and columns of segments, as `flatten` does."""
        parents, ends, path = [], [0] * len(self._depth), []
        for node, level in enumerate(self._depth):
            for closed in path[level:]:
                ends[closed] = node
            del path[level:]
            parents.append(path[-1] if path else -1)
            path.append(node)
        for node in path:
            ends[node] = len(ends)
        pairs = list(zip(self._tags, self._attributes, strict=True))
        element_types = list(dict.fromkeys(pairs))
        nodes = {
            "element_type": [element_types.index(pair) for pair in pairs],
            "depth": self._depth,
            "parent": parents,
            "end": ends,
            "hidden": [int(one) for one in self._hidden],
            "images": self._images,
        }
        segments = {"owner": self._owner}
        segments |= {name: [row[name] for row in self._counts] for name in _COUNTS}
        return element_types, nodes, self._texts, segments


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
