"""Cost of matching many phrases against pages, in milliseconds per 1000 tokens.

    python -m tests.benchmarks.phrase_matching CORPUS... [--phrases N] [--pages N] [--rounds N]

One automaton holds the phrases of all sites of the JSON Lines corpora, beginning with those on the
largest share of their site's pages. It is matched against pages of these sites in turn. Times are
processor time of one thread, the least of all rounds; tokenising and matching are timed apart.
"""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import chain, zip_longest
from pathlib import Path

from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini._phrase_automaton import UNKNOWN, PhraseAutomaton
from templ_core.lab.papers.foschini._phrase_tokens import TokenNumbers
from templ_core.lab.papers.foschini.mutable_patterns import Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import LINE, page_text
from templ_core.lab.papers.foschini.phrases import PhrasesConfig, learn_phrases
from tests.benchmarks.measuring import command_line, processor_s
from workers.lab.corpora import read_objects

BORDER = 0
TOKENS_MIN = 100


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("corpora", type=Path, nargs="+")
    options.add_argument("--phrases", type=int, default=10_000)
    options.add_argument("--pages", type=int, default=1_000)
    options.add_argument("--rounds", type=int, default=5, help="the least time counts")
    chosen = options.parse_args()
    sites = read(chosen.corpora)
    learned = [
        learn_phrases([pages[index] for index in distinct_plain_texts(pages)], PhrasesConfig())
        for pages in sites.values()
    ]
    shares = {one.keys: one.pages / some.pages for some in learned for one in some.phrases}
    phrases = sorted(shares, key=lambda keys: (-shares[keys], keys))[: chosen.phrases]
    number_of_key = {LINE: BORDER}
    started = time.process_time()
    automaton = PhraseAutomaton(
        [number_of_key.setdefault(key, len(number_of_key)) for key in keys] for keys in phrases
    )
    print(
        f"{len(phrases)} phrases of {len(sites)} sites, {len(number_of_key)} keys, automaton made in "
        f"{(time.process_time() - started) * 1e3:.0f} ms"
    )
    key = Normaliser().key
    numbers = TokenNumbers(
        lambda token: number_of_key.get(key(token), UNKNOWN), border=BORDER, remembered_max=1 << 20
    )
    tokenising, matching, covered = [], [], []
    for page in in_turn(sites)[: chosen.pages]:
        column, _ = numbers.read([page])
        if len(column) >= TOKENS_MIN:
            per_thousand = 1e6 / len(column)
            tokenising.append(least(lambda p=page: numbers.read([p]), chosen.rounds) * per_thousand)
            matching.append(
                least(lambda c=column: automaton.covered(c), chosen.rounds) * per_thousand
            )
            covered.append(automaton.covered(column).mean())
    print(
        f"{len(matching)} pages of {TOKENS_MIN} tokens or more, "
        f"{statistics.mean(covered):.2f} of the tokens in phrases; ms per 1000 tokens"
    )
    for name, some in (("matching", matching), ("tokenising", tokenising)):
        print(f"{name:10} {statistics.median(some):6.4f} median {max(some):6.4f} worst")


def read(paths: list[Path]) -> dict[str, list[str]]:
    """Return the texts of each site's pages."""
    sites = defaultdict(list)
    for path in paths:
        for _, record in read_objects(path):
            try:
                document = parse_document(record.get("html") or "", record["url"])
            except PageError:
                continue
            sites[record["site"]].append(page_text(document))
    return sites


def in_turn(sites: dict[str, list[str]]) -> list[str]:
    """Return the pages of all sites, one page of each site after the other."""
    return [page for page in chain.from_iterable(zip_longest(*sites.values())) if page is not None]


def least(work: Callable[[], object], rounds: int) -> float:
    """Return the least processor time of some rounds, in seconds."""
    return min(processor_s(work) for _ in range(rounds))


if __name__ == "__main__":
    main()
