"""The hashes of an element type, written for reading and not for speed."""

import hashlib
import re

_DIGITS = re.compile(r"\d+")
_DIGITS_AND_DASHES = re.compile(r"[\d_-]*\d[\d_-]*")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)


def slow_hashes(tag: str, attributes: str) -> list[int]:
    """Return the columns TAG, STEM and STYLE."""
    texts = tag, _stem(tag, attributes[:512]), _style(tag, attributes)
    digests = (
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts
    )
    return [int.from_bytes(digest, "little") for digest in digests]


def _stem(tag: str, attributes: str) -> str:
    name, _, rest = attributes.partition("\n")
    name = _DIGITS.sub("", name)
    classes = [
        _DIGITS.sub("", one)
        for one in rest.partition("\n")[0].split()
        if _PASSING.match(one) is None
    ]
    marked = [f"#{name}"] if 2 <= len(name) < 40 else []
    return "".join([tag, *marked, *(f".{one}" for one in classes[:2])])


def _style(tag: str, attributes: str) -> str:
    classes = attributes.partition("\n")[2].partition("\n")[0].split()
    if tag == "html" or not classes:
        return tag
    return f"{tag}.{_DIGITS_AND_DASHES.sub('', classes[0])}"
