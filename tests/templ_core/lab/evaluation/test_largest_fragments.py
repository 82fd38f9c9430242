from itertools import combinations

import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.segmentation import largest_fragments


def test_fragments_are_the_largest_elements_with_one_label():
    document = parse_document(
        "<body><nav><ul><li>a</li><li>b</li></ul></nav>"
        "<div><h1>c</h1><p>d</p><aside>e</aside><p>f</p></div></body>",
        "",
    )
    kind = np.array([0, 0, 1, 1, 0, 1])
    group = largest_fragments(document, kind)
    together = {(i, j) for i, j in combinations(range(6), 2) if group[i] == group[j]}
    assert together == {(0, 1)}
    assert len(set(largest_fragments(document, np.zeros(6, int)).tolist())) == 1


def test_text_beside_blocks_with_another_label_is_a_fragment_of_its_own():
    document = parse_document("<div>a<p>b</p>c</div>", "")
    assert len(set(largest_fragments(document, np.array([1, 0, 1])).tolist())) == 3
