"""Compare the estimated layout of real pages with that of headless Chromium.

    python -m tests.quality.layout_against_browser wcxb_dev.jsonl.xz --pages 100

Prints Spearman's rank correlations of positions and sizes over the blocks that hold text and that both
show, page by page. Scripts of the pages do not run and nothing is fetched, so style sheets and images
outside a page's own file do not count on either side. Pages are drawn by the hash of their address.
"""

import html
import json
import re
import subprocess
import tempfile
import zlib
from itertools import islice
from pathlib import Path

import numpy as np
from lxml import etree
from scipy.stats import spearmanr

from templ_core.dom.document import parse_document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.tags import INLINE, INVISIBLE
from templ_core.lab.layout import VIEWPORT_PX, estimate_layout, read_presentation
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects

BLOCKS_MIN = 10
_NUMBER = "data-templ-number"
_BOXES = re.compile(r'<pre id="templ-boxes">(.*?)</pre>', re.DOTALL)
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"script-src 'nonce-templ'; img-src data:; style-src 'unsafe-inline'\">"
)
_SCRIPT = f"""<script nonce="templ">
const boxes = {{}};
for (const one of document.querySelectorAll("[{_NUMBER}]")) {{
  const box = one.getBoundingClientRect();
  boxes[one.getAttribute("{_NUMBER}")] = [box.left, box.top, box.width, box.height];
}}
const out = document.createElement("pre");
out.id = "templ-boxes";
out.textContent = JSON.stringify(boxes);
document.documentElement.replaceChildren(out);
</script>"""


def numbered(markup):
    """Return the page as the parser sees it, its visible elements numbered in document order."""
    root = parse_markup(markup)
    todo, number = [root], 0
    while todo:
        element = todo.pop()
        if isinstance(element.tag, str) and element.tag not in INVISIBLE:
            element.set(_NUMBER, str(number))
            number += 1
            todo.extend(reversed(element))
    return etree.tostring(root, method="html", encoding="unicode")


def browser_boxes(browser, markup, folder):
    """Return left, top, width and height of each numbered element; None when the browser gives none."""
    page = Path(folder) / "page.html"
    whole = f"<!DOCTYPE html>{_POLICY}{numbered(markup)}{_SCRIPT}"
    page.write_text(whole, "utf-8", errors="replace")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={int(VIEWPORT_PX)},768",
        "--virtual-time-budget=2000", f"--user-data-dir={folder}/profile", "--dump-dom",
        page.as_uri(),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    match = _BOXES.search(done.stdout)
    return json.loads(html.unescape(match[1])) if match else None


def correlations(browser, record, folder):
    """Return the rank correlations of one page by name; None when it has too few blocks."""
    document = parse_document(record["html"], record["url"])
    presentation = read_presentation(document, record["html"])
    if presentation is None:
        return None
    real = browser_boxes(browser, record["html"], folder)
    if real is None:
        return None
    estimate = estimate_layout(document, presentation)
    owners = set(document.segments.owner.tolist())
    parent = document.nodes.parent.tolist()
    inside = sorted({node for owner in owners for node in above(parent, owner)})
    blocks = [
        node
        for node in inside
        if document.nodes.tags[node] not in INLINE and str(node) in real and estimate.area[node] > 0
    ]
    seen = np.array([real[str(node)] for node in blocks]).reshape(-1, 4)
    shown = seen[:, 2] * seen[:, 3] > 0
    blocks, seen = np.array(blocks)[shown], seen[shown]
    if len(blocks) < BLOCKS_MIN:
        return None
    pairs = {
        "area": (estimate.area[blocks], seen[:, 2] * seen[:, 3]),
        "top": (estimate.top[blocks], seen[:, 1]),
        "left": (estimate.left[blocks], seen[:, 0]),
        "width": (estimate.width[blocks], seen[:, 2]),
        "height": (estimate.height[blocks], seen[:, 3]),
    }
    figures = {
        name: float(spearmanr(*pair).statistic)
        for name, pair in pairs.items()
        if all(len(set(column.round(1))) > 1 for column in pair)
    }
    return {**figures, "blocks": float(len(blocks))}


def above(parent, node):
    """Return the node and its ancestors."""
    while node >= 0:
        yield node
        node = parent[node]


def main():
    """Print rank correlations of the estimated and the real layout of pages of a corpus."""
    given = read_options(__doc__, "corpus", pages=100, browser="chromium")
    records = [record for _, record in read_objects(given.corpus)]
    records.sort(key=lambda record: zlib.crc32(record["url"].encode()))
    with tempfile.TemporaryDirectory() as folder:
        of_records = (correlations(given.browser, record, folder) for record in records)
        results = list(islice(filter(None, of_records), given.pages))
    print(f"{len(results)} pages, {np.mean([one['blocks'] for one in results]):.0f} blocks each")
    print("rank correlation  mean  median  lowest tenth")
    for name in ("area", "top", "left", "width", "height"):
        values = [one[name] for one in results if name in one]
        print(
            f"{name:16}  {np.mean(values):.3f}  {np.median(values):.3f}  "
            f"{np.quantile(values, 0.1):.3f}"
        )


if __name__ == "__main__":
    main()
