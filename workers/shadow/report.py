"""What a shadow run has found, as text and as HTML with the worst pages side by side."""

import difflib
from collections.abc import Sequence
from html import escape

from workers.inspect.report_parts import html_page, plain_table, section
from workers.log_lines import counted
from workers.shadow.variants import PageChange, SiteShadow

_WORST_PAGES = 20
SIDES_STYLE = """
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; font-size: 13px; }
.sides div { white-space: pre-wrap; overflow-wrap: anywhere; padding: .1rem .5rem;
  border-left: 3px solid var(--edge); }
.sides .gone { border-left-color: var(--c1); background: color-mix(in srgb, var(--c1) 14%, transparent); }
.sides .new { border-left-color: var(--c2); background: color-mix(in srgb, var(--c2) 14%, transparent); }
h3 { font-size: 1rem; overflow-wrap: anywhere; margin: 1.5rem 0 .3rem; }
@media (max-width: 700px) { .sides { grid-template-columns: 1fr; } }
"""
"""Style of texts side by side."""


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


def shadow_html(found: Sequence[SiteShadow], before: str, after: str) -> str:
    """Return the report as one HTML page that runs nothing and fetches nothing.

    Args:
        found: What differs, by site.
        before: What the texts on the left were made with.
        after: What the texts on the right were made with.
    """
    rows = [
        [
            one.site,
            str(one.pages),
            f"{one.changed_pages_ratio:.1%}",
            f"{one.mean_changed_ratio:.1%}",
            f"{one.words_before} → {one.words_after}",
        ]
        for one in _most_changed(found)
    ]
    heads = ["site", "pages", "pages that change", "words that change", "words"]
    changes = sorted(
        (one for site in found for one in site.changes), key=lambda one: -one.changed_ratio
    )
    pages = "".join(
        f"<h3>{escape(one.url)}</h3><p class=soft>{one.changed_ratio:.1%} of the words change</p>"
        + side_by_side(one)
        for one in changes[:_WORST_PAGES]
    )
    body = (
        f"<h1>What would change</h1><p>Left: {escape(before)}. Right: {escape(after)}.</p>"
        + section("By site", plain_table(heads, rows))
        + section("The pages that change most", pages or "<p>No text changes.</p>")
    )
    return html_page("templ: what would change", body, SIDES_STYLE)


def side_by_side(change: PageChange) -> str:
    """Return the lines of two texts as HTML, equal ones beside each other."""
    before, after = change.before.split("\n"), change.after.split("\n")
    rows = []
    for kind, a, b, c, d in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        left, right = "\n".join(before[a:b]), "\n".join(after[c:d])
        gone, new = (" class=gone" * bool(left), " class=new" * bool(right))
        marks = ("", "") if kind == "equal" else (gone, new)
        rows.append(f"<div{marks[0]}>{escape(left)}</div><div{marks[1]}>{escape(right)}</div>")
    return f'<div class="sides">{"".join(rows)}</div>'


def _most_changed(found: Sequence[SiteShadow]) -> list[SiteShadow]:
    return sorted(found, key=lambda one: (-one.mean_changed_ratio, one.site))
