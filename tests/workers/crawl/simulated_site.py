"""One site of the simulated web: pages, feeds, sitemaps, rules, errors, redirects and traps.

Domains are below `home.arpa`, a public suffix that RFC 8375 reserves for private networks, so that no request
for them can ever reach a stranger.
"""

import gzip
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from random import Random
from urllib.parse import parse_qs, urlsplit

from lxml.html import document_fromstring

from workers.lab.simulate.feed import FeedSettings, simulate_feed

ROBOTS_KINDS = ("plain", "delay", "missing", "plain", "failing", "redirected", "closed", "flaky")
"""What is special about the robots.txt of a site, by the site's number."""
OPEN_PLACES = ("linked", "sitemap", "feed", "blog")
"""Where an article is named: by links, by a sitemap or a feed only, or on another host of the site."""


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    fault: str = ""
    """`reset` breaks the connection; `hang` never answers; `endless` never ends."""


def html(body, head=""):
    text = f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body>{body}</body></html>"
    return Reply(body=text.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


def xml(body):
    return Reply(body=body.encode(), headers={"Content-Type": "application/xml"})


def links(*paths):
    return "".join(f'<p><a href="{escape(path)}">{escape(path)}</a></p>' for path in paths)


class SimulatedSite:
    def __init__(self, number, articles, delay_s, seed=0):
        self.number = number
        self.domain = f"site-{number:03}.home.arpa"
        self.www, self.blog = f"www.{self.domain}", f"blog.{self.domain}"
        self.robots_kind = ROBOTS_KINDS[number % len(ROBOTS_KINDS)]
        self.delay_s = 2 * delay_s if self.robots_kind == "delay" else delay_s
        """Shortest time between two requests that the site wants, or the crawler was set to."""
        self.is_closed = self.robots_kind in ("failing", "closed")
        self.is_slow = number % 16 == 5
        self.hangs = number % 8 == 1
        """Whether a page never answers."""
        self.gone = set()
        """Numbers of articles that exist no longer."""
        self._articles = articles
        self._seed = seed
        self._asked = {}

    @cached_property
    def pages(self):
        """Synthetic articles with gold text, in as many places each."""
        settings = FeedSettings(
            genre="news",
            sites=1,
            pages=2 * self._articles + 8,
            seed=self._seed + self.number,
            languages=("en",),
        )
        made = [
            page
            for page in simulate_feed(settings)
            if page.gold_text and page.page_role == "article"
        ]
        return made[: self._articles]

    def place(self, number):
        place = OPEN_PLACES[number % len(OPEN_PLACES)]
        # Only robots.txt names the sitemap.
        return "linked" if place == "sitemap" and self.robots_kind == "missing" else place

    def article_url(self, number):
        host = self.blog if self.place(number) == "blog" else self.www
        return f"http://{host}/articles/{number}-story"

    @property
    def articles(self):
        """The addresses of all articles that may be asked."""
        if self.is_closed:
            return []
        return [self.article_url(number) for number in range(len(self.pages))]

    def forbids(self, host, path):
        """Whether the rules of the site forbid an address."""
        if path == "/robots.txt":
            return False
        return self.is_closed or (self.robots_kind != "missing" and path.startswith("/private/"))

    def reply(self, host, path, headers, version=0):
        """The answer to a request.

        Args:
            headers: Headers of the request by lower-case name.
            version: Raised when the articles have changed.
        """
        asked = self._asked[host, path] = self._asked.get((host, path), 0) + 1
        parts = urlsplit(path)
        answer = self._robots(host, asked) if path == "/robots.txt" else None
        answer = (
            answer or self._special(host, parts, asked) or self._page(host, parts, headers, version)
        )
        answer.wait_s = 4 * self.delay_s if self.is_slow else 0.0
        return answer or Reply(404, b"not here", {"Content-Type": "text/html"})

    def _robots(self, host, asked):
        kind, sitemap = self.robots_kind, f"Sitemap: http://{self.www}/sitemaps.xml\n"
        rules = f"User-agent: *\nDisallow: /private/\n{sitemap}"
        if kind == "missing":
            return Reply(404)
        if kind == "failing" or (kind == "flaky" and asked == 1):
            return Reply(503) if self.number % 2 == 0 else Reply(fault="reset")
        if kind == "redirected" and host == self.blog:
            return Reply(301, headers={"Location": f"http://{self.www}/robots.txt"})
        if kind == "closed":
            rules = "User-agent: templ-crawler\nDisallow: /\n\nUser-agent: *\nAllow: /\n"
        if kind == "delay":
            rules = f"User-agent: *\nCrawl-delay: {self.delay_s:g}\nDisallow: /private/\n{sitemap}"
        return Reply(body=rules.encode(), headers={"Content-Type": "text/plain"})

    def _special(self, host, parts, asked):
        """What goes wrong, and what leads nowhere."""
        path, query = parts.path, parse_qs(parts.query)
        if path == "/flaky-page" and asked == 1:
            headers = {"Retry-After": "1", "Content-Type": "application/json"}
            return Reply(503, b"{}", headers=headers)
        if path == "/calendar":
            month = int(query.get("month", ["1"])[0])
            return html(links(f"/calendar?month={month + 1}", f"/calendar?month={month - 1}"))
        if path.startswith("/days/"):
            day = int(path.rpartition("/")[2] or 0)
            return html(links(f"/days/{day + 1}", f"/days/{day - 1}"))
        if path == "/session":
            return html(links(*(f"/session?sid={Random().getrandbits(60)}" for _ in range(3))))
        if path.startswith("/endless/"):
            return html('<a href="more/again/">deeper</a>')
        if path == "/filter":
            return html(links(*(f"/filter?{parts.query}&f{n}={asked}" for n in range(3))))
        targets = {
            "/loop-a": "/loop-b",
            "/loop-b": "/loop-a",
            "/self": "/self",
            "/away": f"http://www.site-{self.number + 1:03}.home.arpa/",
            "/abroad": "http://elsewhere.home.arpa/",
            "/old-story": self.article_url(0),
        }
        if path == "/hop":
            targets[path] = f"/hop?n={int(query.get('n', ['0'])[0]) + 1}"
        if path in targets:
            return Reply(302, headers={"Location": targets[path]})
        return {
            "/broken": Reply(500, b"sorry"),
            "/gone": Reply(410),
            "/reset": Reply(fault="reset"),
            "/hang": Reply(fault="hang"),
            "/huge": Reply(
                body=b"<html>" + b"x" * (3 << 20), headers={"Content-Type": "text/html"}
            ),
            "/photo": Reply(body=b"\x89PNG" * 1000, headers={"Content-Type": "image/png"}),
            "/elsewhere": html(links("http://elsewhere.home.arpa/page")),
        }.get(path)

    def _page(self, host, parts, headers, version):
        path = parts.path
        if path == "/" and host == self.www:
            return self._home()
        if path == "/list":
            numbers = range(len(self.pages))
            return html(
                links(
                    *(self.article_url(n) for n in numbers if self.place(n) in ("linked", "blog"))
                )
            )
        if path in ("/sitemaps.xml", "/sitemap-1.xml.gz", "/feed.xml"):
            return getattr(self, f"_{path[1:].partition('.')[0].replace('-', '_')}")()
        number = path.removeprefix("/articles/").removesuffix("-story")
        if path.startswith("/articles/") and number.isdecimal() and int(number) < len(self.pages):
            return self._article(host, path, int(number), headers, version)
        if path in ("/flaky-page", "/private/page"):
            return html("<p>A page.</p>")
        return Reply(404, b"<p>not here</p>", {"Content-Type": "text/html"})

    def _home(self):
        traps = (
            "/calendar?month=1", "/days/1", "/session?sid=1", "/endless/", "/filter?f=1", "/loop-a",
            "/self", "/away", "/abroad", "/hop", "/old-story", "/broken", "/gone", "/reset", "/huge",
            "/photo", "/elsewhere", "/private/page", "/flaky-page", "mailto:a@b.example", "/manual.pdf",
            "http://[broken/", "//",
        )  # fmt: skip
        if self.hangs:
            traps = (*traps, "/hang")
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        return html(links("/list", *traps), feed)

    def _sitemaps(self):
        return xml(
            '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
            f"<loc>http://{self.www}/sitemap-1.xml.gz</loc></sitemap></sitemapindex>"
        )

    def _sitemap_1(self):
        urls = [self.article_url(n) for n in range(len(self.pages)) if self.place(n) == "sitemap"]
        listed = "".join(f"<url><loc>{url}</loc><news:news/></url>" for url in urls)
        text = (
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
            f'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">{listed}</urlset>'
        )
        return Reply(
            body=gzip.compress(text.encode()), headers={"Content-Type": "application/gzip"}
        )

    def _feed(self):
        """A feed with summaries; every second site has whole texts in it."""
        items = []
        for number, page in enumerate(self.pages):
            if self.place(number) not in ("feed", "linked"):
                continue
            headline = document_fromstring(page.html).findtext(".//h1")
            words = page.gold_text.split()
            whole = "".join(f"<p>{escape(line)}</p>" for line in page.gold_text.split("\n"))
            whole = f"<content:encoded>{escape(whole)}</content:encoded>" if self.number % 2 else ""
            items.append(
                f"<item><title>{escape(headline)}</title><link>{self.article_url(number)}?utm_source=rss</link>"
                f"<guid>{self.article_url(number)}</guid>"
                f"<description>{escape(' '.join(words[:60]))}</description>{whole}</item>"
            )
        return xml(
            '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
            f"<title>Site {self.number}</title>{''.join(items)}</channel></rss>"
        )

    def _article(self, host, path, number, headers, version):
        if f"http://{host}{path}" != self.article_url(number):
            return Reply(404)
        if number in self.gone:
            return Reply(410)
        etag = f'"{number}-{version}"'
        if headers.get("if-none-match") == etag:
            return Reply(304, headers={"ETag": etag})
        # A changed article has the text of another one; the links of synthetic pages lead nowhere.
        made = self.pages[(number + version) % len(self.pages)]
        text = made.html.replace(" href=", " data-href=")
        head = f'<link rel="canonical" href="{self.article_url(number)}"></head>'
        body = text.replace("</head>", head, 1).encode()
        return Reply(body=body, headers={"Content-Type": "text/html; charset=utf-8", "ETag": etag})
