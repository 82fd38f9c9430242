"""Products of shops."""

from random import Random

from workers.lab.simulate.archive import Entry, entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.after_content import below
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.fragment import Fragment, Kind, join, label
from workers.lab.simulate.parts.page_body import Middle


def product(visit: Visit, chrome: Chrome, number: int) -> Middle:
    """A product of a shop: its title, price, description and attributes are its content."""
    one = entry(visit.site, number)
    theme, markup = visit.design.theme, visit.design.markup
    rng = Random(f"{one.seed}/product")
    writer = BodyWriter(visit.site, one, markup)
    price = f"{visit.label('price')}: {rng.randint(3, 900)}.{rng.randrange(100):02d} €"
    body = theme.box(
        "body",
        markup.block("<h1>", markup.text(one.title)),
        markup.block("<p>", markup.inline("<strong>", price)),
        *writer.paragraphs(writer.words()),
        _attributes(visit, one, rng),
        kind=Kind.CONTENT,
    )
    stock = markup.block("<p>", markup.text(visit.label("stock", n=visit.rng.randint(1, 9))))
    button = markup.inline("<button>", visit.label("add_to_cart"))
    fragment = theme.box("article", body, label(Kind.WIDGET, join([stock, button])))
    return Middle(
        fragment=join([fragment, below(visit, chrome, one, "reviews")]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("comments",),
    )


def _attributes(visit: Visit, one: Entry, rng: Random) -> Fragment:
    markup = visit.design.markup
    rows = [
        [markup.text(name), markup.text(rng.choice((*one.topic.nouns, *one.topic.places)))]
        for name in visit.site.language.attributes[: rng.randint(3, 8)]
    ]
    heading = markup.block("<h2>", markup.text(visit.label("details")))
    return join([heading, markup.table("<table>", rows)])
