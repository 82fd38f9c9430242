"""The results of an experiment: tables on standard output, and optionally files with figures."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table

_FILE_COLUMNS = 200


class Report:
    """Prints tables. With a directory it also writes `report.html` and the figures."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._console = Console()
        if not self._console.is_terminal:
            self._console = Console(width=_FILE_COLUMNS)
        self._parts: list[str] = []
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)

    def say(self, line: str) -> None:
        """Print a line of text."""
        self._console.print(line, highlight=False)
        self._add(f"<p>{escape(line)}</p>")

    def table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; its first column names the rows."""
        table = Table(*header, title=title, title_justify="left")
        for column in table.columns[1:]:
            column.justify = "right"
        for row in rows:
            table.add_row(*row)
        self._console.print(table)
        lines = [_row("th", header), *(_row("td", row) for row in rows)]
        self._add(f"<h2>{escape(title)}</h2><table>{''.join(lines)}</table>")

    def figure(self, name: str, svg: str) -> None:
        """Write a figure, if there is a directory."""
        if self._directory is not None:
            (self._directory / f"{name}.svg").write_text(svg, encoding="utf-8")
        self._add(svg)

    def _add(self, part: str) -> None:
        self._parts.append(part)
        if self._directory is not None:
            page = "\n".join([_HEAD, *self._parts])
            (self._directory / "report.html").write_text(page, encoding="utf-8")


_HEAD = (
    '<!DOCTYPE html><meta charset="utf-8"><title>templ experiments</title><style>'
    "body{font-family:sans-serif;margin:2em}td,th{padding:.2em .6em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}svg{max-width:640px}</style>"
)


def _row(cell: str, values: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(value)}</{cell}>" for value in values) + "</tr>"
