"""A finished page with its truth, and its JSON record."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from zlib import crc32

from workers.lab.simulate.chrome import Chrome, document_end, document_start
from workers.lab.simulate.fragment import (
    EMPTY,
    Fragment,
    Section,
    SectionType,
    join,
    label,
    raw,
    sections,
)
from workers.lab.simulate.pages import PageBody
from workers.lab.simulate.parts import PageContext, crumbs, sidebar, ticker
from workers.lab.simulate.site import Encoding

_NEVER_CONTENT = ("advert", "share", "related", "newsletter", "author")


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
    """What the site is: news, blog, shop or forum."""
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


@dataclass(frozen=True)
class Request:
    """What the crawler requested from a site."""

    path: str
    page_role: str
    status: int = 200
    category: int = 0


def finish_page(
    context: PageContext,
    chrome: Chrome,
    body: PageBody,
    request: Request,
    encoding: Encoding | None,
) -> SyntheticPage:
    """Return the whole page, built around its body."""
    theme = context.design.theme
    visible = _visible_part(context, chrome, body, request)
    charset = encoding.declared_in_page if encoding else "utf-8"
    start = document_start(context, body.title, charset, body.entry)
    return SyntheticPage(
        url=context.site.origin + request.path,
        site=context.site.key,
        fetched_at=context.moment,
        html=f"{start}{_body_tag(context, request)}\n{visible.html}{document_end(context)}",
        encoding=encoding,
        status=request.status,
        genre=context.site.genre,
        page_role=request.page_role,
        language=context.site.language.code,
        design=context.design.number,
        sections=sections(visible),
        gold_selector=theme.selector(*body.content) if body.content else None,
        gold_exclude=theme.selector(*_NEVER_CONTENT) if body.content else None,
        gold_neutral=theme.selector(*body.neutral) if body.neutral else None,
    )


def _body_tag(context: PageContext, request: Request) -> str:
    if context.design.theme.family in {"bare", "tables"}:
        return context.design.markup.tag("<body>")
    names = (
        f"{request.page_role} lang-{context.site.language.code} id-{crc32(request.path.encode())}"
    )
    return context.design.markup.tag(f'<body class="{names}">')


def _visible_part(
    context: PageContext, chrome: Chrome, body: PageBody, request: Request
) -> Fragment:
    theme, place = context.design.theme, context.design.place
    way = (
        crumbs(context, request.category) if place.crumbs and request.page_role != "home" else EMPTY
    )
    main = theme.box("main", way, body.fragment, section_type=SectionType.NAVIGATION)
    columns = [main]
    if place.sidebar == "left":
        columns = [sidebar(context), main]
    elif place.sidebar == "right":
        columns = [main, sidebar(context)]
    return theme.box(
        "page",
        chrome.consent if place.consent == "top" else EMPTY,
        chrome.hidden_menu,
        label(SectionType.HEADER, ticker(context)),
        chrome.header,
        theme.box("columns", join(columns, "\n")),
        raw("\n"),
        chrome.newsletter if place.newsletter == "footer" else EMPTY,
        chrome.footer,
        chrome.consent if place.consent == "bottom" else EMPTY,
    )
