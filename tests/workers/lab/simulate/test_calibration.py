"""The default feed has the size and the difficulty of real news sites and blogs."""

import logging
from collections import Counter

import lxml.html
import numpy as np
import pytest
import trafilatura

from workers.lab.simulate.feed import FeedSettings, simulate_feed

_AT = (10, 25, 50, 75, 90, 95)
_STREAM_BYTES = (12_496, 24_616, 38_543, 64_936, 108_830, 150_270)
_STREAM_ELEMENTS = (111, 138, 296, 535, 916, 1_100)
_STREAM_TRAFILATURA_F1 = 0.974


@pytest.fixture(scope="module")
def default_pages():
    """Return every fourth page of the default feed."""
    return list(simulate_feed(FeedSettings(pages=FeedSettings().pages // 4)))


def _sent(page) -> int:
    encode = page.encoding.encode if page.encoding else str.encode
    return len(encode(page.html))


def test_bytes_match_the_stream(default_pages):
    sizes = np.percentile([_sent(page) for page in default_pages], _AT)
    assert sizes == pytest.approx(np.array(_STREAM_BYTES), rel=0.3)


def test_elements_match_the_stream(default_pages):
    counts = []
    for page in default_pages:
        tree = lxml.html.document_fromstring(page.html)
        counts.append(sum(isinstance(one.tag, str) for one in tree.iter()))
    assert np.percentile(counts, _AT) == pytest.approx(np.array(_STREAM_ELEMENTS), rel=0.3)


def _f1(out: Counter, gold: Counter, neutral: Counter) -> float:
    scored = out - ((out - gold) & neutral)
    return 2 * (scored & gold).total() / max(1, scored.total() + gold.total())


def test_trafilatura_scores_as_on_the_stream(default_pages, words_of):
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    articles = [page for page in default_pages if page.page_role == "article"][:160]
    whole, extracted = [], []
    for page in articles:
        gold = words_of(page.gold_text)
        neutral = words_of(
            "\n".join(
                text
                for section_type, text in page.sections
                if section_type in {"neutral", "comments"}
            )
        )
        seen = words_of("\n".join(text for _, text in page.sections))
        out = words_of(trafilatura.extract(page.html, include_comments=False) or "")
        whole.append(_f1(seen, gold, neutral))
        extracted.append(_f1(out, gold, neutral))
    assert np.mean(extracted) == pytest.approx(_STREAM_TRAFILATURA_F1, abs=0.05)
    assert 0.75 < np.mean(whole) < 0.85
