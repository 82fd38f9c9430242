import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from schemas.codec import encode_json
from schemas.source import Source
from tests.schemas.test_messages import CLEANED
from tests.workers.builders import write_lines
from workers.errors import InputProblem, UsageProblem
from workers.lab.corpora import read_taught_pages, write_file
from workers.lab.train import train

PAGE = {"url": "https://a.org/1", "html": "<p>some text of it", "gold_text": "some text of it"}


def corpus(tmp_path, records):
    return str(write_lines(tmp_path / "corpus.jsonl", records))


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
    assert f"and 0 have {lacking}" in str(problem)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"url": "https://a.org/"}, "no page has `gold_text`"),
        ({"html": "<p>x", "gold_text": "x"}, "record 0: is not a page"),
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


def test_strings_in_the_content_of_all_sites_are_listed(templ, tmp_path):
    pages, out = tmp_path / "pages.jsonl", tmp_path / "idioms.json"
    records = [
        {
            "site": f"{name}.org",
            "url": f"http://{name}.org/",
            "html": f"<ul><li>Home of {name}<li>See all of our news {name}</ul>"
            f"<div><p>Here {name} as well as the {name}</p></div>",
            "gold_text": f"Here {name} as well as the {name}",
            "gold_selector": "div",
        }
        for name in ("ant", "bee", "cat")
    ]
    write_lines(pages, records)
    templ("train-idioms", pages, "--sites-min", 3, "--out", out)
    assert json.loads(out.read_bytes()) == {
        "format": 1,
        "sites": 3,
        "sites_min": 3,
        "idioms": ["as well as the"],
    }


def test_a_corpus_without_gold_is_refused_in_one_line(templ, tmp_path):
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"url": "http://a.org/", "html": "<p>a"}')
    done = templ("train-idioms", pages, "--out", tmp_path / "out.json", expect=66)
    assert "no page has `gold_text`" in done.stderr.decode()


@pytest.fixture(scope="module")
def learned(templ, feed, tmp_path_factory):
    path = tmp_path_factory.mktemp("phrases") / "phrases.jsonl"
    templ("phrases", "learn", feed, "--out", path)
    return path


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_learned_phrases_are_removed_and_content_stays(templ, feed, learned, tmp_path):
    templ("phrases", "apply", learned, feed, "--out", tmp_path / "out.jsonl")
    pages = lines(feed)
    outputs = lines(tmp_path / "out.jsonl")
    assert [one["url"] for one in outputs] == [page["url"] for page in pages]
    for page, output in zip(pages, outputs, strict=True):
        gold, left = (page["gold_text"] or "").split(), output["text"].split()
        assert len(set(gold) - set(left)) <= 0.05 * len(set(gold))
    assert sum(one["removed_chars"] > 200 for one in outputs) > 50


def test_exported_expressions_match_pages(templ, feed, learned, tmp_path):
    templ("phrases", "export", learned, "--out", tmp_path / "expressions.jsonl")
    records = lines(tmp_path / "expressions.jsonl")
    site = records[0]["site"]
    templ("phrases", "apply", learned, feed, "--out", tmp_path / "out.jsonl")
    assert all(re.compile(one["expression"]) for one in records)
    assert {one["site"] for one in records} == {page["site"] for page in lines(feed)}
    done = templ("phrases", "export", learned, "--site", site, "--out", "-")
    assert {json.loads(line)["site"] for line in done.stdout.splitlines()} == {site}


def test_raw_html_is_learned_and_applied_without_parsing(templ, feed, tmp_path):
    sets, out = tmp_path / "raw.jsonl", tmp_path / "out.jsonl"
    templ("phrases", "learn", "--raw-html", feed, "--out", sets)
    templ("phrases", "apply", sets, feed, "--out", out)
    assert all(one["set"]["markup"] for one in lines(sets))
    sizes = [
        (len(page["html"]), len(one["text"]))
        for page, one in zip(lines(feed), lines(out), strict=True)
    ]
    assert sum(left for _, left in sizes) < 0.8 * sum(whole for whole, _ in sizes)


def test_user_patterns_are_recorded_in_the_phrase_file(templ, feed, tmp_path):
    patterns = tmp_path / "patterns.json"
    patterns.write_text('[{"name": "issue", "pattern": "no-[0-9]+"}]')
    templ("phrases", "learn", feed, "--patterns", patterns, "--out", tmp_path / "out.jsonl")
    assert lines(tmp_path / "out.jsonl")[0]["set"]["patterns"][0]["name"] == "issue"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "write a JSON list"),
        ('[{"name": "a b", "pattern": "x"}]', "'a b' has a name"),
        ('[{"name": "a", "pattern": "("}]', "is no regular expression"),
        ('[{"name": "a", "pattern": "(x)"}]', "has groups"),
        ('[{"name": "a"}]', "neither"),
    ],
)
def test_unusable_patterns_are_refused(templ, feed, tmp_path, text, said):
    patterns = tmp_path / "patterns.json"
    patterns.write_text(text)
    arguments = ("phrases", "learn", feed, "--patterns", patterns, "--out", tmp_path / "out.jsonl")
    assert said in templ(*arguments, expect=2).stderr.decode()


def test_a_file_without_phrases_is_refused(templ, feed, tmp_path):
    done = templ("phrases", "apply", feed, feed, "--out", tmp_path / "out.jsonl", expect=66)
    assert "line 1: not a line of a phrase file" in done.stderr.decode()
    missing = tmp_path / "missing.jsonl"
    templ("phrases", "export", missing, "--out", "-", expect=66)


def test_exporting_a_site_without_phrases_is_refused(templ, learned):
    done = templ("phrases", "export", learned, "--site", "no.org", "--out", "-", expect=2)
    assert "no phrases of this site" in done.stderr.decode()


def test_input_without_readable_pages_is_refused(templ, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("[]\n")
    done = templ("phrases", "learn", empty, "--out", tmp_path / "out.jsonl", expect=66)
    assert "its record is no page: not a JSON object" in done.stderr.decode()


def test_a_file_is_written_with_its_directory(tmp_path):
    path = tmp_path / "new" / "model.bin"
    write_file(path, b"model")
    assert path.read_bytes() == b"model"
    with pytest.raises(InputProblem, match="name a place that can be written"):
        write_file(path / "other.bin", b"model")
