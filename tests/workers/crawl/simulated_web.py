"""A web of simulated sites behind a proxy on this machine, with a log of all requests.

    python -m tests.workers.crawl.simulated_web --sites 20 --port 8321

A crawler that has http://127.0.0.1:8321 as its proxy (`http_proxy`) finds the sites at
http://www.site-000.home.arpa/ and so on.
"""

import argparse
import asyncio
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.workers.crawl.simulated_site import Reply, SimulatedSite


@dataclass
class Request:
    """A line of the log; times are those of the monotonic clock."""

    start: float
    host: str
    path: str
    headers: dict
    end: float = 0.0
    status: int = 0
    """Status that was sent whole; 0 for none."""
    rest_s: float = 0.0
    """Seconds for which the answer asks that its site be left alone."""


class SimulatedWeb:
    """The sites and the log; a context that serves them in a thread."""

    def __init__(self, sites, articles=12, delay_s=1.0, seed=0, port=0):
        self.sites = [SimulatedSite(number, articles, delay_s, seed) for number in range(sites)]
        self._by_domain = {site.domain: site for site in self.sites}
        self.log = []
        self.version = 0
        """Raised by tests to change all articles."""
        self.connections = 0
        self._port = port

    def site_of(self, host):
        return self._by_domain.get(host.split(".", 1)[-1])

    @property
    def seeds(self):
        return [f"http://{site.www}/" for site in self.sites]

    @property
    def articles(self):
        return [url for site in self.sites for url in site.articles]

    @property
    def proxy(self):
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=[started], daemon=True)
        self._thread.start()
        started.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", self._port)
        )
        self._port = server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if not await self._answer(head.decode("latin-1"), reader, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.connections -= 1
            writer.close()

    async def _answer(self, head, reader, writer):
        """Answer one request; return whether the connection stays open."""
        first, *lines = head.strip().split("\r\n")
        parts = urlsplit(first.split(" ")[1])
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        request = Request(time.monotonic(), parts.hostname or "", path or "/", headers)
        self.log.append(request)
        try:
            site = self.site_of(request.host)
            reply = (
                Reply(502)
                if site is None
                else site.reply(request.host, request.path, headers, self.version)
            )
            await asyncio.sleep(reply.wait_s)
            if reply.fault == "hang":
                request.end = request.start  # when the crawler has given up cannot be known here
                await reader.read()
            if reply.fault == "endless":
                writer.write(b"HTTP/1.1 200 -\r\n\r\n")
                while True:
                    writer.write(reply.body)
                    await writer.drain()
                    await asyncio.sleep(0.01)
            if reply.fault:
                writer.transport.abort()
                return False
            request.end = time.monotonic()  # the crawler has the answer later, never earlier
            writer.write(response(reply))
            await writer.drain()
            request.status = reply.status
            request.rest_s = float(reply.headers.get("Retry-After", 0))
        finally:
            request.end = request.end or time.monotonic()
        return True


def response(reply):
    headers = {**reply.headers, "Content-Length": str(len(reply.body))}
    if reply.status == 304:
        del headers["Content-Length"]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} -\r\n{lines}\r\n".encode() + reply.body


def main():
    parser = argparse.ArgumentParser(
        description="Serve simulated sites behind a proxy on this machine."
    )
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--articles", type=int, default=12)
    parser.add_argument(
        "--delay", type=float, default=1.0, help="seconds that the sites are used to"
    )
    parser.add_argument("--port", type=int, default=8321)
    given = parser.parse_args()
    with SimulatedWeb(given.sites, given.articles, given.delay, port=given.port) as web:
        print(f"export http_proxy={web.proxy}; the first of {given.sites} sites is {web.seeds[0]}")
        threading.Event().wait()


if __name__ == "__main__":
    main()
