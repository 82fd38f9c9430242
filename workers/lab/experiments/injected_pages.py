"""Pages of a site with texts put into the content of a share of them, after Foschini (2007), section 6.1."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

import msgspec
from lxml import etree, html

from templ_core.errors import PageError
from templ_core.lab.evaluation.words import word_counts
from templ_core.lab.training.fusion import LINK_BOX
from templ_core.lab.training.labels.gold_labels import GoldSelectors, decoded_markup
from workers.lab.corpora import parsed, serialised
from workers.page import Page

_TEXTS = (2, 3, 4)
_LENGTHS = range(12, 121)
_SENTENCE_WORDS = 16
_VARYING = range(2, 5)
_FORMS = ("p", "div p", "two p")
INSIDE = "in p"
"""The form of a text that stands inside a paragraph of the page."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_MONTHS = "January February March April May June July August September October November December"
_SECTIONS = range(2, 9)
_LINES = range(20, 61)
_LINE_WORDS = range(1, 5)
_BOX_PLACES = ("before", "first", "last", "behind")
_FIRST_NAMES = "Anna Boris Clara David Emma Felix Greta Hugo Irene Jonas Karla Louis"
_LAST_NAMES = "Abbott Becker Castillo Dupont Eriksen Fischer Gomez Hansen Ivanov Jansen"


TAUGHT_PAGES = 5
"""Pages of a site that had the text before it must be gone."""
_VOCABULARY_MIN = 50
"""Different words that a site needs, for a text of its own words that no page has by chance."""


KINDS = {
    "changing": "Let a date, a number and a name in it change.",
    "varying": "Let one run of words in each of its sentences change.",
    "scattered": "Let two to four words in each of its sentences change, at random places.",
}
"""What of a text may differ from page to page. The run of words has one place on all pages, as in links to articles."""


class InjectedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text of random words of a site, as one or two paragraphs or inside one of the page."""

    sentences: tuple[str, ...]
    form: str
    """`p`, `div p`, `two p` or `INSIDE`."""


def vocabulary_of(words: Iterable[str]) -> list[str]:
    """Return the different words that a text for a site is made of; none where the site has too few."""
    vocabulary = sorted({word for word in words if word.isalpha() and len(word) > 1})
    return vocabulary if len(vocabulary) >= _VOCABULARY_MIN else []


def injected_texts(
    vocabulary: Sequence[str], rng: Random, *, also_inside: bool
) -> list[InjectedText]:
    """Return the two to four texts of a site, each of 12 to 120 words of its vocabulary.

    A text has sentences of 12 words and more with a slot each. Half of the texts stand inside a paragraph if
    `also_inside`; all others stand between paragraphs.
    """
    return [
        _injected_text(vocabulary, rng, also_inside=also_inside) for _ in range(rng.choice(_TEXTS))
    ]


def _injected_text(vocabulary: Sequence[str], rng: Random, *, also_inside: bool) -> InjectedText:
    total = rng.choice(_LENGTHS)
    count = max(1, total // _SENTENCE_WORDS)
    sentences = []
    for number in range(count):
        words = [rng.choice(vocabulary) for _ in range((total + number) // count)]
        words[0] = words[0].capitalize()
        words[rng.randint(2, len(words) - 2)] = "{}"
        sentences.append(" ".join(words) + ".")
    is_inside = also_inside and rng.random() < 0.5
    return InjectedText(
        sentences=tuple(sentences), form=INSIDE if is_inside else rng.choice(_FORMS)
    )


def inject(
    root: html.HtmlElement,
    selectors: GoldSelectors,
    sentences: Sequence[str],
    form: str,
    rng: Random,
) -> bool:
    """Put sentences into the content of a parsed page; answer whether the page has an element for them.

    They stand behind a random paragraph of it that no exclusion covers, or behind
    its last child where it has no paragraph. With the form `INSIDE` they stand in such a paragraph, before,
    between or behind the sentences that it begins with.
    """
    content = root.cssselect(selectors.content)
    if not content:
        return False
    left_out = [*_found(root, selectors.exclude), *_found(root, selectors.neutral)]
    excluded = {one for some in left_out for one in some.iter()}
    paragraphs = [one for some in content for one in some.iter("p") if one not in excluded]
    written = [one for one in paragraphs if (one.text or "").strip()]
    if form == INSIDE and written:
        paragraph = rng.choice(written)
        parts = _SENTENCE_END.split(str(paragraph.text).strip())
        ended = len(parts) - (len(paragraph) > 0)  # the last one goes on in the first child
        parts.insert(rng.randint(0, ended), " ".join(sentences))
        paragraph.text = f"{' '.join(parts)} "
        return True
    if paragraphs:
        neighbour = rng.choice(paragraphs)
    elif len(content[0]):
        neighbour = content[0][-1]
    else:
        return False
    for element in reversed(_elements(sentences, form)):
        neighbour.addnext(element)
    return True


class LinkBox(msgspec.Struct, frozen=True, kw_only=True):
    """A box of navigation that has one shape and place on all pages of a site, and the lines of a page's section."""

    sections: tuple[tuple[str, ...], ...]
    """The lines of each section, all of them links."""
    place: str
    """Where it stands to the content: `before`, `first` or `last` inside it, or `behind`."""
    form: str
    """`ul` or `div`: what holds its lines."""
    on_page: bool
    """Whether its links lead to places on the page, as those of a manual on one page do."""


def link_box(vocabulary: Sequence[str], rng: Random) -> LinkBox:
    """Return a box for a site, of 20 to 60 lines of words of its vocabulary for each of two to eight sections."""
    return LinkBox(
        sections=tuple(
            tuple(
                " ".join(rng.choices(vocabulary, k=rng.choice(_LINE_WORDS)))
                for _ in range(rng.choice(_LINES))
            )
            for _ in range(rng.choice(_SECTIONS))
        ),
        place=rng.choice(_BOX_PLACES),
        form=rng.choice(("ul", "div")),
        on_page=rng.random() < 0.5,
    )


def inject_box(
    root: html.HtmlElement, selectors: GoldSelectors, box: LinkBox, section: int
) -> bool:
    """Put the box of a section, by its number, into a parsed page; answer whether the page has an element for it."""
    content = root.cssselect(selectors.content)
    if not content or content[0].getparent() is None:
        return False
    block = html.Element("div", {"class": "local"})
    lines = etree.SubElement(block, box.form)
    for line in box.sections[section]:
        name = line.replace(" ", "-")
        target = f"#{name}" if box.on_page else f"/{section}/{name}"
        etree.SubElement(
            etree.SubElement(lines, "li" if box.form == "ul" else "div"), "a", href=target
        ).text = line
    if box.place == "before":
        content[0].addprevious(block)
    elif box.place == "first":
        content[0].insert(0, block)
    elif box.place == "last":
        content[-1].append(block)
    else:
        content[-1].addnext(block)
    return True


def _found(root: html.HtmlElement, selector: str | None) -> list[html.HtmlElement]:
    return root.cssselect(selector) if selector else []


def _elements(sentences: Sequence[str], form: str) -> list[html.HtmlElement]:
    middle = len(sentences) // 2 if form == "two p" else 0
    paragraphs = [_paragraph(some) for some in (sentences[:middle], sentences[middle:]) if some]
    if form != "div p":
        return paragraphs
    block = html.Element("div")
    block.extend(paragraphs)
    return [block]


def _paragraph(sentences: Sequence[str]) -> html.HtmlElement:
    paragraph = html.Element("p")
    paragraph.text = " ".join(sentences)
    return paragraph


def on_page(
    text: InjectedText, kind: str, vocabulary: Sequence[str], rng: Random
) -> tuple[str, ...]:
    """Return the sentences of a text as one page gets them, with their slots filled in turn."""
    slots = _slots(kind, vocabulary, rng)
    sentences = tuple(
        one.replace("{}", slots[number % len(slots)]) for number, one in enumerate(text.sentences)
    )
    if kind != "scattered":
        return sentences
    return tuple(_scattered(one, vocabulary, rng) for one in sentences)


def _scattered(sentence: str, vocabulary: Sequence[str], rng: Random) -> str:
    """Return a sentence in which two to four words, the first aside, are others."""
    words = sentence.removesuffix(".").split()
    for place in rng.sample(range(1, len(words)), k=rng.choice(_VARYING)):
        words[place] = rng.choice(vocabulary)
    return " ".join(words) + "."


def _slots(kind: str, vocabulary: Sequence[str], rng: Random) -> list[str]:
    if kind == "varying":
        return [" ".join(rng.choices(vocabulary, k=rng.choice(_VARYING))) for _ in range(4)]
    if kind != "changing":
        return ["so"]
    date = f"{rng.randint(1, 28)} {rng.choice(_MONTHS.split())} {rng.randint(2001, 2026)}"
    number = str(rng.randint(10, 9999))
    return [date, number, f"{rng.choice(_FIRST_NAMES.split())} {rng.choice(_LAST_NAMES.split())}"]


SHARES = (1.0, 0.3, 0.1)
"""Shares of the pages that may get a text, 0 to 1."""
_KINDS_DRAWN = ("", "", *KINDS)
_SITES_WITHOUT_BOX = 0.5


class CorpusRecord(msgspec.Struct, frozen=True):
    """A page of a corpus with the fields of its record."""

    corpus: str
    fields: dict[str, Any]
    page: Page
    injected: tuple["InjectedSentences", ...] = ()
    """The texts that were put into the page."""


class InjectedSentences(msgspec.Struct, frozen=True):
    """A text in a page."""

    sentences: tuple[str, ...]
    kind: str
    """What of the text changes from page to page; empty = nothing. `LINK_BOX` for lines of links."""
    share: float
    """Share of the site's pages that have the text, 0 to 1."""
    taught: int
    """Pages of the site that had the text before this page."""


def with_injection(records: Sequence[CorpusRecord], seed: str) -> list[CorpusRecord]:
    """Return the pages of one site, shuffled, some of them with texts; empty where the site has too few words.

    The order, which share of the pages gets each text, and what of the texts changes from page to page, is
    drawn by `seed`. The texts stand between paragraphs, since the fusion decides whole segments.
    """
    rng = Random(seed)  # noqa: S311 - not for secrets
    kind, share = rng.choice(_KINDS_DRAWN), rng.choice(SHARES)
    vocabulary = _vocabulary(records)
    if not vocabulary:
        return []
    texts = injected_texts(vocabulary, rng, also_inside=False)
    taught = [0] * len(texts)

    def put(
        _: int, root: html.HtmlElement, selectors: GoldSelectors
    ) -> Iterator[InjectedSentences]:
        for number, text in enumerate(texts):
            if rng.random() < share:
                sentences = on_page(text, kind, vocabulary, rng)
                if inject(root, selectors, sentences, text.form, rng):
                    yield InjectedSentences(sentences, kind, share, taught[number])
                    taught[number] += 1

    return _with_put(rng.sample(records, len(records)), put)


def with_link_box(records: Sequence[CorpusRecord], seed: str) -> list[CorpusRecord]:
    """Return the pages of one site, with a box of links by section in all whose content has a selector.

    Half of the sites get none, and those with too few words; the result is empty then.
    """
    rng = Random(seed)  # noqa: S311 - not for secrets
    vocabulary = _vocabulary(records)
    if not vocabulary or rng.random() < _SITES_WITHOUT_BOX:
        return []
    box = link_box(vocabulary, rng)
    sections = [rng.randrange(len(box.sections)) for _ in records]

    taught = count()

    def put(
        number: int, root: html.HtmlElement, selectors: GoldSelectors
    ) -> Iterator[InjectedSentences]:
        section = sections[number]
        if inject_box(root, selectors, box, section):
            yield InjectedSentences(box.sections[section], LINK_BOX, 1.0, next(taught))

    return _with_put(records, put)


def _with_put(
    records: Sequence[CorpusRecord],
    put: Callable[[int, html.HtmlElement, GoldSelectors], Iterable[InjectedSentences]],
) -> list[CorpusRecord]:
    """Return the pages with what `put` has put into them, given their number; pages that are refused are left out."""
    result = []
    for number, record in enumerate(records):
        changed, selectors = record, GoldSelectors.of(record.fields)
        if selectors is not None and record.fields.get("gold_text"):
            try:
                root = parsed(decoded_markup(record.page.body or b"", record.page.charset))
            except PageError:
                continue
            if injected := tuple(put(number, root, selectors)):
                page = msgspec.structs.replace(
                    record.page, body=serialised(root), charset="utf-8", content_type=None
                )
                changed = msgspec.structs.replace(record, page=page, injected=injected)
        result.append(changed)
    return result


def _vocabulary(records: Sequence[CorpusRecord]) -> list[str]:
    """Return the words of the site's content that a text for it is made of; none where it has too few."""
    return vocabulary_of(
        word for one in records for word in word_counts(one.fields.get("gold_text") or "")
    )
