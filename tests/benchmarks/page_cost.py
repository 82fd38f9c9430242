"""Cost of a page of a new site: bytes to clean text, relative to a bare parse and to other extractors.

    python -m tests.benchmarks.page_cost CORPUS [--pages N] [--rounds N] [--peers none|fast|all]
    python -m tests.benchmarks.page_cost CORPUS --stages [--pages N]
    python -m tests.benchmarks.page_cost CORPUS --memory [--pages N]

Times are processor time of one thread in one process. In each round all tools read each page one after
the other, in changing order; the time of a page is the least of its rounds and includes freeing what
was built. Ratios are relative to `lxml.html.document_fromstring` on the same bytes. `--stages` prints
the time of each stage without the stages that it calls. `--memory` cleans all pages several times and
prints the resident memory after each pass.
"""

import gc
import importlib
import importlib.metadata
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import psutil
import trafilatura
from lxml import etree
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from tests.benchmarks.measuring import bare_parse, command_line, read_pages
from workers.page import Page

CONFIG = CoreConfig()
STAGES: dict[str, tuple[str, str]] = {
    "decode": ("templ_core.dom.document", "decode_page"),
    "strip markup": ("templ_core.dom.parse.parse_page", "strip_markup"),
    "scan": ("templ_core.dom.parse.parse_page", "stalls_parser"),
    "parse": ("templ_core.dom.parse.parse_page", "_parse"),
    "flatten": ("templ_core.dom.document", "_document"),
    "features": ("templ_core.page_level.page_evidence", "read_features"),
    "attribute scores": ("templ_core.page_level.model.page_model", "read_attributes"),
    "text scores": ("templ_core.page_level.model.page_model", "text_scores"),
    "contexts": ("templ_core.page_level.model.page_model", "with_contexts"),
    "trees and networks": ("templ_core.page_level.model.page_model", "combined_log_odds"),
    "decision": ("templ_core.clean_document", "decide"),
    "text": ("templ_core.clean_document", "render_text"),
}
MEMORY_PASSES = 4
SETTLING_BYTES = 4096
"""Size of a block that makes the heap merge the freed blocks of the bare parse before the next tool
runs, which would otherwise be charged for it.
"""


def templ(page: Page) -> object:
    document = read_document(page.body or b"", page.url, content_type=page.content_type)
    return clean(document, None, CONFIG)


def resiliparse_main(page: Page) -> object:
    text = bytes_to_str(page.body, detect_encoding(page.body))
    return extract_plain_text(text, main_content=True)


def trafilatura_text(page: Page) -> object:
    return trafilatura.extract(page.body)


TOOLS: dict[str, Callable[[Page], object]] = {
    f"lxml.html {etree.__version__}, parse": lambda page: bare_parse(page.body),
    "templ, bytes to text": templ,
    f"resiliparse {importlib.metadata.version('resiliparse')}, main content": resiliparse_main,
    f"trafilatura {trafilatura.__version__}": trafilatura_text,
}
PEERS = {"none": 2, "fast": 3, "all": 4}


def main(arguments: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5, help="the least time counts")
    parser.add_argument("--peers", choices=PEERS, default="all")
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args(arguments)
    pages = read_pages([options.corpus], options.pages, "none")
    size_mb = sum(len(page.body) for page in pages) / 1e6
    print(f"{len(pages)} pages, {size_mb:.1f} MB", flush=True)
    if options.memory:
        report_memory(pages)
    elif options.stages:
        report_stages(pages, options.rounds)
    else:
        report_tools(pages, options.rounds, list(TOOLS)[: PEERS[options.peers]])


def least_seconds(pages: list[Page], rounds: int, names: list[str]) -> dict[str, list[float]]:
    """Return for each tool the least time of each page."""
    least = {name: [float("inf")] * len(pages) for name in names}
    for attempt in range(rounds):
        for number, page in enumerate(pages):
            turn = (attempt + number) % len(names)
            for name in names[turn:] + names[:turn]:
                started = time.process_time()
                result = TOOLS[name](page)
                del result
                elapsed = time.process_time() - started
                least[name][number] = min(least[name][number], elapsed)
    return least


def report_tools(pages: list[Page], rounds: int, names: list[str]) -> None:
    gc.freeze()
    least = least_seconds(pages, rounds, names)
    parse = least[names[0]]
    print(f"{'':40} ms/page  median ms  ratio of sums  median ratio")
    for name in names:
        each = least[name]
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
