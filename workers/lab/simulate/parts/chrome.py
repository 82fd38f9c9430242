"""What surrounds every page of a design: header, menus, footer and consent notice."""

from dataclasses import dataclass
from random import Random

from workers.lab.simulate.design.design import Design
from workers.lab.simulate.parts.fragment import EMPTY, Fragment, SectionType, join, raw
from workers.lab.simulate.site import SyntheticSite
from workers.lab.simulate.text.prose import Prose

_ICON = '<svg class="icon"><use href="#i{0}"></use></svg>'
_SERVICES = ("about", "contact", "privacy", "terms", "imprint", "login", "register")


@dataclass(frozen=True)
class Chrome:
    """The parts of a design that are equal on every page."""

    header: Fragment
    hidden_menu: Fragment
    footer: Fragment
    consent: Fragment
    newsletter: Fragment


def make_chrome(site: SyntheticSite, design: Design) -> Chrome:
    """Return the fixed parts of a site in a design."""
    rng = Random(f"{design.seed}/chrome")
    maker = _ChromeMaker(site, design, rng)
    return Chrome(
        header=maker.header(),
        hidden_menu=maker.menu("hidden") if design.place.hidden_menu else EMPTY,
        footer=maker.footer(),
        consent=maker.consent() if design.place.consent != "none" else EMPTY,
        newsletter=maker.newsletter(),
    )


class _ChromeMaker:
    def __init__(self, site: SyntheticSite, design: Design, rng: Random) -> None:
        self._site = site
        self._design = design
        self._theme = design.theme
        self._markup = design.markup
        self._rng = rng
        self._prose = Prose(site.language, rng, site.topic)
        self._labels = site.language.labels

    def header(self) -> Fragment:
        logo = raw(self._markup.tag('<img src="/logo.png" alt="" width="180">') + "\n")
        brand = self._markup.block("<div>", join([logo, self._link("/", self._site.name)]))
        tagline = self._markup.block("<div>", self._markup.text(self._site.tagline))
        search = self._form("/search", self._labels["search"])
        skip = self._markup.block("<div>", self._link("#main", self._labels["skip"]))
        return join(
            [
                self._theme.box(
                    "header", skip, brand, tagline, search, section_type=SectionType.HEADER
                ),
                self.menu("navigation"),
            ]
        )

    def menu(self, role: str) -> Fragment:
        furniture = self._design.furniture
        names = [self._labels["home"], *self._site.categories, self._labels["about"]]
        items = []
        for number, name in enumerate(names[: furniture.menu_entries]):
            link = self._link(f"/s{number}/", name)
            share = furniture.submenu_entries // max(1, furniture.menu_entries)
            below = self._submenu(share) if share and number else EMPTY
            items.append(join([link, below], "\n"))
        menu = self._list(role, items)
        return self._theme.box(role, menu, section_type=SectionType.NAVIGATION)

    def footer(self) -> Fragment:
        links = [self._link(f"/{name}", self._labels[name]) for name in _SERVICES]
        count = self._design.furniture.footer_links
        while len(links) < count:
            links.append(self._link(f"/t/{len(links)}", self._prose.noun()))
        icons = "".join(
            f'<a href="https://social.example/{n}">{_ICON.format(n)}</a>\n'
            for n in range(self._design.furniture.icons)
        )
        rights = f"© 2026 {self._site.name}. {self._labels['rights']} {self._labels['legal']}"
        return self._theme.box(
            "footer",
            self._list("footer", links[:count]),
            self._markup.block("<h4>", self._markup.text(self._labels["follow"])),
            raw(self._markup.tag(icons)),
            self._markup.block("<p>", self._markup.text(rights)),
            section_type=SectionType.FOOTER,
        )

    def consent(self) -> Fragment:
        buttons = [
            self._markup.inline('<button type="button">', self._labels[name])
            for name in ("accept", "reject", "settings")
        ]
        text = self._markup.block("<p>", self._markup.text(self._labels["consent"]))
        return self._theme.box(
            "consent", text, join(buttons, "\n"), section_type=SectionType.CONSENT
        )

    def newsletter(self) -> Fragment:
        return self._theme.box(
            "newsletter",
            self._markup.block("<h4>", self._markup.text(self._labels["newsletter"])),
            self._markup.block("<div>", self._markup.text(self._labels["newsletter_text"])),
            raw(self._markup.tag('<input type="email" name="mail">') + "\n"),
            self._markup.inline("<button>", self._labels["subscribe"]),
            section_type=SectionType.NEWSLETTER,
        )

    def _submenu(self, count: int) -> Fragment:
        links = [self._submenu_link(n) for n in range(count)]
        return self._list("navigation", links)

    def _list(self, role: str, items: list[Fragment]) -> Fragment:
        theme = self._theme
        return self._markup.items(theme.opening("ul", role), items, theme.opening("li", role))

    def _submenu_link(self, number: int) -> Fragment:
        word = self._markup.inline('<span class="label">', self._prose.noun())
        return self._markup.around(f'<a href="/t/{number}">', word)

    def _form(self, address: str, words: str) -> Fragment:
        field = raw(self._markup.tag('<input type="text" name="q">') + " ")
        button = self._markup.inline('<button type="submit">', words)
        return self._markup.block(f'<form action="{address}">', join([field, button]))

    def _link(self, address: str, words: str) -> Fragment:
        return self._markup.link(address, words)
