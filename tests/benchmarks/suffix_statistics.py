"""Time and memory for the occurrences and document frequencies of all maximal repeats.

    python -m tests.benchmarks.suffix_statistics CORPUS... [--raw-html] [--megabytes N] [--share S]

Pages of JSON Lines corpora form one collection, as text or as markup; strings on at least a hundredth
of the pages count. Times are processor time of one thread. Tokenising is included, but not reading
and parsing the pages.
"""

import math
import resource
import time
from pathlib import Path

from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.lab.papers.foschini.mutable_patterns import Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import page_text, read_corpus
from templ_core.lab.papers.foschini.phrases import find_repeats
from templ_core.site_level.strings.suffix_array import SuffixArray
from tests.benchmarks.measuring import command_line
from workers.lab.corpora import read_objects


def main():
    arguments = command_line(__doc__)
    arguments.add_argument("corpora", type=Path, nargs="+")
    arguments.add_argument("--raw-html", action="store_true")
    arguments.add_argument("--megabytes", type=float, default=math.inf)
    arguments.add_argument("--share", type=float, default=0.01, help="smallest share of the pages")
    options = arguments.parse_args()
    pages = list(read(options.corpora, options.raw_html, options.megabytes * 1e6))
    size = sum(len(page.encode()) for page in pages)
    documents_min = max(2, math.ceil(options.share * len(pages)))
    before = peak_bytes()
    started = time.process_time()
    corpus = read_corpus(
        pages, Normaliser(), occurrences_min=documents_min, markup=options.raw_html
    )
    tokenised = time.process_time()
    suffixes = SuffixArray(corpus.tokens)
    sorted_ = time.process_time()
    repeats = find_repeats(suffixes, corpus.document_of, documents_min=documents_min, tokens_min=2)
    done = time.process_time()
    print(
        f"{len(pages)} pages, {size / 1e6:.1f} MB, {len(corpus.tokens) / 1e6:.1f} M tokens, "
        f"{len(corpus.keys)} keys; strings on {documents_min} pages or more: {len(repeats.starts)}"
    )
    print(
        f"{done - started:.2f} s: tokens {tokenised - started:.2f}, suffix array and common "
        f"prefixes {sorted_ - tokenised:.2f}, repeats {done - sorted_:.2f}"
    )
    print(f"{(peak_bytes() - before) / size:.1f} bytes of memory a byte of input, beyond the pages")


def read(paths, raw_html, room):
    for path in paths:
        for _, record in read_objects(path):
            page = record.get("html") or ""
            if not raw_html:
                try:
                    page = page_text(parse_document(page, record["url"]))
                except PageError:
                    continue
            room -= len(page.encode())
            if room < 0:
                return
            yield page


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
