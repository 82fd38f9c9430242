"""The template of a site: the text that nearly all of its pages show, by its part of the page."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import get_args

import numpy as np

from templ_core.explain.page_kinds import KeptPage
from templ_core.explain.site_names import element_path
from templ_core.explain.template_parts import (
    PartName,
    SiteTemplate,
    TemplateLine,
    TemplatePart,
)
from templ_core.patterns import pattern

_PAGES_RATIO = 0.8
"""Share of a site's pages, 0 to 1, that show a text of its template."""
_NAMED: dict[PartName, re.Pattern[str]] = {
    "notices": pattern(r"cookie|consent|gdpr|notice|dialog|banner"),
    "menu": pattern(r"\bnav\b|nav-|-nav|navigation|menu|breadcrumb"),
    "footer": pattern(r"foot|colophon|imprint"),
    "header": pattern(r"\bheader\b|masthead|site-head|topbar|logo"),
}
"""Names in the elements around a text that say what part of the page it is in."""


def site_template(
    site: str, pages: Sequence[KeptPage], chars_max: int | None = None
) -> SiteTemplate:
    """Return the text that at least 80 % of a site's pages, and at least two, show and lose.

    Args:
        site: Key of the site.
        pages: Its pages with text, in order of arrival.
        chars_max: Most characters of all its texts, 0 or more; further texts are left out. None = no limit.
    """
    counts = Counter(
        text
        for page in pages
        for text in {
            page.document.segments.texts[segment] for segment in np.flatnonzero(~page.kept).tolist()
        }
    )
    least = max(2, _PAGES_RATIO * len(pages))
    parts: dict[PartName, dict[str, int]] = {name: {} for name in get_args(PartName)}
    listed: set[str] = set()
    room = math.inf if chars_max is None else chars_max
    for page in reversed(pages):
        segments, places = page.document.segments, _places(page)
        for segment, text in enumerate(segments.texts):
            if counts[text] < least or text in listed or page.kept[segment]:
                continue
            listed.add(text)
            room -= len(text)
            if room < 0:
                continue
            path = element_path(page.document, int(segments.owner[segment])).lower()
            named = (name for name, names in _NAMED.items() if names.search(path))
            parts[next(named, places[segment])][text] = counts[text]
    return SiteTemplate(
        site=site,
        pages=len(pages),
        parts=[
            TemplatePart(
                part=name,
                lines=[TemplateLine(text=text, pages=count) for text, count in parts[name].items()],
            )
            for name in get_args(PartName)
            if parts[name]
        ],
    )


def _places(page: KeptPage) -> list[PartName]:
    """Return the part that each segment is in by where it stands.

    What stands before the content is the header. What stands behind it is the footer, as far as it is outside of all
    elements that the content shares with something else behind it.
    """
    nodes, owner = page.document.nodes, page.document.segments.owner.tolist()
    parent, depth = nodes.parent.tolist(), nodes.depth.tolist()
    kept = np.flatnonzero(page.kept).tolist()
    around_content: set[int] = set()
    for kept_segment in kept:
        node = owner[kept_segment]
        while node >= 0 and node not in around_content:
            around_content.add(node)
            node = parent[node]

    def shared_depth(segment: int) -> int:
        node = owner[segment]
        while node >= 0 and node not in around_content:
            node = parent[node]
        return int(depth[node]) if node >= 0 else -1

    first, last = (kept[0], kept[-1]) if kept else (len(owner), -1)
    behind = {segment: shared_depth(segment) for segment in range(last + 1, len(owner))}
    lowest = min(behind.values(), default=-1)
    return [
        "header" if segment < first else "footer" if behind.get(segment) == lowest else "beside"
        for segment in range(len(owner))
    ]


def template_markdown(template: SiteTemplate) -> str:
    """Return a template as Markdown: a heading for each part, and a list of its texts."""
    lines = [f"# {template.site}", ""]
    for part in template.parts:
        lines += [f"## {part.part.capitalize()}", ""]
        lines += [f"- {' '.join(line.text.split())}" for line in part.lines]
        lines.append("")
    return "\n".join(lines).rstrip()
