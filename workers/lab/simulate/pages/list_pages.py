"""Pages that lead to other pages: category listings, home pages, and error pages."""

from workers.lab.simulate.archive import ArchiveEntry, archive_entry, random_entries
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.fragment import SPACE, Fragment, SectionType, join, label, raw
from workers.lab.simulate.parts.page_body import PageBody

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
