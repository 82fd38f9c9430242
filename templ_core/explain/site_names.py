"""Readable names of elements, and of the containers of a site model."""

from collections.abc import Iterable

from templ_core.dom.document import Document
from templ_core.site_level.places.places import node_places
from templ_core.site_level.site_model import SiteModel


def container_names(documents: Iterable[Document], model: SiteModel) -> dict[int, str]:
    """Return the elements from the root down to each container of a site model, by the key of its cell.

    Args:
        documents: Documents of the site's window; the first one that has a container names it.
        model: The site model.
    """
    containers: dict[int, str] = {}
    wanted_cells = frozenset(model.places.best_containers.keys.tolist())
    for document in documents:
        if not document.segments.texts:
            continue
        for node, cell in enumerate(node_places(document).cell.tolist()):
            if cell in wanted_cells and cell not in containers:
                containers[cell] = element_path(document, node)
    return containers


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
