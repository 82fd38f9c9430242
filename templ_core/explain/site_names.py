"""What the hashes of a site model stand for, as far as the documents of its window tell."""

from collections.abc import Iterable, Sequence

import msgspec

from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.site_level.places._element_types import TAG, element_type_rows
from templ_core.site_level.places.places import node_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees.labelled_tree import label_page, tag_label


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
    wanted_labels, wanted_cells = _labels(model), _cells(model)
    for document in documents:
        if not document.segments.texts:
            continue
        features = read_features(document)
        _name_labels(document, features, wanted_labels, labels)
        _name_containers(document, wanted_cells, containers)
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


def _labels(model: SiteModel) -> frozenset[int]:
    return frozenset(
        label for cluster in model.trees.clusters for label in cluster.reference.tree.label.tolist()
    )


def _cells(model: SiteModel) -> frozenset[int]:
    return frozenset(model.places.best_containers.keys.tolist())


def _name_labels(
    document: Document, features: PageFeatures, wanted: frozenset[int], names: dict[int, str]
) -> None:
    types = element_type_rows(document)
    for (tag, _), tag_hash in zip(
        document.nodes.element_types, types[:, TAG].tolist(), strict=True
    ):
        if tag_label(tag_hash) in wanted:
            names.setdefault(tag_label(tag_hash), tag)
    tree = label_page(document, features.text).tree
    texts: Sequence[str] = document.segments.texts
    for label, segment in zip(tree.label.tolist(), tree.segment.tolist(), strict=True):
        if segment >= 0 and label in wanted:
            names.setdefault(label, texts[segment])


def _name_containers(document: Document, wanted: frozenset[int], names: dict[int, str]) -> None:
    for node, cell in enumerate(node_places(document).cell.tolist()):
        if cell in wanted and cell not in names:
            names[cell] = element_path(document, node)
