"""Processor time of each hostile page, for reading and for cleaning.

python -m tests.benchmarks.hostile_pages
"""

import time
from collections.abc import Callable
from typing import Any

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from tests.hostile_pages import CASES, Hostile


def main() -> None:
    """Print a line for each case, after a first page that loads the models."""
    _cleaned(CASES["plain article"])
    print(f"{'case':44} {'MB':>6} {'read s':>7} {'clean s':>8}  result")
    for name, case in CASES.items():
        body, read_s, clean_s, result = _cleaned(case)
        print(f"{name:44} {len(body) / 1e6:6.1f} {read_s:7.2f} {clean_s:8.2f}  {result}")


def _cleaned(case: Hostile) -> tuple[bytes, float, float, str]:
    body = case.make(1.0)
    read_s = clean_s = 0.0
    try:
        document, read_s = _timed(lambda: read_document(body, "https://example.com/"))
        cleaned, clean_s = _timed(lambda: clean(document, None, CoreConfig()))
    except PageError as error:
        return body, read_s, clean_s, f"refused: {type(error).__name__}: {error}"
    missing = [text for text in case.expected if text not in cleaned.text]
    result = f"LOST {missing}" if missing else f"{len(cleaned.text)} characters"
    return body, read_s, clean_s, result


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    result = call()
    return result, time.process_time() - began


if __name__ == "__main__":
    main()
