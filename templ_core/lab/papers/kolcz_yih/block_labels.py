"""Kolcz and Yih's labels: blocks on many pages of a site are template, blocks on one page are not.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, sections 3 and 4.1.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.lab.papers.kolcz_yih.text_blocks import TextBlocks

_TEMPLATE_SHARE = 0.10
"""Least share of the pages that a template block is on."""
_TEMPLATE_PAGES_MIN = 3
"""Least number of these pages, since on small sites a tenth of the pages is one or two."""


class BlockLabels(msgspec.Struct, frozen=True, kw_only=True):
    """The labels of one page; columns of length n_labelled_blocks."""

    place: Int64s
    """Indices of the blocks that have a label, ascending; the other blocks are ignored."""
    template: Bools
    """Whether each of them is template."""


def block_labels(pages: Sequence[TextBlocks]) -> list[BlockLabels]:
    """Return the labels of all pages of a site.

    A block that is on at least a tenth of the pages is template. A block that is on a single page,
    as are all blocks inside it, is content; only the topmost of such blocks gets a label. All other
    blocks, and blocks that repeat a text of their page, have no label.
    """
    pages_with = Counter(digest for page in pages for digest in set(page.digests))
    wanted = max(_TEMPLATE_SHARE * len(pages), _TEMPLATE_PAGES_MIN)
    return [
        _labels(page, [pages_with[digest] for digest in page.digests], wanted) for page in pages
    ]


def _labels(page: TextBlocks, pages_with: list[int], wanted: float) -> BlockLabels:
    parent = page.parent.tolist()
    all_unique = [count == 1 for count in pages_with]
    for place in reversed(range(len(parent))):
        if parent[place] >= 0 and not all_unique[place]:
            all_unique[parent[place]] = False
    in_content = [False] * len(parent)
    seen: set[bytes] = set()
    found: list[tuple[int, bool]] = []
    for place, digest in enumerate(page.digests):
        above = parent[place]
        in_content[place] = all_unique[place] or (above >= 0 and in_content[above])
        is_new = digest not in seen
        seen.add(digest)
        if pages_with[place] >= wanted:
            if is_new:
                found.append((place, True))
        elif all_unique[place] and is_new and not (above >= 0 and in_content[above]):
            found.append((place, False))
    return BlockLabels(
        place=np.array([place for place, _ in found], np.int64),
        template=np.array([template for _, template in found], np.bool_),
    )
