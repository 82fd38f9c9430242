"""The template of a site as values to be shown and published."""

from typing import Literal

import msgspec

PartName = Literal["notices", "header", "menu", "beside", "footer"]
"""Parts of a template in the order in which they are listed; `beside` is between and beside the content."""


class TemplateLine(msgspec.Struct, frozen=True, kw_only=True):
    """A text that nearly all pages show."""

    text: str
    pages: int
    """Pages that show it."""


class TemplatePart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a site's template; what has no name by its elements is named by where it stands."""

    part: PartName
    lines: list[TemplateLine]
    """In the order of the newest page."""


class SiteTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What a site shows on nearly every page."""

    site: str
    pages: int
    """Pages that it was read from."""
    parts: list[TemplatePart]
