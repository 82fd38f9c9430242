"""The parts of a page: what all pages of a design share, running content, widgets that differ between requests.

Header, menus and footer are equal on every page of a design. The head of a page has meaningless scripts and styles.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from html import escape
from random import Random

from workers.lab.simulate.design import (
    EMPTY,
    LINE_BREAK,
    SPACE,
    Design,
    Fragment,
    Markup,
    Quantiles,
    SectionType,
    decorate,
    join,
)
from workers.lab.simulate.site import (
    ArchiveEntry,
    Prose,
    SyntheticSite,
    date_text,
    invent_name,
    popular_entries,
    random_entries,
    recent_entries,
)


@dataclass(frozen=True)
class Chrome:
    """The parts of a design that are equal on every page."""

    header: Fragment = EMPTY
    hidden_menu: Fragment = EMPTY
    footer: Fragment = EMPTY
    consent: Fragment = EMPTY
    newsletter: Fragment = EMPTY


class PageContext:
    """A site at the moment of a request; `rng` decides what differs between two requests."""

    def __init__(
        self,
        site: SyntheticSite,
        design: Design,
        moment: datetime,
        rng: Random,
        chrome: Chrome | None = None,
    ) -> None:
        self.site, self.design, self.moment, self.rng = site, design, moment, rng
        self.theme, self.markup, self.place = design.theme, design.markup, design.place
        self.furniture = design.furniture
        self.chrome = chrome or Chrome()
        self.prose = Prose(site.language, rng, site.topic)
        """Writer of short texts on the site's own topic."""

    def label(self, name: str, /, **fields: object) -> str:
        """Return a label of the user interface in the site's language."""
        return self.site.language.labels[name].format(**fields)

    def labelled(self, name: str, opening: str) -> Fragment:
        """Return a label in a block element, given by its opening tag."""
        return self.markup.block(opening, self.markup.text(self.label(name)))

    def when(self, entry: ArchiveEntry) -> str:
        """Return the age of an entry: in minutes for the first two hours, then as a date."""
        minutes = int((self.moment - entry.published).total_seconds() // 60)
        if 0 <= minutes < 120:
            return self.label("minutes_ago", n=minutes)
        return date_text(self.site.language, entry.published)

    def items(self, role: str, items: list[Fragment]) -> Fragment:
        """Return a list in the box of a role, given its items."""
        theme = self.theme
        return self.markup.items(theme.opening("ul", role), items, theme.opening("li", role))


_ICON = '<svg class="icon"><use href="#i{0}"></use></svg>'
_SERVICES = ("about", "contact", "privacy", "terms", "imprint", "login", "register")


def make_chrome(site: SyntheticSite, design: Design) -> Chrome:
    """Return the fixed parts of a site in a design."""
    context = PageContext(site, design, site.oldest, Random(f"{design.seed}/chrome"))
    return Chrome(
        header=_header(context),
        hidden_menu=_menu(context, "hidden") if design.place.hidden_menu else EMPTY,
        footer=_footer(context),
        consent=_consent(context) if design.place.consent != "none" else EMPTY,
        newsletter=context.theme.box(
            "newsletter",
            context.labelled("newsletter", "<h4>"),
            context.labelled("newsletter_text", "<div>"),
            Fragment(context.markup.tag('<input type="email" name="mail">') + "\n"),
            context.markup.inline("<button>", context.label("subscribe")),
            section_type=SectionType.NEWSLETTER,
        ),
    )


def _header(context: PageContext) -> Fragment:
    markup, site = context.markup, context.site
    logo = Fragment(markup.tag('<img src="/logo.png" alt="" width="180">') + "\n")
    field = Fragment(markup.tag('<input type="text" name="q">') + " ")
    button = markup.inline('<button type="submit">', context.label("search"))
    header = context.theme.box(
        "header",
        markup.block("<div>", markup.link("#main", context.label("skip"))),
        markup.block("<div>", join([logo, markup.link("/", site.name)])),
        markup.block("<div>", markup.text(site.tagline)),
        markup.block('<form action="/search">', join([field, button])),
        section_type=SectionType.HEADER,
    )
    return join([header, _menu(context, "navigation")])


def _menu(context: PageContext, role: str) -> Fragment:
    furniture, markup = context.furniture, context.markup
    names = [context.label("home"), *context.site.categories, context.label("about")]
    share = furniture.submenu_entries // max(1, furniture.menu_entries)

    def entry(number: int) -> Fragment:
        word = markup.inline('<span class="label">', context.prose.noun())
        return markup.around(f'<a href="/t/{number}">', word)

    items = []
    for number, name in enumerate(names[: furniture.menu_entries]):
        link = markup.link(f"/s{number}/", name)
        below = [entry(other) for other in range(share if number else 0)]
        items.append(join([link, context.items("navigation", below) if below else EMPTY], "\n"))
    return context.theme.box(role, context.items(role, items), section_type=SectionType.NAVIGATION)


def _footer(context: PageContext) -> Fragment:
    markup, site = context.markup, context.site
    links = [markup.link(f"/{name}", context.label(name)) for name in _SERVICES]
    count = context.furniture.footer_links
    while len(links) < count:
        links.append(markup.link(f"/t/{len(links)}", context.prose.noun()))
    icons = "".join(
        f'<a href="https://social.example/{n}">{_ICON.format(n)}</a>\n'
        for n in range(context.furniture.icons)
    )
    rights = f"© 2026 {site.name}. {context.label('rights')} {context.label('legal')}"
    return context.theme.box(
        "footer",
        context.items("footer", links[:count]),
        context.labelled("follow", "<h4>"),
        Fragment(markup.tag(icons)),
        markup.block("<p>", markup.text(rights)),
        section_type=SectionType.FOOTER,
    )


def _consent(context: PageContext) -> Fragment:
    buttons = [
        context.markup.inline('<button type="button">', context.label(name))
        for name in ("accept", "reject", "settings")
    ]
    text = context.labelled("consent", "<p>")
    return context.theme.box("consent", text, join(buttons, "\n"), section_type=SectionType.CONSENT)


_NAMES = (
    "init", "load", "push", "track", "config", "render", "state", "event", "target", "value",
    "node", "cache", "queue",
)  # fmt: skip
_RULES = (
    "margin", "padding", "color", "width", "height", "display", "float", "border", "background",
    "font-size",
)  # fmt: skip
_VALUES = (
    "0", "auto", "none", "block", "1px", "100%", "#222", "#f4f4f4", "inherit", "1.5em", "flex",
    "12px", "left",
)  # fmt: skip
_POOL_LINES = 2500


@cache
def _pool(name: str) -> str:
    """Return a pool of script lines or style rules; every page uses a stretch of it."""
    rng, line = Random(f"filler/{name}"), {"scripts": _statement, "styles": _rule}[name]
    return "\n".join(line(rng) for _ in range(_POOL_LINES))


def _stretch(pool: str, start: float, size: int) -> str:
    """Return whole lines of a pool, wrapping around at its end."""
    first = pool.index("\n", int(start * len(pool) / 2)) + 1
    lines = pool[first : first + size]
    lines = lines[: lines.rfind("\n") + 1]
    if first + size <= len(pool):
        return lines
    return lines + _stretch(pool, 0.0, size - len(lines))


def _statement(rng: Random) -> str:
    a, b, c = rng.sample(_NAMES, 3)
    number, letter = rng.randrange(10**6), rng.choice("abcdefgh")
    return rng.choice(
        (
            f"window.{a}_{letter}=window.{a}_{letter}||[];window.{a}_{letter}.push({{{b}:{number},{c}:'{letter}{number:x}'}});",
            f"function {a}{number}({letter}){{if(!{letter}.{b}){{return null}}var k={letter}.{c}({number});return k?k.{b}:{number % 97}}}",
            f"!function({letter},t){{var n=t.createElement('{b}');n.async=1;n.id='{c}-{number}';t.{a}.appendChild(n)}}(window,document);",
            f'var {a}_{number}={{"{b}":{{"{c}":[{number},{number % 89},{number % 7}],"id":"{number:x}{letter}"}},"on":true}};',
        )
    )


def _rule(rng: Random) -> str:
    name = f"{rng.choice(_NAMES)}-{rng.choice('abcdefgh')}{rng.randrange(100)}"
    body = ";".join(f"{rng.choice(_RULES)}:{rng.choice(_VALUES)}" for _ in range(rng.randint(2, 7)))
    return f".{name}{rng.choice(('', ':hover', ' a', '>li', '::after'))}{{{body}}}"


_DOCTYPES = {
    "tables": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    "bare": "<!DOCTYPE html>",
    "semantic": "<!doctype html>",
    "soup": '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
}
_CONDITIONAL = '<!--[if lt IE 9]><script src="/js/old.js"></script><![endif]-->\n'


def document_start(
    context: PageContext, title: str, charset: str | None, entry: ArchiveEntry | None
) -> str:
    """Return everything before the body; a charset of None is left undeclared."""
    site = context.site
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    lines = [
        _DOCTYPES[context.theme.family],
        f'\n<html lang="{site.language.code}" dir="{site.language.direction}">\n<head>\n',
        declared if charset else "",
        f"<title>{escape(title, quote=False)} | {escape(site.name, quote=False)}</title>\n",
        *_metas(context, title),
        _CONDITIONAL if site.number % 3 == 0 else "",
        _linked_data(entry, site.origin) if entry else "",
        _style(context),
        _script(context, 0.25),
        "</head>\n",
    ]
    return "".join(lines)


def document_end(context: PageContext) -> str:
    """Return everything after the visible part of the body."""
    body = _script(context, 0.5)
    pixel = f'<noscript><img src="https://count.example/{context.rng.randrange(10**9)}" alt="pixel"></noscript>\n'
    return f"{body}{pixel}</body>\n</html>\n"


def _metas(context: PageContext, title: str) -> list[str]:
    named = ("description", "keywords", "generator", "viewport", "robots", "theme-color")
    written = []
    for number in range(context.furniture.head_tags):
        if number < len(named):
            written.append(f'<meta name="{named[number]}" content="{escape(title)}">\n')
        elif number % 3:
            written.append(
                f'<link rel="stylesheet" href="/assets/style-{number}.css?v=4.{number}">\n'
            )
        else:
            written.append(f'<script src="/assets/module-{number}.min.js?v=4.{number}"></script>\n')
    return written


def _linked_data(entry: ArchiveEntry, origin: str) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": entry.title,
        "datePublished": entry.published.isoformat(),
        "author": {"@type": "Person", "name": entry.author},
        "url": origin + entry.path,
    }
    text = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>\n'


def _style(context: PageContext) -> str:
    size = int(context.furniture.filler_bytes * 0.25)
    rules = _stretch(_pool("styles"), context.design.filler_start, size)
    return f"<style>\n{rules}</style>\n" if rules else ""


def _script(context: PageContext, share: float) -> str:
    size = int(context.furniture.filler_bytes * share)
    lines = _stretch(_pool("scripts"), (context.design.filler_start + share) % 1.0, size)
    return f"<script>\n//<![CDATA[\n{lines}//]]>\n</script>\n" if lines else ""


CONTENT_WORDS = Quantiles(
    (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
    (25, 48, 78, 172, 309, 665, 985, 1230, 2600, 3300),
)

_UNSPACED_SHARE = 1.6
"""Factor on the word count for Chinese and Japanese, whose words are shorter."""

_CODE_NAMES = ("count", "total", "left", "right", "item", "node", "limit", "offset", "buffer")


class BodyWriter:
    """Writes the content of one entry. The words are the same in every design."""

    def __init__(self, site: SyntheticSite, entry: ArchiveEntry, markup: Markup) -> None:
        self._rng = Random(f"{entry.seed}/body")
        self._prose = Prose(site.language, self._rng, entry.topic)
        self._markup = markup
        self._site = site
        self._entry = entry
        often = [self._heading] * 3 + [self._list] * 2 + [self._quotation] * 2 + [self._figure] * 2
        self._extras = [*often, self._table, self._code, self._nested_list, self._empties]

    def words(self) -> int:
        """Return the length of the entry in words, without its lead."""
        share = 1.0 if self._site.language.space else _UNSPACED_SHARE
        return int(share * CONTENT_WORDS.value(self._rng.random()))

    def paragraphs(self, words: int) -> list[Fragment]:
        """Return blocks of content with about this many words; the first block is the lead."""
        blocks = [self._markup.paragraph(self._markup.text(self._entry.lead))]
        left = words - 16
        while left > 0:
            size = min(left, 18 + int(self._rng.random() * 70))
            blocks.append(self.paragraph(size))
            left -= size
            if left > 20 and self._rng.random() < 0.16:
                blocks.append(self._extras[int(self._rng.random() * len(self._extras))]())
                left -= 12
        return blocks

    def paragraph(self, words: int) -> Fragment:
        """Return one paragraph; a third of them have inline elements."""
        text = self._prose.paragraph(words)
        if self._rng.random() > 0.35:
            return self._markup.paragraph(self._markup.text(text))
        address = self._site.address("link", self._rng.randrange(900), 0)
        return self._markup.paragraph(decorate(self._markup, self._rng, text, address))

    def _heading(self) -> Fragment:
        return self._markup.block("<h2>", self._markup.text(self._prose.title()))

    def _list(self) -> Fragment:
        items = [self._sentence() for _ in range(self._rng.randint(2, 6))]
        return self._markup.items(self._rng.choice(("<ul>", "<ol>")), items)

    def _nested_list(self) -> Fragment:
        inner = self._markup.items("<ul>", [self._title() for _ in range(2)])
        items = [self._title(), join([self._title(), Fragment("\n"), inner]), self._title()]
        return self._markup.items("<ul>", items)

    def _quotation(self) -> Fragment:
        return self._markup.block(
            "<blockquote>", self._markup.block("<p>", self._markup.text(self._prose.paragraph(20)))
        )

    def _figure(self) -> Fragment:
        image = Fragment(
            self._markup.tag(f'<img src="/media/{self._rng.randrange(10**6)}.jpg" alt="">')
        )
        if self._rng.random() < 0.6:
            return self._markup.block("<div>", image)
        credit = self._site.language.labels["photo"].format(name=self._prose.name())
        words = f"{self._prose.sentence()} {credit}"
        caption = self._markup.block("<figcaption>", self._markup.text(words))
        return self._markup.block("<figure>", join([image, caption]))

    def _table(self) -> Fragment:
        rows = [
            [self._markup.text(self._prose.noun()) for _ in range(3)],
            *(
                [self._markup.text(self._prose.noun())]
                + [self._markup.text(str(self._rng.randrange(2, 5000))) for _ in range(2)]
                for _ in range(self._rng.randint(2, 6))
            ),
        ]
        return self._markup.table('<table border="1">', rows, head=True)

    def _code(self) -> Fragment:
        lines = []
        for _ in range(self._rng.randint(3, 9)):
            left, right = self._rng.choice(_CODE_NAMES), self._rng.choice(_CODE_NAMES)
            lines.append(f"if {left} < {self._rng.randrange(99)}: {right} = {left} & {right}")
        text = self._markup.text("\n".join(lines))
        return self._markup.block("<pre>", self._markup.around("<code>", text))

    def _empties(self) -> Fragment:
        html = self._markup.tag('<p>&nbsp;</p><div class="clear"></div><p></p>')
        number = self._rng.randrange(10**6)
        return Fragment(
            f'{html}<!-- block {number} --><iframe src="https://embed.example/{number}"></iframe>\n',
            (LINE_BREAK,),
        )

    def _sentence(self) -> Fragment:
        return self._markup.text(self._prose.sentence())

    def _title(self) -> Fragment:
        return self._markup.text(self._prose.title())


_SHARE_SERVICES = ("Chirper", "Facelook", "Mailo", "Pinboardy", "Telepost")


def sidebar(context: PageContext) -> Fragment:
    """Return the sidebar, with as many widgets as the design has room for."""
    recent, popular = partial(_entries, name="recent"), partial(_entries, name="popular")
    makers = (recent, popular, _promo_widget, _tags_widget, _archive_widget)
    shift = context.design.number + context.site.number
    widgets = [
        makers[(shift + number) % len(makers)](context)
        for number in range(context.furniture.widgets)
    ]
    return context.theme.box("sidebar", *widgets, section_type=SectionType.WIDGET)


def related(context: PageContext) -> Fragment:
    """Return links to other entries, drawn for every request."""
    entries = random_entries(context.site, context.moment, context.furniture.related, context.rng)
    cards = [_card(context, one) for one in entries]
    heading = context.labelled("related", "<h3>")
    return context.theme.box("related", heading, *cards, section_type=SectionType.RELATED)


def advert(context: PageContext) -> Fragment:
    """Return an advert; half of the adverts have text, the others only a script."""
    markup = context.markup
    slot = context.rng.randrange(10**6)
    script = Fragment(
        f'<ins data-slot="{slot}"></ins><script>ads.push({{slot:{slot}}});</script>\n'
    )
    if context.rng.random() < 0.5:
        return context.theme.box("advert", script, section_type=SectionType.ADVERT)
    notice = context.labelled("advert", "<div>")
    offer = context.rng.choice(context.site.language.promos).format(n=context.rng.randint(2, 90))
    target = markup.link(f"https://ads.example/{slot}", offer, ' rel="sponsored"')
    return context.theme.box("advert", notice, target, section_type=SectionType.ADVERT)


def share_bar(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return the buttons for sharing an entry, and how often it was shared."""
    markup = context.markup
    links = [
        markup.link(f"https://{name.lower()}.example/?u={entry.number}", name)
        for name in _SHARE_SERVICES[: 2 + context.site.number % 4]
    ]
    count = markup.inline("<span>", str(entry.views(context.moment) // 7))
    return context.theme.box(
        "share",
        markup.inline("<span>", context.label("share")),
        SPACE,
        join([*links, count], " "),
        section_type=SectionType.SHARE,
    )


def author_box(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return a note on the author, which is equal on all pages of that author."""
    markup = context.markup
    note = markup.block("<div>", markup.text(f"{entry.author}: {context.site.tagline}."))
    heading = context.labelled("author", "<h3>")
    return context.theme.box("author", heading, note, section_type=SectionType.AUTHOR)


def crumbs(context: PageContext, category: int) -> Fragment:
    """Return the breadcrumb trail from the home page to a category."""
    markup = context.markup
    links = [
        markup.link("/", context.label("home")),
        markup.link(f"/s{category}/", context.site.categories[category]),
    ]
    return context.theme.box("crumbs", join(links, " / "), section_type=SectionType.NAVIGATION)


def pager(context: PageContext, entry: ArchiveEntry) -> Fragment:
    """Return links to the previous and the next entry."""
    near = random_entries(context.site, context.moment, 2, context.rng)
    words = (context.label("previous"), context.label("next"))
    links = [
        context.markup.link(one.path, f"{word}: {one.title}")
        for word, one in zip(words, near, strict=False)
        if one.number != entry.number
    ]
    return context.theme.box("pager", join(links, " "), section_type=SectionType.NAVIGATION)


def ticker(context: PageContext) -> Fragment:
    """Return a line of changing numbers: the weather, visitors online, or the cart."""
    markup = context.markup
    if context.site.genre == "shop":
        words = context.label("cart", n=context.rng.randrange(0, 4))
    elif context.site.genre == "forum":
        words = context.label("online", n=context.rng.randint(3, 900))
    else:
        today = date_text(context.site.language, context.moment)
        words = f"{today} · {context.rng.randint(-9, 33)} °C"
    return markup.block("<div>", markup.text(words))


def _promo_widget(context: PageContext) -> Fragment:
    markup = context.markup
    advertised, line = advert(context), markup.text(context.prose.sentence())
    return context.theme.box("widget", advertised, markup.block("<p>", line))


def _tags_widget(context: PageContext) -> Fragment:
    markup = context.markup
    words = context.site.topic.nouns + context.site.language.slots["N"]
    count = context.furniture.widget_entries * 2
    links = [markup.link(f"/tag/{number}", word) for number, word in enumerate(words[:count])]
    return context.theme.box("widget", context.labelled("tags", "<h3>"), join(links, "\n"))


def _archive_widget(context: PageContext) -> Fragment:
    markup = context.markup
    months = context.site.language.months[: context.furniture.widget_entries + 2]
    links = [
        markup.link(f"/archive/{number}", f"{month} {context.site.oldest.year}")
        for number, month in enumerate(months)
    ]
    heading = context.labelled("archives", "<h3>")
    return context.theme.box("widget", heading, context.items("widget", links))


def _entries(context: PageContext, name: str) -> Fragment:
    """Return a widget of the recent entries, or of the popular ones with their views."""
    markup, theme = context.markup, context.theme
    choose = {"recent": recent_entries, "popular": popular_entries}[name]
    items = []
    for entry in choose(context.site, context.moment, context.furniture.widget_entries):
        views = context.label("views", n=entry.views(context.moment))
        small = markup.inline("<small>", views if name == "popular" else context.when(entry))
        picture = Fragment(markup.tag(f'<img src="/media/s{entry.number}.jpg" alt="" width="60">'))
        link = theme.box("entry", markup.link(entry.path, entry.title))
        items.append(join([picture, link, small], " "))
    return theme.box("widget", context.labelled(name, "<h3>"), context.items("widget", items))


def _card(context: PageContext, entry: ArchiveEntry) -> Fragment:
    markup = context.markup
    picture = Fragment(markup.tag(f'<img src="/media/t{entry.number}.jpg" alt="" loading="lazy">'))
    link = markup.link(entry.path, entry.title)
    when = markup.inline("<small>", context.when(entry)) if context.site.number % 2 else EMPTY
    card = context.theme.opening("div", "related")
    return markup.block(card, join([picture, link, when], " "))


def comments(context: PageContext, entry: ArchiveEntry, name: str) -> Fragment:
    """Return the comments written so far, under the heading with a label's name."""
    markup, theme = context.markup, context.theme
    count = entry.comment_count(context.moment)
    heading = context.labelled(name, "<h3>")
    note = markup.block("<div>", markup.text(context.label("comment_count", n=count)))
    written = [_comment(context, entry, number) for number in range(count)]
    form = context.labelled("leave_comment", "<h4>")
    field = Fragment(markup.tag('<textarea name="comment" rows="8"></textarea>'))
    return theme.box(
        "comments", heading, note, *written, form, field, section_type=SectionType.COMMENTS
    )


def _comment(context: PageContext, entry: ArchiveEntry, number: int) -> Fragment:
    markup, language = context.markup, context.site.language
    rng = Random(f"{entry.seed}/comment/{number}")
    prose = Prose(language, rng, entry.topic)
    author = markup.inline("<b>", invent_name(language, rng))
    reply = markup.link("#reply", context.label("reply"))
    text = markup.block("<div>", markup.text(prose.paragraph(rng.randint(5, 45))))
    return context.theme.box("comment", join([author, reply], " "), text)
