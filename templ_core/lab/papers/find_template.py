"""The template that all pages of a site share, as the paper on RTDM-TD finds and removes it.

Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, *A Fast and Robust Method for Web Page Template
Detection and Removal*, CIKM 2006. `templ_core.site_level.trees.tree_mapping` has the mapping that it
rests on. One odd page ruins the template, so the product counts votes for the nodes instead.
"""

from collections.abc import Iterable

import numpy as np

from templ_core.array_types import Bools, Int32s
from templ_core.site_level.trees.labelled_tree import LabelledTree, tree_part
from templ_core.site_level.trees.tree_mapping import TreeMapping, map_trees


def find_template(pages: Iterable[LabelledTree]) -> LabelledTree | None:
    """Return the tree that all pages share (figure 5); None without pages.

    Equal pages count once, and pages are taken in order of their identities, so that the result
    depends on the set of pages alone.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.labelled_tree import label_page
    >>> pages = [
    ...     label_page(parse_document(f"<h1>Shop</h1><p>{text}", "http://a.example/")).tree
    ...     for text in ("Tea", "Milk")
    ... ]
    >>> template = find_template(pages)
    >>> template.is_text.tolist()  # html, body, h1, "Shop", p
    [False, False, False, True, False]
    """
    distinct = {_identity(page): page for page in pages}
    template: LabelledTree | None = None
    for identity in sorted(distinct):
        if template is None:
            template = distinct[identity]
        elif place_template(template, distinct[identity]) is None:
            template = extract_subtree(template, distinct[identity])
    return template


def template_part(template: LabelledTree, page: LabelledTree) -> Bools:
    """Return which nodes of a page belong to the template and are removed from it.

    This takes linear time where the page holds the whole template; else it is what the mapping of the
    two shares.
    """
    places = place_template(template, page)
    if places is None:
        return common_nodes(map_trees(page, template), page, template)
    found = np.zeros(page.label.size, np.bool_)
    found[places] = True
    return found


def common_nodes(mapping: TreeMapping, left: LabelledTree, right: LabelledTree) -> Bools:
    """Return the nodes of the first tree that no operation touched (`retrieveTemplate`, figure 4).

    The parent of such a node is one too, so that together they are a tree.
    """
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    ones, others = mapping.left[paired], mapping.right[paired]
    common = np.zeros(left.label.size, np.bool_)
    common[ones] = left.label[ones] == right.label[others]
    return common


def extract_subtree(left: LabelledTree, right: LabelledTree) -> LabelledTree:
    """Return the part of the first tree that both share, root included (figure 6)."""
    return tree_part(left, common_nodes(map_trees(left, right), left, right))


def place_template(template: LabelledTree, page: LabelledTree) -> Int32s | None:
    """Return the node of the page for each node of the template; None if the page does not hold it.

    This is `Match` of figure 5. The first child that holds a subtree is as good as any later one, so
    nothing is tried twice.
    """
    places = np.empty(template.label.size, np.int32)
    if not template.label.size:
        return places
    if not page.label.size or template.label[0] != page.label[0]:
        return None
    label, identity, end = (
        column.tolist() for column in (template.label, template.identity, template.end)
    )
    page_label, page_identity, page_end = (
        column.tolist() for column in (page.label, page.identity, page.end)
    )
    # Each frame is a pair of inner nodes, and the next child on either side.
    places[0] = 0
    frames = [(0, 0, 1, 1)]
    is_placed = True
    while frames:
        node, other, child, candidate = frames.pop()
        if child == end[node]:
            is_placed = True
            if frames:
                node, other, child, candidate = frames.pop()
                frames.append((node, other, end[child], page_end[candidate]))
        elif candidate == page_end[other]:
            is_placed = False
            if frames:
                node, other, child, candidate = frames.pop()
                frames.append((node, other, child, page_end[candidate]))
        elif identity[child] == page_identity[candidate]:
            size = end[child] - child
            places[child : child + size] = np.arange(candidate, candidate + size)
            frames.append((node, other, end[child], page_end[candidate]))
        elif label[child] != page_label[candidate]:
            frames.append((node, other, child, page_end[candidate]))
        else:
            places[child] = candidate
            frames += [
                (node, other, child, candidate),
                (child, candidate, child + 1, candidate + 1),
            ]
    return places if is_placed else None


def _identity(page: LabelledTree) -> int:
    return int(page.identity[0]) if page.identity.size else 0
