"""What surrounds a page: header, menus and footer of its design, its head, and meaningless scripts."""

import json
from dataclasses import dataclass
from functools import cache
from html import escape
from random import Random

from workers.lab.simulate.design import Design
from workers.lab.simulate.fragment import EMPTY, Fragment, SectionType, join, raw
from workers.lab.simulate.parts import PageContext
from workers.lab.simulate.prose import Prose
from workers.lab.simulate.site import ArchiveEntry, SyntheticSite

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
        self._prose = Prose(site.language, rng, site.topic)
        self._labels = site.language.labels

    def header(self) -> Fragment:
        logo = raw(self._markup.tag('<img src="/logo.png" alt="" width="180">') + "\n")
        brand = self._markup.block("<div>", join([logo, self._markup.link("/", self._site.name)]))
        tagline = self._markup.block("<div>", self._markup.text(self._site.tagline))
        field = raw(self._markup.tag('<input type="text" name="q">') + " ")
        button = self._markup.inline('<button type="submit">', self._labels["search"])
        search = self._markup.block('<form action="/search">', join([field, button]))
        skip = self._markup.block("<div>", self._markup.link("#main", self._labels["skip"]))
        parts = (skip, brand, tagline, search)
        header = self._theme.box("header", *parts, section_type=SectionType.HEADER)
        return join([header, self.menu("navigation")])

    def menu(self, role: str) -> Fragment:
        furniture = self._design.furniture
        names = [self._labels["home"], *self._site.categories, self._labels["about"]]
        items = []
        share = furniture.submenu_entries // max(1, furniture.menu_entries)
        for number, name in enumerate(names[: furniture.menu_entries]):
            link = self._markup.link(f"/s{number}/", name)
            below = [self._entry(other) for other in range(share if number else 0)]
            items.append(join([link, self._list("navigation", below) if below else EMPTY], "\n"))
        menu = self._list(role, items)
        return self._theme.box(role, menu, section_type=SectionType.NAVIGATION)

    def footer(self) -> Fragment:
        links = [self._markup.link(f"/{name}", self._labels[name]) for name in _SERVICES]
        count = self._design.furniture.footer_links
        while len(links) < count:
            links.append(self._markup.link(f"/t/{len(links)}", self._prose.noun()))
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
        shown = join(buttons, "\n")
        return self._theme.box("consent", text, shown, section_type=SectionType.CONSENT)

    def newsletter(self) -> Fragment:
        return self._theme.box(
            "newsletter",
            self._markup.block("<h4>", self._markup.text(self._labels["newsletter"])),
            self._markup.block("<div>", self._markup.text(self._labels["newsletter_text"])),
            raw(self._markup.tag('<input type="email" name="mail">') + "\n"),
            self._markup.inline("<button>", self._labels["subscribe"]),
            section_type=SectionType.NEWSLETTER,
        )

    def _entry(self, number: int) -> Fragment:
        word = self._markup.inline('<span class="label">', self._prose.noun())
        return self._markup.around(f'<a href="/t/{number}">', word)

    def _list(self, role: str, items: list[Fragment]) -> Fragment:
        theme = self._theme
        return self._markup.items(theme.opening("ul", role), items, theme.opening("li", role))


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
def scripts() -> str:
    """Return a pool of script lines, of which every page uses a stretch."""
    rng = Random("filler/scripts")
    return "\n".join(_statement(rng) for _ in range(_POOL_LINES))


@cache
def styles() -> str:
    """Return a pool of style rules, of which every page uses a stretch."""
    rng = Random("filler/styles")
    return "\n".join(_rule(rng) for _ in range(_POOL_LINES))


def stretch(pool: str, start: float, size: int) -> str:
    """Return whole lines of a pool, wrapping around at its end."""
    first = pool.index("\n", int(start * len(pool) / 2)) + 1
    lines = pool[first : first + size]
    lines = lines[: lines.rfind("\n") + 1]
    if first + size <= len(pool):
        return lines
    return lines + stretch(pool, 0.0, size - len(lines))


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
    design, site = context.design, context.site
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    lines = [
        _DOCTYPES[design.theme.family],
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
    for number in range(context.design.furniture.head_tags):
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
    design = context.design
    size = int(design.furniture.filler_bytes * 0.25)
    rules = stretch(styles(), design.filler_start, size)
    return f"<style>\n{rules}</style>\n" if rules else ""


def _script(context: PageContext, share: float) -> str:
    design = context.design
    size = int(design.furniture.filler_bytes * share)
    lines = stretch(scripts(), (design.filler_start + share) % 1.0, size)
    return f"<script>\n//<![CDATA[\n{lines}//]]>\n</script>\n" if lines else ""
