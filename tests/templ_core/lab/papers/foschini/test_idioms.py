import pytest

from templ_core.errors import CodecError
from templ_core.lab.papers.foschini.fit_idioms import IdiomSettings, SplitText, find_idioms
from templ_core.lab.papers.foschini.phrases import (
    Idioms,
    PhrasesConfig,
    decode_idioms,
    encode_idioms,
    learn_phrases,
    shipped_idioms,
)

SENTENCE = "At the end of the road as well as the river it stays"
NAMES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


def test_a_string_is_made_up_when_idioms_cover_all_of_it():
    idioms = Idioms([("\n", "At", "the", "end"), ("the", "end", "of"), ("of", "the", "day", "\n")])
    assert idioms.make_up(("\n", "At", "the", "end", "of"))
    assert idioms.make_up(("\n", "At", "the", "end", "of", "the", "day", "\n"))
    assert not idioms.make_up(("At", "the", "end"))
    assert not idioms.make_up(("the", "end", "of", "it"))
    assert not Idioms([]).make_up(("the",))


def test_file_gives_back_the_idioms():
    strings = [("as", "well", "as", "the"), ("\n", "For", "example", "\n")]
    body = encode_idioms(strings, sites=9, sites_min=3)
    assert set(decode_idioms(body)) == set(strings)
    assert body == encode_idioms(strings[::-1], sites=9, sites_min=3)


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"format":9,"sites":1,"sites_min":1,"idioms":[]}'])
def test_other_files_are_refused(body):
    with pytest.raises(CodecError):
        decode_idioms(body)


def test_what_stands_in_content_of_many_sites_is_an_idiom_and_in_templates_none():
    def site(name):
        content = f"It{name} as well as the b{name} Leave a reply now c{name}"
        return SplitText(content=content, template=f"d{name}\nz{name} Leave a reply now e{name}")

    found = find_idioms([site(name) for name in NAMES], IdiomSettings(sites_min=8))
    assert found == [("as", "well", "as", "the")]
    assert find_idioms([site(name) for name in NAMES[1:]], IdiomSettings(sites_min=8)) == []


def test_shorter_idioms_stand_for_longer_ones():
    texts = [
        f"x{n} at the end of y{n}\nx{n} the end of the z{n}\nat the end of the" for n in range(9)
    ]
    sites = [SplitText(content=text, template="") for text in texts]
    found = find_idioms(sites, IdiomSettings())
    assert ("at", "the", "end", "of") in found
    assert ("at", "the", "end", "of", "the") not in found
    assert Idioms(found).make_up(("at", "the", "end", "of", "the"))


def test_idioms_that_recur_on_a_site_are_no_phrases():
    pages = [
        f"One{n} story{n} of{n} day{n}\n{SENTENCE}\nmore{n} words{n} here{n}" for n in range(9)
    ]
    idiom = ("\n", *SENTENCE.split(), "\n")
    learned = learn_phrases(pages, PhrasesConfig(), idioms=Idioms([]))
    assert idiom in [phrase.keys for phrase in learned.phrases]
    filtered = learn_phrases(pages, PhrasesConfig(), idioms=Idioms([idiom]))
    assert idiom not in [phrase.keys for phrase in filtered.phrases]


def test_shipped_list():
    idioms = shipped_idioms()
    assert idioms.make_up(("at", "the", "same", "time"))
    assert not idioms.make_up(("\n", "Leave", "a", "reply", "\n"))
