"""What the hashes of a site model stand for, as far as the documents of its window tell."""

from collections.abc import Iterable

import msgspec

from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.places._element_types import TAG, element_type_rows
from templ_core.site_level.places.places import node_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees.tree_mapping import label_page, tag_label


class SiteNames(msgspec.Struct, frozen=True, kw_only=True):
    """Readable names of hashes; a hash that no document has is missing."""

    labels: dict[int, str]
    """Tag or text of each label of a tree template."""
    containers: dict[int, str]
    """Elements from the root down to each container, by the key of its cell."""


def read_names(documents: Iterable[Document], model: SiteModel) -> SiteNames:
    """Return the names that documents of a site's window tell for the hashes of its model.

    Args:
        documents: The documents; the first one that has a name gives it.
        model: The site model.
    """
    labels: dict[int, str] = {}
    containers: dict[int, str] = {}
    trees = [cluster.reference.tree for cluster in model.trees.clusters]
    wanted = frozenset(label for tree in trees for label in tree.label.tolist())
    wanted_cells = frozenset(model.places.best_containers.keys.tolist())
    for document in documents:
        if not document.segments.texts:
            continue
        _name_labels(document, wanted, labels)
        for node, cell in enumerate(node_places(document).cell.tolist()):
            if cell in wanted_cells and cell not in containers:
                containers[cell] = element_path(document, node)
    return SiteNames(labels=labels, containers=containers)


def element_path(document: Document, node: int) -> str:
    """Return the elements from below `body` down to a node, with their ids or first classes."""
    parts: list[str] = []
    nodes = document.nodes
    while node >= 0:
        parts.append(element_name(*nodes.element_types[nodes.element_type[node]]))
        node = int(nodes.parent[node])
    return " > ".join(reversed(parts[:-2] if parts[2:] else parts))


def element_name(tag: str, attributes: str) -> str:
    r"""Return a tag with the id of an element, or else with its first class.

    >>> element_name("div", "main\nwide column\n\n\n"), element_name("p", "")
    ('div#main', 'p')
    """
    if not attributes:
        return tag
    name, _, rest = attributes.partition("\n")
    classes = rest.partition("\n")[0].split()
    return f"{tag}#{name}" if name else f"{tag}.{classes[0]}" if classes else tag


def _name_labels(document: Document, wanted: frozenset[int], names: dict[int, str]) -> None:
    tags = [tag for tag, _ in document.nodes.element_types]
    hashes = element_type_rows(document)[:, TAG].tolist()
    tree = label_page(document, read_features(document).text).tree
    numbers, texts = tree.segment.tolist(), document.segments.texts
    for label, name in (
        *zip(map(tag_label, hashes), tags, strict=True),
        *(
            (label, texts[number])
            for label, number in zip(tree.label.tolist(), numbers, strict=True)
            if number >= 0
        ),
    ):
        if label in wanted:
            names.setdefault(label, name)
