"""The character encoding of a site's pages, and where the site declares it."""

from dataclasses import dataclass
from random import Random

_LEGACY = {
    "en": "windows-1252",
    "de": "windows-1252",
    "fr": "windows-1252",
    "es": "windows-1252",
    "ru": "windows-1251",
    "zh": "gb18030",
    "ar": "windows-1256",
    "ja": "shift_jis",
}
_CODECS = {"shift_jis": "cp932"}


@dataclass(frozen=True)
class Encoding:
    """How pages are turned into bytes."""

    name: str
    """Name of the encoding, spelt as a page declares it."""
    in_header: bool
    in_page: bool
    mark: bool
    """Whether the bytes start with a byte-order mark."""

    def encode(self, html: str) -> bytes:
        """Return the page's bytes; a character that the encoding lacks becomes a reference."""
        return html.encode(self.codec, "xmlcharrefreplace")

    @property
    def codec(self) -> str:
        """Python's name of the codec, which writes and reads the byte-order mark too."""
        if self.name == "utf-8":
            return "utf-8-sig" if self.mark else "utf-8"
        return _CODECS.get(self.name, self.name)

    @property
    def declared_in_page(self) -> str | None:
        """The charset that the page itself declares, or None."""
        return self.name if self.in_page else None

    @property
    def content_type(self) -> str:
        """The content type that the server sends with the page."""
        return f"text/html; charset={self.name}" if self.in_header else "text/html"


def choose_encoding(language_code: str, rng: Random) -> Encoding | None:
    """Return the encoding of a site, or None if the feed carries its pages as decoded text."""
    draw = rng.random()
    in_header, in_page = rng.choice(((True, True), (True, False), (False, True), (False, False)))
    if draw < 0.80:
        return None
    if draw < 0.86:
        return Encoding("utf-8", in_header, in_page=True, mark=draw < 0.82)
    if draw < 0.88:
        return Encoding("utf-16", in_header, in_page=False, mark=True)
    return Encoding(_LEGACY[language_code], in_header, in_page, mark=False)
