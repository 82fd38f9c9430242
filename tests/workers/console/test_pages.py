"""What the console shows: all names are escaped, lists are paged, and forms say what went wrong."""

import asyncio
import logging
import signal
import urllib.parse
from types import SimpleNamespace

import html5lib
import msgspec
import pytest
from aiohttp import web

from schemas.site_settings import SiteRuleRecord
from tests.workers.console.conftest import HOSTILE_SITE, HOSTILE_URL, SITE, TOKEN
from workers.console import site_list
from workers.console.config import ConsoleConfig
from workers.console.queries import QueryProcesses, QueryRefused
from workers.console.server import listen, serve_console
from workers.console.site_list import SiteRow, site_row
from workers.errors import UsageProblem
from workers.settings import load_settings
from workers.site_settings import empty_settings, settings_version, site_rule
from workers.state.site_state import SiteState

DAY_MS = 86_400_000


def asked(path, **query):
    return f"{path}?{urllib.parse.urlencode(query)}"


def elements(text):
    return [
        one
        for one in html5lib.parse(text, namespaceHTMLElements=False).iter()
        if isinstance(one.tag, str)
    ]


def form(site, known=None, **fields):
    version = settings_version(known or empty_settings(site))
    return urllib.parse.urlencode({"version": version, "token": TOKEN, **fields})


@pytest.mark.parametrize(
    "path",
    [
        asked("/", q='"><script>alert(1)</script>'),
        asked("/site", key=HOSTILE_SITE),
        asked("/pages", key=HOSTILE_SITE, q="'><script>"),
        asked("/page", key=HOSTILE_SITE, url=HOSTILE_URL),
        asked("/settings", key=HOSTILE_SITE),
        asked("/rule", key=HOSTILE_SITE, action="keep", text="<script>*"),
        asked("/site", key="<script>alert(1)</script>"),
        asked("/"),
    ],
)
async def test_names_are_escaped_and_answers_are_bound(start, path):
    async with start() as console:
        status, headers, text = await console.ask(path)
    assert status in (200, 404)
    parsed = elements(text)
    assert "script" not in {one.tag for one in parsed}
    assert not [one for one in parsed if any(name.startswith("on") for name in one.attrib)]
    assert headers["content-security-policy"].startswith(
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert TOKEN not in text
    links = [one.get("href") for one in parsed if one.tag == "a"]
    assert all(one.startswith(("/", "about:srcdoc#templ-")) for one in links)


async def test_links_of_hostile_names_lead_to_their_reports(start):
    async with start() as console:
        _, _, text = await console.ask("/")
        (link,) = [one for one in elements(text) if one.text == HOSTILE_SITE and one.tag == "a"]
        status, _, report = await console.ask(link.get("href"))
        assert status == 200
        assert "Learning curve" in report
        _, _, pages = await console.ask(link.get("href").replace("/site", "/pages"))
        (link,) = [one for one in elements(pages) if one.text == HOSTILE_URL]
        status, _, report = await console.ask(link.get("href"))
    assert status == 200
    assert "Story 0 has many words" in report


async def test_ten_thousand_sites_are_sorted_searched_and_paged(start, monkeypatch):
    states = {
        f"site-{number:05}.example": SiteState(
            pages=number + 1, newest_ms=DAY_MS, model_version="1", fit=number / 10_000, learned=1
        )
        for number in range(10_000)
    }
    monkeypatch.setattr(site_list, "copied_sites", lambda _state: states)

    async def sites(**query):
        _, _, text = await console.ask(asked("/", **query))
        first = [one.text for one in elements(text) if (one.get("href") or "").startswith("/site?")]
        return first, text

    async with start() as console:
        first, text = await sites()
        assert first[0] == "site-00000.example"
        assert len(first) == 100
        assert "10000 sites" in text
        assert "1 of 100" in " ".join(text.split())
        assert (await sites(page=100))[0][-1] == "site-09999.example"
        assert (await sites(page=10**8))[0][-1] == "site-09999.example"
        assert (await sites(order="pages", down=1))[0][0] == "site-09999.example"
        assert (await sites(order="fit", down=0))[0][0] == "site-00000.example"
        names, text = await sites(q="SITE-0123 low")
        assert names == [f"site-0123{number}.example" for number in range(10)]
        assert "10 sites found" in text


def test_a_site_gets_the_warnings_that_its_figures_ask_for():
    config = ConsoleConfig()
    state = SiteState(
        pages=20, learned=20, fitted_at=20, model_version="1", fit=0.2, changed_at_ms=1, newest_ms=5
    )
    known = SiteRow(site=SITE, lag=5000, repeated=0.1)
    row = site_row(known, state, DAY_MS, config)
    assert row.warnings == (
        "low fit: the newest page, of 1970-01-01, fits no known design",
        "design changed on 1970-01-01",
        "repeated text: 10.0% of the kept words are in sentences that many pages have",
        "long lag: 5000 documents of its partition wait",
    )
    assert row.age_ms == DAY_MS - 5
    quiet = site_row(SiteRow(site=SITE), SiteState(pages=1), 0, config)
    assert quiet.warnings == ("no site model yet",)
    unknown = SiteRow(site=SITE, lag=3, decided=("pinned",))
    assert site_row(unknown, None, 0, config).lag == 3


async def test_repeated_text_is_measured_and_listed(state):
    config = ConsoleConfig()
    processes = QueryProcesses(state, load_settings(), config)
    lister = site_list.SiteLister(state, processes, config, None)
    await lister.now()
    await lister.measure_next()
    lister.expire()
    rows = {one.site: one for one in (await lister.now()).rows}
    assert rows[SITE].repeated is not None
    assert rows[HOSTILE_SITE].repeated is not None


async def test_a_survey_that_is_refused_leaves_the_list_as_it_is(state):
    """A page model that was removed must not end the console."""

    class Refusing:
        def run(self, *_query):
            raise QueryRefused("the page model does not exist")

    lister = site_list.SiteLister(state, Refusing(), ConsoleConfig(), None)
    await lister.now()
    await lister.measure_next()
    lister.expire()
    assert {one.repeated for one in (await lister.now()).rows} == {None}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "override"}, "asks for no change"),
        ({"action": "override", "remove": "div >"}, "is no CSS selector"),
        ({"action": "override", "window_days": "0"}, "window_days"),
        ({"action": "override", "window_days": "nan"}, "window_days"),
        ({"action": "override", "window_pages": "-1"}, "pages_max"),
        ({"action": "override", "comments": "perhaps"}, "comments"),
        ({"action": "forget", "confirm": "other.example"}, "write its key"),
        ({"action": "explode"}, "no such form"),
        ({"action": "drop", "rule": "keep text x"}, "has no rule"),
        ({"action": "pin", "model": "x"}, "there is no model x"),
    ],
)
async def test_a_wrong_form_is_one_sentence_and_changes_nothing(start, fields, message):
    async with start() as console:
        status, _, text = await console.ask(
            asked("/settings", key=SITE), "POST", form(SITE, **fields)
        )
        assert console.store.changes == []
    assert status == 400
    (problem,) = [one for one in elements(text) if one.get("role") == "alert"]
    assert message in problem.text


async def test_a_form_of_older_settings_is_not_taken(start):
    async with start() as console:
        target = asked("/settings", key=SITE)
        body = form(SITE, action="override", remove="h1")
        assert (await console.ask(target, "POST", body))[0] == 200
        status, _, text = await console.ask(target, "POST", body)
        assert status == 409
        assert "changed meanwhile" in text
        assert len(console.store.changes) == 1


async def test_a_port_that_is_taken_is_one_short_line(start):
    async with start() as console:
        with pytest.raises(UsageProblem) as refused:
            await listen(console.app, ConsoleConfig(), "127.0.0.1", console.port)
    line = f"console at 127.0.0.1:{console.port}: Address already in use; set TEMPL_CONSOLE_PORT"
    assert str(refused.value) == line


async def test_all_forms_do_what_they_say(start, caplog):
    caplog.set_level("INFO", "templ")
    async with start() as console:
        target, store = asked("/settings", key=SITE), console.store
        fields = {
            "action": "override", "keep": "div.a\r\n\r\n div.b ", "remove_text": "Read also:*",
            "comments": "keep", "window_days": "2.5", "window_pages": "30", "quarantine": "true",
        }  # fmt: skip
        assert (await console.ask(target, "POST", form(SITE, **fields)))[0] == 200
        record = store.known[SITE]
        assert record.rules == [
            SiteRuleRecord(action="remove", text="Read also:*"),
            SiteRuleRecord(action="keep", selector="div.a"),
            SiteRuleRecord(action="keep", selector="div.b"),
        ]
        assert (record.comments, record.quarantined) == ("keep", True)
        assert (record.window.age_ms, record.window.pages_max) == (2.5 * DAY_MS, 30)
        body = form(SITE, record, action="reset")
        assert (await console.ask(target, "POST", body))[0] == 200
        assert store.changes[-1] == (SITE, None)
        body = form(SITE, action="forget", confirm=SITE)
        _, _, text = await console.ask(target, "POST", body)
        assert "It is gone." in text
        assert store.changes[-1] == (SITE, "forget")
    logged = [(one.getMessage(), one.site) for one in caplog.records if one.name == "templ"]
    assert logged[-1] == (f"forget of the site {SITE} by a form", SITE)


async def test_a_console_without_a_token_has_no_forms(start):
    async with start(token=None) as console:
        _, _, text = await console.ask(asked("/settings", key=SITE))
    assert "form" not in {one.tag for one in elements(text)}
    assert "TEMPL_CONSOLE_TOKEN_FILE" in text


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ({"query_s": 0.0}, "within 0 s"),
        ({"query_bytes_max": 100}, "`templ inspect` says which"),
        ({"query_processor_s": 0}, "`templ inspect` says which"),
    ],
)
async def test_a_report_that_takes_too_much_is_ended(start, bound, said):
    async with start(ConsoleConfig(**bound)) as console:
        status, _, text = await console.ask(asked("/site", key=SITE))
    assert (status, said in text) == (504, True)


async def test_sites_are_listed_by_what_is_wrong_and_by_the_time_of_the_feed(start, monkeypatch):
    newest_ms = 1_400_000_000_000
    fine = SiteState(
        pages=20, learned=20, fitted_at=20, model_version="1", newest_ms=newest_ms,
        oldest_ms=newest_ms,
    )  # fmt: skip
    late = {"fit": 0.2, "newest_ms": newest_ms - 3 * DAY_MS, "oldest_ms": newest_ms - 4 * DAY_MS}
    states = {"a.example": fine, "z.example": msgspec.structs.replace(fine, **late)}
    monkeypatch.setattr(site_list, "copied_sites", lambda _: states)
    async with start() as console:
        _, _, text = await console.ask("/")
    assert text.index("z.example</a>") < text.index("a.example</a>")
    assert "3 days behind the feed" in text
    assert "newest of the feed" in text
    assert "0 seconds" not in text
    assert "years" not in text


async def test_a_rule_for_a_segment_is_previewed_stored_and_taken_back(start):
    async with start() as console:
        _, _, report = await console.ask(asked("/page", key=SITE, url=f"https://{SITE}/1"))
        links = {one.text: one.get("href") for one in elements(report) if one.tag == "a"}
        status, _, text = await console.ask(links["remove this"])
        assert status == 200
        assert "1 of 4 pages" in text
        assert "Story 1 has many words of its own." in text
        assert console.store.changes == []
        (text_field,) = [one for one in elements(text) if one.get("name") == "remove_text"]
        body = form(SITE, action="override", remove_text=text_field.get("value"))
        status, _, text = await console.ask(asked("/settings", key=SITE), "POST", body)
        assert "A rule can be taken back below." in text
        record = console.store.known[SITE]
        (option,) = [one for one in elements(text) if one.text == str(site_rule(record.rules[0]))][
            -1:
        ]
        body = form(SITE, record, action="drop", rule=option.text)
        assert (await console.ask(asked("/settings", key=SITE), "POST", body))[0] == 200
        assert console.store.known[SITE].rules == []


@pytest.mark.parametrize(
    ("rule", "status", "said"),
    [
        ({"action": "keep"}, 400, "no rule that can be previewed"),
        ({"action": "burn", "text": "x"}, 400, "no rule that can be previewed"),
        ({"action": "keep", "selector": "div >"}, 404, "is no CSS selector"),
        ({"action": "keep", "text": "Story *"}, 200, "4 of 4 pages"),
        ({"action": "remove", "selector": "aside"}, 200, "0 of 4 pages"),
    ],
)
async def test_a_preview_says_how_many_pages_a_rule_matches(start, rule, status, said):
    async with start(token=None) as console:
        answered, _, text = await console.ask(asked("/rule", key=SITE, **rule))
    assert answered == status
    assert said in text
    assert "Store the rule" not in text


async def test_a_console_that_has_said_its_address_can_be_stopped():
    taken = []

    class Stopper(logging.Handler):
        def emit(self, record):
            if "the console is at" in record.getMessage():
                taken.append(signal.getsignal(signal.SIGINT) not in before)
                asyncio.get_running_loop().call_soon(lister.stop)

    class Lister:
        forgotten = 0

        def stop(self):
            self.forgotten = 1

        async def survey(self):
            await asyncio.Event().wait()

        async def now(self):
            pass

    before, lister, stopper = {signal.getsignal(signal.SIGINT)}, Lister(), Stopper()
    log = logging.getLogger("templ")
    log.addHandler(stopper)
    log.setLevel(logging.INFO)
    pages = SimpleNamespace(config=ConsoleConfig(), lister=lister)
    try:
        assert await serve_console(web.Application(), pages, load_settings(), 0)
    finally:
        log.removeHandler(stopper)
        log.setLevel(logging.NOTSET)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(number)
    assert taken == [True]
