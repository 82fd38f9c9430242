"""The golden pages: what each is cleaned to, with the decision on every segment."""

import json
from pathlib import Path

from workers.library import SiteCleaner
from workers.settings import Settings

FOLDER = Path(__file__).parent
PAGES = sorted(path.parent.name for path in FOLDER.glob("*/page.html"))
_FETCHED_AT_S = 1_740_000_000


def outputs(name: str) -> dict[str, str]:
    """Return the text of each file that belongs to a page, cleaned as the first of its site."""
    cleaner = SiteCleaner(settings=Settings(), with_segments=True)
    body = (FOLDER / name / "page.html").read_bytes()
    record = cleaner.clean(f"https://golden.example/{name}", body, _FETCHED_AT_S)
    decisions = {
        "title": record.title,
        "confidence": round(record.confidence, 2),
        "warnings": record.warnings,
        "segments": [
            {
                "kept": one.kept,
                "templateness": round(one.templateness, 2),
                "reason": one.reason,
                "text": one.text,
            }
            for one in record.segments
        ],
    }
    return {
        "expected.txt": record.text + "\n",
        "decisions.json": json.dumps(decisions, ensure_ascii=False, indent=1) + "\n",
    }
