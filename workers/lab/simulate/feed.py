"""A feed of synthetic pages in order of arrival, with the sites interleaved; each page has its truth."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Literal, NamedTuple
from zlib import crc32

from workers.lab.simulate import parts
from workers.lab.simulate.design import (
    EMPTY,
    SPACE,
    Design,
    Fragment,
    SectionType,
    join,
    label,
    make_design,
    sections,
)
from workers.lab.simulate.fields import field_page
from workers.lab.simulate.readable import READABLE_GENRES, ReadableSite, readable_page
from workers.lab.simulate.site import (
    FIELD_GENRES,
    ArchiveEntry,
    Encoding,
    SiteGenre,
    SyntheticSite,
    archive_entry,
    choose_encoding,
    date_text,
    invent_name,
    make_site,
    random_entries,
)
from workers.lab.simulate.synthetic_page import SyntheticPage


@dataclass(frozen=True, kw_only=True)
class PageBody:
    """The body of the page that answers a request, and where its truth stands."""

    path: str
    page_role: str = "article"
    status: int = 200
    category: int = 0
    fragment: Fragment
    title: str
    entry: ArchiveEntry | None = None
    content: tuple[str, ...] = ()
    """Roles of the boxes that hold the content."""
    neutral: tuple[str, ...] = ()
    """Roles of the boxes that hold neither content nor template."""


def _entry_body(
    entry: ArchiveEntry, fragment: Fragment, content: tuple[str, ...], neutral: tuple[str, ...]
) -> PageBody:
    return PageBody(
        path=entry.path,
        category=entry.category,
        fragment=fragment,
        title=entry.title,
        entry=entry,
        content=content,
        neutral=neutral,
    )


def _article(context: parts.PageContext, entry: ArchiveEntry) -> PageBody:
    place, theme = context.place, context.theme
    writer = parts.BodyWriter(context.site, entry, context.markup)
    words = writer.words()
    blocks = _interleave(context, writer.paragraphs(words))
    body = theme.box("body", *blocks, section_type=SectionType.CONTENT)
    share = parts.share_bar(context, entry)
    links = [context.markup.link(f"/tag/{word}", word) for word in entry.tags]
    tags = theme.box("tags", join(links, ", "), section_type=SectionType.NEUTRAL)
    fragment = theme.box(
        "article",
        _heading(context, entry, words),
        share if place.share == "top" else EMPTY,
        body,
        share if place.share == "end" else EMPTY,
        tags if place.tags else EMPTY,
        parts.author_box(context, entry) if place.author_box else EMPTY,
    )
    after = _after_content(context, entry, "comments")
    neutral = ("heading", "title", "byline", "tags", "comments")
    return _entry_body(entry, join([fragment, after]), ("body",), neutral)


def _about(context: parts.PageContext, number: int) -> PageBody:
    """Return one of the few pages about the site itself; they never change."""
    entry = archive_entry(context.site, -1 - number)
    theme, markup = context.theme, context.markup
    writer = parts.BodyWriter(context.site, entry, markup)
    title = theme.box("title", markup.text(entry.title))
    heading = theme.box("heading", title, section_type=SectionType.NEUTRAL)
    body = theme.box(
        "body", *writer.paragraphs(writer.words() // 2), section_type=SectionType.CONTENT
    )
    return PageBody(
        path=f"/about/{number}",
        page_role="about",
        fragment=theme.box("article", heading, body),
        title=entry.title,
        content=("body",),
        neutral=("heading", "title"),
    )


def _interleave(context: parts.PageContext, blocks: list[Fragment]) -> list[Fragment]:
    place = context.place
    mixed: list[Fragment] = []
    for number, block in enumerate(blocks, start=1):
        mixed.append(block)
        if place.advert_every and number % place.advert_every == 0 and number < len(blocks):
            mixed.append(parts.advert(context))
    middle = (len(mixed) + 1) // 2
    if place.related == "inside":
        mixed.insert(middle, parts.related(context))
    if place.newsletter == "inside":
        mixed.insert(middle, context.chrome.newsletter)
    if place.related == "end":
        mixed.append(parts.related(context))
    return mixed


def _heading(context: parts.PageContext, entry: ArchiveEntry, words: int) -> Fragment:
    theme, markup, number = context.theme, context.markup, context.site.number
    written = [
        context.label("by", name=entry.author),
        date_text(context.site.language, entry.published),
    ]
    if number % 3 == 0:
        written.append(context.label("views", n=entry.views(context.moment)))
    if number % 4 == 1:
        written.append(context.label("reading", n=1 + words // 200))
    if number % 5 == 2:
        today = date_text(context.site.language, context.moment)
        written.append(f"{context.label('updated')}: {today}")
    byline = join([markup.inline("<span>", text) for text in written], " ")
    title = theme.box("title", markup.text(entry.title))
    return theme.box(
        "heading", title, theme.box("byline", byline), section_type=SectionType.NEUTRAL
    )


def _thread(context: parts.PageContext, entry: ArchiveEntry) -> PageBody:
    """Return a thread: its posts are content, and the names of posters are neutral."""
    theme, markup = context.theme, context.markup
    rng = Random(f"{entry.seed}/posts")
    writer = parts.BodyWriter(context.site, entry, markup)
    blocks = writer.paragraphs(writer.words())
    posts = []
    while blocks:
        size = rng.randint(1, 3)
        posts.append(_post(context, rng, blocks[:size]))
        blocks = blocks[size:]
    title = theme.box("title", markup.text(entry.title), section_type=SectionType.NEUTRAL)
    fragment = join([title, *posts, _after_thread(context, entry)])
    return _entry_body(entry, fragment, ("body",), ("title", "poster"))


def _post(context: parts.PageContext, rng: Random, blocks: list[Fragment]) -> Fragment:
    theme, markup = context.theme, context.markup
    about = [
        markup.inline("<b>", invent_name(context.site.language, rng)),
        markup.inline("<small>", context.label("posts", n=rng.randint(1, 4000))),
        markup.inline("<small>", f"{context.label('joined')} {rng.randint(2003, 2025)}"),
    ]
    poster = theme.box("poster", join(about, " "), section_type=SectionType.NEUTRAL)
    body = theme.box("body", *blocks, section_type=SectionType.CONTENT)
    quote = markup.link("#quote", context.label("quote"))
    return theme.box("article", poster, body, label(SectionType.WIDGET, quote))


_PAGES_APART = 4
"""Number of pages between the listings of two categories, so that their entries differ."""


def _listing(context: parts.PageContext, category: int, page: int) -> PageBody:
    """Return a page of a category; its teasers are the content."""
    theme, markup = context.theme, context.markup
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
    pages_box = theme.box(
        "pager", turn, SPACE, join(links, " "), section_type=SectionType.NAVIGATION
    )
    return PageBody(
        path=f"/s{category}/?page={page}",
        page_role="listing",
        category=category,
        fragment=join([title, theme.box("listing", *teasers), pages_box]),
        title=name,
        content=("teaser_title", "teaser_text"),
        neutral=("title", "teaser_meta"),
    )


def _home(context: parts.PageContext) -> PageBody:
    """Return the home page, which has no gold: its teasers are neutral."""
    newest = context.site.newest(context.moment)
    first = [archive_entry(context.site, number) for number in range(newest, newest - 8, -1)]
    further = random_entries(context.site, context.moment, 8, context.rng)
    teasers = [_teaser(context, one, SectionType.NEUTRAL) for one in (*first, *further)]
    return PageBody(
        path="/",
        page_role="home",
        fragment=context.theme.box("listing", *teasers),
        title=context.site.tagline,
        neutral=("listing",),
    )


def _missing(context: parts.PageContext) -> PageBody:
    """Return the error page for an address where nothing is."""
    theme, markup, rng = context.theme, context.markup, context.rng
    title = theme.box("title", markup.text(context.label("missing")))
    words = context.labelled("missing_text", "<p>")
    return PageBody(
        status=rng.choice((404, 404, 410, 500, 200)),
        path=f"/gone/{rng.randrange(10**6)}",
        page_role="missing",
        fragment=theme.box("article", title, words, section_type=SectionType.NAVIGATION),
        title=context.label("missing"),
    )


def _teaser(context: parts.PageContext, entry: ArchiveEntry, section_type: SectionType) -> Fragment:
    theme, markup = context.theme, context.markup
    picture = Fragment(markup.tag(f'<img src="/media/t{entry.number}.jpg" alt="">') + "\n")
    title = theme.box(
        "teaser_title", markup.link(entry.path, entry.title), section_type=section_type
    )
    text = theme.box("teaser_text", markup.text(entry.lead), section_type=section_type)
    when = markup.text(context.when(entry))
    meta = theme.box("teaser_meta", when, section_type=SectionType.NEUTRAL)
    more = markup.link(entry.path, context.label("more"))
    return theme.box("teaser", picture, title, meta, text, label(SectionType.NAVIGATION, more))


def _product(context: parts.PageContext, entry: ArchiveEntry) -> PageBody:
    """Return the page of a product: title, price, description and attributes are content."""
    theme, markup = context.theme, context.markup
    rng = Random(f"{entry.seed}/product")
    writer = parts.BodyWriter(context.site, entry, markup)
    price = f"{context.label('price')}: {rng.randint(3, 900)}.{rng.randrange(100):02d} €"
    body = theme.box(
        "body",
        markup.block("<h1>", markup.text(entry.title)),
        markup.block("<p>", markup.inline("<strong>", price)),
        *writer.paragraphs(writer.words()),
        _attributes(context, entry, rng),
        section_type=SectionType.CONTENT,
    )
    stock = markup.block("<p>", markup.text(context.label("stock", n=context.rng.randint(1, 9))))
    button = markup.inline("<button>", context.label("add_to_cart"))
    fragment = theme.box("article", body, label(SectionType.WIDGET, join([stock, button])))
    after = _after_content(context, entry, "reviews")
    return _entry_body(entry, join([fragment, after]), ("body",), ("comments",))


def _field_page(context: parts.PageContext, entry: ArchiveEntry) -> PageBody:
    """Return a page whose content is fields and records."""
    blocks = field_page(context, entry)
    body = context.theme.box("body", *blocks, section_type=SectionType.CONTENT)
    fragment = join([context.theme.box("article", body), _after_thread(context, entry)])
    return _entry_body(entry, fragment, ("body",), ())


def _attributes(context: parts.PageContext, entry: ArchiveEntry, rng: Random) -> Fragment:
    markup = context.markup
    rows = [
        [markup.text(name), markup.text(rng.choice((*entry.topic.nouns, *entry.topic.places)))]
        for name in context.site.language.attributes[: rng.randint(3, 8)]
    ]
    return join([context.labelled("details", "<h2>"), markup.table("<table>", rows)])


def _after_content(
    context: parts.PageContext, entry: ArchiveEntry, comments_label: str
) -> Fragment:
    """Return related entries, a pager, the newsletter form and the comments."""
    place = context.place
    return join(
        [
            _after_thread(context, entry),
            context.chrome.newsletter if place.newsletter == "after" else EMPTY,
            parts.comments(context, entry, comments_label) if place.comments else EMPTY,
        ]
    )


def _after_thread(context: parts.PageContext, entry: ArchiveEntry) -> Fragment:
    return join(
        [
            parts.related(context) if context.place.related == "after" else EMPTY,
            parts.pager(context, entry) if context.place.pager else EMPTY,
        ]
    )


_NEVER_CONTENT = ("advert", "share", "related", "newsletter", "author")


def _finished(
    context: parts.PageContext, body: PageBody, encoding: Encoding | None
) -> SyntheticPage:
    theme, site = context.theme, context.site
    visible = _visible_part(context, body)
    charset: str | None = "utf-8"
    if encoding is not None:
        charset = encoding.name if encoding.in_page else None
    start = parts.document_start(context, body.title, charset, body.entry)
    return SyntheticPage(
        url=site.origin + body.path,
        site=site.key,
        fetched_at=context.moment,
        html=f"{start}{_body_tag(context, body)}\n{visible.html}{parts.document_end(context)}",
        encoding=encoding,
        status=body.status,
        genre=site.genre,
        page_role=body.page_role,
        language=site.language.code,
        design=context.design.number,
        sections=sections(visible),
        gold_selector=theme.selector(*body.content) if body.content else None,
        gold_exclude=theme.selector(*_NEVER_CONTENT) if body.content else None,
        gold_neutral=theme.selector(*body.neutral) if body.neutral else None,
    )


def _body_tag(context: parts.PageContext, body: PageBody) -> str:
    if context.theme.family in {"bare", "tables"}:
        return context.markup.tag("<body>")
    language = context.site.language.code
    names = f"{body.page_role} lang-{language} id-{crc32(body.path.encode())}"
    return context.markup.tag(f'<body class="{names}">')


def _visible_part(context: parts.PageContext, body: PageBody) -> Fragment:
    theme, place, chrome = context.theme, context.place, context.chrome
    has_crumbs = place.crumbs and body.page_role != "home"
    way = parts.crumbs(context, body.category) if has_crumbs else EMPTY
    columns = [theme.box("main", way, body.fragment, section_type=SectionType.NAVIGATION)]
    if place.sidebar != "none":
        columns.insert(place.sidebar == "right", parts.sidebar(context))
    return theme.box(
        "page",
        chrome.consent if place.consent == "top" else EMPTY,
        chrome.hidden_menu,
        label(SectionType.HEADER, parts.ticker(context)),
        chrome.header,
        theme.box("columns", join(columns, "\n")),
        Fragment("\n"),
        chrome.newsletter if place.newsletter == "footer" else EMPTY,
        chrome.footer,
        chrome.consent if place.consent == "bottom" else EMPTY,
    )


ARCHIVE = 400
"""Number of entries that a site has before the feed starts."""

_LISTING_SHARE = 0.13
_HOME_SHARE = 0.04
_ABOUT_SHARE = 0.02
_AGAIN_SHARE = 0.05
"""Share of the requests for entries that fetch an older entry once more."""
_LAG = 30
"""How many entries behind the newest one the crawl starts."""


def _response(context: parts.PageContext, visited: int, missing_share: float) -> PageBody:
    """Return the body of the page that answers the next request to a site."""
    site, rng = context.site, context.rng
    if rng.random() < missing_share:
        return _missing(context)
    draw = rng.random()
    if draw < _LISTING_SHARE:
        category = rng.randrange(len(site.categories))
        return _listing(context, category, rng.choice((1, 1, 1, 2, 3, 4)))
    if draw < _LISTING_SHARE + _HOME_SHARE:
        return _home(context)
    if draw < _LISTING_SHARE + _HOME_SHARE + _ABOUT_SHARE:
        return _about(context, rng.randrange(4))
    number = ARCHIVE - _LAG + visited
    if rng.random() < _AGAIN_SHARE:
        number -= rng.randint(1, _LAG)
    entry = archive_entry(site, min(number, site.newest(context.moment)))
    return _PAGES[site.genre](context, entry)


_PAGES: Mapping[SiteGenre, Callable[[parts.PageContext, ArchiveEntry], PageBody]] = {
    "news": _article,
    "blog": _article,
    "shop": _product,
    "forum": _thread,
    **dict.fromkeys(FIELD_GENRES, _field_page),
}

FeedGenre = Literal["mixed"] | SiteGenre

_MIXED_GENRES: tuple[SiteGenre, ...] = (
    "news", "blog", "news", "blog", "shop", "news", "blog", "forum", "news", "blog",
)  # fmt: skip
_LANGUAGE_MIX = (
    "en", "de", "en", "zh", "en", "fr", "ar", "en", "ru", "es", "en", "ja", "en",
)  # fmt: skip
_CACHED_SITES = 2048


@dataclass(frozen=True)
class FeedSettings:
    """What a feed consists of. Equal settings always give equal pages."""

    genre: FeedGenre = "mixed"
    sites: int = 40
    pages: int = 2000
    seed: int = 0
    start: datetime = datetime(2026, 1, 5, tzinfo=UTC)
    days: float = 28.0
    """Days between the first page and the last."""
    redesign_day: float | None = None
    """Days from the start until the sites are redesigned; None means that none is."""
    mixed_days: float = 0.0
    """Days after the redesign in which half of the pages still have the old design."""
    languages: tuple[str, ...] = _LANGUAGE_MIX
    """Languages of the sites, used in turn."""
    missing_share: float = 0.0
    """Share of error pages; their status is 404, 410, 500, or 200 although nothing is there."""
    readable: bool = False
    """Whether sites are newspapers, shops and manuals in English, in sentences that a person could have written."""


def simulate_feed(settings: FeedSettings) -> Iterator[SyntheticPage]:
    """Yield the pages one by one; memory grows with the number of sites, not of pages."""
    feed = _Feed(settings)
    previous = -1
    counts = [0] * settings.sites
    for number in range(settings.pages):
        rng = Random(f"{settings.seed}/page/{number}")
        site = feed.choose_site(rng, previous)
        yield feed.page(number, site, counts[site], rng)
        counts[site] += 1
        previous = site


class _DesignedSite(NamedTuple):
    design: Design
    chrome: parts.Chrome


class _Feed:
    def __init__(self, settings: FeedSettings) -> None:
        self._settings = settings
        shares = [1.0 / (1.0 + rank / settings.sites) for rank in range(settings.sites)]
        self._weights = list(accumulate(shares))
        self._site = lru_cache(_CACHED_SITES)(self._make_site)
        self._designed = lru_cache(2 * _CACHED_SITES)(self._make_designed)
        self._readable_site = lru_cache(_CACHED_SITES)(self._make_readable_site)

    def choose_site(self, rng: Random, previous: int) -> int:
        numbers = range(self._settings.sites)
        chosen = rng.choices(numbers, cum_weights=self._weights)[0]
        if chosen == previous:
            chosen = rng.choices(numbers, cum_weights=self._weights)[0]
        return chosen

    def page(self, number: int, site_number: int, visited: int, rng: Random) -> SyntheticPage:
        settings = self._settings
        share = (number + rng.random()) / max(1, settings.pages)
        moment = settings.start + timedelta(days=settings.days * share)
        design = self._design_number(moment, rng)
        if settings.readable:
            return readable_page(
                self._readable_site(site_number),
                visited,
                moment,
                rng,
                design=design,
                is_missing=rng.random() < settings.missing_share,
            )
        site, encoding = self._site(site_number)
        designed = self._designed(site_number, design)
        context = parts.PageContext(site, designed.design, moment, rng, designed.chrome)
        body = _response(context, visited, settings.missing_share)
        return _finished(context, body, encoding)

    def _make_readable_site(self, number: int) -> ReadableSite:
        settings = self._settings
        genres = [one for one in READABLE_GENRES if settings.genre in ("mixed", one)]
        genre = genres[number % len(genres)]
        return ReadableSite(number, settings.seed, genre, settings.start)

    def _make_site(self, number: int) -> tuple[SyntheticSite, Encoding | None]:
        settings = self._settings
        genre = settings.genre
        if genre == "mixed":
            genre = _MIXED_GENRES[number % len(_MIXED_GENRES)]
        code = settings.languages[number % len(settings.languages)]
        expected = 1.2 * settings.pages / settings.sites + 1
        gap = timedelta(days=max(settings.days, 0.01)) / expected
        oldest = settings.start - ARCHIVE * gap
        site = make_site(number, str(settings.seed), genre, code, oldest, gap)
        return site, choose_encoding(code, Random(f"{site.seed}/encoding"))

    def _make_designed(self, site_number: int, design_number: int) -> _DesignedSite:
        site, _ = self._site(site_number)
        design = make_design(site.seed, str(self._settings.seed), site_number, design_number)
        return _DesignedSite(design, parts.make_chrome(site, design))

    def _design_number(self, moment: datetime, rng: Random) -> int:
        settings = self._settings
        if settings.redesign_day is None:
            return 0
        day = (moment - settings.start) / timedelta(days=1) - settings.redesign_day
        if day < 0:
            return 0
        return int(day >= settings.mixed_days or rng.random() < 0.5)
