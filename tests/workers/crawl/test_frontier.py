import pytest

from workers.crawl.addresses import PATH_QUERIES_MAX
from workers.crawl.frontier import (
    DUE_LISTING,
    DUE_PAGE,
    NEW_LINKED,
    NEW_LISTED,
    NEW_LISTING,
    CrawlFrontier,
    FoundAddress,
    NextVisit,
    PageState,
)
from workers.errors import DiskProblem, StateProblem

SITE = "a.example"
ALL = dict.fromkeys(range(5), 1e12)


@pytest.fixture
def frontier(tmp_path):
    with CrawlFrontier(tmp_path / "frontier.db") as opened:
        yield opened


def found(path, rank=NEW_LINKED, depth=1):
    return FoundAddress(f"http://a.example/{path}", SITE, depth, rank)


def next_path(frontier, latest_at=ALL):
    due = frontier.next_address(SITE, latest_at)
    return due and due.url.removeprefix("http://a.example/")


def test_seeds_come_first_then_what_feeds_name_then_links(frontier):
    frontier.add([found("link"), found("listed", NEW_LISTED), found("seed", NEW_LISTING)], 1.0)
    order = []
    while due := frontier.next_address(SITE, ALL):
        order.append(due.url.rpartition("/")[2])
        frontier.postpone(due, 1e13, due.later_rank)
    assert order == ["seed", "listed", "link"]


def test_an_address_is_known_by_its_key_and_moves_up_when_a_feed_names_it(frontier):
    assert frontier.add([found("one"), found("x?utm_source=a")], 1.0) == {SITE}
    assert frontier.add([found("x")], 2.0) == set()
    frontier.add([found("x", NEW_LISTED)], 3.0)
    due = frontier.next_address(SITE, ALL)
    assert (due.url, due.rank) == ("http://a.example/x?utm_source=a", NEW_LISTED)


def test_the_queries_of_a_path_are_bounded_unless_a_feed_names_them(frontier):
    frontier.add([found(f"list?n={n}") for n in range(2 * PATH_QUERIES_MAX)], 1.0)
    count = 0
    while due := frontier.next_address(SITE, {NEW_LINKED: 2.0}):
        frontier.postpone(due, 1e13, DUE_PAGE)
        count += 1
    assert count == PATH_QUERIES_MAX
    frontier.add([found("list?n=1000", NEW_LISTED)], 1.0)
    assert next_path(frontier, {NEW_LISTED: 2.0}) == "list?n=1000"


def test_an_answered_address_is_due_again_at_its_time_with_what_was_known(frontier):
    frontier.add([found("page")], 1.0)
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
        frontier.add([found("page")], 1.0)
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


def test_a_file_that_is_no_frontier_is_refused(tmp_path):
    path = tmp_path / "frontier.db"
    path.write_bytes(b"something else" * 100)
    with pytest.raises(StateProblem, match="cannot be used"):
        CrawlFrontier(path)
