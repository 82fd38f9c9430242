"""The HTML of reports and of the console: templates of this package, in which every text is escaped."""

from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from workers.log_lines import counted


def render(template: str, **values: Any) -> Markup:
    """Return a template, given by its path below `workers`, filled with values.

    Only `Markup` and plots are taken as HTML; every text is escaped.
    """
    return Markup(_TEMPLATES.get_template(template).render(values))  # noqa: S704 - it is escaped


def shortened(text: str, chars: int) -> str:
    r"""Return the beginning of a text in one line.

    >>> shortened("one two\nthree", 8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def time_text(time_ms: int) -> str:
    """Return Unix milliseconds as a time of day in UTC.

    >>> time_text(0)
    '1970-01-01 00:00 UTC'
    """
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"


_TEMPLATES = Environment(
    loader=PackageLoader("workers", ""),
    autoescape=True,
    auto_reload=False,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["shortened"] = shortened
_TEMPLATES.globals.update(
    counted=counted,
    time=time_text,
    # Reports run nothing and fetch nothing.
    policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:",
)
