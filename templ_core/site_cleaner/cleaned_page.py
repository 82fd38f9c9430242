"""A page that was cleaned, as a user of the library gets it."""

from typing import Literal

import msgspec

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


class CleanedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The clean text of a page, what is known about the page, and how the text came about."""

    url: str
    site: str
    """Key of the site, whose pages share templates."""
    id: str
    """Name of this fetch, made of the URL and the time."""
    fetched_at: str | None
    """Time of the fetch, an RFC 3339 time in UTC; None where none was given."""
    title: str
    """Title as it stands in the page; that of `metadata` is without the name of the site."""
    text: str
    """Paragraphs and list items are lines, table cells are separated by tabs, and `pre` is verbatim."""
    method: Literal["page", "site"]
    """`site` when evidence from other pages of the site had weight in the decision."""
    confidence: float
    """Expected word F1 of the text, 0 to 1; 0 for an empty text."""
    page_type: str | None
    """What the page is: article, documentation, forum, product, listing or other; None without text."""
    warnings: list[str]
    """What a reader of the text should know; schemas/README.md describes each."""
    metadata: Metadata
    quality: PageQuality | None
    """What the page may be in place of one with content; None without `with_quality=True`, and without text."""
    records: PageRecords | None
    """The posts, items and fields of the page; None without `with_records=True`."""
    site_model_version: str | None
    """Version of the site model that was used; None when there was none."""
    page_model_version: str
    cleaner_version: str
    """Equal versions of cleaner, page model and site model give equal text."""
    document: Document
    """The page as it was read: its nodes, and its segments of text."""
    decision: Decision
    """What became of each segment, and why."""

    def __repr__(self) -> str:
        """Return all fields but the document and the decision, whose arrays fill many screens."""
        names = (name for name in self.__struct_fields__ if name not in {"document", "decision"})
        return f"CleanedPage({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def fingerprint(self) -> str | None:
        """Near-duplicate key of the text: a 64-bit SimHash in hexadecimal; None for an empty text."""
        value = simhash(self.text)
        return None if value is None else f"{value:016x}"

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
