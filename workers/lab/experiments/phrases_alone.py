"""What phrases alone remove from pages, and which injected strings they find: Foschini (2007), section 6.1."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini.matching import PhraseMatcher, settled_spans
from templ_core.lab.papers.foschini.page_tokens import (
    LINE,
    lines_of_segments,
    page_text,
    segment_of_each_line,
    token_places,
)
from templ_core.lab.papers.foschini.phrases import learn_phrases
from templ_core.lab.training.labels.gold_labels import Labels
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import read_objects, read_record, record_labels, site_of


class TextPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as text."""

    site: str
    text: str
    document: Document
    labels: Labels | None
    """Labels of the segments; None if no selector names the content."""


def read_text_pages(corpora: Sequence[Path]) -> dict[str, list[TextPage]]:
    """Return the readable pages of each site, in the order of the files.

    Raises:
        InputProblem: No page has a `gold_selector` that names its content.
    """
    sites: defaultdict[str, list[TextPage]] = defaultdict(list)
    for path in corpora:
        for _, record in read_objects(path):
            read = read_record(record)
            if read is None:
                continue
            site, (_, document) = site_of(record), read
            labels = record_labels(record, *read)
            if labels is not None and not labels.content.any():
                labels = None
            text = page_text(document)
            sites[site].append(TextPage(site=site, text=text, document=document, labels=labels))
    if not any(page.labels for pages in sites.values() for page in pages):
        raise InputProblem("no page has a `gold_selector` that names its content")
    return dict(sites)


_WordCounts = npt.NDArray[np.int64]

_REFITS = frozenset([2, 3, 5, 8, 12, 16, 24])


@lab.command("Foschini (2007): precision of phrases alone.")
@lab.corpora
def phrases_removal(report: lab.Report, corpora: Sequence[Path]) -> None:
    """Measure precision and recall of removing phrases, and nothing else, from pages of CORPORA.

    Precision is the share of the removed words that are outside the gold. Recall is the share of
    the words outside the gold that are removed. It is given a second time without reader comments,
    titles and the like (`gold_neutral`), which do not recur.

    The first table takes pages in order of arrival: phrases are learned from the pages before,
    after 2, 3, 5, 8, 12, 16 and 24 pages and then whenever a tenth of the pages is new.
    """
    sites = read_text_pages(corpora)
    for title, learned in (
        ("learned on the pages before, in order of arrival", _arriving),
        ("learned on all pages of the site", _together),
    ):
        rows, total = [], np.zeros(6, np.int64)
        for site, pages in sorted(sites.items()):
            counts = np.zeros(6, np.int64)
            for page, matcher in learned(pages):
                if page.labels is not None:
                    counts += _count(page, page.labels, matcher)
            total += counts
            rows.append([site, *_figures(counts)])
        header = ["", "removed words", "precision", "recall", "recall without neutral text"]
        header.append("content lost")
        report.table(title, header, [["all", *_figures(total)], *rows])


def _arriving(pages: Sequence[TextPage]) -> Iterator[tuple[TextPage, PhraseMatcher | None]]:
    matcher, learned_from = None, 0
    for seen, page in enumerate(pages):
        if seen in _REFITS or (seen > max(_REFITS) and seen >= 1.1 * learned_from):
            matcher = _learned([one.text for one in pages[:seen]])
            learned_from = seen
        yield page, matcher


def _together(pages: Sequence[TextPage]) -> Iterator[tuple[TextPage, PhraseMatcher | None]]:
    return zip(pages, repeat(_learned([page.text for page in pages])))


def _learned(texts: Sequence[str]) -> PhraseMatcher:
    distinct = [texts[index] for index in distinct_plain_texts(texts)]
    return PhraseMatcher(learn_phrases(distinct))


def _count(page: TextPage, labels: Labels, matcher: PhraseMatcher | None) -> _WordCounts:
    """Count the words of a page.

    The six counts are of words removed outside the gold, removed inside it, outside it, inside it,
    removed of the template (neutral text left out), and of the template.
    """
    places = token_places(page.text)
    is_word = np.array([token != LINE for token, _, _ in places], np.bool_)
    starts = np.array([start for _, start, _ in places], np.int64)[is_word]
    line = (np.cumsum(~is_word) - 1)[is_word]
    segment = segment_of_each_line(page.document)[line]
    spans = settled_spans(page.text, matcher.spans(page.text)) if matcher else []
    edges = np.array([edge for span in spans for edge in span], np.int64)
    removed = np.searchsorted(edges, starts, "right") % 2 == 1
    content = labels.content[segment] > 0.5
    template = ~content & labels.counts[segment]
    outside = (removed & ~content, removed & content, ~content, content)
    columns = (*outside, removed & template, template)
    return np.array([np.count_nonzero(column) for column in columns], np.int64)


def _figures(counts: _WordCounts) -> list[str]:
    outside, inside, all_outside, all_inside, of_template, template = counts.tolist()
    return [
        str(outside + inside),
        _share(outside, outside + inside),
        _share(outside, all_outside),
        _share(of_template, template),
        _share(inside, all_inside),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else ""


INJECTION_PLACES = ("block", "start of block", "end of block", "inside")
INJECTION_LENGTHS = (1, 2, 3, 4, 6, 8, 12, 20, 30)
_MUTABLE_FROM = 3
_HOST_WORDS_MIN = 5
_MONTHS = ("January", "March", "June", "August", "October", "December")


class InjectedString(msgspec.Struct, frozen=True, kw_only=True):
    """A string of a synthetic template."""

    place: str
    """Where the string goes; one of INJECTION_PLACES."""
    words: tuple[str, ...]
    slot: int | None
    """Number of the word that differs on every page; None if no word does."""


class InjectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Clean text with injected strings."""

    text: str
    spans: list[tuple[int, int, int]]
    """Number, first character and end (exclusive) of each injected string, in order."""


def make_injected_strings(
    vocabulary: Sequence[str], shift: int, rng: Random
) -> list[InjectedString]:
    """Return one string of each length, with words drawn from a vocabulary.

    Every second string of three or more words has a slot.

    Args:
        vocabulary: Words to draw from.
        shift: Chooses places and slots: string number i gets place i + shift, modulo the number
            of places, and a slot if the quotient is even. Shifts 0 to 7 give each length all
            combinations.
        rng: Source of every choice.
    """
    templates = []
    for number, length in enumerate(INJECTION_LENGTHS):
        has_slot = length >= _MUTABLE_FROM and (number + shift) // len(INJECTION_PLACES) % 2 == 0
        templates.append(
            InjectedString(
                place=INJECTION_PLACES[(number + shift) % len(INJECTION_PLACES)],
                words=tuple(rng.choice(vocabulary) for _ in range(length)),
                slot=rng.randrange(length) if has_slot else None,
            )
        )
    return templates


def inject(
    text: str, templates: Sequence[InjectedString], share: float, rng: Random
) -> InjectedPage:
    """Return the text with each string at a random place of its sort, at most once."""
    lines: list[list[tuple[int, str]]] = [[(-1, line)] for line in text.split("\n")]
    free = [line for line in lines if len(line[0][1].split()) >= _HOST_WORDS_MIN]
    rng.shuffle(free)
    for number, template in enumerate(templates):
        if rng.random() >= share:
            continue
        string = (number, " ".join(_filled(template, rng)))
        if template.place == "block":
            lines.insert(rng.randint(0, len(lines)), [string])
        elif free:
            _put_in(free.pop(), string, template.place, rng)
    return _joined(lines)


def _filled(template: InjectedString, rng: Random) -> list[str]:
    words = list(template.words)
    if template.slot is not None:
        fillings = (
            str(rng.randrange(2, 10_000)),
            f"{rng.randrange(1, 13)}:{rng.randrange(10, 60)}",
            f"{rng.randrange(1, 29)}/{rng.randrange(1, 13)}/{rng.randrange(1990, 2030)}",
            rng.choice(_MONTHS),
        )
        words[template.slot] = fillings[template.slot % len(fillings)]
    return words


def _put_in(line: list[tuple[int, str]], string: tuple[int, str], place: str, rng: Random) -> None:
    host = line[0][1]
    if place == "start of block":
        line[:] = [string, (-1, host)]
    elif place == "end of block":
        line[:] = [(-1, host), string]
    else:
        words = host.split()
        cut = rng.randrange(1, len(words))
        line[:] = [(-1, " ".join(words[:cut])), string, (-1, " ".join(words[cut:]))]


def count_host_lines(text: str) -> int:
    """Return the number of lines that can take a string."""
    return sum(len(line.split()) >= _HOST_WORDS_MIN for line in text.split("\n"))


def _joined(lines: Sequence[Sequence[tuple[int, str]]]) -> InjectedPage:
    parts: list[str] = []
    spans: list[tuple[int, int, int]] = []
    place = 0
    for row, line in enumerate(lines):
        for column, (number, piece) in enumerate(line):
            separator = " " if column else "\n" if row else ""
            place += len(separator)
            if number >= 0:
                spans.append((number, place, place + len(piece)))
            parts += [separator, piece]
            place += len(piece)
    return InjectedPage(text="".join(parts), spans=spans)


_SHARES = (0.1, 0.3, 0.6, 1.0)
_PAGES_MIN = 20

_StringShape = tuple[str, int, bool]
"""The place and length of an injected string, and whether it has a slot."""


@lab.command("Foschini (2007): find injected strings.")
@lab.corpora
@lab.option("--pages", default=60, help="Largest number of pages to use of each site.")
@lab.seed("Seed of the strings; equal seeds and corpora give equal strings.")
def foschini_injected(report: lab.Report, corpora: Sequence[Path], pages: int, seed: int) -> None:
    """Inject strings into the content of real pages, and measure which of them phrases find.

    Only the content of pages with `gold_selector` is used. Each site gets nine strings of 1 to 30
    words from its own vocabulary. They stand as blocks of their own, at the start or end of a
    block, or inside one; half of them have a slot with a number, time, date or month that changes.
    Each string is injected into a share of the pages. Phrases are learned on every second page and
    evaluated on the others.
    """
    sites = {
        site: texts[:pages]
        for site, some in read_text_pages(corpora).items()
        if len(texts := _contents(some)) >= _PAGES_MIN
    }
    report.say(f"{len(sites)} sites, {sum(map(len, sites.values()))} pages")
    summary = []
    for share in _SHARES:
        found: Counter[_StringShape] = Counter()
        put: Counter[_StringShape] = Counter()
        removed = right = words = 0
        for shift, site in enumerate(lab.tracked(sorted(sites), f"share {share}")):
            rng = Random(f"{seed}/{site}/{share}")  # noqa: S311 - not for secrets
            words_of_site = {word for text in sites[site] for word in text.split()}
            vocabulary = sorted(filter(str.isalpha, words_of_site))
            templates = make_injected_strings(vocabulary, shift, rng)
            injected = [inject(text, templates, share, rng) for text in sites[site]]
            matcher = _learned([page.text for page in injected[::2]])
            shapes = [(one.place, len(one.words), one.slot is not None) for one in templates]
            for page in injected[1::2]:
                both, gone, all_words = _judge(page, matcher, found, put, shapes)
                right += both
                removed += gone
                words += all_words
        _report_share(report, share, found, put)
        summary.append(
            [
                f"{share:.0%}",
                _ratio(found.total(), put.total()),
                _ratio(_with_slot(found), _with_slot(put)),
                _ratio(right, removed),
                _ratio(removed - right, words - put.total()),
            ]
        )
    header = ["on pages", "recall of words", "recall, with a slot", "precision of words"]
    header.append("content lost")
    report.table("all places and lengths", header, summary)


def _contents(pages: Sequence[TextPage]) -> list[str]:
    """Return the content of each page that has enough lines for all strings."""
    texts = []
    for page in pages:
        if page.labels is None:
            continue
        lines = zip(lines_of_segments(page.document), page.labels.content, strict=True)
        text = LINE.join(line for line, content in lines if content > 0.5)
        if count_host_lines(text) >= len(INJECTION_LENGTHS):
            texts.append(text)
    return texts


def _judge(
    page: InjectedPage,
    matcher: PhraseMatcher,
    found: Counter[_StringShape],
    put: Counter[_StringShape],
    shapes: Sequence[_StringShape],
) -> tuple[int, int, int]:
    """Count a page's injected words; return the words removed rightly, removed, and in all."""
    spans = settled_spans(page.text, matcher.spans(page.text))
    places = [start for token, start, _ in token_places(page.text) if token != LINE]
    removed = [any(start <= place < end for start, end in spans) for place in places]
    right = 0
    for number, start, end in page.spans:
        inside = [
            is_gone for place, is_gone in zip(places, removed, strict=True) if start <= place < end
        ]
        put[shapes[number]] += len(inside)
        found[shapes[number]] += sum(inside)
        right += sum(inside)
    return right, sum(removed), len(places)


def _report_share(
    report: lab.Report, share: float, found: Counter[_StringShape], put: Counter[_StringShape]
) -> None:
    rows = []
    for length in INJECTION_LENGTHS:
        row = [str(length)]
        for place in INJECTION_PLACES:
            shapes = [(place, length, slot) for slot in (False, True)]
            row.append(_ratio(sum(found[one] for one in shapes), sum(put[one] for one in shapes)))
        rows.append(row)
    header = ["words", *INJECTION_PLACES]
    report.table(f"recall of strings on {share:.0%} of the pages, by length", header, rows)


def _with_slot(words: Counter[_StringShape]) -> int:
    return sum(count for (_, _, has_slot), count in words.items() if has_slot)


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""
