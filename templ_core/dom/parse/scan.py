"""Linear scan of markup, before it is parsed, for what would stall the parser.

The parser (libxml2) compares every attribute of a tag with all others and walks the whole stack of
open elements for a stray end tag. Markup that does neither passes after a few searches; the rest is
repaired tag by tag (`templ_core.dom.parse.repair`). All markup is UTF-8.
"""

import re
from itertools import islice

from templ_core.dom.config import ScanConfig
from templ_core.dom.decode._bytes import stray_end_tag_steps, windows_without_tags
from templ_core.errors import HostilePage
from templ_core.patterns import pattern

_CONFIG = ScanConfig()

_TAG_START = pattern(rb"<[a-zA-Z]")
_TAG_NAME = pattern(r"</?[a-zA-Z][^\s/>]*+")
_ATTRIBUTE = pattern(r"[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+")
_TAG = pattern(rb"<[a-zA-Z](?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?")


def stalls_parser(markup: bytes, config: ScanConfig = _CONFIG) -> bool:
    """Return whether the parser would stall, so that the markup has to be repaired.

    A too great depth is no reason: the parser reports that by itself.

    Args:
        markup: Markup of a page in UTF-8, as `strip_markup` leaves it.
        config: What the parser is trusted with.

    Raises:
        HostilePage: There are too many elements.

    >>> stalls_parser(b"<p " + b" ".join(b"a%d" % n for n in range(2000)) + b">text")
    True
    """
    if len(markup) > config.large_bytes:
        marks = markup.count(b"<")
        if marks > config.harmless_tags and _is_tangled(markup, marks, config):
            return True
    return _has_long_tag(markup, config)


def refuse_more(utf8: bytes, most: int, tag: re.Pattern[bytes], what: str) -> None:
    """Refuse markup with too many tags.

    Args:
        utf8: Markup in UTF-8.
        most: Largest number of tags allowed.
        tag: Pattern of the beginning of a tag.
        what: What the tags are, for the error's message.

    Raises:
        HostilePage: There are more than `most`.
    """
    if utf8.count(b">") > most and next(islice(tag.finditer(utf8), most, None), None):
        raise HostilePage(f"more than {most} {what}")


def end_of_tag(text: str, start: int, end: int, most: int) -> int:
    """Return where a tag has to be cut: at its end unless it has more than `most` attributes.

    Args:
        text: Markup.
        start: Where the tag begins.
        end: Where it is over.
        most: Largest number of attributes of a tag.

    >>> tag = "<p a=1 b=2 c=3>"
    >>> tag[: end_of_tag(tag, 0, len(tag), 2)]
    '<p a=1 b=2'
    """
    name = _TAG_NAME.match(text, start)
    attributes = _ATTRIBUTE.finditer(text, name.end() if name else start + 1, end)
    last = next(islice(attributes, most - 1, None), None)
    if last is None or next(attributes, None) is None:
        return end
    return last.end()


def _is_tangled(markup: bytes, marks: int, config: ScanConfig) -> bool:
    """Return whether too many open elements may be compared with end tags."""
    closing = markup.count(b"</")
    opening = marks - closing
    elements_max = max(config.elements_max, len(markup) // config.element_bytes_min)
    if opening > elements_max:
        refuse_more(markup, elements_max, _TAG_START, "elements")
    return (
        opening * closing > config.steps_max
        and stray_end_tag_steps(markup, config.parser_depth) > config.steps_max
    )


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
            text = tag[0].decode()
            if seen > start and end_of_tag(text, 0, len(text), config.attributes_max) < len(text):
                return True
    return False
