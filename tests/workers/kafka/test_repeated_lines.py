"""Lines that several pages of a sampled site have count as repeated."""

import zlib

from workers.kafka.metrics import RepeatedLines

SAMPLED = next(f"{n}.org" for n in range(99) if zlib.crc32(f"{n}.org".encode()) % 8 == 0)
OTHER = next(f"{n}.org" for n in range(99) if zlib.crc32(f"{n}.org".encode()) % 8)
LINE = "Read all our stories about rivers"


def text(number):
    return f"{LINE}\nStory {number} has words of its own.\nShort line"


def test_a_line_that_three_other_pages_have_is_repeated():
    lines = RepeatedLines()
    found = [lines.take(SAMPLED, f"http://a/{n}", text(n)) for n in range(4)]
    assert found[:3] == [(0, 0)] * 3
    assert found[3] == (len(LINE) + len("Story 3 has words of its own."), len(LINE))


def test_another_fetch_of_a_url_is_no_other_page():
    lines = RepeatedLines()
    assert [lines.take(SAMPLED, "http://a/1", text(1)) for _ in range(6)] == [(0, 0)] * 6


def test_most_sites_are_not_looked_at():
    lines = RepeatedLines()
    assert [lines.take(OTHER, f"http://a/{n}", text(n)) for n in range(6)] == [(0, 0)] * 6
