"""`templ experiments phrases-removal`: what phrases alone remove, compared with gold selectors."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from templ_core.errors import CodecError
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini.matching import Locality, PhraseMatcher, settled_spans
from templ_core.lab.papers.foschini.phrase_corpus import LINE, segment_of_each_line, token_places
from templ_core.lab.papers.foschini.phrases import (
    Idioms,
    PhrasesConfig,
    decode_idioms,
    learn_phrases,
    shipped_idioms,
)
from templ_core.lab.training.labels.gold_labels import Labels
from workers.errors import InputProblem
from workers.lab.experiments.corpora.text_pages import TextPage, read_text_pages
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option

_WordCounts = npt.NDArray[np.int64]

_REFITS = frozenset([2, 3, 5, 8, 12, 16, 24])


@click.command(short_help="Foschini (2007): precision of phrases alone.")
@corpora_argument
@click.option(
    "--gap-chars",
    default=Locality().gap_chars,
    show_default=True,
    help="Also remove the text between two phrases if it has fewer characters than this.",
)
@click.option(
    "--island-chars",
    default=Locality().island_chars,
    show_default=True,
    help="Keep a phrase inside a line of other text if it has fewer characters than this.",
)
@click.option(
    "--idioms",
    "idioms_file",
    type=click.Path(path_type=Path),
    help="List of idioms that `templ train-idioms` wrote.  [default: the shipped list]",
)
@out_option
def phrases_removal(
    corpora: Sequence[Path],
    gap_chars: int,
    island_chars: int,
    idioms_file: Path | None,
    out: Path | None,
) -> None:
    """Measure precision and recall of removing phrases, and nothing else, from pages of CORPORA.

    Precision is the share of the removed words that are outside the gold. Recall is the share of
    the words outside the gold that are removed. It is given a second time without reader comments,
    titles and the like (`gold_neutral`), which do not recur.

    The first table takes pages in order of arrival: phrases are learned from the pages before,
    after 2, 3, 5, 8, 12, 16 and 24 pages and then whenever a tenth of the pages is new.
    """
    locality = Locality(gap_chars=gap_chars, island_chars=island_chars)
    idioms = read_idioms(idioms_file) if idioms_file else shipped_idioms()
    report = Report(out)
    sites = read_text_pages(corpora)
    for title, learned in (
        ("learned on the pages before, in order of arrival", _arriving),
        ("learned on all pages of the site", _together),
    ):
        rows, total = [], np.zeros(6, np.int64)
        for site, pages in sorted(sites.items()):
            counts = np.zeros(6, np.int64)
            for page, matcher in learned(pages, idioms):
                if page.labels is not None:
                    counts += _count(page, page.labels, matcher, locality)
            total += counts
            rows.append([site, *_figures(counts)])
        header = [
            "",
            "removed words",
            "precision",
            "recall",
            "recall without neutral text",
            "content lost",
        ]
        report.table(title, header, [["all", *_figures(total)], *rows])


def read_idioms(path: Path) -> Idioms:
    """Return the idioms of a file.

    Raises:
        InputProblem: The file cannot be read.
    """
    try:
        return Idioms(decode_idioms(path.read_bytes()))
    except OSError as error:
        raise InputProblem(
            f"{path}: {error.strerror}; name a file that `templ train-idioms` wrote"
        ) from None
    except CodecError as error:
        raise InputProblem(
            f"{path}: {error}; name a file that `templ train-idioms` wrote"
        ) from None


def _arriving(
    pages: Sequence[TextPage], idioms: Idioms
) -> Iterator[tuple[TextPage, PhraseMatcher | None]]:
    matcher, learned_from = None, 0
    for seen, page in enumerate(pages):
        if seen in _REFITS or (seen > max(_REFITS) and seen >= 1.1 * learned_from):
            matcher = _learned(pages[:seen], idioms)
            learned_from = seen
        yield page, matcher


def _together(
    pages: Sequence[TextPage], idioms: Idioms
) -> Iterator[tuple[TextPage, PhraseMatcher | None]]:
    matcher = _learned(pages, idioms)
    for page in pages:
        yield page, matcher


def _learned(pages: Sequence[TextPage], idioms: Idioms) -> PhraseMatcher:
    texts = [page.text for page in pages]
    distinct = [texts[index] for index in distinct_plain_texts(texts)]
    return PhraseMatcher(learn_phrases(distinct, PhrasesConfig(), idioms=idioms))


def _count(
    page: TextPage, labels: Labels, matcher: PhraseMatcher | None, locality: Locality
) -> _WordCounts:
    """Count words of a page.

    Returns:
        Six counts: words removed outside the gold, removed inside it, outside it, inside it,
        removed of the template (neutral text left out), of the template.
    """
    places = token_places(page.text)
    is_word = np.array([token != LINE for token, _, _ in places], np.bool_)
    starts = np.array([start for _, start, _ in places], np.int64)[is_word]
    line = (np.cumsum(~is_word) - 1)[is_word]
    segment = segment_of_each_line(page.document)[line]
    spans = settled_spans(page.text, matcher.spans(page.text), locality) if matcher else []
    edges = np.array([edge for span in spans for edge in span], np.int64)
    removed = np.searchsorted(edges, starts, "right") % 2 == 1
    content = labels.content[segment] > 0.5
    template = ~content & labels.counts[segment]
    columns = (
        removed & ~content,
        removed & content,
        ~content,
        content,
        removed & template,
        template,
    )
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
