import gzip

import pytest

from workers.crawl import answers
from workers.crawl.answers import may_be_read, read_answer
from workers.crawl.frontier import NEW_LINKED, NEW_LISTED, NEW_LISTING

URL = "http://a.example/dir/page"


def read(body, content_type="text/html", bytes_max=1 << 20):
    return read_answer(URL, body, content_type, bytes_max)


def ranks(content):
    return {one.url: one.rank for one in content.links}


def test_a_page_names_links_and_feeds():
    found = read(
        b"<html><head><base href='/other/'>"
        b"<link rel='Alternate' type='application/atom+xml' href='/atom'></head>"
        b"<body><a href='one'>1</a><a href='two' rel='nofollow'>2</a><a href='a.pdf'>3</a>"
        b"<a href='javascript:x()'>4</a></body></html>"
    )
    assert found.kind == "page"
    assert ranks(found) == {
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
    found = read(feed)
    assert (found.kind, ranks(found)) == ("feed", {"http://a.example/one": NEW_LISTED})
    assert (
        read(feed.replace(b"<entry>", b"<updated>2026-01-01</updated><entry>")).digest
        == found.digest
    )


@pytest.mark.parametrize(("root", "rank"), [("urlset", NEW_LISTED), ("sitemapindex", NEW_LISTING)])
def test_sitemaps_are_read_compressed_or_not(root, rank):
    entry = "url" if root == "urlset" else "sitemap"
    text = f"<{root}><{entry}><loc> /one </loc></{entry}><{entry}/></{root}>".encode()
    for body in (text, gzip.compress(text)):
        found = read(body, "application/octet-stream")
        assert (found.kind, ranks(found)) == ("sitemap", {"http://a.example/one": rank})


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
