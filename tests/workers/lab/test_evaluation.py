"""Parts of the evaluation: pages with gold, the judge, peers, tables and figures."""

import io
import json
import re
import sys

import msgspec
import numpy as np
import pytest
from lxml import html
from rich.console import Console

from schemas.cleaned import CleanedRecord, TextSegment
from schemas.codec import encode_json
from schemas.source import Source
from templ_core.dom.document import read_document
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.lab.training.pages import page_labels, word_bag
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.model_file import shipped_model
from tests.schemas.test_messages import CLEANED
from workers.errors import InputProblem, SettingsProblem, UsageProblem
from workers.lab.evaluation import peers
from workers.lab.evaluation.corpus_files import (
    EarlierOutputs,
    EvaluationPage,
    gold_repeats,
    read_evaluation_pages,
)
from workers.lab.evaluation.judge import (
    PARSE,
    TEMPL,
    WHOLE_PAGE,
    Judge,
    PageOutput,
    time_calls,
    without_statements,
)
from workers.lab.evaluation.page_models import PageModels, models_of_folds
from workers.lab.evaluation.peers import PEERS, CommandPeer, load_peer
from workers.lab.evaluation.scoring import TextScorer, lines_missing_from
from workers.lab.evaluation.tables import ALL, _print, figures_as_json, find_figures, render_report

LINES = [
    f"Sentence {n} of an article that somebody wrote, with commas, and a full stop."
    for n in range(12)
]
TEXT = "\n".join(LINES)
BODY = "".join(f"<p>{line}</p>" for line in LINES)
MENU = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(25))
HTML = f"<html><body><ul class=nav>{MENU}</ul><article>{BODY}</article></body></html>"


def gold_page(number=0, **fields):
    values = {
        "corpus": "news",
        "offset": number,
        "url": f"https://a{number % 3}.org/{number}",
        "site": f"a{number % 3}.org",
        "page_type": "article",
        "seen": number // 3 + 1,
        "body": HTML.encode(),
        "charset": "utf-8",
        "content_type": None,
        "gold_text": TEXT,
        "selectors": GoldSelectors(content="article"),
        "neutral": None,
    }
    return EvaluationPage(**{**values, **fields})


def judge(peers=None, *, with_segments=True):
    return Judge([shipped_model()], peers or {}, with_segments=with_segments)


PAGE = {"url": "https://a.org/1", "html": "<p>text", "gold_text": "text", "site": "a"}


def pages(*records):
    lines = [(json.dumps(one).encode(), one) for one in records]
    return list(read_evaluation_pages("c", lines, gold_repeats(lines)))


def test_pages_are_numbered_by_record_and_counted_by_site():
    with_gold = pages(PAGE, {**PAGE, "gold_text": None}, PAGE, {**PAGE, "site": "b"})
    assert [(page.offset, page.site, page.seen) for page in with_gold] == [
        (0, "a", 1),
        (2, "a", 3),
        (3, "b", 1),
    ]
    assert with_gold[0].selectors is None


def test_selectors_are_read():
    (page,) = pages({**PAGE, "gold_selector": "p", "gold_neutral": "h1", "kind": "news"})
    assert (page.selectors.content, page.selectors.neutral, page.neutral) == ("p", "h1", "h1")
    assert page.page_type == "news"


NOTICE = "Each tea of this shop is sent within two days."


def teas(count, site="teas"):
    """Return pages of teas with a notice in their gold."""
    texts = [f"Tea number {n} of the hills.\n{NOTICE}" for n in range(count)]
    return pages(*({**PAGE, "gold_text": text, "site": site} for text in texts))


def test_sentences_of_gold_on_four_pages_and_a_twentieth_of_a_site_are_its_repeats():
    assert [page.repeats for page in teas(4)] == [(NOTICE,)] * 4
    assert [page.repeats for page in teas(3)] == [()] * 3
    many = [{**PAGE, "gold_text": f"Tea number {n} of the hills."} for n in range(96)]
    few = [{**PAGE, "gold_text": f"A story number {n}.\n{NOTICE}"} for n in range(5)]
    assert not any(page.repeats for page in pages(*many, *few[:4]))
    many.pop()
    assert sum(page.repeats == (NOTICE,) for page in pages(*many, *few)) == 5


def test_gold_that_is_nothing_but_repeats_counts():
    same = {**PAGE, "gold_text": NOTICE}
    assert [page.repeats for page in pages(same, same, same, same)] == [()] * 4


@pytest.mark.parametrize("kept", ["", NOTICE])
def test_repeats_of_the_gold_and_a_headline_that_it_lacks_neither_help_nor_hurt(kept):
    tea = "Number 3 comes from hills and tastes rather strong."
    body = f"<title>Green leaf</title><h1>Green leaf</h1><main><p>{tea}<p>{NOTICE}</main><p>All rights reserved here."
    page = gold_page(
        body=body.encode(), gold_text=f"{tea}\n{NOTICE}", selectors=GoldSelectors(content="main"),
        repeats=(NOTICE,),
    )  # fmt: skip
    scorer = TextScorer(page, body)
    assert scorer.score(f"Green leaf\n{tea}\n{kept}").f1 == 1.0
    wrong = scorer.score(f"{tea}\n{kept}\nAll rights reserved here.")
    assert (wrong.precision, wrong.recall) == (9 / 13, 1.0)
    assert scorer.score(f"Green leaf\n{kept}").f1 == 0.0
    document = read_document(page.body, page.url)
    bag = word_bag(page, document, body)
    texts = document.segments.texts
    assert texts == ["Green leaf", tea, NOTICE, "All rights reserved here."]
    assert bag.f1(np.array([True, True, bool(kept), False]))[0] == 1.0
    assert bag.f1(np.array([False, True, bool(kept), True])) == pytest.approx(
        (18 / 22, 9 / 13, 1.0)
    )
    labels = page_labels(page, document, body, read_features(document).text)
    assert labels.counts.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    "record",
    [
        {"gold_text": "x"},
        {**PAGE, "html": None},
        {**PAGE, "status": 404, "html": None},
        {**PAGE, "gold_selector": 3},
    ],
)
def test_gold_without_a_page_is_refused(record):
    with pytest.raises(InputProblem, match="c, record 0"):
        pages(record)


def record(offset, *, checksum=0, **fields) -> CleanedRecord:
    return msgspec.structs.replace(CLEANED, source=Source("x", checksum, offset), **fields)


def outputs(*records):
    outputs = EarlierOutputs()
    outputs.add("out", map(encode_json, records))
    return outputs


def test_outputs_are_joined_with_their_pages_by_the_record_and_not_by_its_number():
    (page,) = pages(PAGE)
    mine = record(0, checksum=page.checksum, text="mine")
    assert outputs(mine).for_page(page).text == "mine"
    assert outputs(msgspec.structs.replace(mine, revision=1)).for_page(page) is None
    other = record(0, checksum=page.checksum + 1, text="other", url="https://other.org/")
    assert outputs(other).for_page(page) is None
    assert outputs(other, mine).for_page(page).text == "mine"


def test_outputs_without_a_checksum_are_joined_by_their_url():
    (page,) = pages(PAGE)
    kafka = [record(number, url=PAGE["url"], text=str(number)) for number in (7, 0, 9)]
    assert outputs(kafka[0]).for_page(page).text == "7"
    assert outputs(*kafka).for_page(page).text == "0"
    assert outputs(kafka[0], kafka[2]).for_page(page) is None


def test_a_line_that_is_no_record_is_refused():
    with pytest.raises(InputProblem, match="out, line 1: not a cleaned record"):
        EarlierOutputs().add("out", [b"{}"])


def test_each_page_is_cleaned_by_a_model_trained_without_its_site():
    models = PageModels(bodies=[b"", b"", b""], folds={"news": {"a0.org": 2, "a1.org": 1}})
    assert models.number_for(gold_page(0)) == 2
    assert models.number_for(gold_page(1, corpus="other")) == 1
    assert models.number_for(gold_page(2)) == 0


def test_a_directory_without_folds_is_refused(tmp_path):
    with pytest.raises(UsageProblem, match="folds.json: No such file"):
        models_of_folds(tmp_path)
    (tmp_path / "folds.json").write_text("[]")
    with pytest.raises(UsageProblem, match="not an index that `templ train --folds` wrote"):
        models_of_folds(tmp_path)
    (tmp_path / "folds.json").write_text('{"c": {"a": 1}}')
    with pytest.raises(SettingsProblem, match="fold-0.bin"):
        models_of_folds(tmp_path)


def test_only_lines_missing_from_the_other_text_are_returned():
    gold = "The council met on Tuesday.\nIt voted for the plan.\nHome"
    text = "Menu\nThe council met on Tuesday.\nRead more of this\nHome\n"
    assert lines_missing_from(text, gold) == "Menu\nRead more of this"
    assert lines_missing_from(gold, text) == "It voted for the plan."
    assert lines_missing_from("", gold) == ""
    assert lines_missing_from("...", gold) == ""


def test_long_excerpts_are_cut():
    lines = lines_missing_from("\n".join(f"line number {n} of it" for n in range(1000)), "")
    assert len(lines) < 1600
    assert lines.endswith(" ...")


@pytest.fixture(scope="module")
def figures():
    own_judge = judge({"half": lambda markup: TEXT[: len(TEXT) // 2]})
    pages = [gold_page(n, corpus="news" if n < 8 else "blogs") for n in range(12)]
    pages.append(gold_page(12, body=b"%PDF-1.4", page_type="<script>alert(1)</script>"))
    judgements = [own_judge.judge(page, None, n) for n, page in enumerate(pages)]
    return find_figures(judgements, {"templ": "1"}, ["a <note>"], 0)


def test_every_grouping_holds_every_page(figures):
    for title in ("all", "corpus", "page type", "pages of the site seen", "site"):
        rows = figures.groups[title].values()
        assert sum(row[TEMPL].pages for row in rows) == 13
        assert all(set(row) == {TEMPL, "half", WHOLE_PAGE} for row in rows)
    assert set(figures.groups["corpus"]) == {"news", "blogs"}
    assert set(figures.segments) == set(figures.calibration) == {"news", "blogs", ALL}


def test_confidence_is_judged_by_page_type_too(figures):
    pages = {
        name: sum(some.pages for some in one.bins)
        for name, one in figures.calibration_by_type.items()
    }
    assert pages == {"article": 12}


def test_the_model_tells_the_page_type_without_what_the_markup_states():
    product = '<script type="application/ld+json">{"@type": "Product"}</script>'
    page = gold_page(body=HTML.replace("<body>", f"<body>{product}").encode())
    judgement = judge().judge(page, None, 0)
    assert (judgement.stated_type, judgement.found_type) == (
        "product",
        judge().judge(gold_page(), None, 0).found_type,
    )
    figures = find_figures([judgement], {}, [], 0)
    assert figures.found_types == {
        "stated: product": {judgement.found_type: 1},
        "news: article": {judgement.found_type: 1},
    }


@pytest.mark.parametrize(
    ("markup", "left"),
    [
        ('<SCRIPT type="application/ld+json">{"a": "<b>"}</SCRIPT><p>Tea', "<p>Tea"),
        ("<script>let a</script>", "<script>let a</script>"),
        ('<meta content=product property=og:type><meta property="og:title" content="Tea">',
         '<meta property="og:title" content="Tea">'),
        ('<meta property="product:price:amount" content="4">', ""),
        ("<div class=a itemscope itemtype='https://schema.org/Product' id=b>", "<div class=a id=b>"),
        ('<p title="a > b" itemprop=name>itemprop=name', '<p title="a > b">itemprop=name'),
        ('<p typeof="Product" property="name">', "<p>"),
    ],
)  # fmt: skip
def test_statements_of_the_page_type_are_hidden(markup, left):
    assert without_statements(markup) == left


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
    judgement = judge().judge(page, output, 0)
    assert (judgement.kept_wrongly, judgement.kept_neutral) == ("Section 1", "By Ann Lee")
    (worst,) = html.fromstring(render_report(find_figures([judgement], {}, [], 0))).findall(
        ".//details"
    )
    assert worst.xpath("string(.//div[@class='soft']/pre)") == "By Ann Lee"
    assert "does not count" in worst.text_content()


def test_the_report_omits_unknown_figures(figures):
    few = msgspec.structs.replace(
        figures, segments={}, calibration={}, timing={}, failures={}, notes=[], worst=[]
    )
    assert "Precision and recall" not in render_report(few)


def test_a_page_is_cleaned_scored_and_timed():
    judgement = judge().judge(gold_page(), None, 0)
    assert judgement.scores[TEMPL].f1 == pytest.approx(1.0)
    assert judgement.scores[TEMPL].template_f == pytest.approx(1.0)
    assert 0.5 < judgement.scores[WHOLE_PAGE].f1 < 1
    assert set(judgement.seconds) == {TEMPL, PARSE}
    assert judgement.failures == {}
    assert 0.8 < judgement.confidence <= 1
    assert judgement.segments.f["in_templates"]["links"].f == pytest.approx(1.0)
    assert judgement.segments.f["in_content"]["text"].f == pytest.approx(1.0)
    assert judgement.kept_wrongly == judgement.missed == ""
    assert judgement.page.body == b""


def test_peers_run_on_the_same_page_and_may_fail():
    def fail(markup):
        raise RuntimeError("boom") if "Sentence 3" in markup else ValueError

    peers = {"good": lambda markup: TEXT, "bad": fail, "none": lambda markup: None}
    for name, peer in list(peers.items()):
        peers[name] = lambda markup, peer=peer: "" if "A paragraph" in markup else peer(markup)
    judgement = judge(peers).judge(gold_page(), None, 1)
    assert judgement.scores["good"].f1 == 1.0
    assert judgement.scores["bad"].f1 == judgement.scores["none"].f1 == 0.0
    assert judgement.failures == {"bad": "RuntimeError: boom"}
    assert set(judgement.seconds) == {TEMPL, PARSE, "good", "bad", "none"}


def test_an_earlier_output_is_scored_unchanged():
    output = PageOutput(text="Section 1\n" + TEXT, confidence=0.7, segments=None)
    page = gold_page(gold_text=TEXT + "\nQuite another paragraph closes it.")
    judgement = judge().judge(page, output, 0)
    assert judgement.seconds == {}
    assert judgement.confidence == 0.7
    assert judgement.segments is None
    assert judgement.kept_wrongly == "Section 1"
    assert judgement.missed == "Quite another paragraph closes it."


def test_recorded_segments_are_scored_only_if_they_match_the_page():
    kept = [
        TextSegment(text=line, kept=True, templateness=0.1, reason="", section=1)
        for line in TEXT.splitlines()
    ]
    menu = [
        TextSegment(text=f"Section {n}", kept=False, templateness=0.9, reason="", section=0)
        for n in range(25)
    ]
    judgement = judge().judge(
        gold_page(), PageOutput(text=TEXT, confidence=1.0, segments=menu + kept), 0
    )
    assert judgement.segments.adjusted_rand == 1.0
    assert judgement.segments.f["in_templates"]["text"].f == pytest.approx(1.0)
    other = judge().judge(gold_page(), PageOutput(text=TEXT, confidence=1.0, segments=kept), 0)
    assert other.segments is None


@pytest.mark.parametrize("body", [b"%PDF-1.7 x", b""])
def test_a_refused_page_scores_zero_with_a_reason(body):
    judgement = judge().judge(gold_page(body=body), None, 0)
    assert judgement.scores[TEMPL].f1 == 0.0
    assert judgement.failures[TEMPL].split(":")[0] in {"UnsupportedContent", "EmptyPage"}
    assert judgement.segments is None


def test_chinese_is_scored_by_characters_too():
    text = "市议会星期二晚上通过了这项计划。市长说工程将在春天开始。"
    html = f"<article><p>{text}</p></article>"
    judgement = judge(with_segments=False).judge(
        gold_page(body=html.encode(), gold_text=text + "第二段", selectors=None), None, 0
    )
    assert judgement.scores[TEMPL].f1 < 0.9
    assert judgement.scores[TEMPL].character_f1 > 0.9
    assert judgement.segments is None


def test_gold_text_without_selectors_is_aligned_with_segments():
    judgement = judge().judge(gold_page(selectors=None), None, 0)
    assert judgement.segments.f["in_content"]["text"].f == pytest.approx(1.0)
    assert BODY in HTML


def program(code):
    return CommandPeer("program", (sys.executable, "-c", f"import sys, time; {code}"))


def test_a_program_gets_the_page_and_its_output_is_the_text():
    shouts = program("sys.stdout.buffer.write(sys.stdin.buffer.read().decode().upper().encode())")
    assert shouts("<p>naïve") == "<P>NAÏVE"


@pytest.mark.parametrize(
    ("code", "deadline_s", "failure"),
    [("sys.exit(3)", 30.0, "CalledProcessError"), ("time.sleep(60)", 0.5, "TimeoutExpired")],
)
def test_a_program_that_fails_or_hangs_scores_as_an_empty_text_and_is_counted(
    monkeypatch, code, deadline_s, failure
):
    monkeypatch.setattr(peers, "COMMAND_DEADLINE_S", deadline_s)
    programs = {"program": program(f"print({TEXT!r}, flush=True); {code}")}
    judgement = judge(programs, with_segments=False).judge(gold_page(), None, 0)
    assert judgement.scores["program"].f1 == 0
    assert judgement.failures["program"].partition(":")[0] == failure


@pytest.mark.parametrize("name", sorted(PEERS))
def test_every_peer_finds_an_article(name):
    assert "Sentence 3 of an article" in load_peer(name)(gold_page().body.decode())


def test_a_peer_that_is_not_installed_is_a_usage_problem(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(UsageProblem, match="needs trafilatura"):
        load_peer("trafilatura-recall")


def test_a_table_that_is_too_wide_is_printed_in_parts():
    heads = [f"heading {column}" for column in range(14)]
    rows = [[f"row {row} is {row}.{column}" for column in range(14)] for row in range(2)]
    for width in (80, 200):
        file = io.StringIO()
        _print(Console(file=file, width=width), heads, rows, "what it says")
        printed = file.getvalue()
        assert max(map(len, printed.splitlines())) <= width
        for column in range(14):
            assert f"heading {column}" in printed
            assert f"row 1 is 1.{column}" in printed
        assert printed.count("what it says") == 1
        assert "…" not in printed


def test_each_call_runs_first_once_and_an_error_affects_no_other_call():
    def fail():
        raise ValueError("no such page\nand more")

    calls = {"a": lambda: 1, "b": fail, "c": lambda: None}
    orders = []
    for first in range(3):
        timed = time_calls(calls, first)
        orders.append(list(timed))
        assert timed["a"].value == 1
        assert timed["b"].failure == "ValueError: no such page"
        assert all(turn.seconds >= 0 for turn in timed.values())
    assert [order[0] for order in orders] == ["a", "b", "c"]
    assert time_calls({}, 5) == {}
