import pytest

from schemas.cleaned import TextSegment
from tests.workers.lab.evaluation.builders import BODY, HTML, TEXT, gold_page, judge
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE, PageOutput


def test_a_page_is_cleaned_scored_and_timed():
    found = judge().judge(gold_page(), None, 0)
    assert found.scores[TEMPL].f1 == pytest.approx(1.0)
    assert found.scores[TEMPL].template_f == pytest.approx(1.0)
    assert 0.5 < found.scores[WHOLE_PAGE].f1 < 1
    assert set(found.seconds) == {TEMPL, PARSE}
    assert found.failures == {}
    assert 0.8 < found.confidence <= 1
    assert found.segments.f.in_templates.links.f == pytest.approx(1.0)
    assert found.segments.f.in_content.text.f == pytest.approx(1.0)
    assert found.kept_wrongly == found.missed == ""
    assert found.page.body == b""


def test_peers_run_on_the_same_page_and_may_fail():
    def fail(markup):
        raise RuntimeError("boom") if "Sentence 3" in markup else ValueError

    peers = {"good": lambda markup: TEXT, "bad": fail, "none": lambda markup: None}
    for name, peer in list(peers.items()):
        peers[name] = lambda markup, peer=peer: "" if "A paragraph" in markup else peer(markup)
    found = judge(peers).judge(gold_page(), None, 1)
    assert found.scores["good"].f1 == 1.0
    assert found.scores["bad"].f1 == found.scores["none"].f1 == 0.0
    assert found.failures == {"bad": "RuntimeError: boom"}
    assert set(found.seconds) == {TEMPL, PARSE, "good", "bad", "none"}


def test_an_earlier_output_is_scored_unchanged():
    output = PageOutput(text="Section 1\n" + TEXT, confidence=0.7, segments=None)
    page = gold_page(gold_text=TEXT + "\nQuite another paragraph closes it.")
    found = judge().judge(page, output, 0)
    assert found.seconds == {}
    assert found.confidence == 0.7
    assert found.segments is None
    assert found.kept_wrongly == "Section 1"
    assert found.missed == "Quite another paragraph closes it."


def test_recorded_segments_are_scored_only_if_they_match_the_page():
    kept = [
        TextSegment(text=line, kept=True, templateness=0.1, reason="", section=1)
        for line in TEXT.splitlines()
    ]
    menu = [
        TextSegment(text=f"Section {n}", kept=False, templateness=0.9, reason="", section=0)
        for n in range(25)
    ]
    found = judge().judge(
        gold_page(), PageOutput(text=TEXT, confidence=1.0, segments=menu + kept), 0
    )
    assert found.segments.adjusted_rand == 1.0
    assert found.segments.f.in_templates.text.f == pytest.approx(1.0)
    other = judge().judge(gold_page(), PageOutput(text=TEXT, confidence=1.0, segments=kept), 0)
    assert other.segments is None


@pytest.mark.parametrize("body", [b"%PDF-1.7 x", b""])
def test_a_refused_page_scores_zero_with_a_reason(body):
    found = judge().judge(gold_page(body=body), None, 0)
    assert found.scores[TEMPL].f1 == 0.0
    assert found.failures[TEMPL].split(":")[0] in {"UnsupportedContent", "EmptyPage"}
    assert found.segments is None


def test_chinese_is_scored_by_characters_too():
    text = "市议会星期二晚上通过了这项计划。市长说工程将在春天开始。"
    html = f"<article><p>{text}</p></article>"
    found = judge(with_segments=False).judge(
        gold_page(body=html.encode(), gold_text=text + "第二段", selectors=None), None, 0
    )
    assert found.scores[TEMPL].f1 < 0.9
    assert found.scores[TEMPL].character_f1 > 0.9
    assert found.segments is None


def test_gold_text_without_selectors_is_aligned_with_segments():
    found = judge().judge(gold_page(selectors=None), None, 0)
    assert found.segments.f.in_content.text.f == pytest.approx(1.0)
    assert BODY in HTML
