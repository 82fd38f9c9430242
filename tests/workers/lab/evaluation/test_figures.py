import json
import re

import msgspec
import pytest
from lxml import html

from tests.workers.lab.evaluation.builders import HTML, TEXT, gold_page, judge
from workers.lab.evaluation.figures import ALL, figures_as_json, find_figures
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE, PageOutput
from workers.lab.evaluation.report_page import render_report


@pytest.fixture(scope="module")
def figures():
    one = judge({"half": lambda markup: TEXT[: len(TEXT) // 2]})
    pages = [gold_page(n, corpus="news" if n < 8 else "blogs") for n in range(12)]
    pages.append(gold_page(12, body=b"%PDF-1.4", page_type="<script>alert(1)</script>"))
    judgements = [one.judge(page, None, n) for n, page in enumerate(pages)]
    return find_figures(judgements, {"templ": "1"}, ["a <note>"], 0)


def test_every_grouping_holds_every_page(figures):
    for title in ("all", "corpus", "page type", "pages of the site seen", "site"):
        rows = figures.groups[title].values()
        assert sum(row[TEMPL].pages for row in rows) == 13
        assert all(set(row) == {TEMPL, "half", WHOLE_PAGE} for row in rows)
    assert set(figures.groups["corpus"]) == {"news", "blogs"}
    assert set(figures.segments) == set(figures.calibration) == {"news", "blogs", ALL}


def test_systems_are_compared_and_timed(figures):
    better = figures.differences[ALL]["half"]
    row = figures.groups["all"][ALL]
    assert better.of_pages == pytest.approx(row[TEMPL].f1 - row["half"].f1)
    assert set(figures.timing) == {TEMPL, "half", WHOLE_PAGE, PARSE} - {WHOLE_PAGE}
    assert figures.timing[PARSE].parses == pytest.approx(1.0)
    assert figures.failures == {TEMPL: {"UnsupportedContent": 1}}
    assert figures.worst[0].f1 == 0.0
    assert figures.quantiles["half"] == sorted(figures.quantiles["half"])


def test_json_has_the_groupings_of_templ_at_the_top_level(figures):
    plain = json.loads(json.dumps(figures_as_json(figures)))
    assert plain["all"][ALL]["pages"] == 13
    assert plain["others"]["half"]["corpus"]["news"]["f1"] < 1
    assert plain["segments"]["news"]["f"]["in_templates"]["links"]["f"] == pytest.approx(1.0)
    assert plain["timing"][TEMPL]["mean_ms"] > 0


def test_the_report_is_one_page_that_needs_no_network(figures):
    page = render_report(figures)
    root = html.fromstring(page)
    assert len(root.findall(".//svg")) >= 5
    assert len(root.findall(".//details")) == 1
    assert not root.xpath("//script | //link | //img | //@src")
    assert not re.search(r"url\(|@import|https?://(?!a\d\.org)", page)
    assert "<script>alert" not in page
    assert "a &lt;note&gt;" in page
    assert "UnsupportedContent" not in page or page.count("nan") == 0


def test_neutral_text_that_was_kept_is_shown_apart_as_text_that_does_not_count():
    page = gold_page(body=HTML.replace("<ul", "<h1>By Ann Lee</h1><ul").encode(), neutral="h1")
    output = PageOutput(text="By Ann Lee\nSection 1", confidence=None, segments=None)
    found = judge().judge(page, output, 0)
    assert (found.kept_wrongly, found.kept_neutral) == ("Section 1", "By Ann Lee")
    (worst,) = html.fromstring(render_report(find_figures([found], {}, [], 0))).findall(
        ".//details"
    )
    assert worst.xpath("string(.//div[@class='soft']/pre)") == "By Ann Lee"
    assert "does not count" in worst.text_content()


def test_the_report_omits_unknown_figures(figures):
    few = msgspec.structs.replace(
        figures, segments={}, calibration={}, timing={}, failures={}, notes=[], worst=[]
    )
    assert "Precision and recall" not in render_report(few)
