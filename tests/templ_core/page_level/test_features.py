import numpy as np

from templ_core.dom.document import parse_document
from templ_core.page_level.contexts import context_columns
from templ_core.page_level.features import matrix, read_features

MARKUP = (
    "<body><nav><ul><li><a href=/>Home</a><li><a href='#top'>Top</a></ul></nav><main>"
    "<h1>Title: of 2024</h1><p>One sentence, short. Another one.</p>"
    "<p hidden>The same <b>words</b> stand here twice and that is why one of them goes away.</p>"
    "<div>The same words stand here twice and that is why one of them goes away.</div>"
    "</main></body>"
)


def features(markup=MARKUP):
    return read_features(parse_document(markup, "https://example.com/"))


def column(name):
    return np.asarray(features().columns[name]).tolist()


def test_own_text():
    assert column("sentence ends") == [0, 0, 0, 2, 1, 1]
    assert column("commas") == [0, 0, 0, 1, 0, 0]
    assert column("date or year") == [False, False, True, False, False, False]
    assert column("ends a sentence") == [False, False, False, True, True, True]


def test_links():
    assert column("link density") == [1, 1, 0, 0, 0, 0]
    assert column("links on the page") == [0, 1, 0, 0, 0, 0]


def test_owners():
    assert column("hidden") == [False, False, False, False, True, False]
    assert column("in h1") == [False, False, True, False, False, False]


def test_nearest_tags():
    assert column("up to nav") == [2, 2, 14, 14, 14, 14]
    assert column("inside main") == [0, 0, 1, 1, 1, 1]
    assert column("inside article") == [-1] * 6


def test_path_groups_and_copies():
    numbers = np.expm1(column("path: number")).round().tolist()
    assert numbers == [2, 2, 1, 2, 2, 1]
    assert column("copies") == [1, 1, 1, 1, 2, 2]
    assert column("later copy") == [False, False, False, False, False, True]


def test_the_main_node_holds_the_good_text():
    assert column("main 0.8: inside") == [False, False, True, True, True, True]
    assert column("main 0.8: side") == [-1, -1, 0, 0, 0, 0]


def test_contexts_are_means_around_a_segment():
    found = features()
    score = np.array([-2.0, -2, 1, 3, 3, 3])
    contexts = context_columns(found.tree, found.group, score, score)
    assert np.isclose(contexts["attribute path mean"][0], -2)
    assert contexts["best subtree: inside"].tolist() == [False, False, True, True, True, True]
    assert np.isclose(contexts["1 before"][1], contexts["p0"][0])
    assert contexts["mass before"][0] == 0


def test_every_number_is_finite_on_a_page_of_one_segment():
    found = features("<p>word")
    score = np.zeros(1)
    rows = matrix({**found.columns, **context_columns(found.tree, found.group, score, score)})
    assert rows.shape[0] == 1
    assert np.isfinite(rows).all()
