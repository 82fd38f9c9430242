import numpy as np

from templ_core.dom.document import parse_document
from templ_core.page_level.features import read_features
from templ_core.page_level.repeats import Copies, choose, may_repeat

LONG = "these ten words stand on the page more than once today"


def copies(markup):
    document = parse_document(markup, "https://example.com/")
    found = read_features(document)
    once = may_repeat(document, found.tree.words)
    return found.tree.words, Copies(text=found.text, path=found.group, once=once)


def kept(markup, odds):
    words, found = copies(markup)
    return choose(np.array(odds), found, words, 0.95).kept.tolist()


def test_the_surer_copy_stays():
    markup = f"<p>{LONG}</p><div>{LONG}</div><p>And a little more text.</p>"
    assert kept(markup, [2.0, 4.0, 4.0]) == [False, True, True]


def test_records_of_one_list_may_be_equal():
    assert kept(f"<li>{LONG}<li>{LONG}", [3.0, 4.0]) == [True, True]


def test_code_and_tables_mean_their_repeats():
    assert kept(f"<div>{LONG}</div><pre>{LONG}</pre>", [4.0, 3.0]) == [True, True]


def test_short_text_may_repeat():
    assert kept("<p>Read more</p><div>Read more</div>", [4.0, 4.0]) == [True, True]
