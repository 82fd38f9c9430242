import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.kolcz_yih.blocks import divergence, read_block_features, read_blocks
from templ_core.page_level.features.characters import read_characters, read_words

LONG = "This sentence has more than forty characters in it."
SHORT = "Too short a text."


def read(markup):
    document = parse_document(markup, "https://a.org/")
    presentation = read_presentation(document, markup)
    return document, presentation, read_blocks(document, presentation)


def tags(document, blocks):
    return [document.nodes.tags[node] for node in blocks.node]


def test_blocks_need_a_block_tag_and_enough_text():
    document, _, blocks = read(
        f"<body><section><div><p>{LONG}</p></div></section><div>{SHORT}</div>"
        f"<ul><li>{LONG}<li>{SHORT}</ul><div>{'same ' * 30}</div>"
    )
    assert tags(document, blocks) == ["div", "ul", "li"]
    assert blocks.parent.tolist() == [-1, -1, 1]
    assert blocks.texts[0] == LONG


def test_small_elements_are_blocks_with_their_own_text():
    document, _, blocks = read(f"<body><p>before <small>{LONG} <b>bold</b><i></i>end</small></p>")
    assert tags(document, blocks) == ["small"]
    assert blocks.texts == [f"{LONG} boldend"]


def test_digests_depend_on_the_text_only():
    _, _, blocks = read(f"<body><div><b>{LONG}</b></div><ul><li>{LONG}</ul>")
    assert len(set(blocks.digests)) == 1
    assert len(blocks.digests) == 3


def test_each_block_has_the_nearest_block_around_it_as_parent():
    document, _, blocks = read(f"<body>{SHORT}<div>{LONG}<ul><li>{LONG}<li>{SHORT}</ul></div>")
    assert tags(document, blocks) == ["div", "ul", "li"]
    assert blocks.parent.tolist() == [-1, 0, 1]


def test_features_equal_those_counted_by_hand():
    document, presentation, blocks = read(
        f"<body>\n<div>x</div>\n<ul><li><a href=/>{LONG}</a><li><img src=a>{LONG}</ul>"
    )
    columns = read_block_features(document, presentation, blocks).columns
    assert tags(document, blocks) == ["ul", "li", "li"]
    assert columns["a inside"].tolist() == [1, 1, 0]
    assert columns["img inside"].tolist() == [1, 0, 1]
    assert columns["words"].tolist() == [18, 9, 9]
    assert columns["stops"].tolist() == [2, 1, 1]
    assert columns["line"].tolist() == [3, 3, 3]
    assert columns["distance from the leftmost sibling"].tolist() == [1, 0, 1]
    assert columns["is ul"].tolist() == [1, 0, 0]
    assert columns["in ul"].tolist() == [0, 1, 1]
    assert np.allclose(columns["share of words"], [18 / 19, 9 / 19, 9 / 19])


def test_divergence_equals_its_definition():
    blocks = read_words(read_characters(["a a b"]))
    page = read_words(read_characters(["a a b c c c"]))
    share = {"a": 2 / 3, "b": 1 / 3}
    others = {"a": 1 / (3 + 3), "b": 1 / (3 + 3)}
    expected = sum(share[word] * np.log(share[word] / others[word]) for word in share)
    assert np.isclose(divergence(blocks, page)[0], expected)
