import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from schemas.codec import encode_json
from schemas.source import Source
from tests.schemas.test_messages import CLEANED
from workers.errors import InputProblem, UsageProblem
from workers.lab.train import train
from workers.lab.training_pages import read_taught_pages

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


TAUGHT = (
    (0, "site", 0.9, "what the site shows of the first page " * 4),
    (1, "page", 0.9, "no evidence of the site " * 9),
    (2, "site", 0.5, "not sure enough to learn from it " * 9),
    (3, "site", 0.9, "too short"),
    (4, "site", 0.9, "a first text that is published again " * 4),
    (4, "site", 0.9, "the text of a better model of its site " * 4),
)


def test_sure_texts_of_a_site_teach_and_the_last_of_a_page_counts(tmp_path):
    records = [{"url": f"https://a.org/{number}", "html": "<p>x"} for number in range(5)]
    path = Path(corpus(tmp_path, records))
    cleaned = tmp_path / "taught.jsonl"
    cleaned.write_bytes(
        b"".join(
            encode_json(
                msgspec.structs.replace(
                    CLEANED,
                    source=Source(path.name, 0, number),
                    method=way,
                    confidence=sure,
                    text=text,
                )
            )
            + b"\n"
            for number, way, sure, text in TAUGHT
        )
    )
    pages = list(read_taught_pages(path, cleaned))
    assert [(one.corpus, one.url, one.gold_text) for one in pages] == [
        ("taught", "https://a.org/0", TAUGHT[0][3]),
        ("taught", "https://a.org/4", TAUGHT[5][3]),
    ]


def test_texts_of_another_corpus_teach_nothing(tmp_path):
    path = Path(corpus(tmp_path, [PAGE]))
    cleaned = tmp_path / "taught.jsonl"
    other = msgspec.structs.replace(
        CLEANED, source=Source("other.jsonl", 0, 0), method="site", text="word " * 30
    )
    cleaned.write_bytes(encode_json(other) + b"\n")
    with pytest.raises(InputProblem, match="no sure text of a page"):
        list(read_taught_pages(path, cleaned))
