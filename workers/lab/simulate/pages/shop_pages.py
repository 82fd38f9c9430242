"""Products of shops."""

from random import Random

from workers.lab.simulate.archive import ArchiveEntry, archive_entry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.after_content import after_content
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.fragment import Fragment, SectionType, join, label
from workers.lab.simulate.parts.page_body import PageBody


def product(context: PageContext, chrome: Chrome, number: int) -> PageBody:
    """Return the body of a product page: title, price, description and attributes are content."""
    one = archive_entry(context.site, number)
    theme, markup = context.design.theme, context.design.markup
    rng = Random(f"{one.seed}/product")
    writer = BodyWriter(context.site, one, markup)
    price = f"{context.label('price')}: {rng.randint(3, 900)}.{rng.randrange(100):02d} €"
    body = theme.box(
        "body",
        markup.block("<h1>", markup.text(one.title)),
        markup.block("<p>", markup.inline("<strong>", price)),
        *writer.paragraphs(writer.words()),
        _attributes(context, one, rng),
        section_type=SectionType.CONTENT,
    )
    stock = markup.block("<p>", markup.text(context.label("stock", n=context.rng.randint(1, 9))))
    button = markup.inline("<button>", context.label("add_to_cart"))
    fragment = theme.box("article", body, label(SectionType.WIDGET, join([stock, button])))
    return PageBody(
        fragment=join([fragment, after_content(context, chrome, one, "reviews")]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("comments",),
    )


def _attributes(context: PageContext, one: ArchiveEntry, rng: Random) -> Fragment:
    markup = context.design.markup
    rows = [
        [markup.text(name), markup.text(rng.choice((*one.topic.nouns, *one.topic.places)))]
        for name in context.site.language.attributes[: rng.randint(3, 8)]
    ]
    heading = markup.block("<h2>", markup.text(context.label("details")))
    return join([heading, markup.table("<table>", rows)])
