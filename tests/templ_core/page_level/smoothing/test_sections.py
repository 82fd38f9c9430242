import numpy as np

from templ_core.dom.document import parse_document
from templ_core.page_level.smoothing.sections import section_numbers


def sections(markup, kept, penalty=0.05):
    document = parse_document(markup, "")
    words = np.array([len(text.split()) for text in document.segments.texts], float)
    return section_numbers(document, np.array(kept, bool), words, penalty).tolist()


def test_what_is_kept_under_one_element_is_a_section():
    markup = (
        "<body><div><div><p>the first paragraph</p><p>the second one</p></div></div>"
        "<ul><li>home page</li><li>contact us</li></ul></body>"
    )
    assert sections(markup, [True, True, False, False]) == [0, 0, 1, 1]
    assert sections(markup, [True, True, False, False], penalty=99) == [0, 0, 0, 0]


def test_text_around_a_block_inside_a_link_is_a_section():
    # the block stands inside the inline element that the text before it ends in
    markup = "<div>some text<a>more of it<p>a block in the link</p></a>the end</div>"
    assert sections(markup, [True, False, True]) == [0, 1, 0]


def test_a_page_without_text_has_no_sections():
    assert sections("<div></div>", []) == []
