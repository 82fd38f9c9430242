"""Features of a segment's own text, links and owner."""

import numpy as np
import numpy.typing as npt

from templ_core import letters as chars
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_above
from templ_core.page_level.characters import Characters, Words
from templ_core.page_level.page_tree import PageTree

Floats = npt.NDArray[np.float64]
Columns = dict[str, npt.NDArray[np.generic]]

OWNER_TAGS = (
    "p", "h1", "h2", "h3", "h4", "li", "td", "div", "button", "pre", "th", "dd", "option",
    "noscript", "form",
)  # fmt: skip
_MOST_LINKS = 20


def link_density(document: Document, characters: Characters) -> Floats:
    """Share of each segment's characters, white space aside, that is link text; 0 to 1."""
    blanks = characters.count(characters.has(chars.SPACE)) - 1  # without the line feed at the end
    solid = characters.lengths - blanks
    density: Floats = np.minimum(document.segments.link_chars / np.maximum(solid, 1), 1.0)
    return density


def sentence_ends(characters: Characters) -> npt.NDArray[np.int64]:
    """Sentence ends of each segment: a full stop or the like before a blank or a closing mark."""
    mark, after = characters.has(chars.SENTENCE_END), characters.has(chars.SPACE | chars.CLOSER)
    ends = mark.copy()
    ends[:-1] &= after[1:] | (characters.lower[:-1] > 0x2FFF)
    return characters.count(ends)


def text_columns(characters: Characters, words: Words) -> Columns:
    """What the characters and words of each segment say; each column of length n_segments."""
    w = np.maximum(words.per_segment, 1).astype(np.float64)
    size = characters.lengths.astype(np.float64)
    ends = sentence_ends(characters)
    commas = characters.count(characters.has(chars.COMMA))
    separators = characters.count(characters.has(chars.SEPARATOR))
    classes, starts = characters.classes, characters.starts
    last = starts + characters.lengths - 1
    before_last = np.maximum(last - 1, starts)
    closed = (classes[last] & chars.CLOSER) != 0
    final = np.where(closed, before_last, last)
    upper = (classes[words.first] & chars.UPPER) != 0
    ends_sentence = (classes[final] & chars.SENTENCE_END) != 0
    return {
        "log words": np.log1p(w),
        "log characters": np.log1p(size),
        "word length": np.bincount(words.segment, words.length, len(w)) / w,
        "sentence ends": np.minimum(ends, 20),
        "words per sentence end": np.minimum(w / np.maximum(ends, 0.5), 60),
        "commas": np.minimum(commas, 20),
        "commas per word": commas / w,
        "separators": np.minimum(separators, 10),
        "separators per word": separators / w,
        "digits per character": characters.count(characters.has(chars.DIGIT)) / size,
        "date or year": _has_date(characters, words),
        "upper-case words": np.bincount(words.segment, upper, len(w)) / w,
        "ends a sentence": ends_sentence,
        "ends with a colon": (classes[last] & chars.COLON) != 0,
        "starts upper-case": (classes[starts] & chars.UPPER) != 0,
        "different words": _different_words(words) / w,
        "copyright": np.minimum(characters.count(characters.has(chars.COPYRIGHT)), 1),
        "ellipses": np.minimum(_ellipses(characters), 3),
    }


def link_columns(document: Document, characters: Characters) -> Columns:
    """What the links of each segment say; each column of length n_segments."""
    segments = document.segments
    links = np.maximum(segments.links, 1)
    return {
        "link density": link_density(document, characters),
        "links": np.minimum(segments.links, _MOST_LINKS),
        "external links": np.minimum(segments.external_links, _MOST_LINKS),
        "links on the page": np.minimum(segments.page_links, _MOST_LINKS),
        "external share": segments.external_links / links,
    }


def owner_columns(document: Document, tree: PageTree) -> Columns:
    """What the owner of each segment says; each column of length n_segments."""
    nodes, owner = document.nodes, document.segments.owner
    hidden = sums_above(nodes.end, nodes.hidden.astype(np.float64)) > 0.5
    number = {tag: place for place, tag in enumerate(OWNER_TAGS)}
    tag = np.array([number.get(tag, -1) for tag in nodes.tags])[owner]
    return {
        "depth": nodes.depth[owner],
        "compressed depth": tree.compressed_depth[owner],
        "hidden": hidden[owner],
        "images": np.minimum(nodes.images[owner], 5),
        **{f"in {name}": tag == place for place, name in enumerate(OWNER_TAGS)},
    }


def _has_date(characters: Characters, words: Words) -> npt.NDArray[np.bool_]:
    """Whether a segment has a year from 1900 to 2099, or digits around a mark as in 3.10."""
    digit, mark = characters.has(chars.DIGIT), characters.has(chars.DATE_MARK)
    around = np.zeros(len(digit), np.bool_)
    around[1:-1] = digit[:-2] & mark[1:-1] & digit[2:]
    four = words.first[words.length == 4]
    years = digit[four] & digit[four + 1] & digit[four + 2] & digit[four + 3]
    century = characters.lower[four] * 100 + characters.lower[four + 1]
    years &= (century == ord("1") * 100 + ord("9")) | (century == ord("2") * 100 + ord("0"))
    around[four[years]] = True
    return characters.count(around) > 0


def _different_words(words: Words) -> npt.NDArray[np.int64]:
    order = np.lexsort((words.hashes, words.segment))
    segment, hashes = words.segment[order], words.hashes[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (segment[1:] != segment[:-1]) | (hashes[1:] != hashes[:-1])
    return np.bincount(segment[new], minlength=len(words.per_segment))


def _ellipses(characters: Characters) -> npt.NDArray[np.int64]:
    dot = characters.has(chars.DOT)
    three = np.zeros(len(dot), np.bool_)
    three[:-2] = dot[:-2] & dot[1:-1] & dot[2:]
    return characters.count(three | (characters.lower == ord("…")))
