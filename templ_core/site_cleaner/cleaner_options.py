"""The options of the library."""

from typing import Literal

import msgspec

from templ_core.config import Balance, WindowBounds


class CleanerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a `SiteCleaner`."""

    comments: Literal["auto", "keep", "drop"] = "auto"
    """What becomes of readers' comments; `auto` drops them on articles and keeps them in forums."""
    balance: Balance = "even"
    """What a text is cut for: `precision` keeps less template, `recall` misses less content."""
    page_model: bytes = b""
    """Content of a file that `templ train` wrote; empty means the page model that comes with templ."""
    page_bytes_max: int = 32 << 20
    """Largest page after decompression, in bytes."""
    window: WindowBounds = WindowBounds()
    """The bounds of each site's window."""
    with_links: bool = False
    """Whether pages keep links, images and emphasis for `markdown()`, `html()` and `links()`."""
