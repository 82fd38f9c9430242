"""The tunable numbers of the phrases of Foschini's thesis (2007)."""

import msgspec


class PhrasesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller of `learn_phrases` decides; frozen."""

    template_share: float = 0.10
    """Share of the pages, 0 to 1, that have a phrase at least."""

    template_pages_min: int = 2
    """Pages that have a phrase at least, in a site of any size."""

    phrase_tokens_min: tuple[int, int, int] = (8, 3, 1)
    """Fewest tokens of a phrase that has neither, one or both of its ends at the border of a block."""

    phrase_pages_min: int = 3
    """Number of pages that a phrase must be on. In a smaller window it must be on all pages, be short and
    be a whole block."""

    phrase_block_tokens_max: int = 20
    """Tokens of the longest whole block that is a phrase without lying beyond the energy cut-off."""

    phrase_set_bytes: int = 256 << 10
    """Size of the text of a site's phrases; those with the least support are left out first."""
