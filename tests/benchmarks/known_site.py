"""Cost of a page of a known site: bytes to clean text with all evidence, relative to a bare parse.

    python -m tests.benchmarks.known_site CORPUS [--rounds N]

The first 40 pages of each site are learned. Every other page is read in turn by the bare parse, as a
page of a new site, and as a page of the known site. Times are processor time of one thread, the least
of all rounds, with the garbage collector set as in the workers' child processes. "By sums" relates
the times of all pages together, as `page_cost` does.
"""

import gc
import statistics
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.codec import content_digest, document_columns
from templ_core.dom.document import Document, read_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.window.page_summary import summarise_page
from tests.benchmarks.measuring import bare_parse, command_line, processor_s, read_pages
from tests.templ_core.site_level.builders import fit_site_model
from workers.page import Page
from workers.processes.child import GC_ALLOCATIONS

CONFIG = CoreConfig()
LEARNED = 40


def read(page: Page) -> Document:
    return read_document(page.body or b"", page.url, content_type=page.content_type)


def model_of(pages: list[Page]) -> SiteModel:
    window = []
    for page in pages:
        document = read(page)
        if document.segments.texts:
            columns = document_columns(document)
            learned = summarise_page(document, shipped_model())
            window.append((content_digest(columns), learned))
    fitted = fit_site_model(window, "page", CONFIG)
    return decode_site_model(encode_site_model(fitted, CONFIG.site_model_bytes))


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("corpus", type=Path)
    options.add_argument("--rounds", type=int, default=5, help="the least time counts")
    chosen = options.parse_args()
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in read_pages([chosen.corpus]):
        sites[page.site].append(page)
    known = [
        (page, model)
        for pages in sites.values()
        if len(pages) > LEARNED
        for model in [model_of(pages[:LEARNED])]
        for page in pages[LEARNED:]
    ]
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)
    ratios: dict[str, list[float]] = defaultdict(list)
    sums_s: dict[str, float] = defaultdict(float)
    for page, model in known:
        body = page.body or b""
        works: dict[str, Callable[[], object]] = {
            "parse": lambda body=body: bare_parse(body),
            "new site": lambda page=page: clean(read(page), None, CONFIG),
            "known site": lambda page=page, model=model: clean(read(page), model, CONFIG),
        }
        least = dict.fromkeys(works, float("inf"))
        for _ in range(chosen.rounds):
            for name, work in works.items():
                least[name] = min(least[name], processor_s(work))
        for name in works:
            ratios[name].append(least[name] / least["parse"])
            sums_s[name] += least[name]
    for name, some in ratios.items():
        print(
            f"{name:12} {sums_s[name] / sums_s['parse']:5.2f}x parse by sums, "
            f"{statistics.median(some):5.2f}x median, {max(some):6.2f}x worst of {len(some)} pages, "
            f"{1000 * sums_s[name] / len(some):.2f} ms a page"
        )


if __name__ == "__main__":
    main()
