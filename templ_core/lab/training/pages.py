"""Pages with gold, converted to what training and scoring need."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from scipy import sparse

from templ_core.array_types import Bools, Float32s, Int32s, Int64s, UInt16s, UInt64s
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.gold_repeats import repeated_segments
from templ_core.lab.evaluation.headlines import headline_segments
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.evaluation.words import (
    TEMPLATE_WORDS_MIN,
    WordCounts,
    page_words,
    word_counts,
    word_list,
)
from templ_core.lab.training.labels import gold_labels
from templ_core.lab.training.labels.site_labels import CorpusPage
from templ_core.metadata.languages import detected_language
from templ_core.metadata.markup import PageMarkup
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.features.surroundings import TextRoles, last_headings, read_text_roles
from templ_core.page_level.model._hashed_scores import name_places, text_tokens, type_tokens
from templ_core.page_level.model.hashed_scores import NODE_ROLES, TABLE_SIZE
from templ_core.page_level.page_evidence import may_repeat
from templ_core.page_level.page_tree import PageTree
from templ_core.site_key import site_key


class SparseRows(msgspec.Struct, frozen=True, kw_only=True):
    """A matrix of n_segments x TABLE_SIZE in compressed sparse rows."""

    place: UInt16s
    """Column of each entry; length n_entries."""
    count: Float32s
    """Value of each entry; length n_entries."""
    row_ends: Int32s
    """Number of the entry after the last one of each row, with a 0 before; length n_segments + 1."""


def attribute_rows(document: Document) -> SparseRows:
    """Return the tokens of tags and attributes of each segment, weighted as in `read_attributes`."""
    nodes, total = document.nodes, None
    for role, (segment, node, share) in _places_by_role(document).items():
        place, element_type = type_tokens(nodes.element_types, role)
        tokens = sparse.csr_matrix(
            (np.ones(len(place), np.float32), (element_type, place)),
            (len(nodes.element_types), TABLE_SIZE),
        )
        chosen = sparse.csr_matrix(
            (share, (segment, nodes.element_type[node])),
            (len(document.segments.texts), len(nodes.element_types)),
        )
        part = chosen @ tokens
        total = part if total is None else total + part
    return _rows(total)


_Entries = tuple[Int64s, Int64s, Float32s]


def _places_by_role(document: Document) -> dict[str, _Entries]:
    """Return, for each role, the segments, the nodes that have this role for them, and their shares."""
    parent, segments = document.nodes.parent.tolist(), document.segments
    entries: dict[str, list[tuple[int, int, float]]] = {role: [] for role in NODE_ROLES}
    for segment, owner in enumerate(segments.owner.tolist()):
        node, step = owner, 0
        while node >= 0:
            role = ("owner", "above1", "above2", "above3")[step] if step < 4 else "far"
            entries[role].append((segment, node, 1.0))
            node, step = parent[node], step + 1
        inline = range(int(segments.inline_from[segment]), int(segments.inline_to[segment]))
        entries["inline"].extend((segment, node, 1 / len(inline)) for node in inline)
    return {role: _entries(triples) for role, triples in entries.items()}


def _entries(triples: list[tuple[int, int, float]]) -> _Entries:
    segment, node, share = zip(*triples, strict=True) if triples else ((), (), ())
    return np.array(segment, np.int64), np.array(node, np.int64), np.array(share, np.float32)


def text_rows(words: Words, heading: Int64s) -> SparseRows:
    """Return the tokens of the words of each segment, counted as in `text_scores`.

    `heading` has the number of the last heading before each segment, or -1; length n_segments.
    """
    count = len(words.per_segment)
    matrices = [
        sparse.csr_matrix((np.ones(len(place), np.float32), (segment, place)), (count, TABLE_SIZE))
        for place, segment in (text_tokens(words), text_tokens(words, as_heading=True))
    ]
    segment = np.flatnonzero(heading >= 0)
    take = sparse.csr_matrix(
        (np.ones(len(segment), np.float32), (segment, heading[segment])), (count, count)
    )
    return _rows(matrices[0] + take @ matrices[1])


def stack(rows: list[SparseRows]) -> sparse.csr_matrix:
    """Return the rows of many pages as one matrix, in the order of the pages."""
    ends = np.concatenate(
        [[0], *(np.diff(some.row_ends) for some in rows)], dtype=np.int64, casting="unsafe"
    ).cumsum()
    place = np.concatenate([some.place for some in rows]).astype(np.int32)
    count = np.concatenate([some.count for some in rows])
    return sparse.csr_matrix((count, place, ends), (len(ends) - 1, TABLE_SIZE))


def _rows(matrix: sparse.csr_matrix) -> SparseRows:
    return SparseRows(
        place=matrix.indices.astype(np.uint16),
        count=matrix.data.astype(np.float32),
        row_ends=matrix.indptr.astype(np.int32),
    )


class GoldRecord(CorpusPage, frozen=True, kw_only=True):
    """One page of a corpus with its gold, not yet parsed."""

    page_type: str
    """Page type as the corpus names it; empty if it names none."""
    gold_text: str
    selectors: gold_labels.GoldSelectors | None
    """Which elements are content; None if only the text is known."""
    repeats: tuple[str, ...] = ()
    """Sentences of the gold text that the gold of the site repeats, which count neither way."""


AnyPage = TypeVar("AnyPage", bound=CorpusPage)


class WordBag(msgspec.Struct, frozen=True, kw_only=True):
    """A page's words and its gold as numbers, to score choices of segments quickly."""

    word: Int32s
    """Number of each word (`word_list` of the evaluation), in document order; length n_words."""
    segment: Int32s
    """Number of the segment that each word is in; length n_words."""
    gold: Int32s
    """How often what counts of the gold text has each word; length n_different_words."""
    neutral: Int32s
    """How often text that is neither content nor template has each word."""
    gold_words: int
    """Number of words of the gold text that count, including those that the page lacks."""

    def f1(self, kept: Bools) -> tuple[float, float, float]:
        """Return word F1, precision and recall of the kept segments, as `score_text` does for texts."""
        kept_words = np.bincount(self.word[kept[self.segment]], minlength=len(self.gold))
        kept_words = kept_words - np.minimum(np.maximum(kept_words - self.gold, 0), self.neutral)
        both = int(np.minimum(kept_words, self.gold).sum())
        total = int(kept_words.sum())
        precision = both / total if total else 0.0
        recall = both / self.gold_words if self.gold_words else 0.0
        f1 = 2 * both / (total + self.gold_words) if both else 0.0
        return f1, precision, recall

    def template_f1(self, kept: Bools) -> float | None:
        """Return the word F1 of the removed segments, as `score_template` does for texts."""
        size = len(self.gold)
        page = np.bincount(self.word, minlength=size)
        out = np.bincount(self.word[kept[self.segment]], minlength=size)
        template = np.maximum(np.maximum(page - self.gold, 0) - self.neutral, 0)
        if template.sum() < TEMPLATE_WORDS_MIN:
            return None
        neutral_kept = np.minimum(np.maximum(out - self.gold, 0), self.neutral)
        removed = np.maximum((page - out) - (self.neutral - neutral_kept), 0)
        both = int(np.minimum(removed, template).sum())
        return 2 * both / int(removed.sum() + template.sum())


class TrainingPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as training needs it; columns of length n_segments."""

    corpus: str
    url: str
    site: str
    page_type: str
    """Page type as the corpus names it; empty if it names none."""
    stated_type: str | None
    """What its markup says that the page is."""
    language: str
    """Language of its gold text; empty where nothing is certain."""
    labels: gold_labels.Labels
    base: Float32s
    """Features that need no model, (n_segments, n_features)."""
    tree: PageTree
    group: Int64s
    """Number of each segment's path group: equal tags and attributes of the owners up to the root."""
    text: UInt64s
    """Hash of each segment's words."""
    once: Bools
    """Segments that are kept once, except in documentation."""
    text_roles: TextRoles
    attribute_rows: SparseRows
    text_rows: SparseRows
    names: Int64s
    """Places of the tags and parts of class names by which the page type is found."""
    bag: WordBag


def read_gold_page(page: GoldRecord) -> tuple[str, Document] | None:
    """Return a page's markup and document, or None if it cannot be cleaned or has no text."""
    try:
        markup = gold_labels.decoded_markup(page.body, page.charset)
        document = read_document(page.body, page.url, charset=page.charset)
    except PageError:
        return None
    return (markup, document) if document.segments.texts else None


def read_training_page(page: GoldRecord) -> TrainingPage | None:
    """Return a page as training needs it, or None if it cannot be cleaned or has no text."""
    read = read_gold_page(page)
    if read is None:
        return None
    markup, document = read
    features = read_features(document)
    return TrainingPage(
        corpus=page.corpus,
        url=page.url,
        site=page.site,
        page_type=page.page_type,
        stated_type=PageMarkup(document).kind,
        language=detected_language(page.gold_text) or "",
        labels=page_labels(page, document, markup, features.text),
        base=features.rows,
        tree=features.tree,
        group=features.group,
        text=features.text,
        once=may_repeat(features.surroundings, features.tree.words),
        text_roles=read_text_roles(document, features.tree, features.surroundings),
        attribute_rows=attribute_rows(document),
        text_rows=text_rows(features.words, last_headings(features.surroundings)),
        names=name_places(document.nodes.element_types),
        bag=word_bag(page, document, markup),
    )


def page_labels(
    page: GoldRecord, document: Document, markup: str, text: UInt64s
) -> gold_labels.Labels:
    """Return the labels of a page: by its gold selectors if they can be used, else by its gold text."""
    labels = None
    if page.selectors is not None:
        labels = gold_labels.selected_labels(document, markup, page.selectors)
    labels = labels or gold_labels.aligned_labels(document, text, page.gold_text)
    labels = gold_labels.without_lost_headline(labels, headline_segments(document, page.url))
    return gold_labels.without_repeats(
        labels, repeated_segments(document.segments.texts, page.repeats)
    )


class GoldWords(NamedTuple):
    """What the words of a page are scored against."""

    gold: WordCounts
    """Words that must be kept: those of the gold text without what the gold of the site repeats."""
    neutral: WordCounts
    """Words beyond them that may be kept."""
    neutral_texts: list[str]
    """The headline and the repeats, whose words are neutral."""


def gold_words(page: GoldRecord, document: Document | None, neutral: WordCounts) -> GoldWords:
    """Return the words of a page's gold, and those that count neither way.

    Args:
        page: The page and its gold.
        document: The parsed page, whose headline is neutral; None if it cannot be parsed.
        neutral: Words of the elements that are neutral.
    """
    texts = list(page.repeats)
    repeated = sum(map(word_counts, texts), WordCounts())
    if document is not None:
        headline = headline_segments(document, page.url).nonzero()[0].tolist()
        texts += [document.segments.texts[segment] for segment in headline]
    return GoldWords(
        gold=word_counts(page.gold_text) - repeated,
        neutral=sum(map(word_counts, texts), neutral),
        neutral_texts=texts,
    )


def word_bag(page: GoldRecord, document: Document, markup: str) -> WordBag:
    """Return the words of a page and of its gold as numbers; its headline, and what the gold of the site repeats, are neutral."""
    per_segment = [word_list(text) for text in document.segments.texts]
    words = [word for some in per_segment for word in some]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    neutral = WordCounts()
    if page.selectors is not None and page.selectors.neutral:
        neutral = page_words(markup, page.selectors.neutral)[1]
    gold, neutral, _ = gold_words(page, document, neutral)
    return WordBag(
        word=np.array([numbers[word] for word in words], np.int32),
        segment=np.repeat(
            np.arange(len(per_segment), dtype=np.int32), [len(some) for some in per_segment]
        ),
        gold=np.array([gold[word] for word in numbers], np.int32),
        neutral=np.array([neutral[word] for word in numbers], np.int32),
        gold_words=gold.total(),
    )


def thin(
    pages: Iterable[AnyPage],
    per_site: int,
    order: Callable[[str], int] = lambda url: zlib.crc32(url.encode()),
) -> list[AnyPage]:
    """Return at most `per_site` pages of each site of a corpus: the first by their addresses' hashes, or another order."""
    sites = group_by(pages, lambda page: (page.corpus, page.site))
    return [
        page
        for some in sites.values()
        for page in sorted(some, key=lambda one: (order(one.url), one.url))[:per_site]
    ]


def owner_of_each(pages: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for the owner of each page.

    Pages of one site have one owner, and so have pages of one registrable domain.

    >>> owner_of_each([("https://a.com/", "x"), ("https://b.a.com/", "y"), ("https://c.org/", "z")])
    ['site a.com', 'site a.com', 'site c.org']
    """
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    names = [
        (f"site {_domain(site)}", f"site {_domain(url)}" if "://" in url else None)
        for url, site in pages
    ]
    for site, domain in names:
        if domain is not None:
            leading, other = sorted((find(site), find(domain)))
            leader[other] = leading
    return [find(site) for site, _ in names]


def _domain(address: str) -> str:
    return site_key(address) if "." in address else address
