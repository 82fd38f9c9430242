"""The pages of the console, each made of a template or by a process of its own."""

import asyncio
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from schemas.site_settings import SiteRuleRecord
from templ_core.site_key import site_key
from workers.console.config import ConsoleConfig
from workers.console.guard import PAGE_POLICY, REPORT_POLICY, Refusal
from workers.console.queries import (
    PageReportQuery,
    Query,
    QueryProcesses,
    RuleQuery,
    SiteReportQuery,
    WindowPageRow,
    WindowQuery,
)
from workers.console.settings_forms import SettingsChanged, SettingsStore, apply_form
from workers.console.site_list import (
    COLUMNS,
    SiteLister,
    duration_text,
    list_page,
    ordered,
    searched,
)
from workers.errors import InputProblem, UsageProblem
from workers.inspect.html_templates import render
from workers.inspect.site_view import RulePreview
from workers.site_settings import decided_site, described, settings_version, site_rule

FORM_FIELDS: web.RequestKey[dict[str, str]] = web.RequestKey("form", dict)
"""Where the server puts the fields of a form whose token was right."""
_SEARCH_CHARS_MAX = 200
_RULE = ("action", "selector", "text")
"""Fields of a request for the preview of a rule."""


class ConsolePages:
    """Answers the requests that the server lets through."""

    def __init__(
        self,
        config: ConsoleConfig,
        lister: SiteLister,
        processes: QueryProcesses,
        store: SettingsStore,
        *,
        is_open: bool,
    ) -> None:
        self.config = config
        self.lister = lister
        self._processes = processes
        self._store = store
        self._is_open = is_open
        self._queries = asyncio.Semaphore(config.queries_max)
        self._changes = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        """Return the handler of each path."""
        return [
            web.get("/", self._sites),
            web.get("/site", self._site),
            web.get("/pages", self._pages),
            web.get("/page", self._page),
            web.get("/rule", self._rule),
            web.get("/settings", self._settings),
            web.post("/settings", self._change),
            web.get("/style.css", self._style_sheet),
        ]

    def refused(self, status: int, reason: str) -> web.Response:
        """Return the answer to a request that is refused, as a page with one sentence."""
        return self._shown("base.html", status, title="The request was refused", problem=reason)

    async def _sites(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        words = fields.get("q", "")[:_SEARCH_CHARS_MAX]
        order = fields.get("order", "warnings")
        if order not in COLUMNS:
            raise Refusal(400, "There is no such column.")
        down = fields.get("down", "1" if order == "warnings" else "0") == "1"
        found = await self.lister.now()
        rows = ordered(searched(found.rows, words), order, is_descending=down)
        return self._shown(
            "sites.html",
            title="sites",
            problem=found.problem,
            list=list_page(rows, _number(fields), self.config.rows_max),
            duration=duration_text,
            lag=found.lag,
            q=words,
            order=order,
            down=down,
        )

    async def _site(self, request: web.Request) -> web.Response:
        site = self._key(_fields(request))
        return await self._report(SiteReportQuery(site=site))

    async def _page(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        url = _plain(fields.get("url", ""), self.config.url_chars_max, "URL")
        site = self._key(fields if fields.get("key") else {"key": await self._site_of(url)})
        return await self._report(PageReportQuery(site=site, url=url))

    async def _pages(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        site, part = self._key(fields), fields.get("q", "")[:_SEARCH_CHARS_MAX]
        answer = await self._answer(WindowQuery(site=site))
        rows = [
            one
            for one in msgspec.json.decode(answer, type=list[WindowPageRow])
            if part.lower() in one.url.lower()
        ]
        return self._shown(
            "pages.html",
            title=f"pages of {site}",
            key=site,
            list=list_page(rows, _number(fields), self.config.rows_max),
            q=part,
        )

    async def _rule(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        site, query = self._key(fields), {name: fields.get(name, "") for name in _RULE}
        field = "selector" if query["selector"] else "text"
        if query["action"] not in ("keep", "remove") or not query[field]:
            raise Refusal(400, "The request has no rule that can be previewed.")
        rule = msgspec.convert({"action": query["action"], field: query[field]}, SiteRuleRecord)
        answer = await self._answer(RuleQuery(site=site, rule=site_rule(rule)))
        record = await asyncio.to_thread(self._store.read, site)
        return self._shown(
            "rule.html",
            title=f"a rule of {site}",
            key=site,
            version=settings_version(record),
            preview=msgspec.json.decode(answer, type=RulePreview),
            query=query,
            field=field,
            is_open=self._is_open,
        )

    async def _settings(self, request: web.Request) -> web.Response:
        return await self._settings_page(_key(_fields(request), self.config))

    async def _change(self, request: web.Request) -> web.Response:
        site, form = _key(_fields(request), self.config), request[FORM_FIELDS]
        async with self._changes:  # so that two forms at a time cannot both find the old version
            try:
                done = await asyncio.to_thread(apply_form, self._store, site, form)
            except SettingsChanged:
                problem = "The settings were changed meanwhile; these are the present ones."
                return await self._settings_page(site, 409, form, problem=problem)
            except (UsageProblem, InputProblem) as error:
                problem = f"Nothing was changed: {error}."
                return await self._settings_page(site, 400, form, problem=problem)
        self.lister.expire()
        return await self._settings_page(site, done=done)

    async def _style_sheet(self, _request: web.Request) -> web.Response:
        return web.Response(text=render("inspect/templates/style.css"), content_type="text/css")

    async def _settings_page(
        self,
        site: str,
        status: int = 200,
        form: Mapping[str, str] | None = None,
        *,
        problem: str = "",
        done: str = "",
    ) -> web.Response:
        record = await asyncio.to_thread(self._store.read, site)
        known = decided_site(record)
        return self._shown(
            "settings.html",
            status,
            title=f"settings of {site}",
            key=site,
            version=settings_version(record),
            said=described(known)[1:],
            rules=[str(one) for one in reversed(known.settings.rules)],
            form=defaultdict(str, form or {}),
            is_open=self._is_open,
            problem=problem,
            done=done,
        )

    async def _report(self, query: SiteReportQuery | PageReportQuery) -> web.Response:
        report = await self._answer(query)
        return web.Response(
            body=report,
            content_type="text/html",
            charset="utf-8",
            headers={"Content-Security-Policy": REPORT_POLICY},
        )

    async def _answer(self, query: Query) -> bytes:
        """Return the answer of a process to a query.

        Raises:
            Refusal: The processes are busy.
            QueryRefused: There is no such site or page.
            QueryFailed: The report took too long or too much memory.
        """
        try:
            async with asyncio.timeout(self.config.query_wait_s):
                await self._queries.acquire()
        except TimeoutError:
            raise Refusal(503, "Other reports are being made; try again.") from None
        try:
            return await asyncio.to_thread(self._processes.run, query)
        finally:
            self._queries.release()

    async def _site_of(self, url: str) -> str:
        """Return the known site of a URL; feeds may have keys that are no registrable domains.

        Raises:
            Refusal: It is no URL.
        """
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            raise Refusal(400, "The request has no URL that can be looked up.") from None
        known = {one.site for one in (await self.lister.now()).rows}
        labels = host.split(".")
        names = [".".join(labels[number:]) for number in range(len(labels))]
        return next((one for one in names if one in known), site_key(url))

    def _key(self, fields: Mapping[str, str]) -> str:
        """Return the site of a request for a report.

        Raises:
            Refusal: It is no site key, or that of a site that is taken down.
        """
        site = _key(fields, self.config)
        if site in self.lister.forgotten:
            raise Refusal(404, f"The site {site} is taken down.")
        return site

    def _shown(self, template: str, status: int = 200, **values: Any) -> web.Response:
        given = {"key": "", "problem": "", "done": "", **values}
        return web.Response(
            text=render(f"console/templates/{template}", **given),
            status=status,
            content_type="text/html",
            headers={"Content-Security-Policy": PAGE_POLICY},
        )


def _fields(request: web.Request) -> dict[str, str]:
    """Return the fields of a request's query by name.

    Raises:
        Refusal: A field is there twice.
    """
    if len(set(request.query)) != len(request.query):
        raise Refusal(400, "A field of the query is there twice.")
    return dict(request.query)


def _key(fields: Mapping[str, str], config: ConsoleConfig) -> str:
    return _plain(fields.get("key", ""), config.key_chars_max, "site key")


def _plain(text: str, chars_max: int, name: str) -> str:
    """Return a text that has neither control characters nor too many characters.

    Raises:
        Refusal: It has, or it is empty.
    """
    is_plain = not any(unicodedata.category(one) in {"Cc", "Cs"} for one in text)
    if not text or len(text) > chars_max or not is_plain:
        raise Refusal(400, f"The request has no {name} that can be looked up.")
    return text


def _number(fields: Mapping[str, str]) -> int:
    """Return the wanted page of a list; a text that is no number stands for the first one."""
    number = fields.get("page", "1")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 1
