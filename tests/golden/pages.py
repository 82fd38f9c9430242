"""The golden pages: what each is cleaned to, with the decision on every segment."""

import json
from pathlib import Path

from templ_core import SiteCleaner

FOLDER = Path(__file__).parent
PAGES = sorted(path.parent.name for path in FOLDER.glob("*/page.html"))
_FETCHED_AT_S = 1_740_000_000


def outputs(name: str) -> dict[str, str]:
    """Return the text of each file that belongs to a page, cleaned as the first of its site."""
    cleaner = SiteCleaner()
    body = (FOLDER / name / "page.html").read_bytes()
    page = cleaner.clean(body, f"https://golden.example/{name}", _FETCHED_AT_S)
    decision = page.decision
    segments = zip(
        page.document.segments.texts,
        decision.kept,
        decision.templateness,
        decision.reasons,
        strict=True,
    )
    decisions = {
        "title": page.title,
        "confidence": round(round(page.confidence, 4), 2),
        "warnings": page.warnings,
        "segments": [
            f"{'kept' if kept else 'removed'} {round(float(templateness), 4):.2f} {reason}: {text}"
            for text, kept, templateness, reason in segments
        ],
    }
    return {
        "expected.txt": page.text + "\n",
        "decisions.json": json.dumps(decisions, ensure_ascii=False, indent=1) + "\n",
    }
