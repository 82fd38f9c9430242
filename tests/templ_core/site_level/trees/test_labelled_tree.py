"""The columns of trees and places equal those of an obvious walk, which has names for hashes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.lab.papers.rtdm import build_tree
from templ_core.site_level.places.places import node_places
from templ_core.site_level.trees.labelled_tree import label_page
from tests.templ_core.site_level.trees.slow_columns import slow_identities, slow_places, slow_tree
from workers.lab.simulate.feed import FeedSettings, simulate_feed

TAGS = ("div", "p", "ul", "li", "article", "table", "tr", "td", "h2", "a href=/x", "b", "span")
MARKS = ("", "class=x", "class='x7 y'", "id=main", "class='odd entry'")
PIECES = st.one_of(
    st.sampled_from(("Read", "more.", "Home", "one two", "<br>", "<hr>")),
    st.builds("<{} {}>".format, st.sampled_from(TAGS), st.sampled_from(MARKS)),
    st.sampled_from(TAGS).map(lambda tag: f"</{tag.split()[0]}>"),
)
PAGES = st.lists(PIECES, max_size=50).map("".join)


def are_one_to_one(names, numbers):
    pairs = set(zip(names, numbers, strict=True))
    return len(pairs) == len(set(names)) == len(set(numbers))


def assert_equal_columns(document):
    tree, paths = slow_tree(document)
    subtrees, ends = slow_identities(tree)
    page = label_page(document)
    labels = [(label, segment >= 0) for label, _, segment in tree]
    assert are_one_to_one([(name.lower(), leaf) for name, leaf in labels], page.tree.label.tolist())
    assert page.tree.depth.tolist() == [depth for _, depth, _ in tree]
    assert page.tree.segment.tolist() == [segment for _, _, segment in tree]
    assert page.tree.end.tolist() == ends
    assert are_one_to_one(subtrees, page.tree.identity.tolist())
    assert len(page.paths) == len(paths)
    assert (page.paths[1:] > page.paths[:-1]).all()
    again = build_tree(label=page.tree.label, depth=page.tree.depth, segment=page.tree.segment)
    assert (again.identity == page.tree.identity).all()
    assert (again.end == page.tree.end).all()
    places = node_places(document)
    columns = (places.path, places.cell, places.anchor)
    for names, numbers in zip(zip(*slow_places(document), strict=True), columns, strict=True):
        assert are_one_to_one(names, numbers.tolist())


@settings(deadline=None)
@given(PAGES)
def test_columns_equal_those_of_the_obvious_walk(markup):
    assert_equal_columns(parse_document(f"<body>{markup}", "https://example.com/"))


def test_columns_of_synthetic_sites_equal_those_of_the_obvious_walk():
    for page in simulate_feed(FeedSettings(sites=4, pages=8)):
        assert_equal_columns(parse_document(page.html, page.url))


def test_the_compact_form_gives_an_equal_tree():
    document = parse_document("<body><p>Read<b>more</b><ul><li>A<li>B", "https://example.com/")
    one, other = (
        label_page(document),
        label_page(decode_document(compress_columns(document_columns(document)))),
    )
    assert (one.tree.identity == other.tree.identity).all()
    assert (one.paths == other.paths).all()


def test_a_page_without_text_has_no_tree():
    assert not label_page(
        parse_document("<body><div></div>", "https://example.com/")
    ).tree.label.size
