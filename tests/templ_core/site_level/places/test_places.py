import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.places._element_types import STEM, TAG, known_rows
from templ_core.site_level.places.element_types import element_type_rows
from templ_core.site_level.places.places import node_places, page_places
from tests.templ_core.site_level.places.slow_element_types import slow_hashes


def places_of(markup):
    """Return path, cell and anchor of each segment, by its text."""
    document = parse_document(f"<body>{markup}</body>", "https://example.com/")
    page = page_places(document, read_features(document), node_places(document))
    return {
        text: (int(page.path[n]), int(page.cell[n]), int(page.anchor[n]))
        for n, text in enumerate(document.segments.texts)
    }


def same(one, other):
    """Return which of path, cell and anchor are equal for the texts A of two pages."""
    pairs = zip(places_of(one)["A"], places_of(other)["A"], strict=True)
    return [first == second for first, second in pairs]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<div id=post-12><p>A</div>", "<div id=post-7><p>A</div>"),
        ("<div class='entry tag-a'><p>A</div>", "<div class='entry category-b'><p>A</div>"),
        ("<div class='aa bb cc'><p>A</div>", "<div class='aa bb dd'><p>A</div>"),
        ("<ul><li class=odd>A</ul>", "<ul><li class=even>A</ul>"),
    ],
)
def test_what_changes_from_page_to_page_names_no_place(one, other):
    assert same(one, other) == [True, True, True]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("<div class=in><p>A</div>", "<div class=by><p>A</div>", [False, False, False]),
        ("<p>A", "<h2>A</h2>", [False, False, False]),
        ("<table><tr><td>x<td>A</table>", "<table><tr><td>A</table>", [True, False, True]),
        (
            "<section><div class=post><p>A</div></section>",
            "<main><div class=post><p>A</div></main>",
            [False, False, True],
        ),
    ],
)
def test_path_cell_and_anchor_tell_apart_what_they_should(one, other, expected):
    assert same(one, other) == expected


def test_very_long_and_unusual_attributes_are_read():
    assert places_of(f"<div class='{'x ' * 100_000}' id='\U0001f600'><p>A</div>")["A"]


def test_a_container_is_the_deepest_element_of_its_segments():
    document = parse_document("<body><div><div class=in><p>A<p>B</div></div></body>", "u")
    features = read_features(document)
    nodes = node_places(document)
    page = page_places(document, features, nodes)
    ranges = list(zip(page.first.tolist(), page.last.tolist(), strict=True))
    assert ranges == [(0, 2), (0, 1), (1, 2)]
    inner = document.nodes.attributes.index("\nin\n\n\n")
    assert page.containers[0] == nodes.cell[inner]


def test_rows_of_element_types_do_not_depend_on_what_is_in_the_cache():
    def rows(numbers):
        markup = "".join(f"<x-{n} class='a{n % 7} b' id=c{n % 3}>{n}</x-{n}>" for n in numbers)
        return element_type_rows(parse_document(f"<body>{markup}</body>", "https://example.com/"))

    first = rows(range(50))
    for start in range(0, 60_000, 5_000):
        rows(range(start, start + 5_000))
    assert (rows(range(50)) == first).all()
    assert len(set(first[:, TAG].tolist())) == len(first)


NAMES = st.text(st.sampled_from("ab7-_\u0663é日😀\ud800")) | st.sampled_from(
    [
        "post-17",
        "postal",
        "tag-a",
        "menu-item-3",
        "entry",
        "x" * 39,
        "y" * 40,
        "z" * 300,
        "1st",
        "a1_b",
    ]
)


@given(
    st.sampled_from(["p", "html", "x-é"]),
    NAMES,
    st.lists(NAMES | st.sampled_from([" ", "\t", "\u3000"]), max_size=6),
)
def test_element_types_are_named_as_by_the_slow_reference(tag, name, classes):
    for attributes in ("", name, f"{name}\n{' '.join(classes)}\nmain\n\n"):
        rows = known_rows([(tag, attributes)], lambda _: (True, 0, 0))
        assert rows[0, : STEM + 1].tolist() == slow_hashes(tag, attributes)
