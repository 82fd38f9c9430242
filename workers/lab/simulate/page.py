"""A finished page with its truth, and the line of JSON it becomes."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from zlib import crc32

from workers.lab.simulate.encoding import Encoding
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.fragment import (
    EMPTY,
    Fragment,
    Kind,
    Section,
    join,
    label,
    raw,
    sections,
)
from workers.lab.simulate.parts.head import document_end, document_start
from workers.lab.simulate.parts.page_body import Middle
from workers.lab.simulate.parts.widgets import crumbs, sidebar, ticker

_NEVER_CONTENT = ("advert", "share", "related", "newsletter", "author")


@dataclass(frozen=True)
class SyntheticPage:
    """One page of a synthetic site and everything that is true of it."""

    url: str
    site: str
    fetched_at: datetime
    html: str
    encoding: Encoding | None
    """None = the feed carries the page as text."""
    status: int
    kind: str
    """Kind of site."""
    page_role: str
    """`article` (of a shop a product, of a forum a thread), `listing`, `home`, `about`, `missing`."""
    language: str
    design: int
    """0 before the redesign, 1 after it."""
    sections: tuple[Section, ...]
    gold_selector: str | None
    gold_exclude: str | None
    gold_neutral: str | None

    @property
    def gold_text(self) -> str | None:
        """The text of the page's content, None where there is none."""
        if self.gold_selector is None:
            return None
        return "\n".join(text for kind, text in self.sections if kind is Kind.CONTENT)

    def record(self) -> dict[str, object]:
        """The page as a page record with its truth in further fields."""
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
            "kind": self.kind,
            "page_role": self.page_role,
            "language": self.language,
            "design": self.design,
            "gold_text": self.gold_text,
            "gold_selector": self.gold_selector,
            "gold_exclude": self.gold_exclude,
            "gold_neutral": self.gold_neutral,
            "sections": [{"kind": kind.value, "text": text} for kind, text in self.sections],
            "source": "synthetic",
        }


@dataclass(frozen=True)
class Request:
    """What was asked of a site."""

    path: str
    page_role: str
    status: int = 200
    category: int = 0


def finish_page(
    visit: Visit, chrome: Chrome, middle: Middle, request: Request, encoding: Encoding | None
) -> SyntheticPage:
    """The whole page around its middle."""
    theme = visit.design.theme
    body = _body(visit, chrome, middle, request)
    charset = encoding.declared_in_page if encoding else "utf-8"
    start = document_start(visit, middle.title, charset, middle.entry)
    return SyntheticPage(
        url=visit.site.origin + request.path,
        site=visit.site.key,
        fetched_at=visit.moment,
        html=f"{start}{_body_tag(visit, request)}\n{body.html}{document_end(visit)}",
        encoding=encoding,
        status=request.status,
        kind=visit.site.kind,
        page_role=request.page_role,
        language=visit.site.language.code,
        design=visit.design.number,
        sections=sections(body),
        gold_selector=theme.selector(*middle.content) if middle.content else None,
        gold_exclude=theme.selector(*_NEVER_CONTENT) if middle.content else None,
        gold_neutral=theme.selector(*middle.neutral) if middle.neutral else None,
    )


def _body_tag(visit: Visit, request: Request) -> str:
    if visit.design.theme.family in {"bare", "tables"}:
        return visit.design.markup.tag("<body>")
    names = f"{request.page_role} lang-{visit.site.language.code} id-{crc32(request.path.encode())}"
    return visit.design.markup.tag(f'<body class="{names}">')


def _body(visit: Visit, chrome: Chrome, middle: Middle, request: Request) -> Fragment:
    theme, place = visit.design.theme, visit.design.place
    way = crumbs(visit, request.category) if place.crumbs and request.page_role != "home" else EMPTY
    main = theme.box("main", way, middle.fragment, kind=Kind.NAVIGATION)
    columns = [main]
    if place.sidebar == "left":
        columns = [sidebar(visit), main]
    elif place.sidebar == "right":
        columns = [main, sidebar(visit)]
    return theme.box(
        "page",
        chrome.consent if place.consent == "top" else EMPTY,
        chrome.hidden_menu,
        label(Kind.HEADER, ticker(visit)),
        chrome.header,
        theme.box("columns", join(columns, "\n")),
        raw("\n"),
        chrome.newsletter if place.newsletter == "footer" else EMPTY,
        chrome.footer,
        chrome.consent if place.consent == "bottom" else EMPTY,
    )
