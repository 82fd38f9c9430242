"""The figures of README are those of MEASUREMENTS, which stand beside their command."""

import re

from tests.quality.figures import CORPORA, MEASUREMENTS, README, readme_table, shown_table, tables


def test_the_table_of_readme_is_that_of_measurements():
    assert shown_table(README.read_text()) == readme_table(MEASUREMENTS.read_text())


def test_a_table_is_read_with_the_best_of_each_column_in_bold():
    names = ["**page by page**", "page level alone", "trafilatura 2.3.1", "resiliparse 2.0.1"]
    rows = [*zip([*names, "readability-lxml 0.9"], (0.9, 0.8, 0.7, 0.95, 0.5), strict=True)]
    head = f"| | {' | '.join(CORPORA)} |\n|---|{'--:|' * len(CORPORA)}\n"
    page = head + "\n".join(
        f"| {name} | {' | '.join([f'{value} / .1'] * len(CORPORA))} |" for name, value in rows
    )
    assert tables(page)["page level alone"]["shops"] == 0.8
    assert "| resiliparse 2.0.1 | **0.950** |" in readme_table(page)


def test_the_cost_of_readme_is_that_of_measurements():
    low, high = re.search(r"\(([\d.]+) to ([\d.]+)\) of the processor time", words(README)).groups()
    with_learning, young_sites = re.findall(
        r"everything on \|.*?\| ([\d.]+) of trafilatura .*?young sites .*?\| ([\d.]+) of trafilatura",
        words(MEASUREMENTS),
    )[0]
    assert (low, high) == (with_learning, young_sites)


def words(page):
    """The text of a page with single spaces."""
    return " ".join(page.read_text().split())
