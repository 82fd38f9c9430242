"""A digest of the sources and data files that decide a page's text.

`setup.py` runs this file by its path, so it may import nothing but the standard library.
"""

import functools
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

DIGEST_FILE = "source_digest.txt"
"""Name of the file in a wheel that holds the digest of the sources it was built from."""

_TEXT = (".py", ".pyx", ".pxd", ".json")
_BINARY = (".bin",)
_SKIPPED = frozenset({"lab", "__pycache__"})
_DIGEST_BYTES = 16


@functools.cache
def installed_digest() -> str:
    """Return the digest of the sources of this installation, in hexadecimal; computed once.

    >>> len(installed_digest())
    32
    """
    from importlib import resources  # noqa: PLC0415 - it takes a while to import, and few processes need it

    return digest_of(resources.files("templ_core"))


def digest_of(package: "Traversable") -> str:
    """Return the digest that the build has put into a package, else that of the package's sources.

    A build puts it into the wheel only, so the digest of a checkout cannot be out of date.

    Args:
        package: The folder of `templ_core`, in a checkout or as installed.
    """
    built = package.joinpath(DIGEST_FILE)
    return built.read_text("ascii") if built.is_file() else source_digest(package)


def source_digest(package: "Traversable") -> str:
    """Return the BLAKE2b-128 of a package's sources and data files, in hexadecimal.

    The laboratory, type stubs, documentation and the line endings of text do not count.

    Args:
        package: The folder of the package's sources.
    """
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for name, body in sorted(_files(package, "")):
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return digest.hexdigest()


def _files(folder: "Traversable", prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = prefix + entry.name
        if entry.is_dir():
            if name not in _SKIPPED:
                yield from _files(entry, name + "/")
        elif name.endswith(_BINARY):
            yield name, entry.read_bytes()
        elif name.endswith(_TEXT):
            yield name, entry.read_bytes().replace(b"\r\n", b"\n")
