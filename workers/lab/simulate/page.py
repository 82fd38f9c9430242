"""A finished page with its truth, and its JSON record."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from zlib import crc32

from workers.lab.simulate.chrome import Chrome, document_end, document_start
from workers.lab.simulate.fragment import (
    EMPTY,
    SPACE,
    Fragment,
    Section,
    SectionType,
    join,
    label,
    raw,
    sections,
)
from workers.lab.simulate.parts import (
    BodyWriter,
    PageContext,
    advert,
    author_box,
    comments,
    crumbs,
    pager,
    related,
    share_bar,
    sidebar,
    ticker,
)
from workers.lab.simulate.prose import date_text, invent_name
from workers.lab.simulate.site import ArchiveEntry, Encoding, archive_entry, random_entries


@dataclass(frozen=True)
class PageBody:
    """The body of a page, and where its truth stands."""

    fragment: Fragment
    title: str
    entry: ArchiveEntry | None = None
    content: tuple[str, ...] = ()
    """Roles of the boxes that hold the content."""
    neutral: tuple[str, ...] = ()
    """Roles of the boxes that hold neither content nor template."""


def article(context: PageContext, chrome: Chrome, number: int) -> PageBody:
    """Return the body of an article of a news site or a blog."""
    one = archive_entry(context.site, number)
    place, theme = context.design.place, context.design.theme
    writer = BodyWriter(context.site, one, context.design.markup)
    words = writer.words()
    blocks = _interleave(context, chrome, writer.paragraphs(words))
    body = theme.box("body", *blocks, section_type=SectionType.CONTENT)
    share = share_bar(context, one)
    fragment = theme.box(
        "article",
        _heading(context, one, words),
        share if place.share == "top" else EMPTY,
        body,
        share if place.share == "end" else EMPTY,
        _tags(context, one) if place.tags else EMPTY,
        author_box(context, one) if place.author_box else EMPTY,
    )
    return PageBody(
        fragment=join([fragment, after_content(context, chrome, one, "comments")]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("heading", "title", "byline", "tags", "comments"),
    )


def about(context: PageContext, number: int) -> PageBody:
    """Return the body of one of the few pages about the site itself; they never change."""
    one = archive_entry(context.site, -1 - number)
    theme, markup = context.design.theme, context.design.markup
    writer = BodyWriter(context.site, one, markup)
    title = theme.box("title", markup.text(one.title))
    heading = theme.box("heading", title, section_type=SectionType.NEUTRAL)
    body = theme.box(
        "body", *writer.paragraphs(writer.words() // 2), section_type=SectionType.CONTENT
    )
    return PageBody(
        fragment=theme.box("article", heading, body),
        title=one.title,
        content=("body",),
        neutral=("heading", "title"),
    )


def _interleave(context: PageContext, chrome: Chrome, blocks: list[Fragment]) -> list[Fragment]:
    place = context.design.place
    mixed: list[Fragment] = []
    for number, one in enumerate(blocks, start=1):
        mixed.append(one)
        if place.advert_every and number % place.advert_every == 0 and number < len(blocks):
            mixed.append(advert(context))
    middle = (len(mixed) + 1) // 2
    if place.related == "inside":
        mixed.insert(middle, related(context))
    if place.newsletter == "inside":
        mixed.insert(middle, chrome.newsletter)
    if place.related == "end":
        mixed.append(related(context))
    return mixed


def _heading(context: PageContext, one: ArchiveEntry, words: int) -> Fragment:
    theme, markup = context.design.theme, context.design.markup
    language = context.site.language
    parts = [
        markup.inline("<span>", context.label("by", name=one.author)),
        markup.inline("<span>", date_text(language, one.published)),
    ]
    if context.site.number % 3 == 0:
        parts.append(markup.inline("<span>", context.label("views", n=one.views(context.moment))))
    if context.site.number % 4 == 1:
        parts.append(markup.inline("<span>", context.label("reading", n=1 + words // 200)))
    if context.site.number % 5 == 2:
        today = f"{context.label('updated')}: {date_text(language, context.moment)}"
        parts.append(markup.inline("<span>", today))
    title = theme.box("title", markup.text(one.title))
    return theme.box(
        "heading", title, theme.box("byline", join(parts, " ")), section_type=SectionType.NEUTRAL
    )


def _tags(context: PageContext, one: ArchiveEntry) -> Fragment:
    markup = context.design.markup
    links = [markup.link(f"/tag/{word}", word) for word in one.tags]
    return context.design.theme.box("tags", join(links, ", "), section_type=SectionType.NEUTRAL)


def thread(context: PageContext, number: int) -> PageBody:
    """Return the body of a thread: its posts are content, and the names of posters are neutral."""
    one = archive_entry(context.site, number)
    theme, markup = context.design.theme, context.design.markup
    rng = Random(f"{one.seed}/posts")
    writer = BodyWriter(context.site, one, markup)
    blocks = writer.paragraphs(writer.words())
    posts = []
    while blocks:
        size = rng.randint(1, 3)
        posts.append(_post(context, rng, blocks[:size]))
        blocks = blocks[size:]
    title = theme.box("title", markup.text(one.title), section_type=SectionType.NEUTRAL)
    return PageBody(
        fragment=join([title, *posts, after_thread(context, one)]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("title", "poster"),
    )


def _post(context: PageContext, rng: Random, blocks: list[Fragment]) -> Fragment:
    theme, markup = context.design.theme, context.design.markup
    parts = [
        markup.inline("<b>", invent_name(context.site.language, rng)),
        markup.inline("<small>", context.label("posts", n=rng.randint(1, 4000))),
        markup.inline("<small>", f"{context.label('joined')} {rng.randint(2003, 2025)}"),
    ]
    poster = theme.box("poster", join(parts, " "), section_type=SectionType.NEUTRAL)
    body = theme.box("body", *blocks, section_type=SectionType.CONTENT)
    quote = markup.link("#quote", context.label("quote"))
    return theme.box("article", poster, body, label(SectionType.WIDGET, quote))


_PAGES_APART = 4
"""Number of pages between the listings of two categories, so that their entries differ."""


def listing(context: PageContext, category: int, page: int) -> PageBody:
    """Return the body of a page of a category; its teasers are the content."""
    theme, markup = context.design.theme, context.design.markup
    name = context.site.categories[category]
    newest = context.site.newest(context.moment)
    size = 5 + context.site.number % 11
    first = newest - size * (category * _PAGES_APART + page - 1)
    entries = [archive_entry(context.site, (first - place) % (newest + 1)) for place in range(size)]
    teasers = [_teaser(context, one, SectionType.CONTENT) for one in entries]
    title = theme.box("title", markup.text(name), section_type=SectionType.NEUTRAL)
    pages = max(page, newest // size)
    turn = markup.text(context.label("page", n=page, m=pages))
    links = [markup.link(f"?page={number}", str(number)) for number in range(1, min(pages, 6) + 1)]
    return PageBody(
        fragment=join(
            [
                title,
                theme.box("listing", *teasers),
                theme.box(
                    "pager", turn, SPACE, join(links, " "), section_type=SectionType.NAVIGATION
                ),
            ]
        ),
        title=name,
        content=("teaser_title", "teaser_text"),
        neutral=("title", "teaser_meta"),
    )


def home(context: PageContext) -> PageBody:
    """Return the body of the home page, which has no gold: its teasers are neutral."""
    theme = context.design.theme
    newest = context.site.newest(context.moment)
    first = [archive_entry(context.site, number) for number in range(newest, newest - 8, -1)]
    further = random_entries(context.site, context.moment, 8, context.rng)
    teasers = [_teaser(context, one, SectionType.NEUTRAL) for one in (*first, *further)]
    return PageBody(
        fragment=theme.box("listing", *teasers),
        title=context.site.tagline,
        neutral=("listing",),
    )


def missing(context: PageContext) -> PageBody:
    """Return the body of the error page for an address where nothing is."""
    theme, markup = context.design.theme, context.design.markup
    title = theme.box("title", markup.text(context.label("missing")))
    words = markup.block("<p>", markup.text(context.label("missing_text")))
    return PageBody(
        fragment=theme.box("article", title, words, section_type=SectionType.NAVIGATION),
        title=context.label("missing"),
    )


def _teaser(context: PageContext, one: ArchiveEntry, section_type: SectionType) -> Fragment:
    theme, markup = context.design.theme, context.design.markup
    picture = raw(markup.tag(f'<img src="/media/t{one.number}.jpg" alt="">') + "\n")
    title = theme.box("teaser_title", markup.link(one.path, one.title), section_type=section_type)
    text = theme.box("teaser_text", markup.text(one.lead), section_type=section_type)
    meta = theme.box(
        "teaser_meta", markup.text(context.when(one)), section_type=SectionType.NEUTRAL
    )
    more = markup.link(one.path, context.label("more"))
    return theme.box("teaser", picture, title, meta, text, label(SectionType.NAVIGATION, more))


def product(context: PageContext, chrome: Chrome, number: int) -> PageBody:
    """Return the body of a product page: title, price, description and attributes are content."""
    one = archive_entry(context.site, number)
    theme, markup = context.design.theme, context.design.markup
    rng = Random(f"{one.seed}/product")
    writer = BodyWriter(context.site, one, markup)
    price = f"{context.label('price')}: {rng.randint(3, 900)}.{rng.randrange(100):02d} €"
    body = theme.box(
        "body",
        markup.block("<h1>", markup.text(one.title)),
        markup.block("<p>", markup.inline("<strong>", price)),
        *writer.paragraphs(writer.words()),
        _attributes(context, one, rng),
        section_type=SectionType.CONTENT,
    )
    stock = markup.block("<p>", markup.text(context.label("stock", n=context.rng.randint(1, 9))))
    button = markup.inline("<button>", context.label("add_to_cart"))
    fragment = theme.box("article", body, label(SectionType.WIDGET, join([stock, button])))
    return PageBody(
        fragment=join([fragment, after_content(context, chrome, one, "reviews")]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("comments",),
    )


def _attributes(context: PageContext, one: ArchiveEntry, rng: Random) -> Fragment:
    markup = context.design.markup
    rows = [
        [markup.text(name), markup.text(rng.choice((*one.topic.nouns, *one.topic.places)))]
        for name in context.site.language.attributes[: rng.randint(3, 8)]
    ]
    heading = markup.block("<h2>", markup.text(context.label("details")))
    return join([heading, markup.table("<table>", rows)])


def after_content(
    context: PageContext, chrome: Chrome, one: ArchiveEntry, comments_label: str
) -> Fragment:
    """Return related entries, a pager, the newsletter form and the comments."""
    place = context.design.place
    return join(
        [
            after_thread(context, one),
            chrome.newsletter if place.newsletter == "after" else EMPTY,
            comments(context, one, comments_label) if place.comments else EMPTY,
        ]
    )


def after_thread(context: PageContext, one: ArchiveEntry) -> Fragment:
    """Return related entries and a pager."""
    place = context.design.place
    return join(
        [
            related(context) if place.related == "after" else EMPTY,
            pager(context, one) if place.pager else EMPTY,
        ]
    )


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
