import json

import pytest
from click.testing import CliRunner

from workers.errors import InputProblem, UsageProblem
from workers.lab.train import train

PAGE = {"url": "https://a.org/1", "html": "<p>some text of it", "gold_text": "some text of it"}


def corpus(tmp_path, records):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def run(tmp_path, *arguments):
    return CliRunner().invoke(train, [*arguments, "--out", str(tmp_path / "model.bin")]).exception


def test_too_few_sites_are_refused_with_the_number_needed(tmp_path):
    problem = run(tmp_path, corpus(tmp_path, [PAGE] * 3))
    assert isinstance(problem, InputProblem)
    assert "1 sites of different owners" in str(problem)
    assert "at least 10" in str(problem)
    assert not (tmp_path / "model.bin").exists()


@pytest.mark.parametrize(
    ("html", "gold", "lacking"),
    [
        ("<p>some text of it", "some text of it", "template"),
        ("<ul><li>Home<li>About", "what is not there", "content"),
    ],
)
def test_gold_without_content_or_without_template_is_refused(tmp_path, html, gold, lacking):
    records = [
        {"url": f"https://{number}.org/", "site": f"{number}.org", "html": html, "gold_text": gold}
        for number in range(20)
    ]
    problem = run(tmp_path, corpus(tmp_path, records))
    assert isinstance(problem, InputProblem)
    assert f"of which 0 have {lacking}" in str(problem)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"url": "https://a.org/"}, "no page has `gold_text`"),
        ({"html": "<p>x", "gold_text": "x"}, "line 1: not a page"),
        ([], "line 1: not a JSON object"),
    ],
)
def test_a_file_that_is_not_a_corpus_is_refused(tmp_path, record, said):
    problem = run(tmp_path, corpus(tmp_path, [record]))
    assert isinstance(problem, InputProblem)
    assert said in str(problem)


@pytest.mark.parametrize("weight", ["corpus", "corpus=x", "other=1", "corpus=0"])
def test_an_invalid_weight_is_refused(tmp_path, weight):
    assert isinstance(run(tmp_path, corpus(tmp_path, [PAGE]), "--weight", weight), UsageProblem)
