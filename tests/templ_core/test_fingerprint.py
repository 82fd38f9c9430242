import hashlib
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.fingerprint import HASHES, are_near_duplicates, min_hashes, simhash
from templ_core.site_key import LOCAL, site_key
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


LETTERS = "".join(chr(97 + number % 26) for number in range(400))
LONG_TOKENS = " ".join(LETTERS[:size] for size in (22, 23, 24, 127, 128, 129, 256, 400))
WIDE = "\U00020000\U0002fa1f\U0002fa20 \U00030000x\U000e0100y"


@given(st.text(max_size=300))
@example(LONG_TOKENS)
@example(TEXT)
@example(WIDE)
@example(f"{TEXT} {LONG_TOKENS} {WIDE}")
def test_equal_to_its_definition_on_any_text(text):
    assert simhash(text) == slow_simhash(text)


NUMBERED_WORDS = " ".join(f"word{number}" for number in range(100))


@pytest.mark.parametrize(
    ("other", "are_near"),
    [
        (NUMBERED_WORDS + " one more sentence here", True),
        (NUMBERED_WORDS.upper().replace(" ", ", "), True),
        (" ".join(reversed(NUMBERED_WORDS.split())), False),  # no shingle is in both
    ],
)
def test_near_duplicates_share_most_hashes(other, are_near):
    one, other = min_hashes(NUMBERED_WORDS), min_hashes(other)
    assert len(one) == HASHES
    assert bool(one & other) == are_near_duplicates(one, other) == are_near


def test_min_hashes_of_short_and_empty_texts():
    assert len(min_hashes("two words")) == 1
    assert min_hashes("") == frozenset()
    assert not are_near_duplicates(min_hashes(""), min_hashes(""))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world_1!", ["Hello", "world_1"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("ภาษา", ["ภ", "า", "ษ", "า"]),
        ("слово за словом", ["слово", "за", "словом"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("mixed中text", ["mixed", "中", "text"]),
        ("", []),
    ],
)
def test_tokens_are_words_or_characters_by_script(text, tokens):
    assert tokenise(text) == tokens


SPELLINGS = ("bücher.de", "BÜCHER.de", "xn--bcher-kva.de", "www.bücher.de.", "b%C3%BCcher.de")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://news.bbc.co.uk/x?y#z", "bbc.co.uk"),
        ("https://example.com", "example.com"),
        ("https://blog.alice.github.io/post", "alice.github.io"),
        ("https://github.io/", "github.io"),
        ("http://co.uk/", "co.uk"),
        ("http://user:p@ss@WWW.Example.COM.:8080/x", "example.com"),
        ("HTTP:\\\\www.example.com\\x", "example.com"),
        ("//cdn.example.com/x", "example.com"),
        ("example.com/page", "example.com"),
        ("example.com:8080/page", "example.com"),
        (" https://www.example.com/ \n", "example.com"),
        ("http://ex%61mple.com/", "example.com"),
        ("http://1.2.3.4:80/", "1.2.3.4"),
        ("http://1.2.3.4./", "1.2.3.4"),
        ("http://[::1]:80/", "::1"),
        ("http://[0:0::1]/", "::1"),
        ("http://[fe80::1%25eth0]/", "fe80::1"),
        ("http://localhost:3000/", "localhost"),
        ("localhost:3000/x", "localhost"),
        ("http://www.site.example/", "www.site.example"),
        *((f"http://{host}/", "xn--bcher-kva.de") for host in SPELLINGS),
        ("http://例子。中国/", "xn--fsqu00a.xn--fiqs8s"),
        ("file:///a/b/c.html", LOCAL),
        ("file://server/share/c.html", "server"),
        ("about:blank", LOCAL),
        ("mailto:a@example.com", LOCAL),
        ("some words. and more", LOCAL),
        ("http://", LOCAL),
        ("http://..", LOCAL),
        ("", LOCAL),
    ],
)
def test_the_key_of_a_url(url, key):
    assert site_key(url) == key


_ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@given(_ANY_TEXT)
@example("a" * 100_000)
@example("a." * 50_000)
@example("[" * 100_000)
def test_every_text_has_a_key_that_is_not_empty(host):
    for url in (host, f"http://{host}", f"https://{host}/page", f"http://[{host}]:80/"):
        key = site_key(url)
        assert 0 < len(key) <= 253
        assert key.isascii()
        assert key == key.lower()
        assert "\0" not in key
