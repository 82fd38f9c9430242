import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.dom.tags import INLINE
from templ_core.lab.training.labels import gold_labels, site_labels
from templ_core.lab.training.pages import read_training_page
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.features.page_features import read_features
from tests.templ_core.lab.synthetic_pages import gold_record
from workers.lab.simulate.feed import FeedSettings, simulate_feed

WORDS = st.lists(st.sampled_from("abcde"), max_size=12)


def matched(page, gold):
    return "".join(
        "x" if hit else "." for hit in gold_labels.matched_words(page.split(), gold.split())
    )


@pytest.mark.parametrize(
    ("page", "gold", "hits"),
    [
        ("the cat menu the of the cat sat", "the cat sat", ".....xxx"),
        ("home news a b c advert d e footer", "a b c d e", "..xxx.xx."),
        ("a b", "c", ".."),
        ("", "c", ""),
    ],
)
def test_a_run_is_preferred_to_scattered_matches(page, gold, hits):
    assert matched(page, gold) == hits


@given(WORDS, WORDS)
def test_the_matched_words_have_the_score_of_the_best_alignment(page, gold):
    marked = gold_labels.matched_words(page, gold)
    chosen = [word if hit else "-" for word, hit in zip(page, marked, strict=True)]
    assert _best_score(chosen, gold) == _best_score(page, gold)


def test_very_long_pages_are_matched_by_3_grams(monkeypatch):
    monkeypatch.setattr(gold_labels, "_CELLS_MAX", 1)
    assert matched("menu a b c footer", "a b c") == ".xxx."


def _best_score(page, gold):
    best = [[0] * (len(page) + 1) for _ in range(len(gold) + 1)]
    run = [[None] * (len(page) + 1) for _ in range(len(gold) + 1)]
    for i, block in enumerate(gold, 1):
        for j, other in enumerate(page, 1):
            if block == other:
                run[i][j] = best[i - 1][j - 1] + 2
                if run[i - 1][j - 1] is not None:
                    run[i][j] = max(run[i][j], run[i - 1][j - 1] + 5)
            best[i][j] = max(best[i - 1][j], best[i][j - 1], run[i][j] or 0)
    return best[-1][-1]


PAGES = 24


def sentence(seed, words=40):
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefgh", k=rng.randint(2, 8))) for _ in range(words))


MARKUP = (
    "<nav>Home News</nav><div class=main><h1>A title</h1><p>The text itself is here.</p>"
    "<div class=share>Share this</div></div><footer>About us</footer>"
)


def aligned(markup, gold):
    document = parse_document(markup, "https://example.com/")
    return gold_labels.aligned_labels(document, read_features(document).text, gold).content.tolist()


def selected(markup, **selectors):
    document = parse_document(markup, "https://example.com/")
    return gold_labels.selected_labels(document, markup, gold_labels.GoldSelectors(**selectors))


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
    for page in pages:
        read = read_training_page(gold_record(page)) if page.gold_text else None
        if read is not None:
            scores.append(read.bag.f1(read.labels.content >= 0.5)[0])
    assert len(scores) >= 10
    assert np.mean(scores) > 0.97


MENU = "<ul>" + "".join(f"<li><a href=/{n}>Section {n}</a>" for n in range(12)) + "</ul>"


def article(number, more=""):
    return (
        f"<body><div id=top>{MENU}</div><main><h1>{sentence(number)[:30]}</h1>"
        f"<p>{sentence(f'{number}a')}</p><p>{sentence(f'{number}b')}</p>{more}</main>"
        "<div id=foot>Copyright of all pages by the site</div>"
    )


def page(number, html, site="a.org"):
    return site_labels.CorpusPage(
        corpus="test", site=site, url=f"https://{site}/{number}", body=html.encode()
    )


def labelled(htmls):
    pages = site_labels.parse_site_pages([page(number, html) for number, html in enumerate(htmls)])
    frequency = site_labels.count_site(pages)
    return [(one, site_labels.site_labels(one, frequency)) for one in pages]


def template_texts(page, labels):
    texts = page.document.segments.texts
    return {text for text, template in zip(texts, labels.template_segment, strict=True) if template}


def test_repeated_text_is_template_and_other_text_is_not():
    for page, labels in labelled([article(number) for number in range(30)]):
        assert ((labels.covered >= 0) & (labels.covered <= 1)).all()
        template = template_texts(page, labels)
        assert template == {f"Section {n}" for n in range(12)} | {
            "Copyright of all pages by the site"
        }
        tags = page.document.nodes.tags
        named = dict(zip(tags, labels.template.tolist(), strict=True))
        assert named["ul"]
        assert named["div"]
        assert not named["main"]
        assert not named["body"]


def test_a_node_is_template_if_more_than_85_percent_of_its_html_is():
    pages = [article(number).replace("Section 3<", f"Changing {number}<") for number in range(30)]
    page, labels = labelled(pages)[0]
    menu = page.document.nodes.tags.index("ul")
    assert 0.85 < labels.covered[menu] < 1
    assert labels.template[menu]
    assert "Changing 0" not in template_texts(page, labels)


def test_an_article_that_was_fetched_many_times_is_not_template():
    pages = [article(number) for number in range(20)]
    pages += [article("hot", f"<p>Seen {number} times") for number in range(25)]
    labelled_pages = labelled(pages)
    assert len(labelled_pages) == 21
    for page, labels in labelled_pages:
        assert not any(sentence("hota") in text for text in template_texts(page, labels))


def test_many_error_pages_do_not_make_articles_template():
    lost = f"<body>{MENU}<p>This page is not here, it has moved to another place or never was"
    pages = [article(number) for number in range(20)]
    pages += [f"{lost} {number}" for number in range(15)]
    found = labelled(pages)
    assert len(found) < 25
    for one, labels in found:
        assert all(len(text) < 80 for text in template_texts(one, labels))


def test_too_few_sites_and_too_few_pages_raise_errors_that_say_so():
    with pytest.raises(site_labels.TooFewPages, match=f"2 sites.*at least {site_labels.SITES_MIN}"):
        list(site_labels.read_sites([page(n, article(n), f"{n % 2}.org") for n in range(40)]))
    with pytest.raises(
        site_labels.TooFewPages,
        match=f"0 of 12 sites have {site_labels.PAGES_PER_SITE_MIN} .* largest has 3",
    ):
        list(site_labels.read_sites([page(n, article(n), f"{n % 12}.org") for n in range(36)]))


TREES = st.recursive(
    st.sampled_from(["a", "b", "a b"]).map(lambda text: ("", [text])),
    lambda inner: st.tuples(st.sampled_from(["div", "p", "b"]), st.lists(inner, max_size=3)),
    max_leaves=8,
)


def markup(tree):
    tag, inner = tree
    if not tag:
        return f" {inner[0]} "
    return f"<{tag}>{''.join(map(markup, inner))}</{tag}>"


@given(st.lists(TREES, min_size=1, max_size=4))
def test_nodes_have_equal_hashes_exactly_if_their_tags_and_words_are_equal(trees):
    """Against the plain definition: tags and texts of the subtree in document order."""
    document = parse_document(f"<body>{''.join(map(markup, trees))}", "https://a.org/")
    segments, nodes = document.segments, document.nodes
    if not segments.texts:
        return
    words = read_words(read_characters(segments.texts))
    hashes, _ = site_labels.hashes_of(document, words)
    owners = segments.owner.tolist()
    contents = {}
    for node, tag in enumerate(nodes.tags):
        if tag in INLINE:
            continue
        items = [(2 * n, nodes.tags[n]) for n in range(node, nodes.end[node])]
        items += [
            (2 * int(at) - 1, text)
            for owner, at, text in zip(owners, segments.inline_to, segments.texts, strict=True)
            if node <= owner < nodes.end[node]
        ]
        if any(key % 2 for key, _ in items):
            content = tuple(text for _, text in sorted(items, key=lambda item: item[0]))
            contents.setdefault(content, set()).add(int(hashes[node]))
    assert all(len(some) == 1 for some in contents.values())
    assert len({one for some in contents.values() for one in some}) == len(contents)
