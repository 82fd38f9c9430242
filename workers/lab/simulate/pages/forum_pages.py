"""Threads of forums."""

from random import Random

from workers.lab.simulate.archive import archive_entry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.after_content import after_thread
from workers.lab.simulate.parts.body import BodyWriter
from workers.lab.simulate.parts.fragment import Fragment, SectionType, join, label
from workers.lab.simulate.parts.page_body import PageBody
from workers.lab.simulate.text.prose import invent_name


def thread(context: PageContext, number: int) -> PageBody:
    """Return the body of a thread: its posts are content, and the names of posters are neutral."""
    one = archive_entry(context.site, number)
    theme, markup = context.design.theme, context.design.markup
    rng = Random(f"{one.seed}/posts")
    writer = BodyWriter(context.site, one, markup)
    blocks = writer.paragraphs(writer.words())
    posts = []
    while blocks:
        size = rng.randint(1, 3)
        posts.append(_post(context, rng, blocks[:size]))
        blocks = blocks[size:]
    title = theme.box("title", markup.text(one.title), section_type=SectionType.NEUTRAL)
    return PageBody(
        fragment=join([title, *posts, after_thread(context, one)]),
        title=one.title,
        entry=one,
        content=("body",),
        neutral=("title", "poster"),
    )


def _post(context: PageContext, rng: Random, blocks: list[Fragment]) -> Fragment:
    theme, markup = context.design.theme, context.design.markup
    parts = [
        markup.inline("<b>", invent_name(context.site.language, rng)),
        markup.inline("<small>", context.label("posts", n=rng.randint(1, 4000))),
        markup.inline("<small>", f"{context.label('joined')} {rng.randint(2003, 2025)}"),
    ]
    poster = theme.box("poster", join(parts, " "), section_type=SectionType.NEUTRAL)
    body = theme.box("body", *blocks, section_type=SectionType.CONTENT)
    quote = markup.link("#quote", context.label("quote"))
    return theme.box("article", poster, body, label(SectionType.WIDGET, quote))
