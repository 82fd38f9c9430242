"""The features of PAGELEVEL for the elements of a page.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5.2, and Kumar's slides on the same work ("Cues used implicitly by humans"). Positions and
areas are estimates of `templ_core.lab.layout`. Function words are what running text is full of, but not menus.
"""

import functools

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.dom.tags import INLINE
from templ_core.lab.layout import Boxes, Presentation, estimate_layout
from templ_core.lab.tree_sums import climb, subtree_sums, sums_below
from templ_core.letters import CLOSER, SENTENCE_END, SPACE
from templ_core.page_level.features.characters import Characters, Words, read_characters, read_words

_WIDE_MARK = 0x3000
"""From this code point on, the end of a sentence needs no space behind it."""


class ThinnedTree(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of a tree that are left, and where the others went."""

    kept: Int64s
    """Nodes that are left, ascending; the root is always left."""
    parent: Int32s
    """Parent of each kept node, as a number among the kept; -1 for the root."""
    stands_for: Int64s
    """Number of each node among the kept, or of the nearest kept one above it; length n_nodes."""


def leave_out(parent: Int32s, out: Bools) -> ThinnedTree:
    """Return the tree without the nodes of `out`; their children move to the nearest node above.

    Example:
        >>> tree = leave_out(np.array([-1, 0, 1], np.int32), np.array([False, True, False]))
        >>> tree.kept.tolist(), tree.parent.tolist(), tree.stands_for.tolist()
        ([0, 2], [-1, 0], [0, 0, 1])
    """
    above = np.maximum(parent, 0)
    nearest = climb(np.where(out, above, np.arange(len(parent))))
    kept = np.flatnonzero(nearest == np.arange(len(parent)))
    number = np.zeros(len(parent), np.int64)
    number[kept] = np.arange(len(kept))
    new_parent = np.where(parent[kept] < 0, -1, number[nearest[above[kept]]])
    return ThinnedTree(kept=kept, parent=new_parent.astype(np.int32), stands_for=number[nearest])


_WORDS = {
    "en": "the of and to a in is that for it as was with be by on not he his but at are this have from or had an they which you were her she there been their we has if will can more about",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über wir oder ich",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son nous vous mais elle on aux cette ses comme leur été fait être",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son también fue",
    "it": "di e che la il un a per in una mi sono ho non ma lo ha le si con i da come su del della nel alla dei gli al più anche delle se era questo ci degli essere",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso foi",
    "nl": "de van een het en in is dat op te zijn met voor die niet aan er om als ook dan maar bij of uit nog naar door over was heeft worden ze hij kan wordt meer deze al",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag så från vi kan när år efter hon ut där vid sig eller ska nu också",
    "da": "og i at det er en til på som med af for de den ikke der har et var jeg han men om vi kan så fra ved eller hun efter også blev skal sig ud være",
    "no": "og i det er på som en til å at for av med de ikke den har et var jeg han men om vi kan så fra ved eller hun etter også ble skal seg ut være",
    "fi": "ja on ei se että oli hän mutta ovat kun niin myös joka kuin tai ne mukaan sen olla jos vain nyt voi jo ole sekä ovat tämä mitä siitä minä",
    "pl": "i w na z do się nie to że jest o a jak po co dla od za przez tak ale czy już być są oraz jego tym tego lub może który także było",
    "cs": "a v se na je že s z o do to i by ale za po pro jako jsou od k ve si tak byl jeho nebo při které také jen může už jsem být",
    "hu": "a az és hogy nem is egy volt ez meg de csak ha már még mint vagy van azt el ki lehet minden után lesz sem kell nagy",
    "ro": "de și în la a cu pe care din că nu o un pentru mai este se fi sau ce au prin dar fost sunt iar să lui ca după",
    "tr": "ve bir bu da de için ile çok daha olarak olan gibi ne ama o en kadar sonra ki ya her var mi veya değil",
    "ru": "и в не на что с он я как по это а но к у из за от так его все же для о она бы был или они мы вы уже также",
    "uk": "і в не на що з у та до як за це від а про для його але є або й він бути також було які",
    "el": "και το η να του της με για από που τα την είναι των στο ο θα σε οι στην τον δεν τις",
    "zh": "的 了 在 是 我 有 和 就 不 人 都 一 上 也 到 說 说 要 這 这 你 會 会 他 对 對 与 及 为 為 而",
    "ja": "の に は を た が で て と し れ さ る い も な か ら こ す ま お っ そ",
    "ko": "이 그 저 것 수 등 및 있다 하는 있는 에서 으로 그리고 하지만 있습니다 합니다",
}


def stop_word_hashes(language: str) -> list[UInt64s]:
    """Return the hashes of the function words of a language, or of each language if it is unknown."""
    code = language.replace("_", "-").partition("-")[0].lower()
    known = _hashes()
    return [known[code]] if code in known else list(known.values())


@functools.cache
def _hashes() -> dict[str, UInt64s]:
    return {code: read_words(read_characters([text])).hashes for code, text in _WORDS.items()}


_TITLE_WORDS_MAX = 20
"""Most words of a title that are looked for."""
_WHITE = 1.0


class NodeFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks of a page that hold text, in document order; columns of length n_blocks."""

    node: Int64s
    """Number of the element."""
    parent: Int32s
    """Index of the nearest block around each block; -1 for the first."""
    area: Floats
    """Estimated area in square pixels."""
    columns: dict[str, Floats]
    """The features by name."""

    @property
    def rows(self) -> Floats:
        """The features side by side, (n_blocks, n_features)."""
        return np.stack(list(self.columns.values()), axis=1)


def read_node_features(document: Document, presentation: Presentation) -> NodeFeatures:
    """Return the features of a page with at least one segment."""
    characters = read_characters(document.segments.texts)
    words = read_words(characters)
    boxes = estimate_layout(document, presentation)
    is_block = np.array([tag not in INLINE for tag in document.nodes.tags])
    segments = sums_below(
        document.nodes.end, np.bincount(document.segments.owner, minlength=len(is_block))
    )
    tree = leave_out(document.nodes.parent, ~is_block | (segments < 0.5))
    node = tree.kept
    columns = {
        **_position_columns(boxes),
        **_text_columns(document, characters, words),
        **_link_columns(document, characters, words),
        **_title_columns(document, words),
        **_background_columns(document, presentation),
        **_markup_columns(document, characters, presentation),
    }
    return NodeFeatures(
        node=node,
        parent=tree.parent,
        area=boxes.area[node],
        columns={name: values[node] for name, values in columns.items()},
    )


def _position_columns(boxes: Boxes) -> dict[str, Floats]:
    """Return closeness to the margins, distance from the centre, size and shape."""
    width, height = boxes.page_width, boxes.page_height
    left, top = boxes.left / width, boxes.top / height
    right = 1 - (boxes.left + boxes.width) / width
    bottom = 1 - (boxes.top + boxes.height) / height
    across = np.abs(left + boxes.width / width / 2 - 0.5)
    down = np.abs(top + boxes.height / height / 2 - 0.5)
    return {
        "left margin": left,
        "right margin": right,
        "top margin": top,
        "bottom margin": bottom,
        "nearest margin": np.minimum.reduce([left, right, top, bottom]),
        "top px": np.log1p(boxes.top),
        "distance from centre": np.hypot(across, down),
        "distance from centre across": across,
        "log area": np.log1p(boxes.area),
        "area share": boxes.area / (width * height),
        "height share": boxes.height / height,
        "aspect ratio": np.log1p(boxes.width) - np.log1p(boxes.height),
    }


def _text_columns(document: Document, characters: Characters, words: Words) -> dict[str, Floats]:
    inside = _inside(document, words.per_segment)
    ends = _inside(document, _sentence_ends(characters))
    stops = max(
        (np.isin(words.hashes, some) for some in stop_word_hashes(document.language)),
        key=lambda found: int(found.sum()),
    )
    stop = _inside(document, np.bincount(words.segment, stops, len(words.per_segment)))
    return {
        "log words": np.log1p(inside),
        "words per sentence": np.minimum(inside / np.maximum(ends, 1.0), 60.0),
        "sentences per word": ends / np.maximum(inside, 1.0),
        "stop words": stop / np.maximum(inside, 1.0),
    }


def _link_columns(document: Document, characters: Characters, words: Words) -> dict[str, Floats]:
    """Return links per word, text in anchors, size of anchors and share of links inside the site."""
    segments = document.segments
    inside = np.maximum(_inside(document, words.per_segment), 1.0)
    blanks = characters.count(characters.has(SPACE)) - 1  # without the line feed at the end
    solid = np.maximum(_inside(document, characters.lengths - blanks), 1.0)
    links = _inside(document, segments.links)
    anchor_chars = _inside(document, segments.link_chars)
    external = _inside(document, segments.external_links)
    some = np.maximum(links, 1.0)
    return {
        "links per word": np.minimum(links / inside, 1.0),
        "text in anchors": np.minimum(anchor_chars / solid, 1.0),
        "anchor size": np.minimum(anchor_chars / some, 100.0),
        "links inside the site": np.where(links > 0, 1 - external / some, 0.0),
        "has links": (links > 0).astype(np.float64),
        "log links": np.log1p(links),
    }


def _title_columns(document: Document, words: Words) -> dict[str, Floats]:
    """Return the words shared with the page's title, per word of the title and of the element."""
    stops = np.concatenate(stop_word_hashes(document.language))
    title = read_words(read_characters([document.title or " "])).hashes
    wanted = np.setdiff1d(title, stops)[:_TITLE_WORDS_MAX]
    count = len(words.per_segment)
    title_words = np.zeros(len(document.nodes.tags))
    shared = np.zeros(len(document.nodes.tags))
    for word in wanted:
        each = _inside(document, np.bincount(words.segment, words.hashes == word, count))
        title_words += each > 0
        shared += each
    return {
        "title words": title_words / max(len(wanted), 1),
        "of the title": shared / np.maximum(_inside(document, words.per_segment), 1.0),
    }


def _background_columns(document: Document, presentation: Presentation) -> dict[str, Floats]:
    parent = document.nodes.parent.tolist()
    lightness = presentation.background.tolist()
    for node, above in enumerate(parent):
        if np.isnan(lightness[node]):
            lightness[node] = lightness[above] if above >= 0 else _WHITE
    column = np.array(lightness)
    body = next((node for node, tag in enumerate(document.nodes.tags) if tag == "body"), 0)
    return {"background": column, "background beside the page's": np.abs(column - column[body])}


def _markup_columns(
    document: Document, characters: Characters, presentation: Presentation
) -> dict[str, Floats]:
    """Return the ratio of visible characters to all HTML, including scripts and styles."""
    visible = _inside(document, characters.lengths)
    markup = sums_below(
        document.nodes.end, presentation.markup_chars + presentation.invisible_chars
    )
    return {"visible characters": visible / np.maximum(visible + markup, 1.0)}


def _sentence_ends(characters: Characters) -> Int64s:
    """Return the number of sentence ends of each segment; length n_segments.

    A sentence ends with a full stop or the like before white space or a closing mark. In scripts
    without blanks the mark alone is enough.

    Example:
        >>> _sentence_ends(
        ...     read_characters(["It rains. Go (now!)", "version 2.1", "下雨。"])
        ... ).tolist()
        [2, 0, 1]
    """
    is_wide = characters.lower >= _WIDE_MARK
    is_free = np.roll(characters.has(SPACE | CLOSER), -1)  # the last character is a line feed
    return characters.count(characters.has(SENTENCE_END) & (is_wide | is_free))


def _inside(document: Document, per_segment: npt.NDArray[np.generic]) -> Floats:
    """Return the sum of a segment column inside each element; length n_nodes."""
    sums: Floats = subtree_sums(document, per_segment.astype(np.float64)).astype(np.float64)
    return sums
