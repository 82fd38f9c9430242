"""Parts of the HTML reports: the style sheet, the frame of a page, sections and tables."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape

REPORT_STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #1b1f24; --soft: #667; --edge: #d7dbe0;
  --c0: #0b62c4; --c1: #d1470b; --c2: #14833b; --c3: #8a3fb0; --c4: #9a6b00; --c5: #6b7480; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --ink: #e4e7eb; --soft: #98a1ac;
  --edge: #343a42; --c0: #62a8ff; --c1: #ff8a50; --c2: #5fd08a; --c3: #cf93f0; --c4: #e0b64a;
  --c5: #97a1ad; } }
body { background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  max-width: 1240px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
.soft { color: var(--soft); }
.wide { overflow-x: auto; } .side { display: flex; flex-wrap: wrap; gap: 2rem; }
.side > div { min-width: 0; max-width: 100%; } .side .legend { max-width: 372px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--edge); text-align: right;
  white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; } td { vertical-align: top; } td span.soft { display: block; font-size: 12px; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--back); }
.plain th, .plain td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.plain th, .plain td:first-child { overflow-wrap: normal; }
svg { max-width: 100%; height: auto; font-size: 12px; } .wide svg { min-width: 560px; } svg text { fill: var(--ink); }
svg text.tick { fill: var(--soft); font-size: 11px; } .grid { stroke: var(--edge); }
.guide { stroke: var(--soft); stroke-dasharray: 4 4; }
.line { fill: none; stroke-width: 2; } .thin { stroke-width: 1; opacity: .5; }
.dot { fill-opacity: .85; }
.legend span { display: inline-block; margin-right: 1.2rem; overflow-wrap: anywhere; }
.swatch { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%;
  margin-right: .4rem; }
details { border-bottom: 1px solid var(--edge); padding: .4rem 0; } summary { cursor: pointer; }
summary code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--edge);
  padding: .2rem .8rem; margin: .4rem 0; max-height: 22rem; overflow-y: auto; font-size: 13px; }
""" + "".join(
    f".line.c{n} {{ stroke: var(--c{n}); }} .dot.c{n} {{ fill: var(--c{n}); }} "
    f".swatch.c{n} {{ background: var(--c{n}); }}\n"
    for n in range(6)
)
"""The style sheet of all reports, for light and dark screens."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of reports: they run nothing and fetch nothing."""


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a whole HTML page that fetches nothing.

    Args:
        title: Title as text.
        body: Content of the body, as HTML.
        style: Rules in addition to the common ones.
    """
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{REPORT_STYLE}{style}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """Return a table of texts, which are escaped; nothing without rows."""
    cells = [[escape(text) for text in row] for row in rows]
    return f'<div class="plain">{table(heads, cells, note)}</div>' if cells else ""


def section(title: str, body: str) -> str:
    """Return a section with a heading; nothing if its body is empty."""
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def table(heads: Sequence[str], cells: Iterable[Sequence[str]], note: str = "") -> str:
    """Return a table of cells that are HTML, wider than the screen if need be; nothing without rows."""
    body = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells]
    if not body:
        return ""
    used = "".join(f"<th>{head}</th>" for head in heads)
    return (
        f'<div class="wide"><table><thead><tr>{used}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
        + (f'<p class="soft">{note}</p>' if note else "")
    )


def time_text(time_ms: int) -> str:
    """Return Unix milliseconds as a time of day in UTC.

    >>> time_text(0)
    '1970-01-01 00:00 UTC'
    """
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
