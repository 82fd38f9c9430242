"""Order, determinism and variety of a feed."""

import hashlib
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import lxml.html
import msgspec
import pytest

from schemas.page import PageRecord
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.prose import LANGUAGES, language
from workers.lab.simulate.site import SITE_GENRES

_DIGEST = """
import hashlib, msgspec
from workers.lab.simulate.feed import FeedSettings, simulate_feed
digest = hashlib.sha256()
for page in simulate_feed(FeedSettings(sites=9, pages=60, seed=5, redesign_day=14)):
    digest.update(msgspec.json.encode(page.record()))
print(digest.hexdigest())
"""


def _digest(settings: FeedSettings) -> str:
    digest = hashlib.sha256()
    for page in simulate_feed(settings):
        digest.update(msgspec.json.encode(page.record()))
    return digest.hexdigest()


def test_same_seed_same_bytes_in_another_process():
    settings = FeedSettings(sites=9, pages=60, seed=5, redesign_day=14)
    here = _digest(settings)
    assert here == _digest(settings)
    for hash_seed in ("1", "77"):
        there = subprocess.run(
            [sys.executable, "-c", _DIGEST],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert there.stdout.strip() == here


def test_another_seed_gives_other_sites():
    one, other = (next(simulate_feed(FeedSettings(seed=seed))) for seed in (1, 2))
    assert one.site != other.site
    assert one.html != other.html


def test_pages_arrive_in_order_within_the_given_days():
    start = datetime(2026, 3, 1, tzinfo=UTC)
    settings = FeedSettings(sites=6, pages=100, start=start, days=7)
    moments = [page.fetched_at for page in simulate_feed(settings)]
    assert moments == sorted(moments)
    assert start <= moments[0]
    assert moments[-1] <= start + timedelta(days=7)
    assert moments[-1] - moments[0] > timedelta(days=6)


def test_sites_are_interleaved_and_nearly_all_of_them_occur(pages):
    same = sum(one.site == other.site for one, other in pairwise(pages))
    assert same < len(pages) * 0.02
    assert len({page.site for page in pages}) > 70


def test_a_large_feed_is_made_lazily():
    settings = FeedSettings(sites=5000, pages=10**9)
    assert len(list(islice(simulate_feed(settings), 5))) == 5


def test_every_genre_and_language_appears(pages):
    assert {page.genre for page in pages} == set(SITE_GENRES)
    assert {page.language for page in pages} == set(LANGUAGES)
    for page in pages:
        root = lxml.html.document_fromstring(page.html)
        assert root.get("lang") == page.language
        assert root.get("dir") == language(page.language).direction


@pytest.mark.parametrize("genre", SITE_GENRES)
def test_a_feed_of_one_genre_has_only_that_genre(genre):
    pages = list(simulate_feed(FeedSettings(genre=genre, sites=3, pages=12)))
    assert {page.genre for page in pages} == {genre}


def test_languages_can_be_chosen():
    pages = simulate_feed(FeedSettings(sites=4, pages=30, languages=("ar", "zh")))
    assert {page.language for page in pages} == {"ar", "zh"}


def test_a_record_is_a_page_record(pages):
    for page in pages:
        written = msgspec.json.encode(page.record())
        record = msgspec.json.decode(written, type=PageRecord)
        assert (record.html is None) != (record.html_base64 is None)
        assert record.url.startswith("https://")
        assert record.site in record.url
        assert datetime.fromisoformat(record.fetched_at) <= page.fetched_at


def _paths(html: str) -> set[str]:
    tree = lxml.html.document_fromstring(html)
    return {f"{one.tag}.{one.get('class')}" for one in tree.body.iter("div", "p", "td", "section")}


def test_a_redesign_changes_the_markup_of_the_same_site():
    settings = FeedSettings(sites=8, pages=240, redesign_day=14)
    looks = defaultdict(lambda: {0: set(), 1: set()})
    for page in simulate_feed(settings):
        day = (page.fetched_at - settings.start) / timedelta(days=1)
        assert page.design == int(day >= 14)
        if page.page_role == "article":
            looks[page.site][page.design] |= _paths(page.html)
    assert len(looks) == 8
    for before, after in (look.values() for look in looks.values()):
        assert len(before & after) < 0.4 * len(before | after)


def test_a_redesign_can_be_partial_and_mixed():
    settings = FeedSettings(sites=10, pages=600, redesign_day=10, redesign_share=0.5, mixed_days=10)
    designs = defaultdict(Counter)
    redesigned = set()
    for page in simulate_feed(settings):
        day = (page.fetched_at - settings.start) / timedelta(days=1)
        if page.design:
            redesigned.add(page.site)
        designs[page.site, int(day // 10)][page.design] += 1
    assert 0 < len(redesigned) < 10
    for (site, period), seen in designs.items():
        if period == 0 or site not in redesigned:
            assert set(seen) == {0}
        elif period == 1:
            assert set(seen) == {0, 1}
        else:
            assert set(seen) == {1}


def test_lists_and_counters_change_between_requests():
    texts = defaultdict(set)
    for page in simulate_feed(FeedSettings(genre="news", sites=2, pages=150)):
        for section_type, text in page.sections:
            if section_type in {"related", "widget", "header"}:
                texts[page.site, section_type].add(text)
    assert len(texts) >= 4
    assert all(len(seen) > 10 for seen in texts.values())


def test_missing_pages_have_a_status_and_no_gold():
    settings = FeedSettings(sites=5, pages=200, missing_share=0.3)
    missing = [page for page in simulate_feed(settings) if page.page_role == "missing"]
    assert 30 < len(missing) < 90
    assert {page.status for page in missing} == {200, 404, 410, 500}
    assert all(page.gold_text is None for page in missing)
