"""A small corpus that the project makes itself, cleaned as `templ run` cleans it, and its scores.

Print today's values with `python -m tests.quality.small_corpus`.
"""

from collections import defaultdict
from datetime import UTC, datetime
from functools import cache
from statistics import fmean

import msgspec

from templ_core import SiteCleaner
from templ_core.lab.evaluation.words import RepeatedText, repeated_text
from workers.lab.evaluation.corpus_files import EvaluationPage, gold_repeats, read_evaluation_pages
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.synthetic_page import SyntheticPage

CORPUS = FeedSettings(
    genre="mixed", sites=8, pages=200, seed=14, start=datetime(2025, 1, 6, tzinfo=UTC)
)


class Quality(msgspec.Struct, frozen=True):
    """Scores of the corpus, each 0 to 1; word F1 and template F are means over sites."""

    word_f1: float
    template_f: float
    repeated_text: float


@cache
def corpus() -> list[tuple[SyntheticPage, EvaluationPage | None]]:
    """Return the pages in order of arrival, each with its gold where it has content."""
    pages = list(simulate_feed(CORPUS))
    records = [page.record() for page in pages]
    lines = [(msgspec.json.encode(record), record) for record in records]
    gold = read_evaluation_pages("small", lines, gold_repeats(lines))
    gold_of = {page.offset: page for page in gold}
    return [(page, gold_of.get(offset)) for offset, page in enumerate(pages)]


def measure() -> Quality:
    """Clean the corpus with sites learned on the way, and return its scores."""
    cleaner = SiteCleaner()
    f1, template_f, texts = defaultdict(list), defaultdict(list), defaultdict(list)
    for page, gold in corpus():
        text = cleaned_text(cleaner, page)
        texts[page.site].append(text)
        if gold is None:
            continue
        score = TextScorer(gold, gold.markup()).score(text)
        f1[page.site].append(score.f1)
        if score.template_f is not None:
            template_f[page.site].append(score.template_f)
    repeated = sum(map(repeated_text, texts.values()), RepeatedText(words=0, repeated_words=0))
    means = (fmean(map(fmean, scores.values())) for scores in (f1, template_f))
    return Quality(*means, repeated.ratio)


def cleaned_text(cleaner: SiteCleaner, page: SyntheticPage) -> str:
    """Return the clean text of a page; its site learns from it."""
    body, content_type = page.html, None
    if page.encoding is not None:
        body, content_type = page.encoding.encode(page.html), page.encoding.content_type
    options = {"site": page.site, "content_type": content_type}
    return cleaner.clean(body, page.url, page.fetched_at, **options).text


if __name__ == "__main__":
    print(msgspec.structs.asdict(measure()))
