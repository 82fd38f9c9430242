"""Pages of running text: articles of news sites and blogs, and pages about the site itself."""

from workers.lab.simulate.archive import ArchiveEntry, archive_entry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.after_content import after_content
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.fragment import EMPTY, Fragment, SectionType, join
from workers.lab.simulate.parts.page_body import PageBody
from workers.lab.simulate.parts.widgets import advert, author_box, related, share_bar
from workers.lab.simulate.text.prose import date_text


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
