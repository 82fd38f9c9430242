"""Compare the text of kept segments with what headless Chromium shows of the same pages.

    python -m tests.quality.text_against_browser CORPUS ... [--pages 50] [--without-style-sheets]

Of each corpus, pages are drawn by the hash of their address, at most three of a site. The browser's text is
`innerText` of the body, without network and with the page's scripts off; style sheets within the page count,
and do not with `--without-style-sheets`. All text of the page as `parse_document` reads it is laid beside it; what
differs within the segments that `clean` keeps (nothing is known of the site) is counted in characters, white space as
one blank or one line break:

    lost sign       the browser shows characters between two kept ones that we lack, none a letter or digit
    lost text       the same with letters or digits
    cut line        text is removed between kept characters of one line of the browser, and of one cell
    torn word       we break the line, the browser has no space
    torn line       we break the line, the browser has a blank
    split word      we have a blank, the browser has no space
    glued words     we have no space, the browser has a blank
    glued lines     we have no space, the browser breaks the line
    joined lines    we have a blank, the browser breaks the line
    hidden text     kept words that the browser does not show
    invisible sign  soft hyphens and zero-width signs in kept text
    sign not shown  other kept characters that the browser does not show
    other           text in the place of other text; the characters of both count

What stands on the border of kept and removed text does not count otherwise, and what is cut out of kept segments
counts as kept. Closed `details` are opened, text in shadow roots
stands where it is shown, letters have the case of the markup, and labels of drawings (`svg text`) and anchors of headings
are left out, as they are in reading. A page where the browser shows less than half of the kept characters needs its scripts: it is not
compared, and counted apart. The output is the same each time for the same browser.
"""

import html
import json
import re
import subprocess
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.dom.kept_text import render_text
from templ_core.dom.signs import with_signs
from templ_core.errors import PageError
from tests.benchmarks.measuring import read_options
from tests.quality.text_differences import CAUSES, Difference, differences, partners, signs_of
from workers.lab.corpora import corpus_name, read_objects, site_of

_PAGES_A_SITE = 3
_EXAMPLES = 10
_BROWSER_S = 60
"""Seconds after which a page is given up."""
_SHOWN_RATIO_MIN = 0.5
_REFRESH = re.compile(r"""<meta\b[^<>]*http-equiv\s*=\s*["']?refresh[^<>]*>""", re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]+")
_SHOWN = re.compile(r'<pre id="templ-text">(.*?)</pre>', re.DOTALL)
_HEAD = """<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'nonce-templ'; img-src data:; %s 'unsafe-inline'">
<script nonce="templ">
function flatten(root) {
  for (const one of root.querySelectorAll("*")) {
    const shadow = one.shadowRoot;
    if (!shadow) continue;
    flatten(shadow);
    for (const slot of shadow.querySelectorAll("slot")) {
      const given = slot.assignedNodes();
      slot.replaceWith(...(given.length ? given : slot.childNodes));
    }
    one.replaceChildren(...shadow.childNodes);
    shadow.replaceChildren(document.createElement("slot"));
  }
}
document.addEventListener("DOMContentLoaded", () => {
  flatten(document);
  for (const one of document.querySelectorAll("details")) one.open = true;
  const style = new CSSStyleSheet();
  style.replaceSync(`*, *::first-letter, *::first-line { text-transform: none !important }
    svg text { display: none !important }`);
  document.adoptedStyleSheets = [style];
  const out = document.createElement("pre");
  out.textContent = JSON.stringify(document.body ? document.body.innerText : "");
  out.id = "templ-text";
  document.documentElement.replaceChildren(out);
});
</script>
"""


class Compared(NamedTuple):
    """What was found on a page."""

    kept: int
    """Characters of the kept text, white space as one blank."""
    shown_ratio: float
    """Share of the kept characters, white space aside, that the browser shows."""
    found: list[Difference]


def shown_text(browser: str, markup: str, folder: str, *, with_style_sheets: bool) -> str | None:
    """Return what the browser shows of a page; None when it gives nothing in time."""
    page = Path(folder) / "page.html"
    head = _HEAD % ("style-src" if with_style_sheets else "style-src-attr")
    page.write_text(head + _REFRESH.sub("", markup), "utf-8", errors="replace")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,768",
        "--virtual-time-budget=2000", f"--user-data-dir={folder}/profile", "--dump-dom",
        page.as_uri(),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_BROWSER_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    match = _SHOWN.search(done.stdout)
    return json.loads(html.unescape(match[1])) if match else None


def compare(markup: str, url: str, shown: str) -> Compared | None:
    """Return how the kept text of a page differs from what is shown; None if no text is kept.

    Raises:
        PageError: The page cannot be read.
    """
    document = parse_document(markup, url, with_marks=True)
    decision = clean(document, None, CoreConfig()).decision
    everything = np.ones(len(document.segments.texts), bool)
    ours = signs_of(render_text(document, everything))
    whole, are_read, _ = with_signs(document, everything, None)
    are_kept = with_signs(document, decision.kept, None).kept
    kept: list[bool] = []
    for is_read, stays, text in zip(are_read, are_kept, whole.segments.texts, strict=True):
        kept += [bool(stays)] * len("".join(text.split())) * bool(is_read)
    if len(kept) != len(ours.text):
        raise AssertionError("The text of a page is no longer that of its segments in order.")
    signs = sum(kept)
    if not signs:
        return None
    seen = signs_of(_INVISIBLE.sub("", shown))
    partner = partners(ours, seen)
    are_shown = sum(stays and other >= 0 for stays, other in zip(kept, partner, strict=True))
    spaces = sum(stays and before > 0 for stays, before in zip(kept, ours.before, strict=True))
    page_differences = list(differences(ours, seen, partner, kept))
    return Compared(signs + spaces, are_shown / signs, page_differences)


def drawn(corpus: Path) -> Iterator[dict[str, Any]]:
    """Yield the pages of a corpus in the order of the hashes of their addresses, at most three of a site."""
    records = [record for _, record in read_objects(corpus) if record.get("html")]
    records.sort(key=lambda record: (zlib.crc32(record["url"].encode()), record["url"]))
    taken: Counter[str] = Counter()
    for record in records:
        taken[site_of(record)] += 1
        if taken[site_of(record)] <= _PAGES_A_SITE:
            yield record


class Sums:
    """What was found on the pages of a corpus."""

    def __init__(self) -> None:
        self.pages = self.differ = self.kept = self.need_scripts = self.no_answer = 0
        self.pages_that_differ: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self.examples: dict[tuple[str, str], list[tuple[Difference, str]]] = defaultdict(list)

    def add(self, page: Compared, url: str) -> None:
        """Count a page."""
        self.pages += 1
        self.differ += bool(page.found)
        self.kept += page.kept
        self.pages_that_differ.update({one.cause for one in page.found})
        for difference in page.found:
            self.characters[difference.cause] += difference.count
            self.examples[difference.cause, difference.differs].append((difference, url))

    def print(self, name: str) -> None:
        """Print the sums."""
        count = self.characters.total()
        print(
            f"{name}: {count} of {self.kept} kept characters differ "
            f"({count / max(self.kept, 1):.3%}), on {self.differ} of {self.pages} pages; "
            f"{self.need_scripts} more need their scripts, {self.no_answer} gave no answer"
        )
        for cause in CAUSES:
            if self.characters[cause]:
                print(
                    f"  {cause:15} {self.characters[cause]:7} on "
                    f"{self.pages_that_differ[cause]:3} pages"
                )


def count_corpus(corpus: Path, given: Any, folder: str) -> Sums:
    """Return the sums of the drawn pages of a corpus."""
    sums = Sums()
    for record in drawn(corpus):
        if sums.pages == given.pages:
            break
        shown = shown_text(
            given.browser,
            record["html"],
            folder,
            with_style_sheets=not given.without_style_sheets,
        )
        if shown is None:
            sums.no_answer += 1
            continue
        try:
            page = compare(record["html"], record["url"], shown)
        except PageError:
            continue
        if page is None:
            continue
        if page.shown_ratio < _SHOWN_RATIO_MIN:
            sums.need_scripts += 1
            continue
        sums.add(page, record["url"])
    return sums


def main() -> None:
    """Print what differs, by corpus and cause, and the commonest examples of each cause."""
    given = read_options(
        __doc__, "corpora...", pages=50, browser="chromium", without_style_sheets=False
    )
    whole = Sums()
    with tempfile.TemporaryDirectory() as folder:
        for corpus in given.corpora:
            sums = count_corpus(corpus, given, folder)
            sums.print(corpus_name(corpus))
            for name in ("pages", "differ", "kept", "need_scripts", "no_answer"):
                setattr(whole, name, getattr(whole, name) + getattr(sums, name))
            whole.characters += sums.characters
            whole.pages_that_differ += sums.pages_that_differ
            for key, examples in sums.examples.items():
                whole.examples[key] += examples
    whole.print("all")
    for cause in CAUSES:
        ranked = sorted(
            (
                (-len(examples), differs, examples[0])
                for (of_cause, differs), examples in whole.examples.items()
                if of_cause == cause
            ),
            key=lambda one: one[:2],
        )
        for count, _, (example, url) in ranked[:_EXAMPLES]:
            print(f"{cause}, {-count} times: {example.around!r} {url}")


if __name__ == "__main__":
    main()
