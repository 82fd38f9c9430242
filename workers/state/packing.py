"""Compression of a site's values by zstd, with pages of the same site as the dictionary.

A site's first dictionary is made when four documents have arrived, and a new one whenever four times
as many have arrived since as the window held then. All values of the site are compressed again with
the new dictionary in one batch, and the old dictionary is removed. So a site has at most one
dictionary, and a document is rewritten less than once on average.
"""

import itertools
import threading
from collections.abc import Sequence

import msgspec
import zstandard

from templ_core.errors import CodecError
from templ_core.stored.compact import frame_content
from workers.lru_cache import LruCache
from workers.state.database import Database

FIRST_PACKING = 4
"""Documents that have entered a window when its first dictionary is made."""
PACKING_GROWTH = 4
"""Documents that have entered since, over those that the window held then, at which a new one is made."""
DICTIONARY_PAGES = 8
"""Newest pages of the window that make up a dictionary."""
_DICTIONARY_BYTES = 256 << 10
"""Largest dictionary."""
_BODIES = zstandard.ZstdCompressionParameters.from_level(
    3, hash_log=15, chain_log=14, write_content_size=True
)
"""Compression of documents. The search tables of a dictionary are a quarter of what level 3 has, because
other sites have usually driven them out of the processor's cache when the next page of a site comes."""
_SUMMARIES = zstandard.ZstdCompressionParameters.from_level(
    5, hash_log=14, chain_log=14, search_log=2, write_content_size=True
)
"""Compression of page summaries; columns of hashes need no larger tables."""
_FRAME_LEVEL = 3
"""Compression level of dictionaries, and of plain frames that leave the store."""
_LOOSE_LEVEL = -100
"""Compression level of plain frames that are read at once by a process of this machine."""
_MAX_BYTES = 96 << 20
"""Largest content that is decompressed, as large as the largest document."""
_PACKERS_IN_MEMORY = 64
"""Sites whose dictionaries all stores of the process together keep in memory, about 1 MiB each."""


class _Frames(threading.local):
    """The compressors of one thread; making one takes longer than using it."""

    def __init__(self) -> None:
        self.tight = zstandard.ZstdCompressor(level=_FRAME_LEVEL)
        self.loose = zstandard.ZstdCompressor(level=_LOOSE_LEVEL)


_FRAMES = _Frames()


class Packer:
    """Compresses with a dictionary of raw content, and decompresses; safe to use from several threads."""

    def __init__(
        self, dictionary: bytes, parameters: zstandard.ZstdCompressionParameters = _BODIES
    ) -> None:
        """Prepare for a dictionary; an empty one means compression without a dictionary."""
        content = (
            zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            if dictionary
            else None
        )
        self._compressor = zstandard.ZstdCompressor(
            dict_data=content, compression_params=parameters
        )
        self._decompressor = zstandard.ZstdDecompressor(dict_data=content)
        self._lock = threading.Lock()

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
    return _FRAMES.tight.compress(content)


def loose_frame(content: bytes) -> bytes:
    """Return content as a plain zstd frame for a process of this machine.

    It is several times larger than that of `plain_frame`, and made several times as fast.
    """
    return _FRAMES.loose.compress(content)


def content_of(frame: bytes) -> bytes:
    """Return the content of a plain zstd frame.

    Raises:
        CodecError: It is no such frame, or its content is too large.
    """
    return frame_content(frame, _MAX_BYTES)


class SitePackers(msgspec.Struct, frozen=True):
    """The compression of one site's values."""

    bodies: Packer
    summaries: Packer


class _Dictionaries(msgspec.Struct, frozen=True, array_like=True):
    bodies: bytes
    summaries: bytes


def _site_packers(made: _Dictionaries) -> SitePackers:
    return SitePackers(Packer(made.bodies, _BODIES), Packer(made.summaries, _SUMMARIES))


_NONE = _site_packers(_Dictionaries(b"", b""))


_LOCK = threading.Lock()
_HOT: LruCache[tuple[int, str], SitePackers] = LruCache(_PACKERS_IN_MEMORY)
"""The packers in memory by number of the store and site; _LOCK guards them."""
_STORE_NUMBERS = itertools.count()


class Packers:
    """The packers of every site of a store; safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._number = next(_STORE_NUMBERS)

    def of(self, site: str) -> SitePackers:
        """Return the packers of a site's present dictionary."""
        with _LOCK:
            packers = _HOT.get((self._number, site))
            if packers is None:
                stored = self._db.get("dictionaries", site.encode())
                packers = _packers(stored) if stored else _NONE
                _HOT.put((self._number, site), packers)
            return packers

    def keep(self, site: str, packers: SitePackers) -> None:
        """Keep the packers of a dictionary that was written to the store."""
        with _LOCK:
            _HOT.put((self._number, site), packers)

    def forget(self, site: str) -> None:
        """Have a site's dictionary read again at its next use."""
        with _LOCK:
            _HOT.drop((self._number, site))


def make_dictionaries(
    bodies: Sequence[bytes], summaries: Sequence[bytes]
) -> tuple[bytes, SitePackers]:
    """Return the dictionaries made of some pages in stored form, and the packers that use them.

    Args:
        bodies: Uncompressed bodies, oldest first.
        summaries: Uncompressed page summaries of the same pages.
    """
    made = _Dictionaries(_joined(bodies), _joined(summaries))
    return _FRAMES.tight.compress(msgspec.msgpack.encode(made)), _site_packers(made)


def _joined(contents: Sequence[bytes]) -> bytes:
    """Return the contents joined; the newest come last, where references to them are shortest."""
    return b"".join(contents)[-_DICTIONARY_BYTES:]


def _packers(stored: bytes) -> SitePackers:
    try:
        made = msgspec.msgpack.decode(content_of(stored), type=_Dictionaries)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not the dictionaries of a site: {error}") from None
    return _site_packers(made)
