import pytest

from workers.crawl.answers import AnswerContent
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import DUE_PAGE, NEW_LINKED, DueAddress, PageState
from workers.crawl.visits import AddressAnswer, next_interval_s, pause_s, visit_result

CONFIG = CrawlConfig(contact="a@b.example")
URL = "http://a.example/page"


def address(rank=NEW_LINKED, attempts=0, interval_s=None, **state):
    return DueAddress(
        key="a.example/page",
        url=URL,
        site="a.example",
        depth=1,
        rank=rank,
        attempts=attempts,
        interval_s=interval_s,
        state=PageState(**state),
    )


def result(asked, status=200, location=None, digest=None, **headers):
    content = AnswerContent(kind="page", digest=digest) if digest else None
    answer = AddressAnswer(
        status=status,
        headers=headers,
        location=location,
        content=content,
        warc_digest=f"sha1:{digest}",
    )
    return visit_result(asked, answer, 0.0, CONFIG)


def test_intervals_follow_changes_within_their_bounds():
    interval = DAY_S
    for _ in range(20):
        interval = next_interval_s(interval, has_changed=True, config=CONFIG)
    assert interval == CONFIG.interval_min_s
    for _ in range(20):
        interval = next_interval_s(interval, has_changed=False, config=CONFIG)
    assert interval == CONFIG.interval_max_s


def test_a_new_page_is_sent_and_due_in_a_day():
    done = result(address(), digest="d1", etag='"1"')
    assert done.sends_page
    assert done.next_visit.due_at == done.next_visit.interval_s == DAY_S
    assert (done.next_visit.rank, done.next_visit.state.etag) == (DUE_PAGE, '"1"')


@pytest.mark.parametrize(
    ("digest", "sends", "interval_s"), [("d1", False, 200.0 * 60), ("d2", True, 50.0 * 60)]
)
def test_only_changed_words_are_sent_again(digest, sends, interval_s):
    known = address(DUE_PAGE, interval_s=100.0 * 60, digest="d1", is_published=True)
    done = result(known, digest=digest)
    assert (done.sends_page, done.next_visit.interval_s) == (sends, interval_s)


def test_the_end_of_a_page_is_sent_once():
    done = result(address(DUE_PAGE, is_published=True), status=410)
    assert done.sends_end
    assert not done.next_visit.state.is_published
    assert not result(address(), status=404).sends_end


def test_failures_are_tried_again_later_and_then_left_alone():
    first, last = result(address(), status=500), result(address(attempts=2), status=0)
    assert (first.next_visit.due_at, first.next_visit.rank) == (CONFIG.retry_s, NEW_LINKED)
    assert (last.next_visit.due_at, last.next_visit.rank) == (CONFIG.interval_max_s, DUE_PAGE)


def test_a_page_that_was_sent_stays_known_through_a_failure():
    known = address(DUE_PAGE, etag='"1"', is_published=True)
    assert result(known, status=503).next_visit.state == known.state


def test_a_redirect_to_itself_is_followed_a_few_times():
    tls = "https://a.example/page"
    first = result(address(), status=301, location=tls).next_visit
    assert (first.url, first.due_at, first.rank) == (tls, 0.0, NEW_LINKED)
    assert result(address(attempts=2), status=301, location=tls).next_visit.rank == DUE_PAGE


def test_a_site_says_how_long_it_wants_to_be_left_alone():
    def pause(status, said):
        return pause_s(AddressAnswer(status=status, headers={"retry-after": said}), 0.0)

    assert pause(429, "30") == 30.0
    assert pause(503, "Thu, 01 Jan 1970 00:02:00 GMT") == 120.0
    assert pause(503, "99999999") == DAY_S
    assert pause(200, "30") == pause(503, "soon") == 0.0
