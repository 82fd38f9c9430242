"""`templ evaluate`: cleaned records against a corpus with gold text."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from schemas.cleaned import CleanedRecord
from schemas.codec import SchemaError, decode_output
from templ_core.evaluation.gold import page_words
from templ_core.evaluation.report import PageScore, by_pages_seen, group, summarise
from templ_core.evaluation.words import score_template, score_text, word_counts
from workers.cli.jsonl import read_lines, read_objects
from workers.errors import InputProblem

_MOST_SITES = 60
_FILE_COLUMNS = 120


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def evaluate(corpus: Path, out: Path, *, as_json: bool) -> None:
    """Word F1 of the cleaned records OUT against the gold text of CORPUS (JSON Lines).

    Records are joined by `source.offset`; only revision 0 counts.
    """
    texts = _texts(out)
    scores = list(_scores(corpus, texts))
    if not scores:
        raise InputProblem(f"{corpus}: no page has `gold_text`, so there is nothing to score")
    tables = {
        "all": {"all pages": scores},
        "pages of the site seen": by_pages_seen(scores),
        "site": group(scores, "site"),
    }
    if as_json:
        click.echo(json.dumps(_figures(tables)))
        return
    _print(tables)


def _texts(out: Path) -> dict[int, str]:
    texts: dict[int, str] = {}
    for number, line in enumerate(read_lines(out), 1):
        try:
            record = decode_output(line)
        except SchemaError as error:
            raise InputProblem(f"{out}, line {number}: not a cleaned record: {error}") from None
        if isinstance(record, CleanedRecord) and record.revision == 0:
            texts[record.source.offset] = record.text
    return texts


def _scores(corpus: Path, texts: Mapping[int, str]) -> Iterator[PageScore]:
    seen: Counter[str] = Counter()
    for offset, (_, page) in enumerate(read_objects(corpus)):
        site = page.get("site") or page["url"]
        seen[site] += 1
        if page.get("gold_text"):
            yield _score(page, site, seen[site], texts.get(offset, ""))


def _score(page: Mapping[str, Any], site: str, seen: int, text: str) -> PageScore:
    everything, neutral = page_words(page.get("html") or "", page.get("gold_neutral"))
    gold, output = word_counts(page["gold_text"]), word_counts(text)
    score = score_text(output, gold, neutral)
    template = score_template(output, gold, neutral, everything)
    return PageScore(
        site=site,
        seen=seen,
        f1=score.f1,
        precision=score.precision,
        recall=score.recall,
        template_f=template.f1 if template else None,
        full_text_f1=score_text(everything, gold, neutral).f1,
    )


Tables = Mapping[str, Mapping[str, Sequence[PageScore]]]


def _figures(tables: Tables) -> dict[str, dict[str, dict[str, Any]]]:
    fields = summarise(tables["all"]["all pages"]).__struct_fields__
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for title, groups in tables.items():
        figures[title] = {}
        for name, scores in groups.items():
            summary = summarise(scores)
            figures[title][name] = {field: getattr(summary, field) for field in fields}
    return figures


def _print(tables: Tables) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_FILE_COLUMNS)
    for title, groups in tables.items():
        if len(groups) > _MOST_SITES:
            continue
        table = Table(title, "pages", "F1", "P", "R", "template F", "full text", "site F1", "<0.5")
        for column in table.columns[1:]:
            column.justify = "right"
        for name, scores in groups.items():
            one = summarise(scores)
            template = "" if one.template_f is None else f"{one.template_f:.3f}"
            figures = (one.f1, one.precision, one.recall)
            table.add_row(
                name,
                str(one.pages),
                *(f"{figure:.3f}" for figure in figures),
                template,
                f"{one.full_text_f1:.3f}",
                f"{one.site_f1:.3f}",
                f"{one.below_half:.1%}",
            )
        console.print(table)
