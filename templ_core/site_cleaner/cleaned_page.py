"""A page that was cleaned, as a user of the library gets it."""

from typing import Any, Literal

import msgspec
import numpy as np

from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.fingerprint import simhash
from templ_core.metadata.fields import Metadata
from templ_core.page_quality import PageQuality
from templ_core.records.records import PageRecords
from templ_core.rendering.chunks import Chunk, markdown_chunks
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.links import PageLink, page_links
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline

_CONFIDENCE_DECIMALS = 4


class CleanedPage(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The clean text of a page, what is known about the page, and how the text came about.

    Pages are equal if all that `to_dict` returns of them is.

    Attributes:
        url: The address of the page.
        site: Key of the site, whose pages share templates.
        id: Name of this fetch, made of the URL and the time.
        fetched_at: Time of the fetch, an RFC 3339 time in UTC; None where none was given.
        title: Title of the page; `metadata.title` is the headline without the name of the site.
        text: Paragraphs and list items are lines, table cells are separated by tabs, and `pre` is verbatim.
        method: `site` when evidence from other pages of the site had weight in the decision, otherwise `page`.
        confidence: Expected word F1 of the text, 0 to 1; 0 for an empty text.
        page_type: What the page is: article, documentation, forum, product, listing or other; None without text.
        warnings: What a reader of the text should know; schemas/README.md describes each.
        metadata: Headline, authors, times, language, product and so on.
        quality: How probably the page is an error page, wall, empty shell or mere template; None without
            `with_quality=True`, and without text.
        records: The posts, items and fields of the page; None without `with_records=True`.
        site_model_version: Version of the site model that was used; None when there was none.
        page_model_version: Version of the page model, which knows no site.
        cleaner_version: Equal versions of cleaner, page model and site model give equal text.
        document: The page as it was read: its nodes, and its segments of text.
        decision: Whether each segment was kept, and why.
    """

    url: str
    site: str
    id: str
    fetched_at: str | None
    title: str
    text: str
    method: Literal["page", "site"]
    confidence: float
    page_type: str | None
    warnings: list[str]
    metadata: Metadata
    quality: PageQuality | None
    records: PageRecords | None
    site_model_version: str | None
    page_model_version: str
    cleaner_version: str
    document: Document
    decision: Decision

    def __eq__(self, other: object) -> bool:
        """Return whether another page has the same content."""
        return isinstance(other, CleanedPage) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        """Return a number that equal pages share."""
        return hash((self.id, self.text))

    def __repr__(self) -> str:
        """Return all fields but the document and the decision, whose arrays fill many screens."""
        names = (name for name in self.__struct_fields__ if name not in {"document", "decision"})
        return f"CleanedPage({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def fingerprint(self) -> str | None:
        """Near-duplicate key of the text: a 64-bit SimHash in hexadecimal; None for an empty text."""
        value = simhash(self.text)
        return None if value is None else f"{value:016x}"

    def to_dict(self) -> dict[str, Any]:
        """Return the page in the form of a record of `templ run` (schemas/README.md), as JSON can hold it.

        Its `source` is that of no feed. It has Markdown, HTML and links if the page was cleaned `with_links=True`.
        """
        segments, kept = self.document.segments.texts, int(np.count_nonzero(self.decision.kept))
        key, has_marks = self.fingerprint, self.document.marks is not None
        record = {
            "schema": "cleaned/3",
            "url": self.url,
            "site": self.site,
            "fetched_at": self.fetched_at,
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "method": self.method,
            "confidence": round(self.confidence, _CONFIDENCE_DECIMALS),
            "revision": 0,
            "revision_reason": None,
            "source": {"topic": "", "partition": 0, "offset": 0},
            "site_model_version": self.site_model_version,
            "page_model_version": self.page_model_version,
            "cleaner_version": self.cleaner_version,
            "fingerprint": key and {"algorithm": "simhash64-3gram", "bits": 64, "value": key},
            "warnings": self.warnings,
            "chars_in": sum(map(len, segments)) + max(len(segments) - 1, 0),
            "chars_out": len(self.text),
            "blocks_kept": kept,
            "blocks_removed": len(segments) - kept,
            "segments": None,
            "page_type": self.page_type,
            "metadata": msgspec.to_builtins(self.metadata),
            "markdown": self.markdown() if has_marks else None,
            "html": self.html() if has_marks else None,
            "links": [_link(link) for link in self.links()] if has_marks else None,
        }
        asked = {"quality": self.quality, "records": self.records}
        return record | {
            name: msgspec.to_builtins(value) for name, value in asked.items() if value is not None
        }

    def to_json(self) -> str:
        """Return what `to_dict` returns as JSON."""
        return msgspec.json.encode(self.to_dict()).decode()

    def markdown(self) -> str:
        """Return the kept text as Markdown; links and images need `with_links=True`."""
        return render_markdown(self._outline())

    def chunks(self) -> list[Chunk]:
        """Return the kept text in sections by headings, whose ids depend on their text alone."""
        return markdown_chunks(self.markdown())

    def html(self) -> str:
        """Return the kept text as HTML without scripts; links and images need `with_links=True`."""
        return render_html(self._outline())

    def links(self) -> list[PageLink]:
        """Return the links of the whole page; there are none without `with_links=True`."""
        return page_links(self._outline())

    def _outline(self) -> Outline:
        decision = self.decision
        return Outline(self.document, decision.kept, decision.cuts, self.url, decision.by_setting)


def _link(link: PageLink) -> dict[str, str]:
    return {
        "text": link.text,
        "url": link.url,
        "place": "content" if link.is_content else "template",
    }
