"""Which pages of a window have the texts and strings that spoke about a page."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from templ_core.dom.document import Document
from templ_core.explain.page_explanation import PageExplanation
from templ_core.explain.site_strings import StringHit, position
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.strings.page_strings import read_prose
from templ_core.site_level.strings.string_table import StringTable


class EvidencePages(msgspec.Struct, frozen=True, kw_only=True):
    """URLs of pages of the window, in its order."""

    texts: dict[str, list[str]]
    """Pages that have the text of a segment, word for word."""
    strings: dict[StringHit, list[str]]
    """Pages that have a string."""


def evidence_pages(
    explained: PageExplanation, window: Iterable[tuple[str, Document]], table: StringTable
) -> EvidencePages:
    """Return the pages of a window that have what spoke about a page.

    Args:
        explained: The page.
        window: URL and document of each page of the window.
        table: The strings of the site model.
    """
    wanted_texts = {one.text for one in explained.segments}
    wanted_strings = {hit for one in explained.segments for hit in one.strings}
    texts: defaultdict[str, list[str]] = defaultdict(list)
    strings: defaultdict[StringHit, list[str]] = defaultdict(list)
    for url, document in window:
        if not document.segments.texts:
            continue
        for text in wanted_texts.intersection(document.segments.texts):
            texts[text].append(url)
        if wanted_strings:
            features = read_features(document)
            words = read_prose(features).tokens.tobytes()
            segments = table.segment_tokens(features.shape).tobytes()
            for one in wanted_strings:
                if position(segments if one.is_usual else words, one.tokens) is not None:
                    strings[one].append(url)
    return EvidencePages(texts=dict(texts), strings=dict(strings))
