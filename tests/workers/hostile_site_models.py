"""Site models that nothing of ours has written."""

import msgspec
import zstandard

from templ_core.dom.document import parse_document
from templ_core.site_level.site_model_file import encode_site_model
from tests.templ_core.site_level.builders import site_model

SAYS_SIX_GIB = b"\x28\xb5\x2f\xfd\xc0\x58" + (6 << 30).to_bytes(8, "little") + b"\x01\x00\x00"
"""A zstd frame of 13 bytes that says that it holds 6 GiB."""
_BEYOND_INT64 = (1 << 64) - 1


def hostile_site_models():
    """Bodies of site models by what is wrong with them, and what is said of each."""
    page = parse_document("<p>A sentence of some words, and more.", "https://example.com/")
    body = encode_site_model(site_model([page, page]), 1 << 20)
    fields = msgspec.msgpack.decode(zstandard.decompress(body))
    keys, sums = fields[3][0]
    most = b"\xff" * 7 + b"\x7f" + sums[8:]
    return {
        "damaged": (b"damaged", "error when determining content size"),
        "6 GiB": (SAYS_SIX_GIB, "content of 6442450944 bytes, and 16777216 is the most"),
        "strings": (_framed([*fields[:6], b"\5\0", *fields[7:]]), "a string has no end"),
        "pages": (_framed([*fields[:2], _BEYOND_INT64, *fields[3:]]), "Expected `int` <= 1048576"),
        "sums": (
            _framed([*fields[:3], [(keys, most), *fields[3][1:]], *fields[4:]]),
            "column `paths` holds 9223372036854775807",
        ),
        "no table": (_framed([*fields[:3], [], *fields[4:]]), "Expected `array` of length >= 6"),
    }


def _framed(value):
    return zstandard.compress(msgspec.msgpack.encode(value))
