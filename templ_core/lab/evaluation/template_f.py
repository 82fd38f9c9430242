"""f-measure of what stands inside templates, and inside content: text, anchor text and links.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 6.1, table 1.
"""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats
from templ_core.dom.document import Document


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts (words, characters, links) on one page, or summed over pages."""

    both: float
    """Of what was found, how much is wanted."""
    found: float
    wanted: float

    @property
    def precision(self) -> float:
        """0 to 1; 0 when nothing was found."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """0 to 1; 0 when nothing was wanted."""
        return self.both / self.wanted if self.wanted else 0.0

    @property
    def f(self) -> float | None:
        """2pr / (p + r), 0 to 1; None when nothing was wanted."""
        return 2 * self.both / (self.found + self.wanted) if self.wanted else None


class PlaceF(msgspec.Struct, frozen=True, kw_only=True):
    """Inside templates, or inside content."""

    text: Overlap
    """Words."""
    anchor_text: Overlap
    """Characters inside links, white space aside."""
    links: Overlap
    """Number of links."""


class TemplateF(msgspec.Struct, frozen=True, kw_only=True):
    """Both places of one page."""

    in_templates: PlaceF
    in_content: PlaceF


def template_f(
    document: Document, words: npt.NDArray[Any], kept: Bools, content: Floats, counts: Bools
) -> TemplateF:
    """How well a choice of segments agrees with the gold.

    Args:
        document: The page.
        words: Words of each segment; length n_segments, as all columns here.
        kept: What was taken for content; the rest was taken for template.
        content: Gold: share of each segment that is content, 0 to 1.
        counts: Segments that are scored; False = neither content nor template.
    """
    segments = document.segments
    amounts = (words, segments.link_chars, segments.links)
    scored = [np.where(counts, amount, 0).astype(np.float64) for amount in amounts]
    return TemplateF(
        in_templates=PlaceF(
            **{
                name: _overlap(amount, ~kept, 1 - content)
                for name, amount in zip(_KINDS, scored, strict=True)
            }
        ),
        in_content=PlaceF(
            **{
                name: _overlap(amount, kept, content)
                for name, amount in zip(_KINDS, scored, strict=True)
            }
        ),
    )


_KINDS = ("text", "anchor_text", "links")


def _overlap(amount: Floats, found: Bools, wanted: Floats) -> Overlap:
    return Overlap(
        both=float((amount * found * wanted).sum()),
        found=float((amount * found).sum()),
        wanted=float((amount * wanted).sum()),
    )
