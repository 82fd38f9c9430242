import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.features.characters import mix, read_characters, read_words, text_hashes
from templ_core.page_level.model.hashed_scores import (
    TABLE_SIZE,
    HashedTable,
    heading_places,
    text_places,
    text_scores,
)

_WORD, _START, _WHOLE = (np.uint64(salt) for salt in (0x51ED27, 0xA24BAED, 0x9FB21C65))
_HEADING, _TURN = np.uint64(0xC13FA9A902A6328F), np.uint64(0xFF51AFD7ED558CCD)
TEXTS = st.lists(st.text("ab cd, x y1", min_size=1, max_size=90), min_size=1, max_size=8)


def obvious_places(words, segment, salt):
    """Return the places of a segment's first 30 words, its first three as one, and a text of up to six."""
    own = words.hashes[words.segment == segment]
    tokens = [own[:30] ^ _WORD]
    if len(own) >= 3:
        tokens.append(((own[:1] * _TURN + own[1:2]) * _TURN + own[2:3]) ^ _START)
    if len(own) <= 6:
        tokens.append(text_hashes(words)[[segment]] ^ _WHOLE)
    return set((mix(np.concatenate(tokens) ^ salt) % np.uint64(TABLE_SIZE)).tolist())


def by_segment(places, count):
    found = [[] for _ in range(count)]
    for place, segment in zip(places.place, places.group, strict=True):
        found[segment].append(int(place))
    return [sorted(some) for some in found]


@given(TEXTS, st.data())
def test_tokens_and_scores_are_those_of_the_slow_twin(texts, data):
    words = read_words(read_characters(texts))
    count = len(texts)
    heading = np.array([data.draw(st.integers(-1, number - 1)) for number in range(count)])
    own = [obvious_places(words, number, np.uint64(0)) for number in range(count)]
    below = [obvious_places(words, number, _HEADING) for number in range(count)]
    assert by_segment(text_places(words), count) == [sorted(some) for some in own]
    used = set(heading.tolist())
    assert by_segment(heading_places(words, heading), count) == [
        sorted(some) if number in used else [] for number, some in enumerate(below)
    ]
    rng = np.random.default_rng(0)
    weights = rng.integers(-127, 128, TABLE_SIZE).astype(np.int8)
    table = HashedTable(weights=weights, unit=1e-3, bias=0.25)
    sums = [
        sum(int(weights[place]) for place in [*own[number], *(below[at] if at >= 0 else ())])
        for number, at in enumerate(heading.tolist())
    ]
    assert np.allclose(text_scores(words, heading, table), 0.25 + 1e-3 * np.array(sums))
