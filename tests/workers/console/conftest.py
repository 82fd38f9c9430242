"""A console in the test's own loop, on the state of a small run with names that try to do harm."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from schemas.site_settings import SiteSettingsRecord
from tests.workers.builders import write_lines
from workers.console.config import ConsoleConfig
from workers.console.guard import allowed_hosts
from workers.console.pages import ConsolePages
from workers.console.queries import QueryProcesses
from workers.console.server import console_app, listen
from workers.console.site_list import SiteLister
from workers.settings import load_settings
from workers.site_settings import empty_settings

TOKEN = "0123456789abcdef-token"
SITE = "paper.example"
HOSTILE_SITE = "\"><script>alert('site')</script><b x='{{7*7}}"
HOSTILE_URL = "https://paper.example/\"><script>alert('url')</script>?a=1&b={{7*7}}#'"


class Store:
    """A store that remembers what it was asked to change."""

    def __init__(self):
        self.known: dict[str, SiteSettingsRecord] = {}
        self.changes = []

    def read(self, site):
        return self.known.get(site) or empty_settings(site)

    def write(self, site, record):
        self.changes.append((site, record))
        self.known.pop(site, None)
        if record is not None:
            self.known[site] = record

    def models(self, site):
        return []

    def forget(self, site):
        self.changes.append((site, "forget"))
        return "It is gone."


class Running:
    """A console that answers at a port."""

    def __init__(self, store, app, port):
        self.store = store
        self.app = app
        self.port = port

    async def raw(self, request):
        """Send bytes; answers all that comes until the console closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            return await asyncio.wait_for(reader.read(), 60)
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def ask(self, target, method="GET", body=None, **headers):
        """Ask as a browser does; answers status, headers and text."""
        data = b"" if body is None else body.encode()
        fields = {"Host": f"127.0.0.1:{self.port}", "Connection": "close"}
        if body is not None:
            fields |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Content-Length": str(len(data)),
            }
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        head = f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode()
        answer = await self.raw(head + data)
        top, _, text = answer.partition(b"\r\n\r\n")
        first, *rest = top.decode().split("\r\n")
        found = dict(line.lower().split(": ", 1) for line in rest)
        return int(first.split()[1]), found, text.decode()


@pytest.fixture(scope="session")
def state(templ, tmp_path_factory):
    """A state directory of two sites, one with a hostile key and pages with hostile URLs."""
    folder = tmp_path_factory.mktemp("console")
    lines = [
        {
            "site": site,
            "url": HOSTILE_URL if number == 0 else f"https://{SITE}/{number}",
            "html": f"<ul><li><a href=/>Home</a></ul><p>Story {number} has many words of its own.</p>",
        }
        for site in (SITE, HOSTILE_SITE)
        for number in range(4)
    ]
    write_lines(folder / "feed.jsonl", lines)
    templ("run", folder / "feed.jsonl", "--out", folder / "out.jsonl", "--state", folder / "state")
    return folder / "state"


@pytest.fixture
def start(state):
    """Return a context that starts a console with a config of the test's own."""

    @asynccontextmanager
    async def running(config=None, token=TOKEN, processes=None):
        config, settings = config or ConsoleConfig(), load_settings()
        processes = processes or QueryProcesses(state, settings, config)
        store, lister = Store(), SiteLister(state, processes, config, None)
        pages = ConsolePages(config, lister, processes, store, is_open=token is not None)
        hosts = set()
        app = console_app(pages, hosts, token)
        runner, listener = await listen(app, config, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        hosts |= allowed_hosts("127.0.0.1", port, ["console.example"])
        try:
            yield Running(store, app, port)
        finally:
            listener.close()
            await runner.cleanup()

    return running
