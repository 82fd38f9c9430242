"""No stranger leads the crawl to this machine, or into the network around it."""

import pytest
from scrapy.resolver import dnscache
from twisted.internet import reactor
from twisted.internet.error import DNSLookupError

from tests.workers.crawl.crawler import finish, lines, start_crawl
from tests.workers.crawl.simulated_site import Reply
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.crawl.public_hosts import PublicResolver, is_public

SPELLINGS = ("127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "localhost")


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "169.254.169.254", "100.64.0.1", "192.168.1.1", "0.0.0.0", "224.0.0.1",
             "fd00::1", "fe80::1", "017700000001", "127.0.0.1.", "a.localhost", *SPELLINGS],
)  # fmt: skip
def test_addresses_of_private_networks_are_not_public(host):
    assert not is_public(host)


@pytest.mark.parametrize("host", ["93.184.215.14", "2606:2800:21f:cb07::1", "news.example"])
def test_other_addresses_and_names_may_be_public(host):
    assert is_public(host)


@pytest.mark.parametrize(("address", "is_told"), [("10.0.0.1", False), ("93.184.215.14", True)])
def test_a_name_is_judged_by_the_address_that_it_leads_to(address, is_told, monkeypatch):
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.setitem(dnscache, "intern.example", address)
    told, problems = [], []
    PublicResolver(reactor, 10, 1.0).getHostByName("intern.example").addCallbacks(
        told.append, lambda failure: problems.append(failure.value)
    )
    assert told == ([address] if is_told else [])
    assert [type(problem) for problem in problems] == ([] if is_told else [DNSLookupError])


def leads_to(site, target):
    """Have the seed of a site be a redirect."""
    reply = site.reply

    def redirect(host, path, headers, version=0):
        if path == "/":
            return Reply(302, headers={"Location": target})
        return reply(host, path, headers, version)

    site.reply = redirect


def test_no_redirect_leads_through_a_proxy_to_this_machine(tmp_path):
    with SimulatedWeb(len(SPELLINGS), articles=0, delay_s=0.03) as web:
        for site, host in zip(web.sites, SPELLINGS, strict=True):
            site.robots_kind = "missing"
            leads_to(site, f"http://{host}:8000/")
        errors = finish(start_crawl(web, tmp_path, "--to", "jsonl"))
    assert {one.host for one in web.log} == {site.www for site in web.sites}
    assert "--allow-private" in errors
    assert not lines(tmp_path / "pages.jsonl")


@pytest.mark.parametrize("options", [[], ["--allow-private"]])
def test_this_machine_is_asked_without_a_proxy_only_where_that_is_allowed(tmp_path, options):
    with SimulatedWeb(0) as web:
        port = web.proxy.rpartition(":")[2]
        seeds = [f"http://127.0.0.1:{port}/", f"http://127.1:{port}/"]
        finish(start_crawl(web, tmp_path, "--to", "jsonl", *options, seeds=seeds, proxy=""))
    assert bool(web.log) == bool(options)
