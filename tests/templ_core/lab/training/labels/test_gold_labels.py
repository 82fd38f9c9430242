import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.training.labels.gold_labels import (
    GoldSelectors,
    aligned_labels,
    selected_labels,
)
from templ_core.lab.training.pages import GoldRecord, read_training_page
from templ_core.page_level.features.page_features import read_features
from workers.lab.simulate.feed import FeedSettings, simulate_feed

MARKUP = (
    "<nav>Home News</nav><div class=main><h1>A title</h1><p>The text itself is here.</p>"
    "<div class=share>Share this</div></div><footer>About us</footer>"
)


def aligned(markup, gold):
    document = parse_document(markup, "https://example.com/")
    return aligned_labels(document, read_features(document).text, gold).content.tolist()


def selected(markup, **selectors):
    document = parse_document(markup, "https://example.com/")
    return selected_labels(document, markup, GoldSelectors(**selectors))


def test_a_label_is_the_share_of_words_matched_with_the_gold_text():
    assert aligned(MARKUP, "A title The text itself is here.") == [0, 1, 1, 0, 0]
    assert aligned("<p>one two three four</p>", "three four") == [0.5]


def test_equal_texts_get_the_best_label_of_them():
    text = "six words of text stand here"
    assert aligned(f"<p>{text}</p><div>{text}</div>", text) == [1, 1]


def test_selectors_name_content_and_neutral_text():
    labels = selected(MARKUP, content=".main", exclude=".share", neutral="h1, footer")
    assert labels.content.tolist() == [0, 1, 1, 0, 0]
    assert labels.counts.tolist() == [True, True, True, True, False]


def test_a_selected_inline_element_makes_its_segment_content():
    labels = selected("<div><b class=x>all of it</b></div><div>none</div>", content=".x")
    assert labels.content.tolist() == [1, 0]


def test_keeping_what_is_labelled_content_gives_back_the_gold_text():
    pages = list(simulate_feed(FeedSettings(sites=5, pages=15, seed=3)))
    scores = []
    for number, page in enumerate(pages):
        read = read_training_page(_gold_page(page, number)) if page.gold_text else None
        if read is not None:
            scores.append(read.bag.f1(read.labels.content >= 0.5)[0])
    assert len(scores) >= 10
    assert np.mean(scores) > 0.97


def _gold_page(page, number):
    return GoldRecord(
        corpus="synthetic",
        url=page.url,
        site=page.site,
        page_type="",
        body=page.html.encode(),
        charset="utf-8",
        gold_text=page.gold_text,
        selectors=None,
    )
