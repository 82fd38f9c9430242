"""Which page published a content first, whatever happens to pages and to the index."""

import random

import msgspec
import pytest

from schemas.codec import SchemaError, encode_msgpack
from schemas.fingerprint import FingerprintRecord, Original
from tests.workers.builders import cleaned_text
from workers.errors import StateProblem
from workers.state import content_index
from workers.state.content_index import ContentIndex

A1 = Original("https://a.example/1", "a.example")


def story(number, words=80):
    rng = random.Random(number)
    return " ".join("".join(rng.choices("abcdefghij", k=6)) for _ in range(words))


@pytest.fixture
def index():
    return ContentIndex(None, 100)


def original(index, *page):
    return index.take(cleaned_text(*page))[0]


def urls(index):
    return [one.url.removeprefix("https://") for one in index.pages()]


def test_the_first_page_with_a_content_is_named_and_stays_the_first(index):
    assert original(index, "a.example", 1, story(1)) is None
    assert original(index, "b.example", 1, story(1) + " as told elsewhere") == A1
    assert original(index, "c.example", 1, story(1)) == A1
    assert original(index, "a.example", 1, story(1)) is None
    assert original(index, "a.example", "again", story(1)) is None
    assert original(index, "b.example", 2, story(2)) is None
    assert urls(index) == [
        "a.example/1", "a.example/again", "b.example/1", "b.example/2", "c.example/1",
    ]  # fmt: skip
    assert index.due() == []


def due(index):
    """The pages that are to be judged again, with what is found then."""
    due = index.due()
    index.settle(due)
    assert index.due() == []
    return {page.url.removeprefix("https://"): index.judge(page) for page, _ in due}


def test_a_page_with_another_content_leaves_its_old_one_to_others(index):
    original(index, "a.example", 1, story(1))
    assert original(index, "a.example", 1, story(2)) is None
    assert original(index, "b.example", 1, story(1)) is None
    assert original(index, "b.example", 2, story(2)) == A1
    assert original(index, "a.example", 1, story(1)).url == "https://b.example/1"
    assert due(index) == {"b.example/2": None}
    assert original(index, "b.example", 1, "Nothing is left.") is None
    assert due(index) == {"a.example/1": None}


def test_pages_are_due_when_an_earlier_page_becomes_known_or_is_gone(index):
    for site, now_ms in (("d", 40), ("c", 30), ("b", 20)):
        index.take(cleaned_text(f"{site}.example", 1, story(1)), now_ms)
    first = Original("https://b.example/1", "b.example")
    assert due(index) == {"c.example/1": first, "d.example/1": first}
    assert index.take(cleaned_text("a.example", 1, story(1)), 20)[0] is None  # of equal times
    assert due(index) == dict.fromkeys(["b.example/1", "c.example/1", "d.example/1"], A1)
    index.take(cleaned_text("e.example", 1, story(1)), 50)
    index.remove("c.example", "https://c.example/1")
    assert due(index) == {}
    index.remove("a.example", "https://a.example/1")
    assert due(index) == {"b.example/1": None, "d.example/1": first, "e.example/1": first}
    index.erase("b.example")
    last = Original("https://d.example/1", "d.example")
    assert due(index) == {"d.example/1": None, "e.example/1": last}


def test_a_page_that_becomes_due_while_it_is_judged_stays_due(index):
    for site, now_ms in (("c", 30), ("b", 20)):
        index.take(cleaned_text(f"{site}.example", 1, story(1)), now_ms)
    judged = index.due()
    index.take(cleaned_text("a.example", 1, story(1)), 10)
    index.settle(judged)
    assert due(index) == dict.fromkeys(["b.example/1", "c.example/1"], A1)


def test_due_pages_are_not_forgotten(tmp_path):
    index = ContentIndex(tmp_path / "contents", 100)
    for site, now_ms in (("c", 30), ("b", 20), ("a", 10)):
        index.take(cleaned_text(f"{site}.example", 1, story(1)), now_ms)
    index.erase("b.example")
    index.close()
    again = ContentIndex(tmp_path / "contents", 100)
    assert due(again) == {"c.example/1": A1}
    again.clear()
    assert again.due() == []
    again.close()


def test_of_very_many_pages_with_one_content_the_first_are_remembered(index, monkeypatch):
    monkeypatch.setattr(content_index, "_NEAR_MAX", 3)
    for number in range(6):
        index.take(cleaned_text("b.example", number, story(1)), 10 + number)
    assert urls(index) == ["b.example/0", "b.example/1", "b.example/2"]
    copy, published = index.take(cleaned_text("c.example", 1, story(1)), 30)
    assert (copy.url, published) == ("https://b.example/0", None)
    assert index.take(cleaned_text("a.example", 1, story(1)), 5)[0] is None
    assert due(index) == dict.fromkeys(urls(index)[1:], A1)


def test_a_page_under_another_site_key_is_no_copy_of_itself(index):
    page = cleaned_text("a.example", 1, story(1))
    assert index.take(page)[0] is None
    assert index.take(msgspec.structs.replace(page, site="a"))[0] is None


def test_short_texts_and_pages_without_content_of_their_own_are_copies_of_nothing(index):
    for site in ("a.example", "b.example"):
        assert original(index, site, 1, story(1, words=49)) is None
        assert original(index, site, 2, story(2), "gate") is None
        assert original(index, site, 3, story(3), "error-page") is None
    assert urls(index) == []


def test_a_page_that_is_gone_is_no_original(index):
    original(index, "a.example", 1, story(1))
    index.remove("a.example", "https://a.example/1")
    index.remove("a.example", "https://a.example/1")
    assert original(index, "b.example", 1, story(1)) is None
    assert due(index) == {}


def test_a_page_in_place_of_another_leaves_its_content(index):
    original(index, "a.example", 1, story(1))
    assert original(index, "a.example", 1, story(2), "gate") is None
    assert original(index, "b.example", 1, story(1)) == A1
    assert original(index, "b.example", 1, story(2), "error-page") == A1
    assert due(index) == {}


def test_the_newest_pages_stay(tmp_path):
    index = ContentIndex(tmp_path / "contents", 10)
    for number in range(25):
        original(index, "a.example", number, story(number))
    index.remove("a.example", "https://a.example/20")
    assert original(index, "a.example", 24, story(99)) is None
    kept = [*range(16, 20), *range(21, 25)]
    assert urls(index) == [f"a.example/{number}" for number in kept]
    assert len(index._known._buckets) <= 4 * len(kept)
    assert original(index, "b.example", 17, story(17)).url == "https://a.example/17"
    assert original(index, "b.example", 15, story(15)) is None
    index.close()
    fewer = ContentIndex(tmp_path / "contents", 3)
    assert urls(fewer) == ["a.example/24", "b.example/15", "b.example/17"]
    assert original(fewer, "c.example", 15, story(15)).url == "https://b.example/15"
    fewer.close()


def test_a_site_that_is_taken_down_leaves_the_index(tmp_path):
    index = ContentIndex(tmp_path / "contents", 100)
    for site, number in (("a.example", 1), ("a.example.org", 2), ("a.example", 3)):
        original(index, site, number, story(number))
    assert index.erase("a.example")
    assert not index.erase("a.example")
    assert original(index, "b.example", 1, story(1)) is None
    assert original(index, "b.example", 2, story(2)).url == "https://a.example.org/2"
    assert urls(index) == ["a.example.org/2", "b.example/1", "b.example/2"]
    index.close()
    files = [one for one in (tmp_path / "contents").iterdir() if one.is_file()]
    assert not [one.name for one in files if b"a.example/" in one.read_bytes()]


def test_indexes_tell_each_other_and_agree_whatever_comes_first(index):
    other = ContentIndex(None, 100)
    _, first = index.take(cleaned_text("a.example", 1, story(1)), now_ms=5)
    _, second = other.take(cleaned_text("b.example", 1, story(1)), now_ms=6)
    for one, partition in ((index, 0), (other, 1)):
        for offset, record in enumerate((second, first)):
            key = f"{record.site}\0{record.url}"
            one.put(key, encode_msgpack(record), partition, offset)
        copy, published = one.take(cleaned_text("c.example", 1, story(1)), now_ms=7)
        assert (copy, published.rank) == (A1, 7)
        assert one.next_offset(partition) == 2
    copy, published = other.take(cleaned_text("b.example", 1, story(1)), now_ms=8)
    assert (copy, published) == (A1, second)
    assert due(other) == {"b.example/1": A1}
    assert due(index) == {"b.example/1": A1}
    index.put("a.example\0https://a.example/1", None, 0, 2)
    assert urls(index) == ["b.example/1", "c.example/1"]
    assert due(index).keys() == {"a.example/1", "b.example/1", "c.example/1"}
    with pytest.raises(SchemaError, match="format 2"):
        index.put("a.example\0u", encode_msgpack(msgspec.structs.replace(first, format=2)), 0, 3)
    index.clear()
    assert (urls(index), index.next_offset(0)) == ([], 0)
    assert original(index, "b.example", 1, story(1)) is None


def test_what_was_published_before_is_told_again_with_its_time(index):
    page = cleaned_text("a.example", 1, story(1))
    _, published = index.take(page, now_ms=5)
    assert published == FingerprintRecord(
        url=page.url, site=page.site, key=int(page.fingerprint.value, 16), rank=5,
        fetched_at=page.fetched_at, source=page.source,
    )  # fmt: skip
    assert index.take(page, now_ms=9) == (None, published)
    assert index.published(A1) == published
    assert index.published(Original("https://a.example/2", "a.example")) is None


def test_pages_that_the_topic_has_something_else_about_are_due(index):
    copy, own = (Original(f"https://b.example/{number}", "b.example") for number in (1, 2))
    index.take(cleaned_text("a.example", 1, story(1)), 5)
    index.take(cleaned_text("b.example", 1, story(1)), 6)
    index.take(cleaned_text("b.example", 2, story(2)), 7)
    is_own = "b.example".__eq__
    index.compare({copy: A1.url}, is_own)
    assert due(index) == {}
    index.compare({}, "a.example".__eq__)
    assert due(index) == {}
    index.compare({}, is_own)
    assert due(index) == {"b.example/1": A1}
    index.compare({copy: own.url, own: A1.url}, is_own)
    assert due(index) == {"b.example/1": A1, "b.example/2": None}
    index.remove("a.example", A1.url)
    assert due(index) == {"b.example/1": None}
    index.compare({}, is_own)
    assert due(index) == {}


def test_a_page_that_has_gone_from_the_topic_and_comes_again_is_due(index):
    """Its record of before may come from another watcher, after this one has read the page."""
    index.take(cleaned_text("a.example", 1, story(1)), 5)
    _, published = index.take(cleaned_text("b.example", 1, story(1)), 6)
    assert due(index) == {}
    for offset, value in enumerate((None, encode_msgpack(published))):
        index.put("b.example\0https://b.example/1", value, 0, offset)
    assert due(index) == {"b.example/1": A1}


@pytest.mark.parametrize("field", [{"rank": -1}, {"rank": 1 << 63}, {"key": -1}, {"key": "1"}])
def test_an_impossible_record_is_refused(index, field):
    _, published = index.take(cleaned_text("a.example", 1, story(1)), now_ms=5)
    hostile = encode_msgpack(msgspec.structs.replace(published, **field))
    with pytest.raises(SchemaError):
        index.put("b.example\0u", hostile, 0, 1)


def test_a_damaged_value_is_damage_of_the_index():
    index = ContentIndex(None, 100)
    index._db.put("pages", b"a.example\0u", b"\xc1")
    with pytest.raises(StateProblem):
        index.erase("a.example")
