"""The text of the segments of a document that are kept."""

from collections.abc import Sequence
from itertools import chain

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.rows import rows_of_segments
from templ_core.dom.signs import Cuts, with_signs


def render_text(document: Document, kept: Bools, cuts: Cuts | None = None) -> str:
    r"""Return the text of the kept segments in document order.

    Each segment starts a line, but the cells of a row are separated by tabs, see `rows_of_segments`. The text of
    `pre` elements is verbatim. Signs stay with the text beside them, see `shown_signs`.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        cuts: What is cut out of segments that stay; None = nothing.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> document = parse_document("<nav>Menu</nav><table><tr><td>a<td>b</table>", "")
    >>> render_text(document, np.array([False, True, True]))
    'a\tb'
    >>> document = parse_document("<p>One. Two. Three.", "")
    >>> render_text(document, np.array([True]), {0: [(5, 10)]})
    'One. Three.'
    """
    document, kept, cuts = with_signs(document, kept, cuts)
    segments = document.segments
    (stays,) = kept.nonzero()
    texts = [segments.texts[segment] for segment in stays.tolist()]
    if cuts:
        texts = [
            without_parts(text, cuts[segment]).strip() if segment in cuts else text
            for text, segment in zip(texts, stays.tolist(), strict=True)
        ]
    rows = rows_of_segments(document, kept)
    if rows is None:
        return "\n".join(texts)
    row = rows[stays]
    same_row = (row[1:] >= 0) & (row[1:] == row[:-1])
    borders = ["\t" if is_same else "\n" for is_same in same_row.tolist()]
    return "".join(chain.from_iterable(zip(texts, [*borders, ""], strict=False)))


def without_parts(text: str, parts: Sequence[tuple[int, int]]) -> str:
    """Return a text without some parts: the first character of each and the one behind it, in order."""
    starts = [0, *(end for _, end in parts)]
    ends = [*(begin for begin, _ in parts), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
