import hashlib
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templ_core.fingerprint import simhash
from templ_core.tokens import tokenise

BITS = 64
MASK = (1 << BITS) - 1

TEXT = " ".join(f"word{n} follows word{n * 7 % 101}" for n in range(300))


def distance(one, other):
    return (one ^ other).bit_count()


def test_a_small_change_flips_few_bits_and_another_text_many():
    changed = TEXT.replace("word150 ", "other ")
    another = " ".join(f"entry{n} after entry{n * 3 % 97}" for n in range(300))
    assert distance(simhash(TEXT), simhash(changed)) <= 3
    assert distance(simhash(TEXT), simhash(another)) > 10


def test_case_and_white_space_do_not_matter():
    assert simhash("One two  three FOUR") == simhash("one two three four")


def test_short_and_empty_texts():
    assert simhash("") is None
    assert simhash("...") is None
    assert simhash("one") == simhash("One")


def slow_simhash(text):
    """Return the SimHash as its definition reads, for comparison with the compiled one."""
    hashes = [
        int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "big")
        for token in tokenise(text.lower())
    ]
    if not hashes:
        return None
    if len(hashes) >= 3:
        triples = zip(hashes, hashes[1:], hashes[2:], strict=False)
        hashes = [one ^ rotated(two, 21) ^ rotated(three, 42) for one, two, three in triples]
    shingles = {mixed(one) for one in hashes}
    ones = Counter(bit for one in shingles for bit in range(BITS) if one >> bit & 1)
    return sum(1 << bit for bit, count in ones.items() if 2 * count > len(shingles))


def rotated(value, bits):
    return (value << bits | value >> (BITS - bits)) & MASK


def mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


@given(st.text(max_size=300))
def test_equal_to_its_definition_on_any_text(text):
    assert simhash(text) == slow_simhash(text)


def test_equal_to_its_definition_on_long_tokens_and_many_shingles():
    letters = "".join(chr(97 + number % 26) for number in range(400))
    long_tokens = " ".join(letters[:size] for size in (22, 23, 24, 127, 128, 129, 256, 400))
    wide = "\U00020000\U0002fa1f\U0002fa20 \U00030000x\U000e0100y"
    for text in (long_tokens, TEXT, wide, f"{TEXT} {long_tokens} {wide}"):
        assert simhash(text) == slow_simhash(text)
