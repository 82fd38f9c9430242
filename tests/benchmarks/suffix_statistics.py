"""Time and memory for the occurrences and document frequencies of all maximal repeats.

    python -m tests.benchmarks.suffix_statistics CORPUS... [--raw-html] [--megabytes N] [--share S]

Pages of JSON Lines corpora form one collection, as text or as markup; strings on at least a hundredth
of the pages count. Times are processor time of one thread. Tokenising is included, but not reading
and parsing the pages.
"""

import math
import time

from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.lab.papers.foschini.page_tokens import Normaliser, page_text, read_corpus
from templ_core.lab.papers.foschini.phrases import find_repeats
from templ_core.site_level.strings.suffix_array import SuffixArray
from tests.benchmarks.measuring import peak_kib, read_options
from workers.lab.corpora import read_objects


def main():
    options = read_options(__doc__, "corpora...", raw_html=False, megabytes=math.inf, share=0.01)
    pages = list(read(options.corpora, options.raw_html, options.megabytes * 1e6))
    size = sum(len(page.encode()) for page in pages)
    documents_min = max(2, math.ceil(options.share * len(pages)))
    before_kib = peak_kib()
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
        f"{len(corpus.keys)} keys; strings on {documents_min} pages or more: {len(repeats[0])}"
    )
    print(
        f"{done - started:.2f} s: tokens {tokenised - started:.2f}, suffix array and common "
        f"prefixes {sorted_ - tokenised:.2f}, repeats {done - sorted_:.2f}"
    )
    print(
        f"{(peak_kib() - before_kib) * 1024 / size:.1f} bytes of memory a byte of input, beyond the pages"
    )


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


if __name__ == "__main__":
    main()
