"""The bodies of pages, from what is below the header to what is above the footer, and their truth."""

from dataclasses import dataclass
from random import Random

from workers.lab.simulate.chrome import Chrome
from workers.lab.simulate.fragment import EMPTY, SPACE, Fragment, SectionType, join, label, raw
from workers.lab.simulate.parts import (
    BodyWriter,
    PageContext,
    advert,
    author_box,
    comments,
    pager,
    related,
    share_bar,
)
from workers.lab.simulate.prose import date_text, invent_name
from workers.lab.simulate.site import ArchiveEntry, archive_entry, random_entries


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
