"""How many rows of label and value in the gold of product pages, manuals and entries are found as fields.

    python -m tests.quality.fields_against_gold shops.jsonl.xz references.jsonl.xz listings.jsonl.xz

The rows are those of lxml in the gold elements of a page: rows of tables with two cells of text, the second no heading,
terms with one meaning, and list items and paragraphs of the form "label: value". A field is right if such a row has its
name and its value.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import lxml.html

from templ_core import CleanerOptions, clean
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of

_LABEL_CHARS_MAX = 60
_VALUE_CHARS_MAX = 500
_LABELLED = re.compile(r"([^:：.!?\n]{1,40}?)\s*[:：]\s+(\S.*)", re.DOTALL)


def gold_rows(record: dict[str, Any], markup: str) -> set[tuple[str, str]]:
    """Return the names and values in the gold of a page, without white space and case."""
    page = lxml.html.document_fromstring(markup)
    if record.get("gold_exclude"):
        for one in page.cssselect(record["gold_exclude"]):
            one.drop_tree()
    for one in page.xpath(".//script | .//style | .//noscript | .//comment()"):
        one.drop_tree()
    return {
        (_letters(name), _letters(value))
        for element in page.cssselect(record["gold_selector"])
        for name, value in _rows(element)
        if 0 < len(name) <= _LABEL_CHARS_MAX and 0 < len(value) <= _VALUE_CHARS_MAX
    }


def _rows(element: Any) -> Iterator[tuple[str, str]]:
    for row in element.iter("tr"):
        cells = [one for one in row if one.tag in {"td", "th"}]
        if len(cells) == 2 and cells[1].tag == "td" and not row.xpath(".//table"):
            yield _text(cells[0]), _text(cells[1])
    for term in element.iter("dt"):
        meaning = term.getnext()
        behind = meaning.getnext() if meaning is not None else None
        is_pair = (
            meaning is not None and meaning.tag == "dd" and (behind is None or behind.tag != "dd")
        )
        if is_pair:
            yield _text(term), _text(meaning)
    for item in element.iter("li", "p"):
        match = _LABELLED.fullmatch(_text(item))
        if match and not item.xpath(".//li | .//p"):
            yield match[1], match[2]


def _text(element: Any) -> str:
    return " ".join(element.text_content().split())


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def main() -> None:
    """Print the figures of each corpus and site."""
    options = read_options(__doc__, "corpora...", site=str)
    rows, found, reported = Counter(), Counter(), Counter()
    for corpus in options.corpora:
        for _, record in read_objects(corpus):
            site = site_of(record)
            if not record.get("gold_selector") or options.site not in {None, site}:
                continue
            markup = record_markup(record)
            gold = gold_rows(record, markup)
            cleaned = clean(markup, record["url"], CleanerOptions(with_records=True))
            fields = {
                (_letters(one.name), _letters(one.value)): one for one in cleaned.records.fields
            }
            for key in ("all", site):
                rows[key] += len(gold)
                reported[key] += len(fields)
                found[key] += len(gold & fields.keys())
            if options.site:
                print(
                    record["url"],
                    cleaned.page_type,
                    len(gold),
                    len(fields),
                    len(gold & fields.keys()),
                )
                print("   missed", list(gold - fields.keys())[:4])
                print("   wrong", [fields[key] for key in list(fields.keys() - gold)[:4]])
    print(f"{'site':32} rows fields  found  right")
    for site in sorted(rows, key=lambda one: (one == "all", one)):
        of_rows, of_fields = found[site] / max(rows[site], 1), found[site] / max(reported[site], 1)
        print(f"{site:32} {rows[site]:5} {reported[site]:5}  {of_rows:.3f}  {of_fields:.3f}")


if __name__ == "__main__":
    main()
