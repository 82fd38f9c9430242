"""Cost of tree templates: learning 25 pages of a site and matching a page, relative to a bare parse.

    python -m tests.benchmarks.tree_templates CORPUS... [--pages N] [--sites N]

The pages of each site are parsed by lxml, learned and matched in turn, three times; the least processor
time of the three counts. Hashing texts is left out, since node frequencies need it too. Ratios relate
sums over a site's pages. Sites with fewer than half of the pages are skipped.
"""

import statistics
from collections import defaultdict

import numpy as np
from lxml import etree

from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.site_level.trees.tree_learner import TreeLearner, TreePage
from templ_core.site_level.trees.tree_mapping import node_hashes, page_blocks
from templ_core.site_level.trees.tree_model import tree_evidence
from tests.benchmarks.measuring import processor_s, read_options, read_pages

ROUNDS = 3


def main():
    options = read_options(__doc__, "corpora...", pages=25, sites=1000)
    sites = defaultdict(list)
    for page in read_pages(options.corpora):
        if len(sites[page.site]) < options.pages:
            sites[page.site].append(page)
    chosen = [site for site in sites if len(sites[site]) >= options.pages // 2]
    ratios = [measure(sites[site]) for site in chosen[: options.sites]]
    print(f"{len(ratios)} sites, lxml {'.'.join(map(str, etree.LXML_VERSION))}")
    print(
        f"parse: {statistics.median(parse_ms for parse_ms, _, _ in ratios):.2f} ms a page, median"
    )
    for name, column in (("learning", 1), ("matching", 2)):
        each = sorted(ratio[column] for ratio in ratios)
        print(
            f"{name}: {statistics.median(each):.2f} x parse in the median site, "
            f"{each[int(0.9 * len(each))]:.2f} x at 90 %, {each[-1]:.2f} x in the worst"
        )


def measure(pages):
    """Return the milliseconds of one parse, and learning and matching as multiples of it."""
    documents = []
    for page in pages:
        try:
            document = read_document(page.body, page.url, charset=page.charset)
        except PageError:
            continue
        documents.append((document, node_hashes(document.segments.texts)))
    rounds = []
    for _ in range(ROUNDS):
        parse_s = processor_s(lambda: [parse(page.body) for page in pages])
        models = []
        learn_s = processor_s(lambda made=models: made.append(learn(documents)))
        match_s = processor_s(lambda model=models[0]: [match(*one, model) for one in documents])
        rounds.append((parse_s, learn_s, match_s))
    parse_s, learn_s, match_s = map(min, zip(*rounds, strict=True))
    return 1000 * parse_s / len(pages), learn_s / parse_s, match_s / parse_s


def parse(body):
    etree.fromstring(body, etree.HTMLParser(encoding="utf-8", huge_tree=True))


def learn(documents):
    pages = {(b"", str(number)): tree_page(*one) for number, one in enumerate(documents)}
    return TreeLearner().model(pages)


def match(document, texts, model):
    page = tree_page(document, texts)
    tree_evidence(page.blocks, page.texts, model, page.words, page.mass)


def tree_page(document, texts):
    count = len(texts)
    return TreePage(
        blocks=page_blocks(document),
        texts=texts,
        words=np.ones(count, np.int32),
        mass=np.zeros(count, np.int64),
    )


if __name__ == "__main__":
    main()
