import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.site_key import LOCAL, site_key


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://news.bbc.co.uk/x?y#z", "bbc.co.uk"),
        ("https://example.com", "example.com"),
        ("https://blog.alice.github.io/post", "alice.github.io"),
        ("https://github.io/", "github.io"),
        ("http://co.uk/", "co.uk"),
        ("http://user:p@ss@WWW.Example.COM.:8080/x", "example.com"),
        ("HTTP:\\\\www.example.com\\x", "example.com"),
        ("//cdn.example.com/x", "example.com"),
        ("example.com/page", "example.com"),
        ("example.com:8080/page", "example.com"),
        (" https://www.example.com/ \n", "example.com"),
        ("http://ex%61mple.com/", "example.com"),
        ("http://1.2.3.4:80/", "1.2.3.4"),
        ("http://1.2.3.4./", "1.2.3.4"),
        ("http://[::1]:80/", "::1"),
        ("http://[0:0::1]/", "::1"),
        ("http://[fe80::1%25eth0]/", "fe80::1"),
        ("http://localhost:3000/", "localhost"),
        ("localhost:3000/x", "localhost"),
        ("http://www.site.example/", "www.site.example"),
        ("http://Bücher.de/", "xn--bcher-kva.de"),
        ("http://www.xn--bcher-kva.de/", "xn--bcher-kva.de"),
        ("http://例子。中国/", "xn--fsqu00a.xn--fiqs8s"),
        ("file:///a/b/c.html", LOCAL),
        ("file://server/share/c.html", "server"),
        ("about:blank", LOCAL),
        ("mailto:a@example.com", LOCAL),
        ("some words. and more", LOCAL),
        ("http://", LOCAL),
        ("http://..", LOCAL),
        ("", LOCAL),
    ],
)
def test_the_key_of_a_url(url, key):
    assert site_key(url) == key


def test_all_spellings_of_a_host_share_a_key():
    spellings = ["bücher.de", "BÜCHER.de", "xn--bcher-kva.de", "www.bücher.de.", "b%C3%BCcher.de"]
    assert {site_key(f"http://{host}/") for host in spellings} == {"xn--bcher-kva.de"}


_ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@given(_ANY_TEXT)
def test_every_text_has_a_key_that_is_not_empty(host):
    for url in (host, f"http://{host}", f"https://{host}/page", f"http://[{host}]:80/"):
        key = site_key(url)
        assert key
        assert key.isascii()
        assert key == key.lower()
        assert "\0" not in key
        assert len(key) <= 253


@pytest.mark.parametrize(
    "url", ["http://" + "a" * 100_000, "http://" + "a." * 50_000, "[" * 100_000]
)
def test_keys_of_long_hosts_are_short(url):
    assert 0 < len(site_key(url)) <= 253
