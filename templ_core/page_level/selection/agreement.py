"""Elements whose segments agree stay or go as a whole.

The sections of a page are its largest elements in which the log-odds of the segments differ little: no
section stands in another, and what is in none stands for itself (an antichain of the page's tree, as in
Chakrabarti et al., WWW 2007, section 4). The cut chooses among sections, so that the cells of a row, the
items of a list and the paragraphs of a text are kept or left out together. Sections by the paper's isotonic
smoothing gain less and divide more elements, see workers/lab/studies/page-model.md.
"""

from templ_core.array_types import Floats
from templ_core.page_level.config import MODEL_CONFIG, SELECTION_CONFIG, SelectionConfig
from templ_core.page_level.page_tree import PageTree
from templ_core.page_level.selection import _selection


def agreed(log_odds: Floats, tree: PageTree, config: SelectionConfig = SELECTION_CONFIG) -> Floats:
    """Return log-odds in which all segments of a section have their mean; length n_segments.

    A segment weighs the square root of its words, in the mean and in how far a section's segments differ.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.page_tree import read_tree
    >>> page = parse_document("<ul><li>one<li>two</ul><p>It rains.", "https://example.com/")
    >>> agreed(np.array([-0.2, 0.4, 3.0]), read_tree(page, np.ones(3))).tolist()
    [0.1, 0.1, 3.0]

    Args:
        log_odds: Log-odds for content of each segment.
        tree: The page's tree.
        config: How far the segments of a section may differ.
    """
    return _selection.agreed(
        tree.first,
        tree.last,
        tree.words,
        log_odds,
        config.section_spread_max,
        10**MODEL_CONFIG.decimals,
    )
