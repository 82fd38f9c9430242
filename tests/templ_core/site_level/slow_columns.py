"""A page's tree and the places of its elements by an obvious walk, with names for hashes."""

from templ_core.dom.tags import INLINE
from templ_core.site_level.places._element_types import element_type_rows

CELL_TAGS = (
    "center", "div", "dl", "font", "form", "section", "span", "table", "tbody", "td", "tr", "ul",
)  # fmt: skip


def slow_tree(document):
    """Return label, depth and segment of each node in document order, and the paths of elements."""
    nodes, segments = document.nodes, document.segments
    parent, tags = nodes.parent.tolist(), nodes.tags

    def blocks_down_to(node):
        above = blocks_down_to(parent[node]) if node >= 0 else []
        return [*above, node] if node >= 0 and tags[node] not in INLINE else above

    leaves = list(zip(segments.inline_to.tolist(), segments.owner.tolist(), strict=True))
    owners = {owner for _, owner in leaves}
    tree, paths = [], set()
    for node in range(len(tags) + 1):
        for segment, (behind, owner) in enumerate(leaves):
            if behind == node:
                tree.append((segments.texts[segment], len(blocks_down_to(owner)), segment))
        if node == len(tags) or tags[node] in INLINE:
            continue
        if any(node <= owner < nodes.end[node] for owner in owners):
            blocks = blocks_down_to(node)
            tree.append((tags[node], len(blocks) - 1, -1))
            paths.add(tuple(tags[one].lower() for one in blocks))
    return tree, paths


def slow_identities(tree):
    """Return each node's subtree as nested tuples, and its end."""
    subtrees, ends = [], []
    for node, (label, depth, segment) in enumerate(tree):
        end = node + 1
        while end < len(tree) and tree[end][1] > depth:
            end += 1
        inside = [(name, below - depth, leaf >= 0) for name, below, leaf in tree[node + 1 : end]]
        subtrees.append((label, segment >= 0, tuple(inside)))
        ends.append(end)
    return subtrees, ends


def slow_places(document):
    """Return path, cell and anchor of each element as tuples of steps."""
    nodes = document.nodes
    element_types, tags = element_type_rows(document), nodes.tags
    stems = element_types[nodes.element_type, 1].tolist()
    unnamed = (element_types[:, 0] == element_types[:, 1])[nodes.element_type].tolist()
    places = []
    for node, above in enumerate(nodes.parent.tolist()):
        path, cell, anchor = places[above] if above >= 0 else ((), (), ())
        siblings = [one for one in range(node) if nodes.parent[one] == above]
        before = sum(tags[one] == tags[node] for one in siblings)
        has_position = tags[node] in CELL_TAGS and unnamed[node] and before < 6
        is_named = not unnamed[node] and tags[node] not in INLINE
        places.append(
            (
                (*path, stems[node]),
                (*cell, (stems[node], before + 1 if has_position else 0)),
                (stems[node],) if is_named else (*anchor, tags[node]),
            )
        )
    return places
