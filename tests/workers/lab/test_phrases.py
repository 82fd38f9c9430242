import json
import re

import pytest


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
