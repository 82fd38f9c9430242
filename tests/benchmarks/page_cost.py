"""Cost of a page of a new site: bytes to clean text, relative to a bare parse and to other extractors.

    python -m tests.benchmarks.page_cost CORPUS [--pages N] [--rounds N] [--peers none|fast|all]
    python -m tests.benchmarks.page_cost CORPUS --stages [--pages N]
    python -m tests.benchmarks.page_cost CORPUS --memory [--pages N]
    python -m tests.benchmarks.page_cost CORPUS --known-sites [--pages N] [--rounds N]

Times are processor time of one thread in one process. In each round all tools read each page one after
the other, in changing order; the time of a page is the least of its rounds and includes freeing what
was built. Ratios are relative to `lxml.html.document_fromstring` on the same bytes. `--stages` prints
the time of each stage without the stages that it calls. `--memory` cleans all pages several times and
prints the resident memory after each pass. `--known-sites` learns the first 40 pages of each site, and cleans the
others as pages of a new site and with all evidence of their site, with the garbage collector set as in the workers'
child processes.
"""

import gc
import importlib
import importlib.metadata
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial, wraps
from itertools import islice

import psutil
import trafilatura
from lxml import etree
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.codec import document_columns
from templ_core.dom.document import Document, read_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.stored.compact import content_digest
from tests.benchmarks.measuring import bare_parse, processor_s, read_options, read_pages
from tests.templ_core.site_level.builders import fit_site_model
from workers.page import Page
from workers.processes.child import GC_ALLOCATIONS

CONFIG = CoreConfig()
STAGES: dict[str, tuple[str, str]] = {
    "decode": ("templ_core.dom.document", "decode_page"),
    "strip markup": ("templ_core.dom.parse.parse_page", "strip_markup"),
    "scan": ("templ_core.dom.parse.parse_page", "stalls_parser"),
    "parse": ("templ_core.dom.parse.parse_page", "page_columns"),
    "claims, columns": ("templ_core.dom.document", "_document"),
    "features": ("templ_core.page_level.page_evidence", "read_features"),
    "attribute scores": ("templ_core.page_level.model.page_model", "read_attributes"),
    "text scores": ("templ_core.page_level.model.page_model", "text_scores"),
    "contexts": ("templ_core.page_level.model.page_model", "with_contexts"),
    "trees and networks": ("templ_core.page_level.model.page_model", "combined_log_odds"),
    "decision": ("templ_core.clean_document", "decide"),
    "text": ("templ_core.clean_document", "render_text"),
}
MEMORY_PASSES = 4
LEARNED = 40
"""Pages of a site that is known."""
SETTLING_BYTES = 4096
"""Size of a block that makes the heap merge the freed blocks of the bare parse before the next tool
runs, which would otherwise be charged for it.
"""


def read(page: Page) -> Document:
    return read_document(page.body or b"", page.url, content_type=page.content_type)


def templ(page: Page, site: SiteModel | None = None) -> object:
    return clean(read(page), site, CONFIG)


def resiliparse_main(page: Page) -> object:
    text = bytes_to_str(page.body, detect_encoding(page.body))
    return extract_plain_text(text, main_content=True)


Tools = dict[str, Callable[[Page], object]]
TOOLS: Tools = {
    f"lxml.html {etree.__version__}, parse": lambda page: bare_parse(page.body),
    "templ, bytes to text": templ,
    f"resiliparse {importlib.metadata.version('resiliparse')}, main content": resiliparse_main,
    f"trafilatura {trafilatura.__version__}": lambda page: trafilatura.extract(page.body),
}
PEERS = {"none": 2, "fast": 3, "all": 4}


def main(arguments: list[str] | None = None) -> None:
    options = read_options(
        __doc__, "corpus", given=arguments, pages=300, rounds=5, peers=("all", "fast", "none"),
        stages=False, memory=False, known_sites=False,
    )  # fmt: skip
    limit = sys.maxsize if options.known_sites else options.pages
    pages = read_pages([options.corpus], limit, "none")
    size_mb = sum(len(page.body) for page in pages) / 1e6
    print(f"{len(pages)} pages, {size_mb:.1f} MB", flush=True)
    if options.memory:
        report_memory(pages)
    elif options.stages:
        report_stages(pages, options.rounds)
    elif options.known_sites:
        gc.set_threshold(GC_ALLOCATIONS)
        others, tools = known_sites(pages)
        report_tools(others[:: len(others) // options.pages + 1], tools, options.rounds)
    else:
        tools = dict(islice(TOOLS.items(), PEERS[options.peers]))
        report_tools(pages, tools, options.rounds)


def known_sites(pages: list[Page]) -> tuple[list[Page], Tools]:
    """Return the pages of each site beyond those that it is learned from, and what reads them."""
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        sites[page.site].append(page)
    models = {site: model_of(some[:LEARNED]) for site, some in sites.items() if len(some) > LEARNED}
    return [page for site in models for page in sites[site][LEARNED:]], {
        "lxml.html, parse": lambda page: bare_parse(page.body),
        "templ, new site": templ,
        "templ, known site": lambda page: templ(page, models[page.site]),
    }


def model_of(pages: list[Page]) -> SiteModel:
    documents = [one for one in map(read, pages) if one.segments.texts]
    window = [
        (content_digest(document_columns(one)), summarise_page(one, shipped_model()))
        for one in documents
    ]
    fitted = fit_site_model(window, "page", CONFIG)
    return decode_site_model(encode_site_model(fitted, CONFIG.site_model_bytes))


def least_seconds(pages: list[Page], tools: Tools, rounds: int) -> dict[str, list[float]]:
    """Return for each tool the least time of each page."""
    names = list(tools)
    least = {name: [float("inf")] * len(pages) for name in names}
    for attempt in range(rounds):
        for number, page in enumerate(pages):
            turn = (attempt + number) % len(names)
            for name in names[turn:] + names[:turn]:
                elapsed = processor_s(partial(tools[name], page))
                least[name][number] = min(least[name][number], elapsed)
    return least


def report_tools(pages: list[Page], tools: Tools, rounds: int) -> None:
    gc.freeze()
    least = least_seconds(pages, tools, rounds)
    parse = next(iter(least.values()))
    print(f"{'':40} ms/page  median ms  ratio of sums  median ratio")
    for name, each in least.items():
        ratios = [one / bare for one, bare in zip(each, parse, strict=True)]
        print(
            f"{name:40} {statistics.mean(each) * 1e3:7.2f} {statistics.median(each) * 1e3:10.2f} "
            f"{sum(each) / sum(parse):14.2f} {statistics.median(ratios):13.2f}"
        )


def report_stages(pages: list[Page], rounds: int) -> None:
    """Print the time of each stage without the stages it calls: the least sum of all rounds."""
    spent: dict[str, float] = defaultdict(float)
    inner = [0.0]

    def timed(name: str, function: Callable[..., object]) -> Callable[..., object]:
        @wraps(function)
        def run(*args: object, **options: object) -> object:
            inner.append(0.0)
            started = time.process_time()
            try:
                return function(*args, **options)
            finally:
                elapsed = time.process_time() - started
                spent[name] += elapsed - inner.pop()
                inner[-1] += elapsed

        return run

    for name, (module_name, attribute) in STAGES.items():
        module = importlib.import_module(module_name)
        setattr(module, attribute, timed(name, attribute_of(module_name, attribute)))
    whole = timed("the rest", templ)
    bare = timed("bare parse", lambda page: bare_parse(page.body))
    least: dict[str, float] = {}
    for _ in range(rounds):
        spent.clear()
        for page in pages:
            bare(page)
            bytearray(SETTLING_BYTES)
            whole(page)
        least = {name: min(least.get(name, time_s), time_s) for name, time_s in spent.items()}
    parse = least["bare parse"]
    for name in ("bare parse", *STAGES, "the rest"):
        print(f"{name:20} {least[name] / len(pages) * 1e3:7.3f} ms {least[name] / parse:6.2f} x")
    total = sum(least.values()) - parse
    print(f"{'whole page':20} {total / len(pages) * 1e3:7.3f} ms {total / parse:6.2f} x")


def attribute_of(module: str, attribute: str) -> Callable[..., object]:
    return getattr(importlib.import_module(module), attribute)


def report_memory(pages: list[Page]) -> None:
    process = psutil.Process()
    for number in range(MEMORY_PASSES):
        for page in pages:
            templ(page)
        gc.collect()
        print(f"pass {number + 1}: {process.memory_info().rss / 1e6:.1f} MB resident")


if __name__ == "__main__":
    main()
