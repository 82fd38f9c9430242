"""The table of README: printed from the tables of MEASUREMENTS, and compared with what README says.

    python -m tests.quality.figures                        # print it; exit code 1 where README says otherwise
    python -m tests.quality.figures --write                # write it into README
    python -m tests.quality.figures --corpora CORPORA      # run the other extractors, too; half an hour

With a directory of corpora the row of each other extractor in MEASUREMENTS is measured again, and compared to
three places. The rows of templ come from a command that takes longer, and carry their date there.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README, MEASUREMENTS = ROOT / "README.md", ROOT / "MEASUREMENTS.md"
CORPORA = (
    "stream", "history", "sites_other", "sites_docs", "more_sites", "shops", "listings", "references",
)  # fmt: skip
ROWS = {
    "templ, known site": "**page by page**",
    "templ, new site": "page level alone",
    "trafilatura 2.3.1": "trafilatura 2.3.1",
    "resiliparse 2.0.1": "resiliparse 2.0.1",
    "readability-lxml 0.9": "readability-lxml 0.9",
}
"""The rows of README, and the row of MEASUREMENTS that each is taken from."""
PEERS = ("trafilatura", "resiliparse", "readability-lxml")
_BEGIN, _END = "<!-- figures: accuracy -->\n\n", "\n\n"


def tables(page):
    """Rows of the tables of a page that name these corpora: name of the row -> figure of each corpus."""
    rows, head = {}, []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if not cells:
            head = []
        elif not head:
            head = cells[1:]
        elif set(CORPORA) <= set(head) and len(cells) > len(head):
            figures = (re.match(r"\**(0?\.\d+)", cell) for cell in cells[1:])
            values = [float(one[1]) if one else None for one in figures]
            rows[cells[0]] = dict(zip(head, values, strict=True))
    return rows


def readme_table(measurements):
    """The table of README, from the tables of MEASUREMENTS; the best of each column is bold."""
    known = tables(measurements)
    rows = {name: known[source] for name, source in ROWS.items()}
    lines = ["| | " + " | ".join(CORPORA) + " |", "|---|" + "--:|" * len(CORPORA)]
    for name, row in rows.items():
        cells = []
        for corpus in CORPORA:
            value = row[corpus]
            is_best = value == max(other[corpus] for other in rows.values())
            cells.append(f"**{value:.3f}**" if is_best else f"{value:.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shown_table(readme):
    """The table that README has."""
    return readme.partition(_BEGIN)[2].partition(_END)[0]


def measured(corpora):
    """Word F1 of each other extractor on each corpus, measured now."""
    for corpus in CORPORA:
        command = [
            "templ",
            "evaluate",
            str(corpora / f"{corpus}.jsonl.xz"),
            "--text-only",
            "--json",
        ]
        options = [part for peer in PEERS for part in ("--peer", peer)]
        done = subprocess.run(
            [sys.executable, "-m", "workers", *command[1:], *options],
            capture_output=True,
            text=True,
            check=True,
        )
        others = json.loads(done.stdout)["others"]
        for peer in PEERS:
            yield corpus, peer, others[peer]["all"]["all pages"]["f1"]


def main():
    """Print the table, and say where a page has another figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--corpora", type=Path)
    given = parser.parse_args()
    measurements, readme = MEASUREMENTS.read_text(), README.read_text()
    table = readme_table(measurements)
    print(table)
    if given.write:
        README.write_text(readme.replace(shown_table(readme), table))
        readme = README.read_text()
    problems = [] if shown_table(readme) == table else ["README.md: its table is another one"]
    if given.corpora:
        known = tables(measurements)
        for corpus, peer, value in measured(given.corpora):
            [row] = [row for name, row in known.items() if name.startswith(f"{peer} ")]
            if abs(row[corpus] - value) >= 0.0006:
                problems.append(
                    f"MEASUREMENTS.md: {peer}, {corpus}: {row[corpus]}, and is {value:.4f}"
                )
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
