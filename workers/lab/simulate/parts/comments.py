"""What readers wrote below an entry; more of it at every later visit."""

from random import Random

from workers.lab.simulate.archive import Entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.fragment import Fragment, Kind, join, raw
from workers.lab.simulate.text.prose import Prose, invent_name


def comments(visit: Visit, entry: Entry, name: str) -> Fragment:
    """The comments written until the visit, under a heading given by its label."""
    markup, theme = visit.design.markup, visit.design.theme
    count = entry.comment_count(visit.moment)
    heading = markup.block("<h3>", markup.text(visit.label(name)))
    note = markup.block("<div>", markup.text(visit.label("comment_count", n=count)))
    written = [_comment(visit, entry, number) for number in range(count)]
    form = markup.block("<h4>", markup.text(visit.label("leave_comment")))
    field = raw(markup.tag('<textarea name="comment" rows="8"></textarea>'))
    return theme.box("comments", heading, note, *written, form, field, kind=Kind.COMMENTS)


def _comment(visit: Visit, entry: Entry, number: int) -> Fragment:
    markup, language = visit.design.markup, visit.site.language
    rng = Random(f"{entry.seed}/comment/{number}")
    prose = Prose(language, rng, entry.topic)
    author = markup.inline("<b>", invent_name(language, rng))
    reply = markup.link("#reply", visit.label("reply"))
    text = markup.block("<div>", markup.text(prose.paragraph(rng.randint(5, 45))))
    return visit.design.theme.box("comment", join([author, reply], " "), text)
