"""Pages of running text: articles of news sites and blogs, and pages about the site itself."""

from workers.lab.simulate.archive import Entry, entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.after_content import below
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.fragment import EMPTY, Fragment, Kind, join
from workers.lab.simulate.parts.page_body import Middle
from workers.lab.simulate.parts.widgets import advert, author_box, related, share_bar
from workers.lab.simulate.text.prose import date_text


def article(visit: Visit, chrome: Chrome, number: int) -> Middle:
    """An article of a news site or a blog."""
    one = entry(visit.site, number)
    place, theme = visit.design.place, visit.design.theme
    writer = BodyWriter(visit.site, one, visit.design.markup)
    words = writer.words()
    blocks = _interleave(visit, chrome, writer.paragraphs(words))
    body = theme.box("body", *blocks, kind=Kind.CONTENT)
    share = share_bar(visit, one)
    fragment = theme.box(
        "article",
        _heading(visit, one, words),
        share if place.share == "top" else EMPTY,
        body,
        share if place.share == "end" else EMPTY,
        _tags(visit, one) if place.tags else EMPTY,
        author_box(visit, one) if place.author_box else EMPTY,
    )
    return Middle(
        fragment=join([fragment, below(visit, chrome, one, "comments")]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("heading", "title", "byline", "tags", "comments"),
    )


def about(visit: Visit, number: int) -> Middle:
    """A page about the site itself; there are a few of them, and they stay as they are."""
    one = entry(visit.site, -1 - number)
    theme, markup = visit.design.theme, visit.design.markup
    writer = BodyWriter(visit.site, one, markup)
    title = theme.box("title", markup.text(one.title))
    heading = theme.box("heading", title, kind=Kind.NEUTRAL)
    body = theme.box("body", *writer.paragraphs(writer.words() // 2), kind=Kind.CONTENT)
    return Middle(
        fragment=theme.box("article", heading, body),
        title=one.title,
        content=("body",),
        neutral=("heading", "title"),
    )


def _interleave(visit: Visit, chrome: Chrome, blocks: list[Fragment]) -> list[Fragment]:
    place = visit.design.place
    mixed: list[Fragment] = []
    for number, one in enumerate(blocks, start=1):
        mixed.append(one)
        if place.advert_every and number % place.advert_every == 0 and number < len(blocks):
            mixed.append(advert(visit))
    middle = (len(mixed) + 1) // 2
    if place.related == "inside":
        mixed.insert(middle, related(visit))
    if place.newsletter == "inside":
        mixed.insert(middle, chrome.newsletter)
    if place.related == "end":
        mixed.append(related(visit))
    return mixed


def _heading(visit: Visit, one: Entry, words: int) -> Fragment:
    theme, markup = visit.design.theme, visit.design.markup
    language = visit.site.language
    parts = [
        markup.inline("<span>", visit.label("by", name=one.author)),
        markup.inline("<span>", date_text(language, one.published)),
    ]
    if visit.site.number % 3 == 0:
        parts.append(markup.inline("<span>", visit.label("views", n=one.views(visit.moment))))
    if visit.site.number % 4 == 1:
        parts.append(markup.inline("<span>", visit.label("reading", n=1 + words // 200)))
    if visit.site.number % 5 == 2:
        today = f"{visit.label('updated')}: {date_text(language, visit.moment)}"
        parts.append(markup.inline("<span>", today))
    title = theme.box("title", markup.text(one.title))
    return theme.box("heading", title, theme.box("byline", join(parts, " ")), kind=Kind.NEUTRAL)


def _tags(visit: Visit, one: Entry) -> Fragment:
    markup = visit.design.markup
    links = [markup.link(f"/tag/{word}", word) for word in one.tags]
    return visit.design.theme.box("tags", join(links, ", "), kind=Kind.NEUTRAL)
