"""Parts that differ between two requests: lists of other entries, adverts, counters."""

from workers.lab.simulate.archive import (
    ArchiveEntry,
    popular_entries,
    random_entries,
    recent_entries,
)
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.fragment import EMPTY, SPACE, Fragment, SectionType, join, raw
from workers.lab.simulate.text.prose import date_text

_SHARE_SERVICES = ("Chirper", "Facelook", "Mailo", "Pinboardy", "Telepost")


def sidebar(context: PageContext) -> Fragment:
    """Return the sidebar, with as many widgets as the design has room for."""
    makers = (_recent_widget, _popular_widget, _promo_widget, _tags_widget, _archive_widget)
    shift = context.design.number + context.site.number
    widgets = [
        makers[(shift + number) % len(makers)](context)
        for number in range(context.design.furniture.widgets)
    ]
    return context.design.theme.box("sidebar", *widgets, section_type=SectionType.WIDGET)


def related(context: PageContext) -> Fragment:
    """Return links to other entries, drawn anew for every request."""
    entries = random_entries(
        context.site, context.moment, context.design.furniture.related, context.rng
    )
    cards = [_card(context, one) for one in entries]
    heading = _heading(context, context.label("related"))
    return context.design.theme.box("related", heading, *cards, section_type=SectionType.RELATED)


def advert(context: PageContext) -> Fragment:
    """Return an advert; half of the adverts have text, the others only a script."""
    markup = context.design.markup
    slot = context.rng.randrange(10**6)
    script = raw(f'<ins data-slot="{slot}"></ins><script>ads.push({{slot:{slot}}});</script>\n')
    if context.rng.random() < 0.5:
        return context.design.theme.box("advert", script, section_type=SectionType.ADVERT)
    notice = markup.block("<div>", markup.text(context.label("advert")))
    offer = context.rng.choice(context.site.language.promos).format(n=context.rng.randint(2, 90))
    target = markup.link(f"https://ads.example/{slot}", offer, ' rel="sponsored"')
    return context.design.theme.box("advert", notice, target, section_type=SectionType.ADVERT)


def share_bar(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return the buttons for sharing an entry, and how often it was shared."""
    markup = context.design.markup
    links = [
        markup.link(f"https://{name.lower()}.example/?u={entry.number}", name)
        for name in _SHARE_SERVICES[: 2 + context.site.number % 4]
    ]
    count = markup.inline("<span>", str(entry.views(context.moment) // 7))
    return context.design.theme.box(
        "share",
        markup.inline("<span>", context.label("share")),
        SPACE,
        join([*links, count], " "),
        section_type=SectionType.SHARE,
    )


def author_box(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return a note on the author, which is equal on all pages of that author."""
    markup = context.design.markup
    pieces = [
        _heading(context, context.label("author")),
        markup.block("<div>", markup.text(f"{entry.author}: {context.site.tagline}.")),
    ]
    return context.design.theme.box("author", *pieces, section_type=SectionType.AUTHOR)


def crumbs(context: PageContext, category: int) -> Fragment:
    """Return the breadcrumb trail from the home page to a category."""
    markup = context.design.markup
    links = [
        markup.link("/", context.label("home")),
        markup.link(f"/s{category}/", context.site.categories[category]),
    ]
    return context.design.theme.box(
        "crumbs", join(links, " / "), section_type=SectionType.NAVIGATION
    )


def pager(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return links to the previous and the next entry."""
    near = random_entries(context.site, context.moment, 2, context.rng)
    words = (context.label("previous"), context.label("next"))
    links = [
        context.design.markup.link(one.path, f"{word}: {one.title}")
        for word, one in zip(words, near, strict=False)
        if one.number != entry.number
    ]
    return context.design.theme.box("pager", join(links, " "), section_type=SectionType.NAVIGATION)


def ticker(context: PageContext) -> Fragment:
    """Return a line of changing numbers: the weather, visitors online, or the cart."""
    markup = context.design.markup
    if context.site.genre == "shop":
        words = context.label("cart", n=context.rng.randrange(0, 4))
    elif context.site.genre == "forum":
        words = context.label("online", n=context.rng.randint(3, 900))
    else:
        today = date_text(context.site.language, context.moment)
        words = f"{today} · {context.rng.randint(-9, 33)} °C"
    return markup.block("<div>", markup.text(words))


def _recent_widget(context: PageContext) -> Fragment:
    count = context.design.furniture.widget_entries
    return _entries(
        context, context.label("recent"), recent_entries(context.site, context.moment, count)
    )


def _popular_widget(context: PageContext) -> Fragment:
    count = context.design.furniture.widget_entries
    entries = popular_entries(context.site, context.moment, count)
    return _entries(context, context.label("popular"), entries, counters=True)


def _promo_widget(context: PageContext) -> Fragment:
    return context.design.theme.box("widget", advert(context), _promo_line(context))


def _tags_widget(context: PageContext) -> Fragment:
    markup = context.design.markup
    words = context.site.topic.nouns + context.site.language.slots["N"]
    count = context.design.furniture.widget_entries * 2
    links = [markup.link(f"/tag/{number}", word) for number, word in enumerate(words[:count])]
    return context.design.theme.box(
        "widget", _heading(context, context.label("tags")), join(links, "\n")
    )


def _archive_widget(context: PageContext) -> Fragment:
    markup = context.design.markup
    months = context.site.language.months[: context.design.furniture.widget_entries + 2]
    links = [
        markup.link(f"/archive/{number}", f"{month} {context.site.oldest.year}")
        for number, month in enumerate(months)
    ]
    heading = _heading(context, context.label("archives"))
    theme = context.design.theme
    rows = markup.items(theme.opening("ul", "widget"), links, theme.opening("li", "widget"))
    return theme.box("widget", heading, rows)


def _promo_line(context: PageContext) -> Fragment:
    markup = context.design.markup
    return markup.block("<p>", markup.text(context.prose.sentence()))


def _entries(
    context: PageContext, name: str, entries: list[ArchiveEntry], *, counters: bool = False
) -> Fragment:
    markup, theme = context.design.markup, context.design.theme
    items = []
    for one in entries:
        link = markup.link(one.path, one.title)
        note = (
            context.label("views", n=one.views(context.moment)) if counters else context.when(one)
        )
        picture = raw(markup.tag(f'<img src="/media/s{one.number}.jpg" alt="" width="60">'))
        small = markup.inline("<small>", note)
        items.append(join([picture, theme.box("entry", link), small], " "))
    rows = markup.items(theme.opening("ul", "widget"), items, theme.opening("li", "widget"))
    return theme.box("widget", _heading(context, name), rows)


def _card(context: PageContext, entry: ArchiveEntry) -> Fragment:
    markup = context.design.markup
    picture = raw(markup.tag(f'<img src="/media/t{entry.number}.jpg" alt="" loading="lazy">'))
    link = markup.link(entry.path, entry.title)
    when = markup.inline("<small>", context.when(entry)) if context.site.number % 2 else EMPTY
    card = context.design.theme.opening("div", "related")
    return markup.block(card, join([picture, link, when], " "))


def _heading(context: PageContext, words: str) -> Fragment:
    markup = context.design.markup
    return markup.block("<h3>", markup.text(words))
