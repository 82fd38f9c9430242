import math
import random
from collections import Counter

import pytest

from templ_core.lab.papers.class_set import TopicPage, cross_site_accuracies

WORDS = {
    "soccer": ["ball", "goal", "league", "the"],
    "cooking": ["salt", "oven", "butter", "the"],
    "games": ["level", "player", "the"],
}


def pages(template_words, seed=0):
    rng = random.Random(seed)
    found = []
    for topic, words in WORDS.items():
        for number in range(8):
            text = " ".join(rng.choices(words, k=12))
            for site in rng.sample("abc", 2):
                template = " ".join([f"menu{site}"] * template_words)
                article = f"{topic} {number}"
                found.append(
                    TopicPage(topic=topic, site=site, article=article, text=f"{text} {template}")
                )
    return found


def test_templates_harm_the_classification_of_topics():
    clean, hidden = cross_site_accuracies(pages(0)), cross_site_accuracies(pages(200))
    assert set(clean) == {("cooking", "games"), ("cooking", "soccer"), ("games", "soccer")}
    assert min(clean.values()) > 0.95
    assert max(hidden.values()) < 0.75


def test_accuracies_equal_those_of_the_plain_definition():
    some = pages(3, seed=5)[:32]
    found = cross_site_accuracies(some)
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
