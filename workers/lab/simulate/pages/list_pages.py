"""Pages that lead to others: lists of a category, home pages, and what is not there."""

from workers.lab.simulate.archive import Entry, entry, pick
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.fragment import SPACE, Fragment, Kind, join, label, raw
from workers.lab.simulate.parts.page_body import Middle

_PAGES_APART = 4
"""Pages between the lists of two categories, so that they show different entries."""


def listing(visit: Visit, category: int, page: int) -> Middle:
    """A page of a category: its teasers are its content."""
    theme, markup = visit.design.theme, visit.design.markup
    name = visit.site.categories[category]
    newest = visit.site.newest(visit.moment)
    size = 5 + visit.site.number % 11
    first = newest - size * (category * _PAGES_APART + page - 1)
    entries = [entry(visit.site, (first - place) % (newest + 1)) for place in range(size)]
    teasers = [_teaser(visit, one, Kind.CONTENT) for one in entries]
    title = theme.box("title", markup.text(name), kind=Kind.NEUTRAL)
    pages = max(page, newest // size)
    turn = markup.text(visit.label("page", n=page, m=pages))
    links = [markup.link(f"?page={number}", str(number)) for number in range(1, min(pages, 6) + 1)]
    return Middle(
        fragment=join(
            [
                title,
                theme.box("listing", *teasers),
                theme.box("pager", turn, SPACE, join(links, " "), kind=Kind.NAVIGATION),
            ]
        ),
        title=name,
        content=("teaser_title", "teaser_text"),
        neutral=("title", "teaser_meta"),
    )


def home(visit: Visit) -> Middle:
    """The home page: teasers that nobody came for in particular, so without gold."""
    theme = visit.design.theme
    newest = visit.site.newest(visit.moment)
    first = [entry(visit.site, number) for number in range(newest, newest - 8, -1)]
    further = pick(visit.site, visit.moment, 8, visit.rng)
    teasers = [_teaser(visit, one, Kind.NEUTRAL) for one in (*first, *further)]
    return Middle(
        fragment=theme.box("listing", *teasers),
        title=visit.site.tagline,
        neutral=("listing",),
    )


def missing(visit: Visit) -> Middle:
    """What the site answers where there is nothing."""
    theme, markup = visit.design.theme, visit.design.markup
    title = theme.box("title", markup.text(visit.label("missing")))
    words = markup.block("<p>", markup.text(visit.label("missing_text")))
    return Middle(
        fragment=theme.box("article", title, words, kind=Kind.NAVIGATION),
        title=visit.label("missing"),
    )


def _teaser(visit: Visit, one: Entry, kind: Kind) -> Fragment:
    theme, markup = visit.design.theme, visit.design.markup
    picture = raw(markup.tag(f'<img src="/media/t{one.number}.jpg" alt="">') + "\n")
    title = theme.box("teaser_title", markup.link(one.path, one.title), kind=kind)
    text = theme.box("teaser_text", markup.text(one.lead), kind=kind)
    meta = theme.box("teaser_meta", markup.text(visit.when(one)), kind=Kind.NEUTRAL)
    more = markup.link(one.path, visit.label("more"))
    return theme.box("teaser", picture, title, meta, text, label(Kind.NAVIGATION, more))
