import sqlite3
from contextlib import closing

import pytest

from workers.crawl.addresses import PATH_QUERIES_MAX
from workers.crawl.frontier import (
    DUE_LISTING,
    DUE_PAGE,
    NEW_LINKED,
    NEW_LISTED,
    NEW_LISTING,
    SEED_MOVES,
    CrawlFrontier,
    NextVisit,
    PageState,
    found_addresses,
)
from workers.errors import DiskProblem, StateProblem

SITE = "a.example"
ALL = dict.fromkeys(range(5), 1e12)


@pytest.fixture
def frontier(tmp_path):
    with CrawlFrontier(tmp_path / "frontier.db") as opened:
        yield opened


def add(frontier, now, *paths, rank=NEW_LINKED):
    ranks = {f"http://a.example/{path}": rank for path in paths}
    return frontier.add(found_addresses(ranks), now, depth=1)


def next_path(frontier, latest_at=ALL):
    due = frontier.next_address(SITE, latest_at)
    return due and due.url.removeprefix("http://a.example/")


def test_seeds_come_first_then_what_feeds_name_then_links(frontier):
    for path, rank in (("link", NEW_LINKED), ("listed", NEW_LISTED), ("seed", NEW_LISTING)):
        add(frontier, 1.0, path, rank=rank)
    order = []
    while due := frontier.next_address(SITE, ALL):
        order.append(due.url.rpartition("/")[2])
        frontier.postpone(due, 1e13, due.later_rank)
    assert order == ["seed", "listed", "link"]


def test_an_address_is_known_by_its_key_and_moves_up_when_a_feed_names_it(frontier):
    assert add(frontier, 1.0, "one", "x?utm_source=a") == {SITE}
    assert add(frontier, 2.0, "x") == set()
    add(frontier, 3.0, "x", rank=NEW_LISTED)
    due = frontier.next_address(SITE, ALL)
    assert (due.url, due.rank) == ("http://a.example/x", NEW_LISTED)


def test_the_queries_of_a_path_are_bounded_unless_a_feed_names_them(frontier):
    add(frontier, 1.0, *(f"list?n={n}" for n in range(2 * PATH_QUERIES_MAX)))
    count = 0
    while due := frontier.next_address(SITE, {NEW_LINKED: 2.0}):
        frontier.postpone(due, 1e13, DUE_PAGE)
        count += 1
    assert count == PATH_QUERIES_MAX
    add(frontier, 1.0, "list?n=1000", rank=NEW_LISTED)
    assert next_path(frontier, {NEW_LISTED: 2.0}) == "list?n=1000"


def test_an_answered_address_is_due_again_at_its_time_with_what_was_known(frontier):
    add(frontier, 1.0, "page")
    state = PageState(etag='"e"', digest="d", warc_digest="w", warc_date="t", is_published=True)
    due = frontier.next_address(SITE, ALL)
    visit = NextVisit(url=due.url, due_at=100.0, rank=DUE_PAGE, interval_s=50.0, state=state)
    frontier.asked(due, visit, 50.0)
    assert frontier.next_address(SITE, dict.fromkeys(ALL, 99.0)) is None
    assert frontier.next_due_at(SITE, ALL) == 100.0
    assert frontier.next_due_at(SITE, {DUE_LISTING: 1e9}) is None
    again = frontier.next_address(SITE, ALL)
    assert (again.state, again.interval_s, again.rank) == (state, 50.0, DUE_PAGE)
    assert frontier.new_pages_since(49.0) == {SITE: 1}
    assert frontier.new_pages_since(51.0) == {}


def add_and_fail(frontier):
    with frontier.transaction():
        add(frontier, 1.0, "page")
        frontier.keep_file_lengths({"pages.jsonl": 7})
        raise ZeroDivisionError


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    path = tmp_path / "frontier.db"
    with CrawlFrontier(path) as frontier:
        with pytest.raises(ZeroDivisionError):
            add_and_fail(frontier)
        assert frontier.next_address(SITE, ALL) is None
        with frontier.transaction():
            frontier.keep_file_lengths({"pages.jsonl": 9})
    with CrawlFrontier(path) as frontier:
        assert frontier.file_lengths() == {"pages.jsonl": 9}


def test_a_disk_that_is_full_is_told_although_sqlite_has_ended_the_transaction(tmp_path):
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:

        def fill():
            with frontier.transaction():
                frontier._db.execute("ROLLBACK")
                raise DiskProblem("the disk is full")

        with pytest.raises(DiskProblem, match="the disk is full"):
            fill()


def test_a_directory_serves_one_crawl_at_a_time(tmp_path):
    path = tmp_path / "frontier.db"
    with CrawlFrontier(path), pytest.raises(StateProblem, match="another `templ crawl`"):
        CrawlFrontier(path)


def test_a_crawl_of_format_2_goes_on(tmp_path):
    path = tmp_path / "frontier.db"
    with CrawlFrontier(path) as frontier:
        frontier.add_site(SITE)
        add(frontier, 1.0, "page")
    with closing(sqlite3.connect(path)) as db:
        db.executescript("ALTER TABLE sites DROP COLUMN rests_until; PRAGMA user_version = 2;")
    with CrawlFrontier(path) as frontier:
        assert (frontier.sites(), next_path(frontier)) == ({SITE}, "page")
        frontier.let_rest(SITE, 70.0)
    with CrawlFrontier(path) as frontier:
        assert frontier.rests_until(SITE) == 70.0


def test_a_crawl_of_format_1_goes_on_and_asks_for_rules_again(tmp_path):
    path = tmp_path / "frontier.db"
    with CrawlFrontier(path) as frontier:
        frontier.add(found_addresses({"http://a.example/": NEW_LISTING}), 1.0, depth=0)
        add(frontier, 1.0, "page")
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "DROP TABLE robots; ALTER TABLE addresses DROP COLUMN moves; PRAGMA user_version = 1;"
            "ALTER TABLE sites DROP COLUMN rests_until;"
            "CREATE TABLE robots (host TEXT PRIMARY KEY, text TEXT NOT NULL, is_reachable INTEGER NOT "
            "NULL, expires_at REAL NOT NULL) WITHOUT ROWID;"
            "INSERT INTO robots VALUES ('http://a.example', '', 1, 1e12);"
        )
    with CrawlFrontier(path) as frontier:
        assert frontier.robots("http://a.example") is None
        seed = frontier.next_address(SITE, ALL)
        assert (seed.url, seed.moves) == ("http://a.example/", SEED_MOVES)
        frontier.postpone(seed, 1e13, seed.later_rank)
        assert frontier.next_address(SITE, ALL).moves == 0


def test_a_file_that_is_no_frontier_is_refused(tmp_path):
    path = tmp_path / "frontier.db"
    path.write_bytes(b"something else" * 100)
    with pytest.raises(StateProblem, match="cannot be used"):
        CrawlFrontier(path)
