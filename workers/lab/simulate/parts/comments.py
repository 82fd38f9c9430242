"""Comments that readers leave below an entry; every later request finds more of them."""

from random import Random

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.fragment import Fragment, SectionType, join, raw
from workers.lab.simulate.text.prose import Prose, invent_name


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
