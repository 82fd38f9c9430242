"""Parts that change from visit to visit: lists of other entries, adverts, counters."""

from workers.lab.simulate.archive import Entry, pick, popular, recent
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.fragment import EMPTY, SPACE, Fragment, Kind, join, raw
from workers.lab.simulate.text.prose import date_text

_SHARE_SERVICES = ("Chirper", "Facelook", "Mailo", "Pinboardy", "Telepost")


def sidebar(visit: Visit) -> Fragment:
    """The side column: as many widgets as the design has room for."""
    makers = (_recent_widget, _popular_widget, _promo_widget, _tags_widget, _archive_widget)
    shift = visit.design.number + visit.site.number
    widgets = [
        makers[(shift + number) % len(makers)](visit)
        for number in range(visit.design.furniture.widgets)
    ]
    return visit.design.theme.box("sidebar", *widgets, kind=Kind.WIDGET)


def related(visit: Visit) -> Fragment:
    """Links to other entries, drawn anew on every visit."""
    entries = pick(visit.site, visit.moment, visit.design.furniture.related, visit.rng)
    cards = [_card(visit, one) for one in entries]
    heading = _heading(visit, visit.label("related"))
    return visit.design.theme.box("related", heading, *cards, kind=Kind.RELATED)


def advert(visit: Visit) -> Fragment:
    """An advert: half of them have text of their own, the others only a script."""
    markup = visit.design.markup
    slot = visit.rng.randrange(10**6)
    script = raw(f'<ins data-slot="{slot}"></ins><script>ads.push({{slot:{slot}}});</script>\n')
    if visit.rng.random() < 0.5:
        return visit.design.theme.box("advert", script, kind=Kind.ADVERT)
    notice = markup.block("<div>", markup.text(visit.label("advert")))
    offer = visit.rng.choice(visit.site.language.promos).format(n=visit.rng.randint(2, 90))
    target = markup.link(f"https://ads.example/{slot}", offer, ' rel="sponsored"')
    return visit.design.theme.box("advert", notice, target, kind=Kind.ADVERT)


def share_bar(visit: Visit, entry: Entry) -> Fragment:
    """Buttons to pass an entry on, with how often that was done."""
    markup = visit.design.markup
    links = [
        markup.link(f"https://{name.lower()}.example/?u={entry.number}", name)
        for name in _SHARE_SERVICES[: 2 + visit.site.number % 4]
    ]
    count = markup.inline("<span>", str(entry.views(visit.moment) // 7))
    return visit.design.theme.box(
        "share",
        markup.inline("<span>", visit.label("share")),
        SPACE,
        join([*links, count], " "),
        kind=Kind.SHARE,
    )


def author_box(visit: Visit, entry: Entry) -> Fragment:
    """Who wrote an entry; the same words on all pages of that author."""
    markup = visit.design.markup
    pieces = [
        _heading(visit, visit.label("author")),
        markup.block("<div>", markup.text(f"{entry.author}: {visit.site.tagline}.")),
    ]
    return visit.design.theme.box("author", *pieces, kind=Kind.AUTHOR)


def crumbs(visit: Visit, category: int) -> Fragment:
    """The way to a page from the home page."""
    markup = visit.design.markup
    links = [
        markup.link("/", visit.label("home")),
        markup.link(f"/s{category}/", visit.site.categories[category]),
    ]
    return visit.design.theme.box("crumbs", join(links, " / "), kind=Kind.NAVIGATION)


def pager(visit: Visit, entry: Entry) -> Fragment:
    """Links to the entries before and after one."""
    near = pick(visit.site, visit.moment, 2, visit.rng)
    words = (visit.label("previous"), visit.label("next"))
    links = [
        visit.design.markup.link(one.path, f"{word}: {one.title}")
        for word, one in zip(words, near, strict=False)
        if one.number != entry.number
    ]
    return visit.design.theme.box("pager", join(links, " "), kind=Kind.NAVIGATION)


def ticker(visit: Visit) -> Fragment:
    """A line of changing numbers: who is there and what lies in the cart."""
    markup = visit.design.markup
    if visit.site.kind == "shop":
        words = visit.label("cart", n=visit.rng.randrange(0, 4))
    elif visit.site.kind == "forum":
        words = visit.label("online", n=visit.rng.randint(3, 900))
    else:
        today = date_text(visit.site.language, visit.moment)
        words = f"{today} · {visit.rng.randint(-9, 33)} °C"
    return markup.block("<div>", markup.text(words))


def _recent_widget(visit: Visit) -> Fragment:
    count = visit.design.furniture.widget_entries
    return _entries(visit, visit.label("recent"), recent(visit.site, visit.moment, count))


def _popular_widget(visit: Visit) -> Fragment:
    count = visit.design.furniture.widget_entries
    entries = popular(visit.site, visit.moment, count)
    return _entries(visit, visit.label("popular"), entries, counters=True)


def _promo_widget(visit: Visit) -> Fragment:
    return visit.design.theme.box("widget", advert(visit), _promo_line(visit))


def _tags_widget(visit: Visit) -> Fragment:
    markup = visit.design.markup
    words = visit.site.topic.nouns + visit.site.language.slots["N"]
    count = visit.design.furniture.widget_entries * 2
    links = [markup.link(f"/tag/{number}", word) for number, word in enumerate(words[:count])]
    return visit.design.theme.box("widget", _heading(visit, visit.label("tags")), join(links, "\n"))


def _archive_widget(visit: Visit) -> Fragment:
    markup = visit.design.markup
    months = visit.site.language.months[: visit.design.furniture.widget_entries + 2]
    links = [
        markup.link(f"/archive/{number}", f"{month} {visit.site.oldest.year}")
        for number, month in enumerate(months)
    ]
    heading = _heading(visit, visit.label("archives"))
    theme = visit.design.theme
    rows = markup.items(theme.opening("ul", "widget"), links, theme.opening("li", "widget"))
    return theme.box("widget", heading, rows)


def _promo_line(visit: Visit) -> Fragment:
    markup = visit.design.markup
    return markup.block("<p>", markup.text(visit.prose.sentence()))


def _entries(visit: Visit, name: str, entries: list[Entry], *, counters: bool = False) -> Fragment:
    markup, theme = visit.design.markup, visit.design.theme
    items = []
    for one in entries:
        link = markup.link(one.path, one.title)
        note = visit.label("views", n=one.views(visit.moment)) if counters else visit.when(one)
        picture = raw(markup.tag(f'<img src="/media/s{one.number}.jpg" alt="" width="60">'))
        small = markup.inline("<small>", note)
        items.append(join([picture, theme.box("entry", link), small], " "))
    rows = markup.items(theme.opening("ul", "widget"), items, theme.opening("li", "widget"))
    return theme.box("widget", _heading(visit, name), rows)


def _card(visit: Visit, entry: Entry) -> Fragment:
    markup = visit.design.markup
    picture = raw(markup.tag(f'<img src="/media/t{entry.number}.jpg" alt="" loading="lazy">'))
    link = markup.link(entry.path, entry.title)
    when = markup.inline("<small>", visit.when(entry)) if visit.site.number % 2 else EMPTY
    card = visit.design.theme.opening("div", "related")
    return markup.block(card, join([picture, link, when], " "))


def _heading(visit: Visit, words: str) -> Fragment:
    markup = visit.design.markup
    return markup.block("<h3>", markup.text(words))
