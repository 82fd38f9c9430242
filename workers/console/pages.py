"""The pages of the console, rendered from templates or by processes of their own, and the changes that forms ask for."""

import asyncio
import logging
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from schemas.site_model import SiteModelRecord
from schemas.site_settings import SiteRuleRecord, SiteSettingsRecord
from templ_core.site_key import site_key
from workers.console.config import ConsoleConfig
from workers.console.guard import PAGE_POLICY, REPORT_POLICY, Refusal
from workers.console.queries import QueryProcesses, page_html, rule_json, site_html, window_json
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
from workers.site_settings import (
    Overrides,
    chosen_model,
    decided_site,
    described,
    overridden,
    pinned,
    settings_version,
    site_rule,
    without_rule,
)

_LISTS = {"remove", "remove_text", "keep", "keep_text"}
"""Fields with one rule a line."""
log = logging.getLogger("templ")


class SettingsStore(Protocol):
    """Where settings of sites are kept; all calls block."""

    def read(self, site: str) -> SiteSettingsRecord:
        """Return the settings of a site; they say nothing where it has none."""

    def write(self, site: str, record: SiteSettingsRecord | None) -> None:
        """Store the settings of a site; None removes them."""

    def models(self, site: str) -> list[SiteModelRecord]:
        """Return the models of a site that can be pinned, oldest first."""

    def forget(self, site: str) -> str:
        """Take a site down, and return what was erased and what was not as sentences."""


class SettingsChanged(Exception):
    """The error that somebody else has changed the settings since the form was shown."""


def apply_form(store: SettingsStore, site: str, form: Mapping[str, str]) -> str:
    """Change the settings of a site as a form says, and return what was done as sentences.

    The field `action` says which form it is, and `version` which settings it was made for.

    Raises:
        SettingsChanged: The settings are not those that the form was made for.
        UsageProblem: A field cannot be used; the message says why.
        WorkerError: The settings cannot be read or stored.
    """
    known = store.read(site)
    if form.get("version") != settings_version(known):
        raise SettingsChanged
    action = form.get("action")
    if action == "override":
        wanted = overrides_of(form)
        if wanted.is_empty():
            raise UsageProblem("the form asks for no change")
        store.write(site, overridden(known, wanted))
        done = "The settings are stored; workers follow within seconds. A rule can be taken back below."
    elif action == "drop":
        store.write(site, without_rule(known, form.get("rule", "")))
        done = "The rule is taken back; workers follow within seconds."
    elif action == "pin":
        model = chosen_model(site, store.models(site), form.get("model") or None)
        store.write(site, pinned(known, model))
        done = "The model is pinned; workers follow within seconds."
    elif action == "reset":
        store.write(site, None)
        done = "The site has no settings any more."
    elif action == "forget":
        if form.get("confirm") != site:
            raise UsageProblem(
                "to take the site down, write its key into the field beside the button"
            )
        done = store.forget(site)
    else:
        raise UsageProblem("there is no such form")
    log.info("%s of the site %s by a form", action, site, extra={"site": site})
    return done


def overrides_of(form: Mapping[str, str]) -> Overrides:
    r"""Return the change that the form of overrides asks for; empty fields leave a value as it is.

    Raises:
        UsageProblem: A field cannot be used.

    >>> overrides_of({"remove": "aside.promo\r\n", "quarantine": "false"}).remove
    ['aside.promo']
    """
    given: dict[str, object] = {}
    for name in Overrides.__struct_fields__:
        lines = [line.strip() for line in form.get(name, "").splitlines() if line.strip()]
        if lines:
            given[name] = lines if name in _LISTS else lines[0]
    try:
        return msgspec.convert(given, Overrides, strict=False)
    except msgspec.ValidationError as error:
        raise UsageProblem(str(error)) from None


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
        listing = await self.lister.now()
        rows = ordered(searched(listing.rows, words), order, is_descending=down)
        return self._shown(
            "sites.html",
            title="sites",
            problem=listing.problem,
            list=list_page(rows, _number(fields), self.config.rows_max),
            duration=duration_text,
            lag=listing.lag,
            q=words,
            order=order,
            down=down,
        )

    async def _site(self, request: web.Request) -> web.Response:
        return await self._report(site_html, self._key(_fields(request)))

    async def _page(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        url = _plain(fields.get("url", ""), self.config.url_chars_max, "URL")
        site = self._key(fields if fields.get("key") else {"key": await self._site_of(url)})
        return await self._report(page_html, site, url)

    async def _pages(self, request: web.Request) -> web.Response:
        fields = _fields(request)
        site, part = self._key(fields), fields.get("q", "")[:_SEARCH_CHARS_MAX]
        rows = msgspec.json.decode(await self._answer(window_json, site))
        rows = [row for row in rows if part.lower() in row["url"].lower()]
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
        preview = msgspec.json.decode(await self._answer(rule_json, site, site_rule(rule)))
        record = await asyncio.to_thread(self._store.read, site)
        return self._shown(
            "rule.html",
            title=f"a rule of {site}",
            key=site,
            version=settings_version(record),
            preview=preview,
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
            rules=[str(rule) for rule in reversed(known.settings.rules)],
            form=defaultdict(str, form or {}),
            is_open=self._is_open,
            problem=problem,
            done=done,
        )

    async def _report(self, query: Callable[..., bytes], *asked: str) -> web.Response:
        return web.Response(
            body=await self._answer(query, *asked),
            content_type="text/html",
            charset="utf-8",
            headers={"Content-Security-Policy": REPORT_POLICY},
        )

    async def _answer(self, query: Callable[..., bytes], *asked: object) -> bytes:
        try:
            async with asyncio.timeout(self.config.query_wait_s):
                await self._queries.acquire()
        except TimeoutError:
            raise Refusal(503, "Other reports are being made; try again.") from None
        try:
            return await asyncio.to_thread(self._processes.run, query, *asked)
        finally:
            self._queries.release()

    async def _site_of(self, url: str) -> str:
        """Return the known site of a URL; feeds may have keys that are no registrable domains."""
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            raise Refusal(400, "The request has no URL that can be looked up.") from None
        known = {row.site for row in (await self.lister.now()).rows}
        labels = host.split(".")
        names = [".".join(labels[number:]) for number in range(len(labels))]
        return next((name for name in names if name in known), site_key(url))

    def _key(self, fields: Mapping[str, str]) -> str:
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
    if len(set(request.query)) != len(request.query):
        raise Refusal(400, "A field of the query is there twice.")
    return dict(request.query)


def _key(fields: Mapping[str, str], config: ConsoleConfig) -> str:
    return _plain(fields.get("key", ""), config.key_chars_max, "site key")


def _plain(text: str, chars_max: int, name: str) -> str:
    is_plain = not any(unicodedata.category(character) in {"Cc", "Cs"} for character in text)
    if not text or len(text) > chars_max or not is_plain:
        raise Refusal(400, f"The request has no {name} that can be looked up.")
    return text


def _number(fields: Mapping[str, str]) -> int:
    """Return the wanted page of a list; a text that is no number stands for the first one."""
    number = fields.get("page", "1")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 1
