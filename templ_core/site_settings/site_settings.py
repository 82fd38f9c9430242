"""The settings of one site: values that any process may hold; `rules.py` has what they do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from templ_core.config import CoreConfig
    from templ_core.site_level.site_model import SiteModel


class SiteRule(msgspec.Struct, frozen=True, array_like=True):
    """A rule that keeps or removes whole segments; it has either a selector or a text."""

    action: Literal["keep", "remove"]
    selector: str | None = None
    """CSS selector; it names the segments inside the elements that it matches."""
    text: str | None = None
    """Whole text of a segment, in which `*` stands for any characters; case and white space do not count."""

    def __str__(self) -> str:
        kind = "text" if self.selector is None else "selector"
        return f"{self.action} {kind} {self.selector or self.text}"


_EVERYTHING = SiteRule("remove", selector="*")


class SiteSettings(msgspec.Struct, frozen=True, array_like=True):
    """What operators have decided about the pages of a site."""

    version: str
    """Digest of the settings; equal versions are equal settings."""
    rules: tuple[SiteRule, ...] = ()
    """Rules about segments; of several that name a segment, the last decides."""
    comments: Literal["auto", "keep", "drop"] | None = None
    """What becomes of comments and reviews; None = what the deployment says."""
    listings: Literal["auto", "keep", "drop"] = "auto"
    """What becomes of pages whose markup calls them listings: `keep` judges them by the page alone, `drop`
    leaves nothing of them."""

    def config(self, config: "CoreConfig") -> "CoreConfig":
        """Return the core's thresholds with the site's choice about comments."""
        if self.comments is None or self.comments == config.comments:
            return config
        return msgspec.structs.replace(config, comments=self.comments)

    def of_page(
        self, kind: str | None, model: "SiteModel | None"
    ) -> "tuple[SiteSettings, SiteModel | None]":
        """Return the settings and the site model with which one page is cleaned.

        Args:
            kind: What the markup calls the page, see `templ_core.metadata.markup`.
            model: What is known about the site; None = nothing.
        """
        if kind != "listing" or self.listings == "auto":
            return self, model
        if self.listings == "keep":
            return self, None
        return msgspec.structs.replace(self, rules=(_EVERYTHING,)), model


def has_pieces(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text is the pieces in order, with any characters between them.

    It takes time proportional to the lengths of both, whatever the pieces are.

    >>> [has_pieces(text, ("/", ".php")) for text in ("/a.php", "/.php", "/a.php?b")]
    [True, True, False]

    Args:
        text: The text.
        pieces: What is between the wildcards of a pattern, at least one; without a wildcard, all of it.
    """
    first, *others = pieces
    if not others:
        return text == first
    *inner, last = others
    if not text.startswith(first):
        return False
    place = len(first)
    for piece in inner:
        start = text.find(piece, place)
        if start < 0:
            return False
        place = start + len(piece)
    return len(text) - place >= len(last) and text.endswith(last)
