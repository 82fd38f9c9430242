"""No imports go in a circle, neither those of modules nor those between folders."""

import grimp

from tests.architecture.test_imports import PACKAGES


def circles(graph):
    """The imports without which no folder of a graph would have a circle among its modules and folders."""
    folders = [name for name in graph.modules if graph.find_children(name)]
    return {one: found for one in folders if (found := graph.nominate_cycle_breakers(one))}


def test_no_imports_go_in_a_circle():
    graph = grimp.build_graph(*PACKAGES)
    assert graph.count_imports() > 1000
    assert not circles(graph)


def test_a_circle_is_found():
    graph = grimp.ImportGraph()
    for name in ("house", "house.kitchen", "house.hall", "house.hall.door"):
        graph.add_module(name)
    graph.add_import(importer="house.kitchen", imported="house.hall.door")
    assert not circles(graph)
    graph.add_import(importer="house.hall", imported="house.kitchen")
    assert circles(graph).keys() == {"house"}
