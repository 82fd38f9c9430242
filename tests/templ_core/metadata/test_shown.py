"""The compiled search for the texts of elements finds what its slow twin finds."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.metadata._scans import segments_within
from tests.templ_core.any_markup import any_markup

TAGS = ("p", "b", "div", "li", "br><br", "hr")
MARKUP = any_markup("one ", "two ", "three ", tags=TAGS, attributes=("class=a", "class=b"))


def slow_segments(document, types, elements_max, texts_max, times_max):
    nodes, segments = document.nodes, document.segments
    times = Counter(nodes.element_type.tolist())
    wanted = [one for one in types if times[one] <= times_max]
    found = []
    for node, number in enumerate(nodes.element_type.tolist()):
        if number not in wanted or len(found) == elements_max:
            continue
        inside = []
        for segment, owner in enumerate(segments.owner.tolist()):
            first, behind = segments.inline_from[segment], segments.inline_to[segment]
            is_block = node <= owner < nodes.end[node]
            is_inline = owner < node and first <= node
            if behind > node and first <= nodes.end[node] and (is_block or is_inline):
                inside.append(segment)
        found.append(inside[:texts_max])
    return found


@given(MARKUP, st.sets(st.integers(0, 6)), st.integers(1, 4), st.integers(1, 3), st.integers(1, 5))
def test_segments_of_elements_are_those_of_the_slow_twin(markup, types, elements, texts, times):
    document = parse_document(f"<p>Text<p>{markup}", "")
    known = [one for one in sorted(types) if one < len(document.nodes.element_types)]
    found = segments_within(document, known, elements, texts, times)
    assert found == slow_segments(document, known, elements, texts, times)
