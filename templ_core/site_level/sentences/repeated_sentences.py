"""Which text of a page its site repeats sentence by sentence: template wherever it stands.

A part of a block is cut at the borders of its sentences (after Foschini 2007, section 3.4: union of the
intervals, gaps).
"""

import re
from collections import defaultdict

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.dom.document import Document
from templ_core.dom.text import Cuts
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.places.keyed_sums import KeyedSums
from templ_core.site_level.sentences.sentences import Sentences, prose_sentences
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG, SentencesConfig

MARKS_BEHIND = r"[^\w\s。！？]*[。！？]+[」』”’）)]*\s*|[^\w\s]*\s*"
"""Expression of the marks and the space behind the last word of a sentence, which go with it."""
_MARKS = re.compile(MARKS_BEHIND)


class RepeatedSentences(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page that its site repeats."""

    whole: Bools
    """Segments of which nothing, or next to nothing, is left without it; length n_segments."""
    cuts: Cuts
    """Parts of other segments."""


def find_repeated(
    document: Document,
    features: PageFeatures,
    page_type: PageType,
    table: KeyedSums,
    pages: int,
    config: SentencesConfig = SENTENCES_CONFIG,
) -> RepeatedSentences | None:
    """Return the text of a page that its site repeats, or None where there is none.

    A sentence that enough pages have is template. Records of a reference, posts, teasers and articles of
    a series repeat text on purpose, together with what is around it. So on documentation, in forums, and
    where few pages have it, a run of repeated sentences must stand between texts that differ from page to
    page, unless most pages of the site have it.

    Args:
        document: A page with at least one segment.
        features: Its features.
        page_type: Its type.
        table: The sentences that recur on its site, from `tabulate_sentences`.
        pages: Pages that the table rests on.
        config: The tunable numbers.
    """
    judged = judge_sentences(features, page_type, table, pages, config)
    if judged is None or judged.stays.all():
        return None
    return _cuts(document, features, judged.sentences.where(~judged.stays), config)


class JudgedSentences(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of a page that recur on its site, in order; columns of length n_sentences."""

    sentences: Sentences
    pages: Int64s
    """Pages of the site that have each sentence."""
    behind_one_text: Int64s
    """The most of these pages that have the same text before it."""
    before_one_text: Int64s
    """The most of these pages that have the same text behind it."""
    run: Int64s
    """Number of the run that each sentence is in: sentences of neighbouring segments."""
    is_alike: Bools
    """Whether the same text stands before or behind the run on many of its pages."""
    is_rare: Bools
    """Whether few pages have a sentence of the run."""
    stays: Bools
    """Whether each sentence is kept all the same."""


def judge_sentences(
    features: PageFeatures,
    page_type: PageType,
    table: KeyedSums,
    pages: int,
    config: SentencesConfig = SENTENCES_CONFIG,
) -> JudgedSentences | None:
    """Return the sentences of a page that recur on its site, or None where there is none.

    Args:
        features: The features of the page.
        page_type: Its type.
        table: The sentences that recur on its site, from `tabulate_sentences`.
        pages: Pages that the table rests on.
        config: The tunable numbers.
    """
    if not table.keys.size:
        return None
    sentences = prose_sentences(features)
    sums = table.of(sentences.keys)
    recurs = sums[0] > 0
    if not recurs.any():
        return None
    repeated = sentences.where(recurs)
    on_pages, behind_one_text, before_one_text = sums[:, recurs]
    first = _run_starts(repeated)
    last = np.append(first[1:], len(repeated.keys)) - 1
    share_alike = np.maximum(
        behind_one_text[first] / on_pages[first], before_one_text[last] / on_pages[last]
    )
    is_alike = share_alike >= config.constant_ratio
    everywhere_pages = max(config.everywhere_pages_min, config.everywhere_ratio * pages)
    certain_pages = max(config.certain_pages_min, config.certain_ratio * pages)
    fewest = np.minimum.reduceat(on_pages, first)
    is_rare = fewest < min(certain_pages, everywhere_pages)
    if is_record_page(page_type, config.record_probability):
        run_words = np.add.reduceat(repeated.words, first)
        is_everywhere = fewest >= everywhere_pages
        words_max = max(
            config.everywhere_words_min, config.everywhere_words_ratio_max * sentences.words.sum()
        )
        is_everywhere &= run_words[is_everywhere].sum() <= words_max
        stays = (is_alike & ~is_everywhere) | (run_words < config.record_words_min)
    else:
        stays = is_alike & is_rare
    run = np.repeat(np.arange(len(first)), last - first + 1)
    return JudgedSentences(
        sentences=repeated,
        pages=on_pages,
        behind_one_text=behind_one_text,
        before_one_text=before_one_text,
        run=run,
        is_alike=is_alike[run],
        is_rare=is_rare[run],
        stays=stays[run],
    )


def is_record_page(page_type: PageType, probability: float) -> bool:
    """Return whether a page is documentation or a thread, whose sentences may be parts of records.

    Args:
        page_type: The type of the page.
        probability: The probability that one of both must exceed, 0 to 1.
    """
    return max(page_type.documentation, page_type.forum) > probability


def _run_starts(repeated: Sentences) -> Int64s:
    """Return the index of the first sentence of each run of neighbouring segments."""
    is_first = np.ones(len(repeated.keys), np.bool_)
    is_first[1:] = np.diff(repeated.segment) > 1
    return np.flatnonzero(is_first)


def _cuts(
    document: Document, features: PageFeatures, repeated: Sentences, config: SentencesConfig
) -> RepeatedSentences:
    words, texts = features.words, document.segments.texts
    repeated_words = np.bincount(repeated.segment, repeated.words, len(texts))
    whole = repeated_words >= config.whole_ratio * np.maximum(words.per_segment, 1)
    starts = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])])
    cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    last_word = 0
    for segment, first, count in zip(
        repeated.segment.tolist(), repeated.first.tolist(), repeated.words.tolist(), strict=True
    ):
        if whole[segment]:
            continue
        text, start = texts[segment], int(starts[segment])
        is_first = words.place[first] == 0
        begin = 0 if is_first else _border(text, _end(words, first - 1) - start)
        end = _border(text, _end(words, first + count - 1) - start)
        spans = cuts[segment]
        if spans and first - last_word - 1 <= config.gap_words_max:
            begin = spans.pop()[0]
        spans.append((begin, end))
        last_word = first + count - 1
    return RepeatedSentences(whole=whole, cuts=dict(cuts))


def _end(words: Words, word: int) -> int:
    """Return the index of the character behind a word among the characters of the page."""
    return int(words.first[word] + words.length[word])


def _border(text: str, word_end: int) -> int:
    """Return where the sentence starts that follows the one whose last word ends here."""
    found = _MARKS.match(text, word_end)
    return found.end() if found else word_end
