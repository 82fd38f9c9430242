import random

import pytest

from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.site_level.trees.labelled_tree import label_page
from templ_core.site_level.trees.tree_evidence import tree_evidence
from templ_core.site_level.trees.tree_model import (
    bounded_trees,
    decode_tree_model,
    encode_tree_model,
)
from templ_core.site_level.trees.tree_template import TreeLearner

CONFIG = CoreConfig()
NAVIGATION = ("Home", "World", "Sport", "Weather")
FOOTER = "Copyright 2026 The Paper, all rights reserved"
WORDS = [f"word{number}" for number in range(500)]


def prose(seed, paragraphs=4):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=40)) for _ in range(paragraphs)]


def article(seed, *, paragraphs=4, extra=""):
    body = "".join(f"<p>{text}</p>" for text in prose(seed, paragraphs))
    return page(
        f'<div class="article"><h1>Headline {seed}</h1>{body}</div>{extra}'
        '<form class="comment"><h3>Leave a comment</h3><p>Your name</p></form>',
        f"Headline {seed}",
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

    def test_at_places_of_content_the_text_changes(self):
        model = learned(map(article, range(10))).model()
        document = article(99)
        evidence = tree_evidence(document, model, CONFIG.cluster_likeness_min)
        at = document.segments.texts.index
        assert evidence.place_share[at("Headline 99")] == 1
        assert evidence.change[at("Headline 99")] == 1
        assert evidence.change[at("Home")] == pytest.approx(0.1)
        assert evidence.pages == 10

    def test_a_text_at_another_place_is_not_the_template(self):
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

    def test_a_document_from_its_compact_form_gives_equal_evidence(self):
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
        tree = label_page(document).tree
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

    def test_a_page_like_no_cluster_has_no_evidence(self):
        model = learned(map(article, range(8))).model()
        evidence = tree_evidence(other_site(1), model, CONFIG.cluster_likeness_min)
        assert evidence.pages == 0
        assert not evidence.text_share.any()
        assert not evidence.place_share.any()

    def test_error_pages_among_the_others_change_little(self):
        error = page("<h1>Not found</h1>", "404")
        bare = parse_document("<title>502</title><center>Bad gateway</center>", "http://a.example/")
        documents = [article(n) for n in range(12)]
        documents[2:2] = [error, bare]
        documents[9:9] = [error, bare, bare]
        share = shares(article(99), learned(documents).model())
        assert all(share[text] > 0.9 for text in (*NAVIGATION, FOOTER))

    def test_the_cluster_with_the_fewest_pages_makes_room(self):
        config = CoreConfig(tree_clusters_max=2)
        odd = [
            parse_document(f"<body><{tag}><p>{tag}</p></{tag}>", "http://a.example/")
            for tag in ("main", "aside", "article", "section")
        ]
        learner = learned([article(0), article(1), *odd, article(2)], config)
        assert [cluster.pages for cluster in learner.model().clusters] == [3]

    def test_a_cluster_keeps_as_many_nodes_as_it_may(self):
        config = CoreConfig(tree_nodes_max=30)
        model = learned([article(n, paragraphs=20) for n in range(6)], config).model()
        assert all(cluster.support.size <= 30 for cluster in model.clusters)
        assert shares(article(99), model)["Home"] == 1


class TestFewPages:
    def test_one_page_is_no_template(self):
        assert learned([article(1)]).model().clusters == []

    def test_an_empty_page_adds_nothing(self):
        learner = learned([parse_document("", "http://a.example/")])
        assert learner.model().clusters == []


class TestModel:
    def test_a_decoded_model_equals_the_encoded_one(self):
        model = learned([make(n) for n in range(8) for make in (article, listing)]).model()
        body = encode_tree_model(model)
        again = decode_tree_model(body)
        assert encode_tree_model(again) == body
        assert shares(article(99), again) == shares(article(99), model)
        assert (again.clusters[0].tree.identity == model.clusters[0].tree.identity).all()

    @pytest.mark.parametrize("cut", [0, 1, 20, -1])
    def test_damaged_bytes_are_refused(self, cut):
        body = encode_tree_model(learned(map(article, range(4))).model())
        with pytest.raises(CodecError, match="tree model"):
            decode_tree_model(body[:cut])

    def test_least_supported_places_make_room_first(self):
        box = "<aside><p>Read more</p></aside>"
        model = learned([article(n, extra=box if n % 3 else "") for n in range(12)]).model()
        full = len(encode_tree_model(model))
        for limit_bytes, support_min in ((full + 100, 8), (full - 40, 12)):
            smaller = bounded_trees(model, limit_bytes)
            assert len(encode_tree_model(smaller)) <= limit_bytes
            assert smaller.clusters[0].support.min() == support_min
            assert shares(article(99, extra=box), smaller)["Home"] == 1
        assert len(encode_tree_model(bounded_trees(model, full // 2))) <= full // 2
        assert bounded_trees(model, 0).clusters == []
