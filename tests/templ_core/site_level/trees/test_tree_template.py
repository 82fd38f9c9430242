import random

import pytest

from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.site_level.trees.labelled_tree import tree_of
from templ_core.site_level.trees.tree_evidence import tree_evidence
from templ_core.site_level.trees.tree_model import bounded, decode_tree_model, encode_tree_model
from templ_core.site_level.trees.tree_template import TreeLearner

CONFIG = CoreConfig()
NAVIGATION = ("Home", "World", "Sport", "Weather")
FOOTER = "Copyright 2026 The Paper, all rights reserved"
WORDS = [f"word{number}" for number in range(500)]


def prose(seed, paragraphs=4):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=40)) for _ in range(paragraphs)]


def article(seed, *, paragraphs=4, title=None, extra=""):
    body = "".join(f"<p>{text}</p>" for text in prose(seed, paragraphs))
    return page(
        f'<div class="article"><h1>Headline {seed}</h1>{body}</div>{extra}'
        '<form class="comment"><h3>Leave a comment</h3><p>Your name</p></form>',
        title or f"Headline {seed}",
    )


def listing(seed):
    teasers = "".join(
        f'<div class="teaser"><h2>Headline {9 * seed + n}</h2><span>{prose(9 * seed + n)[0]}</span></div>'
        for n in range(6)
    )
    return page(
        f'<section class="stream"><header>Latest</header>{teasers}</section>'
        "<nav><ol class='pages'><li>1</li><li>Next page</li></ol></nav>",
        "Latest",
    )


def page(main, title):
    items = "".join(f"<li>{name}</li>" for name in NAVIGATION)
    return parse_document(
        f"<html><head><title>{title}</title></head><body><ul class='nav'>{items}</ul>"
        f"<main>{main}</main><div class='foot'>{FOOTER}</div></body></html>",
        "http://paper.example/",
    )


def other_site(seed):
    rows = "".join(f"<tr><td>{text}</td><td>12 Euro</td></tr>" for text in prose(seed))
    return parse_document(
        f"<title>{seed}</title><center><table><tr><td>Our shop</td></tr>{rows}</table></center>",
        "http://paper.example/",
    )


def learned(documents, config=CONFIG):
    learner = TreeLearner(config)
    for document in documents:
        learner.learn_one(document)
    return learner


def shares(document, model):
    evidence = tree_evidence(document, model, CONFIG.cluster_likeness_min)
    return dict(zip(document.segments.texts, evidence.text_share.tolist(), strict=True))


def encoded(learner):
    return encode_tree_model(learner.model())


class TestEvidence:
    def test_template_is_at_its_place_on_all_pages_and_content_on_none(self):
        model = learned(map(article, range(10))).model()
        share = shares(article(99, paragraphs=7), model)
        assert all(share[text] == 1 for text in (*NAVIGATION, FOOTER, "Leave a comment"))
        assert not any(share[text] for text in ("Headline 99", *prose(99, 7)))

    def test_places_of_content_are_known_by_their_change(self):
        model = learned(map(article, range(10))).model()
        document = article(99)
        evidence = tree_evidence(document, model, CONFIG.cluster_likeness_min)
        at = document.segments.texts.index
        assert evidence.place_share[at("Headline 99")] == 1
        assert evidence.change[at("Headline 99")] == 1
        assert evidence.change[at("Home")] == pytest.approx(0.1)
        assert evidence.pages == 10

    def test_a_text_that_moves_is_not_at_its_place(self):
        model = learned(map(article, range(10))).model()
        document = article(99, extra="<blockquote><b>x</b><p>Home</p></blockquote>")
        evidence = tree_evidence(document, model, CONFIG.cluster_likeness_min)
        homes = [
            share
            for text, share in zip(document.segments.texts, evidence.text_share, strict=True)
            if text == "Home"
        ]
        assert homes == [1, 0]

    def test_a_part_that_only_some_pages_have_is_found_with_its_share(self):
        box = "<aside><p>Read more</p></aside>"
        documents = [article(n, extra=box if n % 2 else "") for n in range(20)]
        share = shares(article(99, extra=box), learned(documents).model())
        assert share["Read more"] == 0.5
        assert share[FOOTER] == 1

    def test_a_document_from_its_compact_form_gives_the_same(self):
        documents = [article(n) for n in range(6)]
        again = [decode_document(compress_columns(document_columns(one))) for one in documents]
        assert encoded(learned(documents)) == encoded(learned(again))
        model = learned(documents).model()
        one = tree_evidence(documents[0], model, CONFIG.cluster_likeness_min)
        other = tree_evidence(again[0], model, CONFIG.cluster_likeness_min)
        assert (one.text_share == other.text_share).all()

    def test_text_between_blocks_and_inline_elements_keeps_its_order(self):
        document = parse_document(
            "<body>one <b>bold</b><div>two <a><p>three</p> four</a></div> five<hr>six",
            "http://a.example/",
        )
        tree = tree_of(document).tree
        assert [document.segments.texts[n] for n in tree.segment[tree.is_text]] == [
            *("one bold", "two", "three", "four", "five", "six")
        ]
        assert tree.depth[tree.is_text].tolist() == [2, 3, 4, 3, 2, 2]


class TestClusters:
    def test_articles_and_listings_are_told_apart(self):
        documents = [make(n) for n in range(8) for make in (article, listing)]
        model = learned(documents).model()
        assert [cluster.pages for cluster in model.clusters] == [8, 8]
        assert shares(listing(300), model)["Latest"] == 1
        assert shares(article(300), model)["Leave a comment"] == 1

    def test_two_sites_under_one_key_do_not_mix(self):
        documents = [make(n) for n in range(8) for make in (article, other_site)]
        model = learned(documents).model()
        assert [cluster.pages for cluster in model.clusters] == [8, 8]
        assert shares(other_site(99), model)["Our shop"] == 1
        assert shares(article(99), model)["Home"] == 1

    def test_a_page_like_no_kind_has_no_evidence(self):
        model = learned(map(article, range(8))).model()
        evidence = tree_evidence(other_site(1), model, CONFIG.cluster_likeness_min)
        assert (evidence.cluster, evidence.pages) == (-1, 0)
        assert not evidence.text_share.any()
        assert not evidence.place_share.any()

    def test_error_pages_in_the_mix_do_no_harm(self):
        error = page("<h1>Not found</h1>", "404")
        bare = parse_document("<title>502</title><center>Bad gateway</center>", "http://a.example/")
        documents = [article(n) for n in range(12)]
        documents[2:2] = [error, bare]
        documents[9:9] = [error, bare, bare]
        share = shares(article(99), learned(documents).model())
        assert all(share[text] > 0.9 for text in (*NAVIGATION, FOOTER))

    def test_the_kind_with_the_fewest_pages_makes_room(self):
        config = CoreConfig(tree_clusters_max=2)
        odd = [
            parse_document(f"<body><{tag}><p>{tag}</p></{tag}>", "http://a.example/")
            for tag in ("main", "aside", "article", "section")
        ]
        learner = learned([article(0), article(1), *odd, article(2)], config)
        assert [cluster.pages for cluster in learner.model().clusters] == [3]
        assert learner.forget_one(odd[0])

    def test_odd_pages_are_forgotten_without_a_trace_of_error(self):
        learner = learned([article(0), other_site(1), article(2)])
        assert not learner.forget_one(listing(5))


class TestRepeats:
    def test_identical_pages_are_no_template(self):
        model = learned([article(1)] * 10).model()
        assert model.clusters == []
        assert not any(shares(article(1), model).values())

    def test_one_page_is_no_template(self):
        assert learned([article(1)]).model().clusters == []

    def test_an_article_fetched_ten_times_stays(self):
        refetched = [article(1, extra=f"<p>{n} comments</p>") for n in range(10)]
        documents = [*map(article, range(2, 7)), *refetched]
        share = shares(article(1), learned(documents).model())
        assert not any(share[text] for text in prose(1))
        assert share[FOOTER] == 1

    def test_long_copies_that_differ_in_a_line_stay(self):
        copies = [
            article(1, paragraphs=450, title="A long page", extra=f"<p>{n} readers</p>")
            for n in range(3)
        ]
        model = learned([*copies, article(2)]).model()
        assert not any(shares(copies[0], model)[text] for text in prose(1, 450))

    def test_an_empty_page_teaches_nothing(self):
        learner = learned([parse_document("", "http://a.example/")])
        assert learner.model().clusters == []


class TestForgetting:
    def test_what_was_learned_last_is_forgotten_exactly(self):
        documents = [article(n, paragraphs=2 + n % 5) for n in range(8)]
        learner = learned(documents)
        before = encoded(learner)
        for document in (article(50, paragraphs=9), listing(60), other_site(70)):
            learner.learn_one(document)
            assert learner.forget_one(document)
            assert encoded(learner) == before

    def test_forgetting_everything_leaves_nothing(self):
        documents = [make(n) for n in range(6) for make in (article, listing, other_site)]
        learner = learned(documents)
        random.Random(3).shuffle(documents)
        assert all(learner.forget_one(document) for document in documents)
        assert learner.model().clusters == []
        assert not learner.forget_one(documents[0])

    def test_the_window_moves_on_to_a_new_design(self):
        old = [article(n) for n in range(10)]
        new = [article(n, extra="<aside><p>Subscribe today</p></aside>") for n in range(20, 30)]
        learner = learned(old)
        for gone, come in zip(old, new, strict=True):
            learner.learn_one(come)
            learner.forget_one(gone)
        share = shares(article(99, extra="<aside><p>Subscribe today</p></aside>"), learner.model())
        assert share["Subscribe today"] == 1

    def test_a_copy_takes_the_place_of_the_page_it_was_like(self):
        first = article(1, extra="<p>1 comment</p>")
        second = article(1, extra="<p>2 comments</p>")
        learner = learned([first, second, article(2), article(3)])
        assert learner.forget_one(first)
        assert [cluster.pages for cluster in learner.model().clusters] == [3]
        assert learner.forget_one(second)
        assert not learner.forget_one(first)
        assert [cluster.pages for cluster in learner.model().clusters] == [2]

    def test_what_was_dropped_for_room_needs_no_forgetting(self):
        config = CoreConfig(tree_nodes_max=30)
        documents = [article(n, paragraphs=20) for n in range(6)]
        learner = learned(documents, config)
        assert all(cluster.support.size <= 30 for cluster in learner.model().clusters)
        for document in documents[:4]:
            assert learner.forget_one(document)
        share = shares(article(99), learner.model())
        assert share["Home"] == 1


class TestModel:
    def test_the_codec_keeps_everything(self):
        model = learned([make(n) for n in range(8) for make in (article, listing)]).model()
        body = encode_tree_model(model)
        again = decode_tree_model(body)
        assert encode_tree_model(again) == body
        assert shares(article(99), again) == shares(article(99), model)
        assert (again.clusters[0].tree.identity == model.clusters[0].tree.identity).all()

    @pytest.mark.parametrize("cut", [0, 1, 20, -1])
    def test_damaged_bytes_are_named(self, cut):
        body = encode_tree_model(learned(map(article, range(4))).model())
        with pytest.raises(CodecError, match="tree model"):
            decode_tree_model(body[:cut])

    def test_least_supported_places_make_room_first(self):
        box = "<aside><p>Read more</p></aside>"
        model = learned([article(n, extra=box if n % 3 else "") for n in range(12)]).model()
        full = len(encode_tree_model(model))
        for limit_bytes, support_min in ((full + 100, 8), (full - 40, 12)):
            smaller = bounded(model, limit_bytes)
            assert len(encode_tree_model(smaller)) <= limit_bytes
            assert smaller.clusters[0].support.min() == support_min
            assert shares(article(99, extra=box), smaller)["Home"] == 1
        assert len(encode_tree_model(bounded(model, full // 2))) <= full // 2
        assert bounded(model, 0).clusters == []
