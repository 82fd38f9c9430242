"""Threads of forums."""

from random import Random

from workers.lab.simulate.archive import entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.after_content import below_thread
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.fragment import Fragment, Kind, join, label
from workers.lab.simulate.parts.page_body import Middle
from workers.lab.simulate.text.prose import invent_name


def thread(visit: Visit, number: int) -> Middle:
    """A thread of a forum: the posts are its content, who wrote them is neutral."""
    one = entry(visit.site, number)
    theme, markup = visit.design.theme, visit.design.markup
    rng = Random(f"{one.seed}/posts")
    writer = BodyWriter(visit.site, one, markup)
    blocks = writer.paragraphs(writer.words())
    posts = []
    while blocks:
        size = rng.randint(1, 3)
        posts.append(_post(visit, rng, blocks[:size]))
        blocks = blocks[size:]
    title = theme.box("title", markup.text(one.title), kind=Kind.NEUTRAL)
    return Middle(
        fragment=join([title, *posts, below_thread(visit, one)]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("title", "poster"),
    )


def _post(visit: Visit, rng: Random, blocks: list[Fragment]) -> Fragment:
    theme, markup = visit.design.theme, visit.design.markup
    parts = [
        markup.inline("<b>", invent_name(visit.site.language, rng)),
        markup.inline("<small>", visit.label("posts", n=rng.randint(1, 4000))),
        markup.inline("<small>", f"{visit.label('joined')} {rng.randint(2003, 2025)}"),
    ]
    poster = theme.box("poster", join(parts, " "), kind=Kind.NEUTRAL)
    body = theme.box("body", *blocks, kind=Kind.CONTENT)
    quote = markup.link("#quote", visit.label("quote"))
    return theme.box("article", poster, body, label(Kind.WIDGET, quote))
