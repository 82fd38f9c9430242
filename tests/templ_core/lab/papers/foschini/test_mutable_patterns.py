import re
from random import Random

from templ_core.lab.papers.foschini.mutable_patterns import (
    PATTERNS,
    MutablePattern,
    Normaliser,
    normaliser_of,
)

LETTERS = "0123456789.,:/-_@$€stndrdhAPMUSDTZa+"


def key_by_one_pattern_after_another(token):
    for pattern in PATTERNS:
        if token in pattern.words:
            return f"<{pattern.name}>"
    for pattern in PATTERNS:
        if pattern.pattern and re.fullmatch(pattern.pattern, token):
            return f"<{pattern.name}>"
    return re.sub(r"\d+", "0", token)


def test_a_token_has_the_key_of_the_first_pattern_that_it_matches():
    random, normaliser = Random(1), Normaliser()
    tokens = ["".join(random.choices(LETTERS, k=random.randint(1, 9))) for _ in range(5_000)]
    wrong = [one for one in tokens if normaliser.key(one) != key_by_one_pattern_after_another(one)]
    assert not wrong


def test_a_pattern_of_ones_own_comes_before_those_of_the_package():
    own = (MutablePattern("version", pattern=r"\d+\.\d+"),)
    assert normaliser_of(own).key("1.5") == "<version>"
    assert normaliser_of(()).key("1.5") == "<number>"
