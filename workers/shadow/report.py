"""What a shadow run has found, as text and as HTML with the worst pages side by side."""

import difflib
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from workers.inspect.html_templates import render
from workers.log_lines import counted
from workers.shadow.variants import PageChange, SiteShadow

_WORST_PAGES = 20


def shadow_text(found: Sequence[SiteShadow]) -> str:
    """Return a table with a line for each site, those that change most first, and a line for all."""
    lines = ["pages  changed  words changed  words before -> after  site"]
    lines += [
        f"{one.pages:5d}  {one.changed_pages_ratio:7.1%}  {one.mean_changed_ratio:13.1%}  "
        f"{one.words_before:9d} -> {one.words_after:<9d}  {one.site}"
        for one in _most_changed(found)
    ]
    pages = sum(one.pages for one in found)
    changed = sum(len(one.changes) for one in found)
    words = sum(change.changed_ratio for one in found for change in one.changes)
    if pages:
        lines.append(
            f"{pages:5d}  {changed / pages:7.1%}  {words / pages:13.1%}  all {counted(len(found), 'site')}"
        )
    return "\n".join(lines)


def shadow_html(found: Sequence[SiteShadow], before: str, after: str) -> Markup:
    """Return the report as one HTML page that runs nothing and fetches nothing.

    Args:
        found: What differs, by site.
        before: What the texts on the left were made with.
        after: What the texts on the right were made with.
    """
    changes = sorted(
        (one for site in found for one in site.changes), key=lambda one: -one.changed_ratio
    )
    return render(
        "shadow/templates/shadow.html",
        title="what would change",
        before=before,
        after=after,
        sites=_most_changed(found),
        changes=changes[:_WORST_PAGES],
        beside=_beside,
    )


def diff_html(change: PageChange) -> Markup:
    """Return two texts of a page side by side, as one HTML page that runs nothing and fetches nothing."""
    return render("shadow/templates/diff.html", title=change.url, lines=_beside(change))


def _beside(change: PageChange) -> Iterator[tuple[str, str, bool]]:
    """Yield lines of the two texts of a page that belong beside each other, and whether they are equal."""
    before, after = change.before.split("\n"), change.after.split("\n")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        yield "\n".join(before[a:b]), "\n".join(after[c:d]), kind == "equal"


def _most_changed(found: Sequence[SiteShadow]) -> list[SiteShadow]:
    return sorted(found, key=lambda one: (-one.mean_changed_ratio, one.site))
