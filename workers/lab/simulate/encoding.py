"""In which encoding a site sends its pages, and where it says so."""

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
    """How pages become bytes."""

    name: str
    """As a page would declare it."""
    in_header: bool
    in_page: bool
    mark: bool
    """Starts with a byte order mark."""

    def encode(self, html: str) -> bytes:
        """The page's bytes; what the encoding lacks becomes a character reference."""
        return html.encode(self.codec, "xmlcharrefreplace")

    @property
    def codec(self) -> str:
        """Python's name of the encoding; its codec writes and reads the mark."""
        if self.name == "utf-8":
            return "utf-8-sig" if self.mark else "utf-8"
        return _CODECS.get(self.name, self.name)

    @property
    def declared_in_page(self) -> str | None:
        """The charset the page itself declares."""
        return self.name if self.in_page else None

    @property
    def content_type(self) -> str:
        """The header that goes with the page."""
        return f"text/html; charset={self.name}" if self.in_header else "text/html"


def choose_encoding(language_code: str, rng: Random) -> Encoding | None:
    """The encoding of a site; None = its pages come as text that is decoded already."""
    draw = rng.random()
    in_header, in_page = rng.choice(((True, True), (True, False), (False, True), (False, False)))
    if draw < 0.80:
        return None
    if draw < 0.86:
        return Encoding("utf-8", in_header, in_page=True, mark=draw < 0.82)
    if draw < 0.88:
        return Encoding("utf-16", in_header, in_page=False, mark=True)
    return Encoding(_LEGACY[language_code], in_header, in_page, mark=False)
