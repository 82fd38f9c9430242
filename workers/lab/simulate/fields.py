"""The content of pages that are fields and records: a manual, a shop with variants, a recipe book, a table site.

Their labels are the same on all pages of a site, and their values are few, so that other pages have them, too.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from workers.lab.simulate.design import Fragment, join
from workers.lab.simulate.parts import PageContext
from workers.lab.simulate.site import (
    ArchiveEntry,
    Prose,
    SyntheticSite,
    invent_name,
    invent_place,
)

_LABELS = 16
_VALUES = range(2, 13)
_SHARED = 40
_UNITS = ("kg", "cm", "mm", "ml", "g", "%")


class FieldNames(NamedTuple):
    """What the pages of a site have in common."""

    labels: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    """The values that a field may have, by the number of its label."""
    things: tuple[str, ...]
    """Ingredients, parameters, opponents: what records are of."""
    sentences: tuple[str, ...]


@lru_cache(maxsize=2048)
def field_names(site: SyntheticSite) -> FieldNames:
    """Return the labels, values and things of a site."""
    rng, language = Random(f"{site.seed}/fields"), site.language
    prose = Prose(language, rng, site.topic)
    nouns = sorted(set(language.slots["N"]))
    labels = rng.sample(nouns, min(_LABELS, len(nouns)))

    def value() -> str:
        if rng.random() < 0.4:
            return f"{rng.randint(1, 40) * 5} {rng.choice(_UNITS)}"
        return rng.choice(nouns) if rng.random() < 0.6 else invent_place(language, rng)

    return FieldNames(
        labels=tuple(label.capitalize() for label in labels),
        values=tuple(tuple(value() for _ in range(rng.choice(_VALUES))) for _ in labels),
        things=tuple(invent_place(language, rng) for _ in range(_SHARED)),
        sentences=tuple(prose.sentence() for _ in range(_SHARED)),
    )


class _Writer:
    """Writes the content of one page. The words are the same in every design."""

    def __init__(self, context: PageContext, entry: ArchiveEntry) -> None:
        self.rng = Random(f"{entry.seed}/fields")
        self.markup, self.entry = context.markup, entry
        self.language = context.site.language
        self.names = field_names(context.site)
        self.prose = Prose(self.language, self.rng, entry.topic)

    def heading(self, words: str) -> Fragment:
        return self.markup.block("<h1>", self.markup.text(words))

    def section(self, number: int) -> Fragment:
        """Return the heading of a part that all pages have."""
        return self.markup.block("<h2>", self.markup.text(self.names.labels[number]))

    def prose_of(self, words: int) -> Fragment:
        return self.markup.paragraph(self.markup.text(self.prose.paragraph(words)))

    def field(self, number: int) -> tuple[str, str]:
        """Return the label of a field and its value on this page."""
        return self.names.labels[number], self.rng.choice(self.names.values[number])

    def fields(self, first: int, last: int) -> list[tuple[str, str]]:
        """Return most of the fields from a number up to another one."""
        return [self.field(number) for number in range(first, last) if self.rng.random() < 0.85]

    def table(self, rows: Sequence[tuple[str, ...]], *, head: bool = False) -> Fragment:
        cells = [[self.markup.text(cell) for cell in row] for row in rows]
        return self.markup.table("<table>", cells, head=head)

    def lines(self, opening: str, texts: list[str]) -> Fragment:
        return self.markup.items(opening, [self.markup.text(text) for text in texts])

    def terms(self, rows: list[tuple[str, str]]) -> Fragment:
        """Return a list of definitions."""
        markup = self.markup
        pairs = [
            markup.block(f"<{tag}>", markup.text(text))
            for row in rows
            for tag, text in zip(("dt", "dd"), row, strict=True)
        ]
        return markup.block("<dl>", join(pairs))


def _manual(writer: _Writer) -> list[Fragment]:
    """Return the page of a function: its call, what it does, its parameters and what it returns."""
    rng, names, markup = writer.rng, writer.names, writer.markup
    called = rng.sample([thing.lower() for thing in names.things], rng.randint(2, 6))
    name = f"{called[0]}_{invent_place(writer.language, rng).lower()}"
    call = f"{name}({', '.join(called[1:])})"
    terms = [
        (one, rng.choice(names.sentences) if rng.random() < 0.5 else writer.prose.sentence())
        for one in called[1:]
    ]
    return [
        writer.heading(name),
        markup.block("<pre>", markup.around("<code>", markup.text(call))),
        *(writer.prose_of(rng.randint(12, 60)) for _ in range(rng.randint(1, 3))),
        writer.section(0),
        writer.terms(terms),
        writer.section(1),
        writer.terms([writer.field(number) for number in (2, 3)]),
    ]


def _variants(writer: _Writer) -> list[Fragment]:
    """Return a product: its price, variants, description and attributes."""
    rng, markup = writer.rng, writer.markup
    variants = [
        f"{thing}: {rng.randint(3, 90)}.{rng.choice(('00', '50', '90', '99'))} €"
        for thing in rng.sample(writer.names.things[:8], rng.randint(2, 5))
    ]
    price = f"{rng.randint(3, 90)}.99 €"
    return [
        writer.heading(writer.entry.title),
        markup.block("<p>", markup.inline("<strong>", price)),
        writer.section(0),
        writer.lines("<ul>", variants),
        writer.prose_of(rng.randint(15, 80)),
        writer.section(1),
        writer.table(writer.fields(2, 12)),
    ]


def _recipe(writer: _Writer) -> list[Fragment]:
    """Return a recipe: facts, ingredients and steps, and what is in it."""
    rng, names = writer.rng, writer.names
    ingredients = [
        f"{rng.randint(1, 20) * 25} g {thing}"
        for thing in rng.sample(names.things, rng.randint(4, 12))
    ]
    steps = [writer.prose.paragraph(rng.randint(6, 30)) for _ in range(rng.randint(3, 8))]
    facts = [f"{label}: {value}" for label, value in writer.fields(2, 6)]
    return [
        writer.heading(writer.entry.title),
        writer.prose_of(rng.randint(10, 40)),
        writer.lines("<ul>", facts),
        writer.section(0),
        writer.lines("<ul>", ingredients),
        writer.section(1),
        writer.lines("<ol>", steps),
        writer.table(writer.fields(6, 12)),
    ]


def _statistics(writer: _Writer) -> list[Fragment]:
    """Return a player: a sentence with slots, fields, and the matches."""
    rng, names = writer.rng, writer.names
    name, space = invent_name(writer.language, rng), writer.language.space
    slots = space.join((name, names.sentences[0].rstrip("。. "), str(rng.randint(2, 900))))
    matches = [
        (rng.choice(names.things), *(str(rng.randrange(40)) for _ in range(4)))
        for _ in range(rng.randint(4, 20))
    ]
    return [
        writer.heading(name),
        writer.markup.paragraph(writer.markup.text(slots)),
        writer.terms(writer.fields(7, 13)),
        writer.section(0),
        writer.table([names.labels[1:6], *matches], head=True),
    ]


_PAGES: Mapping[str, Callable[[_Writer], list[Fragment]]] = {
    "manual": _manual,
    "variants": _variants,
    "recipes": _recipe,
    "statistics": _statistics,
}


def field_page(context: PageContext, entry: ArchiveEntry) -> list[Fragment]:
    """Return the blocks of the content of an entry of a site of one of the `FIELD_GENRES`."""
    return _PAGES[context.site.genre](_Writer(context, entry))
