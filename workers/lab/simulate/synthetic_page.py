"""One page of a synthetic site, with everything that is known about it."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.lab.simulate.design import Section, SectionType
from workers.lab.simulate.site import Encoding


@dataclass(frozen=True)
class SyntheticPage:
    """One page of a synthetic site, with everything that is known about it."""

    url: str
    site: str
    fetched_at: datetime
    html: str
    encoding: Encoding | None
    """How the page is sent as bytes; None means that the feed carries it as text."""
    status: int
    genre: str
    """What the site is, one of `SITE_GENRES` or `FIELD_GENRES`."""
    page_role: str
    """`article` (also a product or a thread), `listing`, `home`, `about` or `missing`."""
    language: str
    design: int
    """0 before the redesign and 1 after it."""
    sections: tuple[Section, ...]
    gold_selector: str | None
    gold_exclude: str | None
    gold_neutral: str | None

    @property
    def gold_text(self) -> str | None:
        """The text of the page's content; None for a page without content."""
        if self.gold_selector is None:
            return None
        return "\n".join(
            text for section_type, text in self.sections if section_type is SectionType.CONTENT
        )

    def record(self) -> dict[str, object]:
        """Return the page as a page record, with its truth in further fields."""
        fetched_at = self.fetched_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self.encoding is None:
            body: dict[str, object] = {"html": self.html, "content_type": "text/html"}
        else:
            page_bytes = self.encoding.encode(self.html)
            body = {
                "html_base64": b64encode(page_bytes).decode("ascii"),
                "content_type": self.encoding.content_type,
                "encoding": self.encoding.codec,
            }
        return {
            "url": self.url,
            "site": self.site,
            "fetched_at": fetched_at,
            "arrival": fetched_at,
            "status": self.status,
            **body,
            "kind": self.genre,
            "page_role": self.page_role,
            "language": self.language,
            "design": self.design,
            "gold_text": self.gold_text,
            "gold_selector": self.gold_selector,
            "gold_exclude": self.gold_exclude,
            "gold_neutral": self.gold_neutral,
            "sections": [
                {"kind": one.section_type.value, "text": one.text} for one in self.sections
            ],
            "source": "synthetic",
        }
