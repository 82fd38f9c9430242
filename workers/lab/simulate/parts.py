"""The parts of a page: its running content, the widgets that differ between requests, and comments."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random

from workers.lab.simulate.design import Design, Markup, Quantiles, decorate
from workers.lab.simulate.fragment import EMPTY, LINE_BREAK, SPACE, Fragment, SectionType, join, raw
from workers.lab.simulate.prose import Prose, date_text, invent_name
from workers.lab.simulate.site import (
    ArchiveEntry,
    SyntheticSite,
    popular_entries,
    random_entries,
    recent_entries,
)


@dataclass(frozen=True, eq=False)
class PageContext:
    """A site at the moment of a request; `rng` decides what differs between two requests."""

    site: SyntheticSite
    design: Design
    moment: datetime
    rng: Random
    prose: Prose
    """Writer of short texts on the site's own topic."""

    def label(self, name: str, /, **fields: object) -> str:
        """Return a label of the user interface in the site's language."""
        return self.site.language.labels[name].format(**fields)

    def when(self, entry: ArchiveEntry) -> str:
        """Return the age of an entry: in minutes for the first two hours, then as a date."""
        minutes = int((self.moment - entry.published).total_seconds() // 60)
        if 0 <= minutes < 120:
            return self.label("minutes_ago", n=minutes)
        return date_text(self.site.language, entry.published)


def make_page_context(
    site: SyntheticSite, design: Design, moment: datetime, rng: Random
) -> PageContext:
    """Return the context of a request, with a writer of its own."""
    prose = Prose(site.language, rng, site.topic)
    return PageContext(site=site, design=design, moment=moment, rng=rng, prose=prose)


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
        self._extras: tuple[Callable[[], Fragment], ...] = (
            self._heading,
            self._heading,
            self._heading,
            self._list,
            self._list,
            self._quotation,
            self._quotation,
            self._figure,
            self._figure,
            self._table,
            self._code,
            self._nested_list,
            self._empties,
        )

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
        items = [self._title(), join([self._title(), raw("\n"), inner]), self._title()]
        return self._markup.items("<ul>", items)

    def _quotation(self) -> Fragment:
        return self._markup.block(
            "<blockquote>", self._markup.block("<p>", self._markup.text(self._prose.paragraph(20)))
        )

    def _figure(self) -> Fragment:
        image = raw(self._markup.tag(f'<img src="/media/{self._rng.randrange(10**6)}.jpg" alt="">'))
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
    markup = context.design.markup
    advertised, line = advert(context), markup.text(context.prose.sentence())
    return context.design.theme.box("widget", advertised, markup.block("<p>", line))


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


def comments(context: PageContext, entry: ArchiveEntry, name: str) -> Fragment:
    """Return the comments written so far, under the heading with a label's name."""
    markup, theme = context.design.markup, context.design.theme
    count = entry.comment_count(context.moment)
    heading = markup.block("<h3>", markup.text(context.label(name)))
    note = markup.block("<div>", markup.text(context.label("comment_count", n=count)))
    written = [_comment(context, entry, number) for number in range(count)]
    form = markup.block("<h4>", markup.text(context.label("leave_comment")))
    field = raw(markup.tag('<textarea name="comment" rows="8"></textarea>'))
    return theme.box(
        "comments", heading, note, *written, form, field, section_type=SectionType.COMMENTS
    )


def _comment(context: PageContext, entry: ArchiveEntry, number: int) -> Fragment:
    markup, language = context.design.markup, context.site.language
    rng = Random(f"{entry.seed}/comment/{number}")
    prose = Prose(language, rng, entry.topic)
    author = markup.inline("<b>", invent_name(language, rng))
    reply = markup.link("#reply", context.label("reply"))
    text = markup.block("<div>", markup.text(prose.paragraph(rng.randint(5, 45))))
    return context.design.theme.box("comment", join([author, reply], " "), text)
