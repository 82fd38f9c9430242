import numpy as np

from templ_core.dom.document import parse_document
from templ_core.page_level.page_tree import read_tree

MARKUP = (
    "<body><div><div><p>a b c d</p></div></div><div><ul><li>e</li><li>f</li></ul>g</div></body>"
)


def tree():
    document = parse_document(MARKUP, "https://example.com/")
    words = np.array([4.0, 1, 1, 1])
    return document, read_tree(document, words)


def node(document, tag, number=0):
    return [at for at, name in enumerate(document.nodes.tags) if name == tag][number]


def test_every_node_knows_its_segments():
    document, found = tree()
    ranges = {
        (tag, at): (int(found.first[at]), int(found.last[at]))
        for at, tag in enumerate(document.nodes.tags)
    }
    assert ranges["ul", node(document, "ul")] == (1, 3)
    assert ranges["div", node(document, "div", 2)] == (1, 4)
    assert ranges["body", node(document, "body")] == (0, 4)


def test_wrappers_with_the_same_segments_count_once():
    document, found = tree()
    depth = found.compressed_depth
    assert depth[node(document, "p")] == depth[node(document, "div")]
    assert depth[node(document, "li")] == depth[node(document, "body")] + 3


def test_ancestors_hold_more_than_the_segment():
    document, found = tree()
    level_1 = found.above[0]
    assert (found.last[level_1] - found.first[level_1]).tolist() == [4, 2, 2, 3]
    top = found.above[-1]
    assert document.nodes.tags[top[1]] == "div"


def test_sums_are_those_of_the_subtree():
    document, found = tree()
    at = np.array([node(document, "ul"), node(document, "body")])
    assert found.sums(np.array([1.0, 2, 3, 4]), at).tolist() == [5, 10]
