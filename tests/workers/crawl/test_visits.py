import gzip

import pytest

from workers.crawl import answers
from workers.crawl.answers import AnswerContent, may_be_read, read_answer
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import (
    DUE_PAGE,
    NEW_LINKED,
    NEW_LISTED,
    NEW_LISTING,
    DueAddress,
    PageState,
)
from workers.crawl.visits import AddressAnswer, next_interval_s, retry_after_s, visit_result

CONFIG = CrawlConfig(contact="a@b.example")
URL = "http://a.example/page"


def address(rank=NEW_LINKED, attempts=0, interval_s=None, **state):
    return DueAddress(
        key="a.example/page", url=URL, site="a.example", depth=1, rank=rank, attempts=attempts,
        interval_s=interval_s, state=PageState(**state),
    )  # fmt: skip


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


def test_a_page_that_was_sent_stays_known_through_a_failure():
    known = address(DUE_PAGE, etag='"1"', is_published=True)
    assert result(known, status=503).next_visit.state == known.state


def test_a_redirect_to_itself_is_followed_a_few_times():
    tls = "https://a.example/page"
    first = result(address(), status=301, location=tls).next_visit
    assert (first.url, first.due_at, first.rank) == (tls, 0.0, NEW_LINKED)
    assert result(address(attempts=2), status=301, location=tls).next_visit.rank == DUE_PAGE


def test_a_site_says_how_long_it_wants_to_be_left_alone():
    assert retry_after_s(429, " 30", 0.0) == 30.0
    assert retry_after_s(503, "Thu, 01 Jan 1970 00:02:00 GMT", 0.0) == 120.0
    assert retry_after_s(503, "99999999", 0.0) == DAY_S
    assert retry_after_s(200, "30", 0.0) == retry_after_s(503, "soon", 0.0) == 0.0


PAGE_IN_FOLDER = "http://a.example/dir/page"


def read(body, content_type="text/html", bytes_max=1 << 20):
    return read_answer(PAGE_IN_FOLDER, body, content_type, bytes_max)


def ranks(content):
    return {one.url: one.rank for one in content.links}


def test_a_page_names_links_and_feeds():
    links = read(
        b"<html><head><base href='/other/'>"
        b"<link rel='Alternate' type='application/atom+xml' href='/atom'></head>"
        b"<body><a href='one'>1</a><a href='two' rel='nofollow'>2</a><a href='a.pdf'>3</a>"
        b"<a href='javascript:x()'>4</a></body></html>"
    )
    assert links.kind == "page"
    assert ranks(links) == {
        "http://a.example/other/one": NEW_LINKED,
        "http://a.example/atom": NEW_LISTING,
    }


def test_words_decide_whether_a_page_has_changed():
    first = read(b"<html><body><script>1</script><p class=a>One two</p></body></html>")
    same = read(b"<html><body><script>2</script><p class=b>One\n two</p></body></html>")
    other = read(b"<html><body><p>One three</p></body></html>")
    assert first.digest == same.digest != other.digest


def test_an_atom_feed_with_a_wrong_type_is_a_feed():
    feed = (
        b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">'
        b'<entry><link rel="alternate" href="/one"/><link rel="self" href="/entry"/></entry></feed>'
    )
    content = read(feed)
    assert (content.kind, ranks(content)) == ("feed", {"http://a.example/one": NEW_LISTED})
    assert (
        read(feed.replace(b"<entry>", b"<updated>2026-01-01</updated><entry>")).digest
        == content.digest
    )


@pytest.mark.parametrize(("root", "rank"), [("urlset", NEW_LISTED), ("sitemapindex", NEW_LISTING)])
def test_sitemaps_are_read_compressed_or_not(root, rank):
    entry = "url" if root == "urlset" else "sitemap"
    text = f"<{root}><{entry}><loc> /one </loc></{entry}><{entry}/></{root}>".encode()
    for body in (text, gzip.compress(text)):
        content = read(body, "application/octet-stream")
        assert (content.kind, ranks(content)) == ("sitemap", {"http://a.example/one": rank})


def test_what_cannot_be_read_names_nothing():
    bomb = gzip.compress(b"<urlset>" + b" " * (1 << 20))
    assert read(bomb, "application/gzip", bytes_max=1000).kind == "other"
    assert read(b"\x1f\x8bbroken", "application/gzip").kind == "other"
    assert read(b"User-agent: *", "text/plain").kind == "other"
    assert read(b"<urlset><url>", "text/xml").links == []
    assert read(b"").links == []


def test_types_that_are_not_read_are_known_by_their_header():
    assert all(map(may_be_read, ["", "text/html;charset=x", "application/rss+xml", "Text/XML"]))
    assert not any(
        map(may_be_read, ["image/png", "application/pdf", "application/json", "video/mp4"])
    )


def test_links_that_are_no_addresses_take_nothing_with_them():
    feed = b"<link rel='alternate' type='application/rss+xml' href='http://[a/'>"
    page = read(b"<html><head>" + feed + b"</head><body><a href='/one'>1</a></body></html>")
    assert (page.kind, ranks(page)) == ("page", {"http://a.example/one": NEW_LINKED})
    rss = "<rss version='2.0'><channel>{}</channel></rss>"
    items = "".join(f"<item><link>{link}</link></item>" for link in ("http://[a/", "/one"))
    assert ranks(read(rss.format(items).encode())) == {"http://a.example/one": NEW_LISTED}
    urls = "".join(f"<url><loc>{link}</loc></url>" for link in ("http://[a/", "/one"))
    sitemap = read(f"<urlset>{urls}</urlset>".encode())
    assert ranks(sitemap) == {"http://a.example/one": NEW_LISTED}


def test_an_answer_of_very_many_links_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(answers, "_LINKS_MAX", 3)
    page = "".join(f"<a href='/{number}'>x</a>" for number in range(9))
    assert len(read(f"<html><body>{page}</body></html>".encode()).links) == 3
    urls = "".join(f"<url><loc>/{number}</loc></url>" for number in range(9))
    assert len(read(f"<urlset>{urls}</urlset>".encode()).links) == 3
