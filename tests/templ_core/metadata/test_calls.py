"""Metadata is read in few calls, whose number does not depend on how long a page is."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

import templ_core
from templ_core.dom.document import parse_document
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata

ROOT = str(Path(templ_core.__file__).parent)
URL = "https://herald.example/locks"
ARTICLE = {
    "@type": "NewsArticle",
    "headline": "Locks of Otterford",
    "author": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Tom Poe"}],
    "datePublished": "2026-03-04T10:00:00Z",
    "dateModified": "2026-03-05T10:00:00Z",
    "publisher": {"@type": "Organization", "name": "Otterford Herald"},
    "image": "https://herald.example/lock.jpg",
    "description": "The locks are counted.",
    "keywords": ["locks", "boats"],
}
STATED = (
    f'<script type="application/ld+json">{json.dumps(ARTICLE)}</script>'
    f"<link rel=canonical href={URL}><meta property=og:site_name content='Otterford Herald'>"
)
STORY = "<p>The lock keeper counted the boats on Monday, and wrote to the council about them.</p>"


def calls(markup):
    page = parse_document(markup, URL)
    counts: Counter[str] = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            counts[frame.f_code.co_name] += 1

    read_metadata(page, URL, PageMarkup(page))
    sys.setprofile(count)
    try:
        read_metadata(page, URL, PageMarkup(page))
    finally:
        sys.setprofile(None)
    return counts.total()


@pytest.mark.parametrize("paragraphs", [5, 500])
@pytest.mark.parametrize(
    ("head", "under", "most"),
    [(STATED, "", 25), ("", "<p class=byline>By Ann Lee, 4 March 2026</p>", 35), ("", "", 20)],
)
def test_a_page_takes_few_calls(head, under, most, paragraphs):
    body = f"<h1>Locks of Otterford</h1>{under}{STORY * paragraphs}"
    assert calls(f"<html lang=en><title>Locks | Herald</title>{head}<body>{body}") <= most
