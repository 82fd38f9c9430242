import json
from collections import Counter
from statistics import fmean

import pytest

from templ_core.lab.evaluation.words import text_distance
from workers.lab.experiments.compared_cleaners import clean_compared_pages
from workers.lab.experiments.copies import read_mirrors

ARTICLES = {"a.org": 14, "b.org": 15, "c.org": 14, "d.org": 15}


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "pages.jsonl"
    records = [
        {
            "site": site,
            "url": f"http://{site}/{number}",
            "html": f"<ul><li>Home of {site}<li>About {site}</ul><div id=main><p>"
            f"{' '.join(f'{site[0]}{number}x{place}' for place in range(60))}</div>",
            "gold_selector": "#main",
            "gold_text": "its text",
        }
        for site, count in ARTICLES.items()
        for number in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    return read_mirrors([path], seed=0)


def test_the_largest_sites_of_any_corpus_lend_their_templates(mirrors):
    assert {page.site for page in mirrors} == {"b.org", "d.org"}
    assert set(Counter(page.name for page in mirrors).values()) == {2}
    assert len(mirrors) == 2 * (ARTICLES["a.org"] + ARTICLES["c.org"])


@pytest.mark.parametrize("cleaner", ["FindTemplate", "votes", "style tree"])
def test_mirrors_are_equal_without_their_templates(mirrors, cleaner):
    def distance(name):
        texts = clean_compared_pages(mirrors, name)
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return fmean(text_distance(one, other) for one, other in pairs)

    assert distance("original") > 0.02
    assert distance(cleaner) == 0


def test_a_corpus_without_gold_has_no_mirrors(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps({"site": "a.org", "url": "http://a.org/", "html": "<p>Text"}))
    assert read_mirrors([path], seed=0) == []
