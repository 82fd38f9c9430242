"""Word F1 of first texts and of their revisions, on the pages that were revised.

templ run CORPUS.jsonl.xz --time-field arrival --revisions --out out.jsonl
python -m tests.benchmarks.revisions CORPUS.jsonl.xz out.jsonl
"""

import lzma
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import msgspec

from schemas.codec import decode_output
from tests.benchmarks.measuring import command_line
from workers.lab.evaluation.corpus_files import read_evaluation_pages
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer


def texts_by_page(path):
    """Return the revision, text and reason of each text, by the offset of its page."""
    found = defaultdict(list)
    for line in path.read_bytes().splitlines():
        record = decode_output(line)
        found[record.source.offset].append((record.revision, record.text, record.revision_reason))
    return {offset: sorted(texts, key=lambda one: one[0]) for offset, texts in found.items()}


def main():
    arguments = command_line(__doc__)
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("out", type=Path)
    options = arguments.parse_args()
    texts = texts_by_page(options.out)
    with lzma.open(options.corpus) as lines:
        records = ((line, msgspec.json.decode(line)) for line in lines)
        gold = {page.offset: page for page in read_evaluation_pages(options.corpus.name, records)}
    revised = {offset: some for offset, some in texts.items() if len(some) > 1}
    reasons = Counter(reason for some in revised.values() for _, _, reason in some[1:])
    most = max((len(some) - 1 for some in revised.values()), default=0)
    print(f"{len(texts)} pages, {len(revised)} revised, at most {most} times: {dict(reasons)}")
    scores = {
        offset: word_f1([text for _, text, _ in some], gold[offset])
        for offset, some in texts.items()
        if offset in gold
    }
    print(f"all pages with gold: {mean(scores.values())}")
    by_site = defaultdict(list)
    for offset in revised.keys() & scores.keys():
        by_site[gold[offset].site].append(scores[offset])
    print(f"revised pages: {mean(one for some in by_site.values() for one in some)}")
    for site, some in sorted(by_site.items()):
        print(f"  {site}: {len(some)} pages, {mean(some)}")


def word_f1(texts, page):
    scorer = TextScorer(page, page_markup(page))
    return [scorer.score(text).f1 for text in texts]


def mean(scores):
    some = list(scores)
    if not some:
        return "none"
    first = statistics.fmean(one[0] for one in some)
    return f"first text {first:.4f}, last {statistics.fmean(one[-1] for one in some):.4f}"


if __name__ == "__main__":
    main()
