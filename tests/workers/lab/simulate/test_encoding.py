"""Pages that are sent as bytes."""

import base64
import codecs
from random import Random

import lxml.html
import pytest

from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.prose import LANGUAGES, language
from workers.lab.simulate.site import Encoding, choose_encoding


def test_most_pages_are_text_and_the_others_decode_to_the_same_words(words_of, visible_words):
    names = set()
    pages = list(simulate_feed(FeedSettings(sites=160, pages=480)))
    for page in pages:
        if page.encoding is None:
            continue
        record = page.record()
        decoded = base64.b64decode(record["html_base64"]).decode(record["encoding"])
        tree = lxml.html.document_fromstring(decoded)
        told = sum((words_of(text) for _, text in page.sections), words_of(""))
        assert visible_words([tree]) == told, page.url
        names.add(page.encoding.name)
    assert {"utf-8", "utf-16", "windows-1252", "gb18030"} <= names
    as_text = sum(page.encoding is None for page in pages)
    assert 0.7 < as_text / len(pages) < 0.9


def test_a_declaration_in_the_page_names_the_encoding():
    for page in simulate_feed(FeedSettings(sites=160, pages=480)):
        start = page.html[: page.html.index("<title>")]
        declared = page.encoding.declared_in_page if page.encoding else "utf-8"
        assert ("charset=" in start) == (declared is not None)
        assert declared is None or f"charset={declared}" in start


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_encodings_that_hold_its_words(code):
    text = "".join(language(code).slots["N"])
    chosen = {choose_encoding(code, Random(f"{code}/{number}")) for number in range(300)} - {None}
    assert len({encoding.name for encoding in chosen}) == 3
    for encoding in chosen:
        page = encoding.encode(text)
        assert page.decode(encoding.codec) == text


def test_byte_order_marks_come_first():
    marked = Encoding("utf-8", in_header=False, in_page=False, mark=True)
    assert marked.encode("a") == codecs.BOM_UTF8 + b"a"
    wide = Encoding("utf-16", in_header=False, in_page=False, mark=True)
    assert wide.encode("a")[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}


def test_characters_that_an_encoding_lacks_become_references():
    western = Encoding("windows-1252", in_header=True, in_page=True, mark=False)
    assert western.encode("é北") == b"\xe9&#21271;"
    assert western.content_type == "text/html; charset=windows-1252"
