import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.site_model import PLACE_TABLES
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.strings.string_evidence import read_strings
from templ_core.site_level.window.site_learner import SiteLearner
from tests.templ_core.site_level.builders import CONFIG, fit_site_model, window_page

MENU = "<ul class=menu><li><a href=/>Home page of it</a><li><a href=/n>All the news</a></ul>"


def page(number):
    return parse_document(
        f"<title>Page {number}</title>{MENU}<div class=body><h1>Page {number}</h1>"
        + "".join(f"<p>Sentence {number} {n} about boats on the river. " * 2 for n in range(4))
        + f"</div><div class=foot>Copyright {number % 2} by those who wrote it.</div>",
        "https://example.com/",
    )


def window(numbers):
    return [window_page(f"p{number}", page(number)) for number in numbers]


def tables(model):
    return {
        name: (table.keys.tolist(), table.sums.tolist())
        for name in PLACE_TABLES
        for table in [getattr(model.places, name)]
    }


def trees(model):
    return [
        (cluster.pages, cluster.tree.label.tolist(), cluster.support.tolist())
        for cluster in model.trees.clusters
    ]


def test_a_rolling_window_is_counted_like_one_seen_at_once():
    """The bytes of the model are equal, whatever came and left before."""
    learner = SiteLearner("page", CONFIG)
    pages = window(range(14))
    for last in range(1, len(pages)):
        rolling = pages[max(0, last - 8) : last]
        learner.follow(rolling)
        one, other = learner.model(), fit_site_model(rolling, "page", CONFIG)
        assert encode_site_model(one, 1 << 20) == encode_site_model(other, 1 << 20)


def test_documents_may_leave_from_anywhere_in_the_window():
    learner = SiteLearner("page", CONFIG)
    learner.follow(window(range(10)))
    left = window([1, 2, 3, 4, 5, 6, 8, 9])
    learner.follow(left)
    assert tables(learner.model()) == tables(fit_site_model(left, "page", CONFIG))


def test_a_content_counts_as_long_as_one_of_its_documents_stays():
    same = [window_page(name, page(1), digest="same") for name in "abc"]
    learner = SiteLearner("page", CONFIG)
    learner.follow([*same, *window([2, 3])])
    learner.follow([*same[1:], *window([2, 3])])
    assert learner.model().documents == 3
    learner.follow(window([2, 3]))
    expected = fit_site_model(window([2, 3]), "page", CONFIG)
    assert tables(learner.model()) == tables(expected)


def test_a_near_duplicate_counts_when_the_first_page_has_left():
    long = "".join(f"<p>Sentence {n} of the very same report about boats. " for n in range(12))
    first, copy = (parse_document(f"{long}<p>{end}", "https://a.com/") for end in ("one", "two"))
    pages = [window_page("first", first), window_page("copy", copy), *window([2, 3])]
    learner = SiteLearner("page", CONFIG)
    learner.follow(pages)
    assert learner.model().documents == 3
    learner.follow(pages[1:])
    expected = fit_site_model(pages[1:], "page", CONFIG)
    assert tables(learner.model()) == tables(expected)
    assert expected.documents == 3


def test_trees_rest_on_all_documents_of_the_window():
    model = fit_site_model(window(range(60)), "page", CONFIG)
    assert sum(cluster.pages for cluster in model.trees.clusters) == 60


def test_places_trees_and_strings_are_in_the_model():
    model = decode_site_model(
        encode_site_model(fit_site_model(window(range(12)), "page", CONFIG), 1 << 20)
    )
    assert model.places.cells.keys.size
    assert model.trees.clusters
    assert len(model.strings.usual) > 1
    assert read_strings(read_features(page(40)), model.strings).usual_words.max() > 1


@pytest.mark.parametrize("limit", [400, 450, 500])
def test_a_bounded_model_keeps_what_most_pages_have(limit):
    whole = fit_site_model(window(range(40)), "page", CONFIG)
    body = encode_site_model(whole, limit)
    assert len(body) <= limit < len(encode_site_model(whole, 1 << 20))
    kept = decode_site_model(body)
    for name in PLACE_TABLES:
        table, part = getattr(whole.places, name), getattr(kept.places, name)
        dropped = ~np.isin(table.keys, part.keys)
        if part.keys.size and dropped.any():
            assert part.sums[0].min() >= table.sums[0][dropped].max()
    assert kept.documents == whole.documents
