"""The hashes of an element type, written for reading and not for speed."""

import hashlib
import re

_DIGITS = re.compile(r"\d+")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)


def slow_hashes(tag: str, attributes: str) -> list[int]:
    """Return the columns TAG and STEM."""
    texts = tag, _stem(tag, attributes[:512])
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
