"""Contents that were published before, compared with a slow twin that looks at every key."""

import random

from templ_core.duplicates import BITS, TOKENS_MIN, KnownContents, says_enough

PLACES = 500


def changed(key, bits, rng):
    """Return a key that differs in so many bits."""
    for bit in rng.sample(range(64), bits):
        key ^= 1 << bit
    return key


def slow_near(contents, key):
    return sorted(
        (rank, at) for at, (one, rank) in contents.items() if (one ^ key).bit_count() <= BITS
    )


def test_near_contents_are_found_as_by_looking_at_all():
    rng = random.Random(1)
    known, contents = KnownContents(PLACES), {}
    origin = rng.getrandbits(64)
    several = 0
    for step in range(3000):
        place = rng.randrange(PLACES)
        if place in contents:
            known.drop(place)
            del contents[place]
        else:
            near = changed(origin, rng.randrange(12), rng)
            contents[place] = (
                near if rng.random() < 0.05 else rng.getrandbits(64),
                step * 7 % 3001,
            )
            known.put(place, *contents[place])
        asked = changed(contents[place][0] if place in contents else origin, rng.randrange(10), rng)
        near = known.near(asked)
        assert list(zip(near.ranks, near.places, strict=True)) == slow_near(contents, asked)
        several += len(near.places) > 1
    assert 300 < several < 3000


def test_short_texts_say_too_little_in_any_script():
    assert not says_enough("word " * (TOKENS_MIN - 1))
    assert says_enough("word " * TOKENS_MIN)
    assert not says_enough("文" * (TOKENS_MIN - 1))
    assert says_enough("文" * TOKENS_MIN)
