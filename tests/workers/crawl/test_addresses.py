import pytest

from workers.crawl.addresses import (
    URL_CHARS_MAX,
    address_key,
    asked_address,
    is_askable,
    trap_reason,
)


@pytest.mark.parametrize(
    "other",
    [
        "http://a.example/x?id=1",
        "https://A.example/x?id=1#part",
        "https://a.example/x?utm_source=feed&id=1&utm_medium=rss",
        "https://a.example/x;jsessionid=0123?id=1",
        "https://a.example/x?PHPSESSID=9&id=1",
    ],
)
def test_one_page_has_one_key(other):
    assert address_key(other) == address_key("https://a.example/x?id=1")


def test_other_pages_have_other_keys():
    keys = {
        address_key(f"https://a.example/{page}") for page in ("", "x", "x/", "x?id=1", "x?id=2")
    }
    assert len(keys) == 5


def test_a_session_is_asked_as_it_stands_but_a_campaign_is_not():
    assert asked_address("http://a.example/?sid=1") == "http://a.example/?sid=1"
    assert asked_address("http://a.example/?gclid=1") == "http://a.example/"
    assert asked_address("http://a.example/?b=%20&c") == "http://a.example/?b=%20&c"


@pytest.mark.parametrize(
    "path", ["x" * URL_CHARS_MAX, "a/" * 25, "y/z/z/z/z", "y/a/b/a/b/a/b/index.html"]
)
def test_traps_have_a_reason(path):
    assert trap_reason(f"http://a.example/{path}")


@pytest.mark.parametrize("path", ["2026/11/11/11-people", "a/b/a/b/c", "", "archive/1/1"])
def test_common_paths_are_no_traps(path):
    assert trap_reason(f"http://a.example/{path}") is None


@pytest.mark.parametrize("host", ["[::1%;sid=a]", "a;sid=1.example", "\ud800.example", "[a"])
def test_what_could_not_be_asked_is_no_address(host):
    assert not is_askable(f"http://{host}/")
