"""Compression of a site's pages by zstd, with earlier pages of the site as the dictionary.

A site's first dictionary is made when four documents have arrived, and a new one whenever four times as many have
arrived since as the window held then. The pages that make up a dictionary are compressed again with it, which leaves
next to nothing of them; all others stay as they are, and each names its dictionary.
"""

import itertools
import threading
from collections.abc import Sequence
from functools import cached_property

import zstandard

from templ_core.stored.compact import compact_content, frame_content
from workers.lru_cache import LruCache
from workers.state.database import Database

FIRST_PACKING = 4
"""Documents that have entered a window when its first dictionary is made."""
PACKING_GROWTH = 4
"""A new dictionary is made when this many times the documents that the window held then have entered since."""
DICTIONARY_PAGES = 8
"""Newest pages of the window that make up a dictionary."""
_DICTIONARY_BYTES = 256 << 10
"""Largest dictionary."""
_PARAMETERS = zstandard.ZstdCompressionParameters.from_level(
    2, hash_log=14, write_content_size=True
)
"""Compression of pages. The search table of a dictionary is a quarter of what level 2 has, because other sites have
usually driven it out of the processor's cache when the next page of a site comes. Level 3 takes twice the time, and
what it stores of a page is 7 % smaller."""
_FRAME_LEVEL = 3
"""Compression level of dictionaries, and of plain frames that leave the store."""
_MAX_BYTES = 96 << 20
"""Largest content that is decompressed, as large as the largest document."""
_SITES_IN_MEMORY = 64
"""Sites whose dictionaries all stores of the process together keep in memory, about 1 MiB each."""


class _Frames(threading.local):
    """The compressor of one thread; making one takes longer than using it."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_FRAME_LEVEL)


_FRAMES = _Frames()


class Packer:
    """Compresses with a dictionary of raw content, and decompresses; safe to use from several threads."""

    def __init__(self, dictionary: bytes) -> None:
        """Take a dictionary; an empty one means compression without a dictionary."""
        self._dictionary = (
            zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            if dictionary
            else None
        )
        self._lock = threading.Lock()

    @cached_property
    def _compressor(self) -> zstandard.ZstdCompressor:
        return zstandard.ZstdCompressor(dict_data=self._dictionary, compression_params=_PARAMETERS)

    @cached_property
    def _decompressor(self) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor(dict_data=self._dictionary)

    def pack(self, content: bytes) -> bytes:
        """Return content compressed with the dictionary."""
        with self._lock:
            return self._compressor.compress(content)

    def content(self, packed: bytes) -> bytes:
        """Return the content of a value that was compressed with the dictionary.

        Raises:
            CodecError: It is no such value, or its content is too large.
        """
        with self._lock:
            return frame_content(packed, _MAX_BYTES, self._decompressor)


def plain_frame(content: bytes) -> bytes:
    """Return content as a plain zstd frame."""
    return _FRAMES.compressor.compress(content)


def content_of(form: bytes) -> bytes:
    """Return the content of a compact form, which may be compressed or not.

    Raises:
        CodecError: It is no compact form, or its content is too large.
    """
    return compact_content(form, _MAX_BYTES)


def joined_pages(contents: Sequence[bytes]) -> bytes:
    """Return a dictionary of pages; the newest come last, where references to them are shortest."""
    return b"".join(contents)[-_DICTIONARY_BYTES:]


_NO_DICTIONARY = Packer(b"")
_LOCK = threading.Lock()
_HOT: LruCache[tuple[int, str], dict[int, Packer]] = LruCache(_SITES_IN_MEMORY)
"""The packers in memory by number of the store and site, and then by dictionary; _LOCK guards them."""
_STORE_NUMBERS = itertools.count()


class Packers:
    """The packers of every site of a store; safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._number = next(_STORE_NUMBERS)

    def of(self, site: str, dictionary: int) -> Packer:
        """Return the packer of one of a site's dictionaries, given its number; 0 = none.

        Raises:
            CodecError: The stored dictionary is damaged.
            StateProblem: It is missing.
        """
        if not dictionary:
            return _NO_DICTIONARY
        with _LOCK:
            hot = _HOT.get((self._number, site)) or {}
            if dictionary not in hot:
                stored = self._db.get("dictionaries", dictionary_key(site, dictionary))
                if stored is None:
                    raise self._db.damaged(f"the window of {site} lacks a dictionary")
                hot[dictionary] = Packer(frame_content(stored, _MAX_BYTES))
                _HOT.put((self._number, site), hot)
            return hot[dictionary]

    def forget(self, site: str) -> None:
        """Have a site's dictionaries read again at their next use, as far as they are used."""
        with _LOCK:
            _HOT.drop((self._number, site))


def dictionary_key(site: str, dictionary: int) -> bytes:
    """Return the key of a dictionary, given its number."""
    return site.encode() + b"\0" + dictionary.to_bytes(8, "big")
