"""Every threshold of the core: its unit, its range, its source; frozen."""

import hashlib
from typing import Literal

import msgspec

MIB = 1 << 20


class CoreConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What belongs to the algorithm; deployments differ in `workers.settings` instead."""

    page_limit_bytes: int = 32 * MIB
    """Largest page after decompression."""

    template_share: float = 0.10
    """A node on this share of a site's pages is template: theta of SITELEVEL (Chakrabarti et al.)."""

    template_pages_min: int = 2
    """Pages a node must occur on before its frequency says anything."""

    site_doubt_pages: float = 0.5
    """The site's evidence has half its weight with a window of so many pages, none without."""

    page_rules_pages: int = 3
    """From so many documents on a site's pages tell comments and repeats, and not rules for single
    pages."""

    cluster_likeness_min: float = 0.5
    """A page less like every known kind of page than this starts a new one, 0 to 1."""

    alike_share: float = 0.9
    """Pages of one title that share this much of their text count once."""

    tree_clusters_max: int = 8
    """Kinds of pages of a site that are told apart."""

    tree_nodes_max: int = 4000
    """Places of a kind that are remembered while it is learned."""

    template_pages: int = 25
    """Trees and phrases are learned from so many of a window's latest documents."""

    site_model_bytes: int = MIB
    """Size of a site model in compact form; what has least support goes first."""

    abstain_ratio: float = 0.02
    """Site evidence abstains where it leaves less than this share of the page level's words."""

    recurring_content_max: float = 0.95
    """Site evidence abstains where more than this share of what the page takes for content recurs
    in its place, 0 to 1: the teasers of a listing."""

    phrase_tokens_min: tuple[int, int, int] = (8, 3, 1)
    """Tokens of a phrase that starts or ends at no block's border, at one, at two."""

    phrase_pages_min: int = 3
    """Pages a phrase must be on; all of a smaller window, if it is short and a whole block."""

    phrase_block_tokens_max: int = 20
    """Longest whole block that is a phrase without lying beyond the energy cut-off."""

    phrase_set_bytes: int = 256 << 10
    """Text of a site's phrases; the least supported go first."""

    section_penalty: float = 0.05
    """c of the smoothing's penalty c * A / A_i for each section (Chakrabarti et al., section 5.3)."""

    f1_recall_share: float = 0.85
    """lambda of the cut at the best expected F1."""

    comments: Literal["auto", "keep", "drop"] = "auto"
    """What becomes of readers' comments and reviews; `auto`: comments are out on articles."""

    def digest(self) -> str:
        """Eight hexadecimal digits that change with any threshold."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=4).hexdigest()
