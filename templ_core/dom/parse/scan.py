"""Linear scan of markup, before it is parsed, for what would stall the parser or lose text.

The parser (libxml2) compares every attribute of a tag with all others, walks the whole stack of
open elements for a stray end tag, gives up the rest of a document that nests 2048 deep, begins a
second document after `</html>`, and takes all that follows an unclosed comment or title for a part
of it. Markup that does none of this passes after a few searches; the rest is repaired so that no
text is lost, where need be tag by tag (`templ_core.dom.parse.repair`). All markup is UTF-8.
"""

import re

from templ_core.dom.config import ScanConfig
from templ_core.dom.decode._bytes import windows_without_tags
from templ_core.dom.parse.repair import flatten_markup, has_more_attributes, refuse_more

_CONFIG = ScanConfig()


def scan_markup(markup: bytes, config: ScanConfig = _CONFIG) -> bytes:
    """Return the markup, repaired where the parser would stall or lose text without a report.

    What the parser reports itself, a too great depth and a second root element, is left to the
    caller, who then calls `flatten_markup` or `join_documents` and parses again.

    Args:
        markup: Markup of a page in UTF-8.
        config: What the parser is trusted with.

    Raises:
        HostilePage: There are too many elements or tags.
    """
    markup = _with_comments_ended(_with_title_ended(markup))
    return flatten_markup(markup, config) if _stalls(markup, config) else markup


def needs_repair(markup: bytes, config: ScanConfig = _CONFIG) -> bool:
    """Return whether `scan_markup` would change the markup.

    Raises:
        HostilePage: There are too many elements.
    """
    is_whole = _with_comments_ended(_with_title_ended(markup)) is markup
    return not is_whole or _stalls(markup, config)


_DOCUMENT_ENDS = re.compile(rb"</(?:html|body)\b[^<>]*+>", re.IGNORECASE)


def join_documents(markup: bytes) -> bytes:
    """Return the markup without end tags of `html` and `body`: what follows belongs to the page."""
    return _DOCUMENT_ENDS.sub(b"", markup)


# --- what never ends ------------------------------------------------------------------------

_TITLE_START = re.compile(rb"<title\b[^<>]*+>", re.IGNORECASE)
_NEXT_TAG = re.compile(rb"<[a-zA-Z/!]")


def _with_title_ended(markup: bytes) -> bytes:
    """Return the markup with an end tag for a title that is not ended before the next tag."""
    at = markup.find(b"<title")
    at = at if at >= 0 else markup.find(b"<TITLE")
    start = _TITLE_START.match(markup, at) if at >= 0 else None
    if start is None:
        return markup
    end = markup.find(b"</", start.end())
    if end >= 0 and markup[end + 2 : end + 7].lower() == b"title":
        return markup
    tag = _NEXT_TAG.search(markup, start.end())
    if tag is None:
        return markup
    return b"</title>".join((markup[: tag.start()], markup[tag.start() :]))


def _with_comments_ended(markup: bytes) -> bytes:
    """Return the markup with unclosed comments ended at their next `>`, as old browsers did."""
    last = markup.rfind(b"<!--")
    if last < 0 or markup.find(b"-->", last) >= 0:
        return markup
    written = markup.rfind(b"-->") + 1
    pieces = [markup[:written]]
    while (start := markup.find(b"<!--", written)) >= 0 and (
        end := markup.find(b">", start + 4)
    ) >= 0:
        pieces.append(markup[written:end])
        if markup[end - 3 : end] != b"--!":
            pieces.append(b"--")
        written = end
    return b"".join([*pieces, markup[written:]])


# --- what stalls the parser -----------------------------------------------------------------

_TAG_START = re.compile(rb"<[a-zA-Z]")
_TAG = re.compile(rb"<[a-zA-Z](?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?")


def _stalls(markup: bytes, config: ScanConfig) -> bool:
    if len(markup) > config.large_bytes:
        marks = markup.count(b"<")
        if marks > config.harmless_tags and _is_tangled(markup, marks, config):
            return True
    return _has_long_tag(markup, config)


def _is_tangled(markup: bytes, marks: int, config: ScanConfig) -> bool:
    """Return whether too many elements are open at once, or may be compared with end tags."""
    closing = markup.count(b"</")
    opening = marks - closing
    if opening > config.elements_max:
        refuse_more(markup, config.elements_max, _TAG_START, "elements")
    highest = opening
    if opening > config.trusted_depth:
        highest = _most_open(markup, opening, config)
    return highest > config.trusted_depth or highest * closing > config.steps_max


def _most_open(markup: bytes, opening: int, config: ScanConfig) -> int:
    """Return how many elements may be open at once; stop counting beyond the trusted depth.

    Start tags minus end tags are counted piece by piece. Elements without end tags count as open,
    which errs on the safe side.
    """
    size = max(len(markup) * config.tags_per_piece // opening, 64)
    is_open = highest = 0
    for start in range(0, len(markup), size):
        closes = markup.count(b"</", start, start + size + 1)
        opens = markup.count(b"<", start, start + size) - closes
        highest = max(highest, is_open + opens)
        if highest > config.trusted_depth:
            break
        is_open = max(is_open + opens - closes, 0)
    return highest


def _has_long_tag(markup: bytes, config: ScanConfig) -> bool:
    """Return whether a tag has more attributes than allowed.

    A tag as long as two windows fills one in which no tag begins or none ends; only these are read.
    """
    is_very_large = len(markup) >= config.very_large_bytes
    size = config.tag_window_bytes_very_large if is_very_large else config.tag_window_bytes
    seen = 0
    for start in windows_without_tags(markup, size):
        begin = markup.rfind(b"<", max(start - size, 0), start + 1) if start >= seen else -1
        tag = _TAG.match(markup, begin) if begin >= 0 else None
        if tag is not None:
            seen = tag.end()
            if seen > start and has_more_attributes(tag[0].decode(), config.attributes_max):
                return True
    return False
