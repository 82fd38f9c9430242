"""No page runs, fetches or leaves its frame in a report: by its markup, and in headless Chromium."""

import http.server
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import html5lib
import pytest
import tinycss2

from tests.workers.inspect.hostile_cases import HOSTILE, RAN, hostile_page
from workers.inspect.frame import ATTRIBUTES, ELEMENTS, FUNCTIONS, PROPERTIES
from workers.inspect.page_report import PageRequest, page_report
from workers.settings import load_settings

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
LOAD_S, AFTER_S = 120, 3
OF_FRAME = {*ELEMENTS, "html", "head", "body", "meta", "title", "style", "img"}
OF_REPORT = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "span", "input", "div",
    "b", "label", "a", "iframe", "details", "summary", "br", "ul", "li", "table", "thead",
    "tbody", "tr", "th", "td", "caption", "pre",
}  # fmt: skip
_SELECTED = re.compile(
    r"\s*url\(|@import|@font-face|image-set|expression\(|-moz-binding", re.IGNORECASE
)


def report(name, canary="https://canary.example"):
    """The report of a hostile page."""
    request = PageRequest(
        url="https://paper.example/1",
        site=None,
        body=hostile_page(name, canary).encode(),
        content_type="text/html; charset=utf-8",
    )
    return page_report(request, None, load_settings())


def elements(markup):
    tree = html5lib.parse(markup, namespaceHTMLElements=False)
    return [one for one in tree.iter() if isinstance(one.tag, str)]


OPENING = "@keyframes templ-free { to { scroll-snap-type: none; } }"
"""The one rule of the frame itself that is neither plain nor for media: it lets the page scroll after opening."""


def check_style(text):
    assert "</" not in text
    assert not _SELECTED.search(text)
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        is_plain = rule.type == "qualified-rule" or rule.lower_at_keyword == "media"
        assert is_plain or rule.serialize() == OPENING, rule


def check_declarations(text):
    for node in tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True):
        assert node.type == "declaration"
        assert node.lower_name in PROPERTIES or node.lower_name.startswith("--")
        used = {value.lower_name for value in node.value if value.type == "function"}
        assert used <= FUNCTIONS


def check_frame(frame):
    """Check a frame against the lists of what it may hold."""
    for element in elements(frame):
        assert element.tag in OF_FRAME
        if element.tag == "style":
            check_style(element.text or "")
        for name, value in element.attrib.items():
            if element.tag == "meta":
                assert name in {"charset", "http-equiv", "content"}
                continue
            assert name in {
                *ATTRIBUTES, "id", "class", "style", "title", "hidden", "open", "src", "alt",
            }  # fmt: skip
            if name == "src":
                assert element.tag == "img"
                assert re.match(r"data:image/(png|jpeg|gif|webp);base64,", value)
            if name == "style":
                check_declarations(value)
            if name in {"id", "class"} and element.get("title") is None and element.tag != "i":
                own = {part for part in value.split() if part.startswith("templ-")}
                assert own <= {"templ-html", "templ-body", "templ-n", "templ-i"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_report_holds_only_what_is_on_a_list(name):
    markup = report(name)
    parsed = elements(markup)
    assert {one.tag for one in parsed} <= OF_REPORT
    [frame] = [one for one in parsed if one.tag == "iframe"]
    assert frame.get("sandbox") == ""
    assert frame.get("src") is None
    for element in parsed:
        assert not {attribute for attribute in element.attrib if attribute.startswith("on")}
        if element.tag == "a":
            assert element.get("href").startswith("about:srcdoc#templ-")
        if element.tag == "meta" and element.get("http-equiv"):
            assert element.get("http-equiv") == "Content-Security-Policy"
            assert element.get("content").startswith(
                "default-src 'none'; style-src 'unsafe-inline'"
            )
    check_frame(frame.get("srcdoc"))
    assert "The council met on Monday" in frame.get("srcdoc")
    assert markup.count("<iframe") == markup.count("</iframe") == 1


class _Canary(http.server.BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(404)
        self.end_headers()

    do_HEAD = do_POST = do_OPTIONS = do_CONNECT = do_GET  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def canary():
    """The address of a server, and the list of what it was asked for."""
    handler = type("Handler", (_Canary,), {"asked": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler.asked
    server.shutdown()
    server.server_close()


def browse(pages, folder, address, is_done):
    """Show pages in frames of one page in headless Chromium until something is so; answer its console."""
    frames = []
    for number, page in enumerate(pages):
        (folder / f"{number}.html").write_text(page, errors="replace")
        frames.append(f"<iframe src={number}.html width=300 height=200></iframe>")
    loaded = f"<body onload=\"new Image().src='{address}/loaded'\">"
    (folder / "all.html").write_text(f"<!DOCTYPE html>{loaded}{''.join(frames)}")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        "--disable-background-networking", "--autoplay-policy=no-user-gesture-required",
        f"--user-data-dir={folder}/profile", (folder / "all.html").as_uri(),
    ]  # fmt: skip
    with (folder / "console").open("wb") as console:
        browser = subprocess.Popen(command, stderr=console, start_new_session=True)
        try:
            deadline = time.monotonic() + LOAD_S
            while not is_done((folder / "console").read_text(errors="replace")):
                assert time.monotonic() < deadline
                time.sleep(0.5)
            time.sleep(AFTER_S)
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
    return (folder / "console").read_text(errors="replace")


@pytest.mark.skipif(CHROMIUM is None, reason="needs headless Chromium")
@pytest.mark.timeout(360)
def test_in_a_browser_nothing_runs_and_nothing_is_fetched(canary, tmp_path):
    address, asked = canary
    names = [name for name in HOSTILE if not name.startswith("deep")]
    hostile, shown = tmp_path / "hostile", tmp_path / "shown"
    hostile.mkdir()
    shown.mkdir()

    def attacks(console):
        """Whether the pages run scripts and fetch where nothing stops them."""
        fetched = {path.split("/")[1] for path in asked} - {"loaded"}
        return console.count(RAN) >= 15 and len(fetched) >= 30

    pages = [hostile_page(name, f"{address}/{number}") for number, name in enumerate(names)]
    browse(pages, hostile, address, attacks)
    asked.clear()
    pages = [report(name, f"{address}/{number}") for number, name in enumerate(names)]
    console = browse(pages, shown, address, lambda _: "/loaded" in asked)
    assert RAN not in console
    assert asked == ["/loaded"]
