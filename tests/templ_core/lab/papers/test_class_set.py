import math
import random
from collections import Counter
from typing import NamedTuple

import pytest

from templ_core.lab.papers.class_set import (
    SourcePage,
    class_set,
    cross_site_accuracies,
    put_into,
    read_article,
)
from templ_core.lab.training.labels.gold_labels import GoldSelectors

BODY = " ".join(f"word{number}" for number in range(60))


def page(site, number, body=BODY):
    return SourcePage(
        site=site,
        url=f"http://{site}/{number}",
        markup=(
            f"<html><head><title>Story {number} of {site} | {site}</title></head><body>"
            f"<nav>menu of {site}</nav><div class=art><h1>Story {number}</h1><i class=by>by A</i>tail"
            f"<div class='text main'>Start {site}{number} <p>{body}</p><aside>ad</aside> rest</div>"
            f"</div><footer>foot {site}</footer></body></html>"
        ),
        gold=GoldSelectors(content="div.text", exclude="aside", neutral="h1, .by"),
    )


def part(markup, content):
    return SourcePage(site="", url="", markup=markup, gold=GoldSelectors(content=content))


def test_an_article_replaces_the_content_of_the_host():
    article = read_article("t", page("a.org", 1))
    assert article.title == "Story 1 of a.org"
    assert article.text == f"Start a.org1 {BODY} rest"
    markup = put_into(page("b.org", 7), article)
    again = read_article("t", part(markup, "div.text"))
    assert again.text == article.text
    assert "menu of b.org" in markup
    assert "foot b.org" in markup
    assert "<h1><span>Story 1 of a.org</span></h1>tail" in markup
    for gone in ("by A", "Story 7", "b.org7", "<aside>"):
        assert gone not in markup


def test_pages_without_exactly_one_content_element_are_skipped():
    twice = page("a.org", 1).markup.replace("</footer>", "</footer><div class=text>x</div>")
    assert read_article("t", part(twice, ".text")) is None
    short = page("a.org", 1, body="short")
    assert read_article("t", short) is None


def test_the_set_depends_on_the_seed_and_hosts_take_turns():
    topics = {topic: [page(topic, n, BODY + f" {n}") for n in range(6)] for topic in ("s", "c")}
    templates = {site: [page(site, n) for n in range(3)] for site in ("x", "y", "z")}

    def drawn(seed):
        return class_set(
            topics, templates, articles_per_topic=4, templates_per_article=2, seed=seed
        )

    pages = drawn(1)
    assert len(pages) == 2 * 4 * 2
    assert pages == drawn(1)
    assert {one.article for one in pages} != {one.article for one in drawn(2)}
    assert all(one.article.split("/")[2] == one.topic for one in pages)
    lent = [one.url.partition("#")[0] for one in pages]
    most_used = max(lent.count(url) for url in lent)
    assert most_used <= -(-len(pages) // 3 // 3) + 2
    articles = {(one.article, one.site) for one in pages}
    assert len(articles) == len(pages)


def test_equal_articles_are_drawn_once():
    topics = {"s": [page("s", 1), page("s", 1)]}
    templates = {"x": [page("x", 1)]}
    pages = class_set(topics, templates, articles_per_topic=5, templates_per_article=1, seed=0)
    assert len(pages) == 1


WORDS = {
    "soccer": ["ball", "goal", "league", "the"],
    "cooking": ["salt", "oven", "butter", "the"],
    "games": ["level", "player", "the"],
}


class TopicPage(NamedTuple):
    text: str
    topic: str
    site: str
    article: str


def accuracies(pages):
    return cross_site_accuracies(*map(list, zip(*pages, strict=True)))


def pages(template_words, seed=0):
    rng = random.Random(seed)
    pages = []
    for topic, words in WORDS.items():
        for number in range(8):
            text = " ".join(rng.choices(words, k=12))
            for site in rng.sample("abc", 2):
                template = " ".join([f"menu{site}"] * template_words)
                article = f"{topic} {number}"
                pages.append(TopicPage(f"{text} {template}", topic, site, article))
    return pages


def test_templates_harm_the_classification_of_topics():
    clean, hidden = accuracies(pages(0)), accuracies(pages(200))
    assert set(clean) == {("cooking", "games"), ("cooking", "soccer"), ("games", "soccer")}
    assert min(clean.values()) > 0.95
    assert max(hidden.values()) < 0.75


def test_accuracies_equal_those_of_the_plain_definition():
    some = pages(3, seed=5)[:32]
    found = accuracies(some)
    for (first, second), accuracy in found.items():
        shares = []
        for one in "abc":
            for other in set("abc") - {one}:
                train = {
                    first: [page for page in some if (page.topic, page.site) == (first, one)],
                    second: [page for page in some if (page.topic, page.site) == (second, other)],
                }
                articles = {page.article for group in train.values() for page in group}
                tested = [
                    page for page in some if page.topic in train and page.article not in articles
                ]
                if all(train.values()) and tested:
                    right = sum(guess(train, page.text) == page.topic for page in tested)
                    shares.append(right / len(tested))
        assert accuracy == pytest.approx(sum(shares) / len(shares))


def guess(train, text):
    counts = {
        topic: Counter(word for page in group for word in page.text.split())
        for topic, group in train.items()
    }
    known = set().union(*counts.values())
    score = {
        topic: math.log(len(train[topic]))
        + sum(
            math.log((some[word] + 1) / (some.total() + len(known)))
            for word in text.split()
            if word in known
        )
        for topic, some in counts.items()
    }
    return max(score, key=score.get)
