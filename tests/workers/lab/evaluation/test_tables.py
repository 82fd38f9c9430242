"""Tables are readable on a terminal of any width."""

import io

from rich.console import Console
from rich.table import Table

from workers.lab.evaluation.tables import _print


def test_a_table_that_is_too_wide_is_printed_in_parts():
    table = Table()
    for column in range(14):
        table.add_column(f"heading {column}", no_wrap=column > 0)
    for row in range(2):
        table.add_row(*[f"row {row} is {row}.{column}" for column in range(14)])
    table.caption = "what it says"
    for width in (80, 200):
        file = io.StringIO()
        _print(Console(file=file, width=width), table)
        printed = file.getvalue()
        assert max(map(len, printed.splitlines())) <= width
        for column in range(14):
            assert f"heading {column}" in printed
            assert f"row 1 is 1.{column}" in printed
        assert printed.count("what it says") == 1
        assert "…" not in printed
