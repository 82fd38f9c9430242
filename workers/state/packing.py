"""Values of a site's window: zstd with pages of the site itself as the dictionary.

A site's dictionary is made when four documents have come, and anew when as many have come since as
the window had then: every value is rewritten with it in one batch, and the old one goes. So a site
has one at most, and a document is rewritten twice in the mean.
"""

import threading
from collections.abc import Sequence

import msgspec
import zstandard

from workers.lru_cache import LruCache
from workers.state.database import Database

FIRST_PACKING = 4
"""Documents that a window has learned when its first dictionary is made."""
DICTIONARY_PAGES = 3
_DICTIONARY_BYTES = 256 << 10
_LEVEL = 6
_FRAME_LEVEL = 3
_STORED_LEVEL = 9
_MAX_BYTES = 256 << 20
_PACKERS_IN_MEMORY = 64


class Packer:
    """Rewrites zstd frames with a dictionary of raw content, and back."""

    def __init__(self, dictionary: bytes) -> None:
        """Take a dictionary; an empty one is none."""
        content = (
            zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            if dictionary
            else None
        )
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=content)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=content)
        self._lock = threading.Lock()

    def pack(self, frame: bytes) -> bytes:
        """The content of a plain frame, with the dictionary."""
        return self.pack_content(content_of(frame))

    def pack_content(self, content: bytes) -> bytes:
        """The content with the dictionary."""
        with self._lock:
            return self._compressor.compress(content)

    def content(self, packed: bytes) -> bytes:
        """What was packed."""
        with self._lock:
            return self._decompressor.decompress(packed, max_output_size=_MAX_BYTES)

    def frame(self, packed: bytes) -> bytes:
        """What was packed, as a plain frame."""
        return zstandard.ZstdCompressor(level=_FRAME_LEVEL).compress(self.content(packed))


def content_of(frame: bytes) -> bytes:
    """The content of a plain zstd frame."""
    return zstandard.ZstdDecompressor().decompress(frame, max_output_size=_MAX_BYTES)


class SitePackers(msgspec.Struct, frozen=True):
    """How the values of one site are packed."""

    bodies: Packer
    contributions: Packer


class _Dictionaries(msgspec.Struct, frozen=True, array_like=True):
    bodies: bytes
    contributions: bytes


_NONE = SitePackers(Packer(b""), Packer(b""))


class Packers:
    """The packers of every site of a store. Safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._lock = threading.Lock()
        self._hot: LruCache[str, SitePackers] = LruCache(_PACKERS_IN_MEMORY)

    def of(self, site: str) -> SitePackers:
        """How the values of a site are packed now."""
        with self._lock:
            packers = self._hot.get(site)
            if packers is None:
                stored = self._db.get("dictionaries", site.encode())
                packers = _packers(stored) if stored else _NONE
                self._hot.put(site, packers)
            return packers

    def forget(self, site: str) -> None:
        """Read a site's dictionaries anew when they are next asked for."""
        with self._lock:
            self._hot.drop(site)


def make_dictionaries(
    bodies: Sequence[bytes], contributions: Sequence[bytes]
) -> tuple[bytes, SitePackers]:
    """Dictionaries of the contents of some pages, as they are stored, and the packers with them."""
    made = _Dictionaries(_joined(bodies), _joined(contributions))
    stored = zstandard.ZstdCompressor(level=_STORED_LEVEL).compress(msgspec.msgpack.encode(made))
    return stored, SitePackers(Packer(made.bodies), Packer(made.contributions))


def _joined(contents: Sequence[bytes]) -> bytes:
    """The newest pages stand last, where references to them are shortest."""
    return b"".join(contents)[-_DICTIONARY_BYTES:]


def _packers(stored: bytes) -> SitePackers:
    made = msgspec.msgpack.decode(content_of(stored), type=_Dictionaries)
    return SitePackers(Packer(made.bodies), Packer(made.contributions))
