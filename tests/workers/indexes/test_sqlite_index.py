import itertools
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import msgspec
import pytest

from schemas.cleaned import DeletedRecord, Fingerprint
from schemas.codec import encode_json
from schemas.source import Source
from tests.workers.builders import cleaned_text
from workers.errors import OtherFormat, StateProblem, UsageProblem
from workers.indexes.cleaned_index import LogPlace
from workers.indexes.search import Query, match_expression, search
from workers.indexes.sqlite_index import SqliteIndex, open_for_reading

URL = "https://a.example/1"


def text(words, *, url=URL, minute=0, offset=0, revision=0, fingerprint=None, **fields):
    return msgspec.structs.replace(
        cleaned_text("a.example", "", words),
        url=url,
        fetched_at=None if minute is None else f"2026-01-01T00:{minute:02}:00Z",
        id=str(offset),
        revision=revision,
        source=Source("pages", 0, offset),
        fingerprint=fingerprint
        and Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{fingerprint:016x}"),
        **fields,
    )


def deletion(*, url=URL, minute=None, offset=0):
    when = None if minute is None else f"2026-01-01T00:{minute:02}:00Z"
    source = Source("pages", 0, offset)
    return DeletedRecord(url=url, site="a.example", id="d", source=source, fetched_at=when)


@pytest.fixture
def index(tmp_path):
    with SqliteIndex(tmp_path / "index.db") as opened:
        yield opened


def apply(index, *records, place=None):
    with index.transaction():
        for record in records:
            index.apply(record, place)


def found(index, words, **options):
    with sqlite3.connect(index._path) as db:
        return [hit.url for hit in search(db, Query(words=words, **options))]


def contents(index):
    return index._db.execute(
        "SELECT url, revision, is_deleted, text FROM pages ORDER BY url"
    ).fetchall()


HISTORY = [
    text("first", minute=0, offset=0),
    text("first again", minute=0, offset=0, revision=1),
    deletion(minute=5, offset=1),
    text("second", minute=6, offset=2),
    text("second again", minute=6, offset=2, revision=1),
]


def test_records_that_come_again_in_any_order_change_nothing(index):
    apply(index, *HISTORY)
    assert contents(index) == [(URL, 1, 0, "second again")]
    changed = index.counts.written, index.counts.deleted
    for order in itertools.permutations(HISTORY):
        apply(index, *order)
    assert contents(index) == [(URL, 1, 0, "second again")]
    assert (index.counts.written, index.counts.deleted) == changed


def test_the_newest_record_wins_in_whatever_order_they_arrive(tmp_path):
    for number, order in enumerate(itertools.permutations(HISTORY)):
        with SqliteIndex(tmp_path / f"{number}.db") as index:
            apply(index, *order)
            assert contents(index) == [(URL, 1, 0, "second again")]


def test_a_deleted_page_is_not_found_and_comes_back_with_a_newer_fetch(index):
    apply(index, text("bridge", minute=0), deletion(minute=1, offset=1))
    assert found(index, "bridge") == []
    assert index.text_count() == 0
    apply(index, text("bridge", minute=0))
    assert found(index, "bridge") == []
    apply(index, text("new bridge", minute=2, offset=2))
    assert found(index, "bridge") == [URL]


def test_a_deletion_without_a_time_applies_as_the_null_values_of_the_topic_do(index):
    apply(index, text("bridge"), deletion())
    assert contents(index) == []
    apply(index, deletion())
    assert index.counts.deleted == 1


def test_pages_without_a_time_replace_each_other_in_order_of_arrival(index):
    apply(index, text("old", minute=None), text("new", minute=None))
    assert contents(index) == [(URL, 0, 0, "new")]


def test_words_of_a_replaced_text_are_not_found(index):
    apply(index, text("old bridge"), text("new tunnel", revision=1))
    assert found(index, "bridge") == []
    assert found(index, "tunnel") == [URL]
    index._db.execute("INSERT INTO words (words) VALUES ('integrity-check')")


def test_all_words_are_required_unless_any_is_enough(index):
    apply(index, text("the old bridge"), text("the new tunnel", url="u2"))
    assert found(index, "old tunnel") == []
    assert sorted(found(index, "old tunnel", any_word=True)) == [URL, "u2"]
    assert found(index, '"new the"') == []
    assert found(index, '"the new"') == ["u2"]
    assert found(index, "the", site="a.example", limit=1) == [URL]
    assert found(index, "the", site="b.example") == []


@pytest.mark.parametrize("words", ['the" OR url:x', "(the", "the* NEAR(x)", "-the", "title:the ^"])
def test_no_character_of_a_query_has_a_meaning_for_the_engine(index, words):
    apply(index, text(" ".join(re.findall(r"\w+", words))))
    assert found(index, words) == [URL]


def test_a_query_without_words_is_refused():
    with pytest.raises(UsageProblem, match="no word"):
        match_expression('" !! "')


def test_characters_of_scripts_without_spaces_are_found_and_shown_as_written(index):
    apply(index, text("市議会は月曜日に開かれた。", title="市議会の橋"))
    assert found(index, "月曜") == [URL]
    assert found(index, "曜月") == []
    with sqlite3.connect(index._path) as db:
        (hit,) = search(db, Query(words="月曜日"))
    assert (hit.title, hit.snippet) == ("市議会の橋", "市議会は月曜日に開かれた。")


def test_near_duplicates_are_one_hit(index):
    apply(
        index,
        text("bridge bridge", url="best", fingerprint=0b0111),
        text(
            "bridge and more words",
            url="near",
            fingerprint=0b1111_0000_0000_0000_0111 ^ (0b1111 << 16),
        ),
        text("bridge and other words here", url="far", fingerprint=0xFFFF),
    )
    assert found(index, "bridge") == ["best", "far"]
    assert found(index, "bridge", with_copies=True) == ["best", "near", "far"]
    with sqlite3.connect(index._path) as db:
        hits = search(db, Query(words="bridge"))
    assert [hit.near_duplicates for hit in hits] == [["near"], []]


def test_texts_that_share_min_hashes_are_one_hit(index):
    words = [f"word{number}" for number in range(80)]
    texts = {
        "first": words,
        "other end": [*words[:76], *("another", "end", "of", "the", "text")],
        "other order": [*words[::-1], "once", "more"],
    }
    for number, (url, some) in enumerate(texts.items()):
        apply(index, text(" ".join(some), url=url, fingerprint=0xFFFF << 16 * number))
    assert found(index, "word1") == ["first", "other order"]


def test_a_log_that_is_read_again_takes_away_what_it_does_not_have_any_more(index):
    for number in range(3):
        apply(index, text("t", url=f"u{number}"), place=LogPlace("cleaned", 0, number))
    apply(index, text("t", url="other partition"), place=LogPlace("cleaned", 1, 0))
    apply(index, text("t", url="of a file"))
    with index.transaction():
        index.move("cleaned", 0, 3)
        index.begin_rereading("cleaned", 0, until=3)
    apply(index, text("t", url="u1"), place=LogPlace("cleaned", 0, 1))
    with index.transaction():
        index.move("cleaned", 0, 2)
    assert index.text_count() == 5
    with index.transaction():
        index.move("cleaned", 0, 3)
    assert [row[0] for row in contents(index)] == ["of a file", "other partition", "u1"]


def test_what_fails_inside_a_transaction_leaves_nothing(index):
    def fail():
        with index.transaction():
            index.apply(text("t"))
            index.move("cleaned", 0, 5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert contents(index) == []
    assert index.position("cleaned", 0).next_offset == 0


def test_a_second_writer_is_told_while_readers_go_on(index, tmp_path, monkeypatch):
    monkeypatch.setattr("workers.indexes.sqlite_index._BUSY_MS", 1)
    apply(index, text("bridge"))
    with index.transaction():
        index.apply(text("tunnel", revision=1))
        with pytest.raises(StateProblem, match="another process writes"):
            SqliteIndex(index._path)
        with open_for_reading(index._path) as db:
            assert search(db, Query(words="bridge"))


def test_files_that_are_no_index_are_refused(tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_text("text " * 1000)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (a)")
    before = other.read_bytes()
    older = tmp_path / "older.db"
    with SqliteIndex(older) as index:
        index._db.execute("PRAGMA user_version = 9")
    for opened in (SqliteIndex, open_for_reading):
        with pytest.raises(StateProblem, match="no index or is damaged"):
            opened(wrong)
        with pytest.raises(OtherFormat, match="no index of templ"):
            opened(other)
        with pytest.raises(OtherFormat, match="another version"):
            opened(older)
    assert other.read_bytes() == before
    with pytest.raises(StateProblem, match="there is no index"):
        open_for_reading(tmp_path / "none.db")


def test_a_kill_at_any_time_loses_nothing_and_damages_nothing(tmp_path):
    feed = tmp_path / "cleaned.jsonl"
    pages = [text(f"word{number}", url=f"u{number}", offset=number) for number in range(4000)]
    feed.write_bytes(b"".join(encode_json(page) + b"\n" for page in pages))
    path = tmp_path / "index.db"
    command = [sys.executable, "-m", "workers", "index", str(feed), "--index", str(path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    while process.poll() is None and not (
        path.exists() and path.with_name("index.db-wal").exists()
    ):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with SqliteIndex(path) as index:
        index._db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        for first in range(0, len(pages), 500):
            apply(index, *pages[first : first + 500])
        assert index.text_count() == len(pages)
        assert found(index, "word3999") == ["u3999"]


def test_metadata_comes_with_a_hit(index):
    record = msgspec.structs.replace(text("bridge", title="T | Site"), page_type="article")
    apply(index, record)
    with sqlite3.connect(index._path) as db:
        (hit,) = search(db, Query(words="bridge", highlight=("[", "]")))
    assert (hit.title, hit.page_type, hit.snippet) == ("T | Site", "article", "[bridge]")
    assert hit.fetched_at == "2026-01-01T00:00:00Z"
