"""`templ evaluate`, the page that `make run` ends with, and the child processes of the laboratory."""

import json
import multiprocessing
import os
import threading

import pytest
from click.testing import CliRunner

from workers.errors import WorkerError
from workers.lab.evaluate import evaluate
from workers.lab.experiment import map_in_processes


def test_a_perfect_output_scores_one_and_an_empty_output_scores_zero(
    templ, tmp_path, feed, cleaned
):
    records = [json.loads(line) for line in cleaned.read_bytes().splitlines()]
    gold = [json.loads(line)["gold_text"] for line in feed.read_bytes().splitlines()]
    for texts, expected in ((gold, 1.0), ([""] * 60, 0.0)):
        lines = [
            json.dumps(record | {"text": text or ""})
            for record, text in zip(records, texts, strict=True)
        ]
        (tmp_path / "scored.jsonl").write_text("\n".join(lines))
        done = templ("evaluate", feed, tmp_path / "scored.jsonl", "--json", "--text-only")
        figures = json.loads(done.stdout)["all"]["all pages"]
        assert figures["f1"] == expected
        assert figures["pages"] == sum(1 for text in gold if text)


def test_an_earlier_output_is_scored_with_its_segments(templ, feed, cleaned):
    figures = json.loads(templ("evaluate", feed, cleaned, "--json").stdout)
    assert figures["all"]["all pages"]["f1"] > 0.9
    assert figures["segments"]["feed"]["f"]["in_templates"]["text"]["f"] > 0.8
    assert figures["calibration"]["feed"]["mean_error"] < 0.2
    assert figures["timing"] == {}
    assert (
        sum(group["pages"] for group in figures["site"].values())
        == (figures["all"]["all pages"]["pages"])
    )


def test_a_corpus_without_output_is_cleaned_and_compared_with_a_peer(templ, feed, tmp_path):
    options = ("--peer", "resiliparse", "--pages-per-site", 4, "--html", tmp_path / "r" / "r.html")
    done = templ("evaluate", "-", *options, stdin=feed.read_bytes())
    table = done.stdout.decode()
    for words in (
        "templ",
        "resiliparse",
        "whole page",
        "templ is better by",
        "adj. RAND",
        "page type found",
        "lowest tenth",
    ):
        assert words in table
    report = (tmp_path / "r" / "r.html").read_text()
    assert report.startswith("<!DOCTYPE html>")
    assert "resiliparse" in report
    again = templ("evaluate", feed, "--pages-per-site", 4, "--json", "--workers", 1)
    assert json.loads(again.stdout)["all"]["all pages"]["pages"] == 12


def test_the_balances_and_an_external_program_are_rows_of_their_own(templ, feed):
    balances = ("--balance", "even", "--balance", "precision", "--balance", "recall")
    options = ("--pages-per-site", 4, "--text-only", "--json", "--workers", 1)
    program = ("--peer-command", "same=cat", "--peer-command", "none=not-a-program --text")
    done = templ("evaluate", feed, *options, *balances, *program)
    figures = json.loads(done.stdout)
    assert figures["systems"] == ["templ", "templ precision", "templ recall", "same", "whole page"]
    scores = {name: one["all"]["all pages"] for name, one in figures["others"].items()}
    even = figures["all"]["all pages"]
    assert scores["templ precision"]["recall"] < even["recall"] <= scores["templ recall"]["recall"]
    assert scores["templ precision"]["precision"] >= even["precision"]
    assert scores["same"]["recall"] > 0.99
    assert figures["notes"][0] == (
        "none is left out: there is no program not-a-program; install it"
    )
    assert figures["notes"][0] in done.stderr.decode()


def test_all_systems_are_compared_on_each_corpus(templ, feed, tmp_path):
    (tmp_path / "again.jsonl").write_bytes(feed.read_bytes())
    options = ("--pages-per-site", 1, "--text-only", "--peer-command", "same=cat")
    table = templ("evaluate", feed, tmp_path / "again.jsonl", *options).stdout.decode()
    assert "F1, P, R" in table
    assert sum(line.startswith("│ same") for line in table.splitlines()) == 2


def test_every_user_error_is_one_line(tmp_path, feed, cleaned):
    page = '{"url": "https://a.com/", "html": "<p>x", "gold_text": "x"}\n'
    files = {
        "wrong": cleaned.read_text().splitlines()[0] + '\n{"no": "record"}\n',
        "plain": '{"url": "https://a.com/", "html": "x"}\n',
        "no_page": '{"gold_text": "x"}\n',
        "empty": "",
        "binary": "\x00\x01",
        "list": "[1]\n",
        "other": page,
        "elsewhere": cleaned.read_text().splitlines()[0].replace('"offset":0', '"offset":77'),
    }
    paths = {name: tmp_path / f"{name}.jsonl" for name in files}
    for name, text in files.items():
        paths[name].write_text(text)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "other.jsonl").write_text(page)
    cases = [
        ((feed, paths["wrong"]), 66, "not a cleaned record"),
        ((paths["plain"],), 66, "gold_text"),
        ((paths["no_page"],), 66, "is not a page"),
        ((paths["empty"],), 66, "is empty"),
        ((paths["binary"],), 66, "not JSON"),
        ((paths["list"],), 66, "not a JSON object"),
        ((tmp_path / "none.jsonl",), 66, "none.jsonl"),
        ((tmp_path / "b",), 66, "directory"),
        ((cleaned,), 66, "name the corpus"),
        ((paths["other"], paths["elsewhere"]), 66, "only 0 of 1 pages"),
        ((paths["other"], tmp_path / "b" / "other.jsonl"), 66, "rename one"),
        ((feed, cleaned, "--page-model", feed), 78, "page model"),
        ((feed, "--html", feed), 2, "is an input too"),
        ((feed, "--folds", tmp_path), 2, "folds.json"),
        ((feed, cleaned, "--balance", "recall"), 2, "--balance"),
        ((feed, "--peer-command", "cat"), 2, "write NAME=COMMAND"),
        ((feed, "--peer-command", "resiliparse=cat"), 2, "a name that no --peer has"),
    ]
    for arguments, code, words in cases:
        problem = CliRunner().invoke(evaluate, list(map(str, arguments))).exception
        assert isinstance(problem, WorkerError), arguments
        assert problem.exit_code == code
        assert words in str(problem)
        assert "\n" not in str(problem)


def place(number, factor):
    return number * factor, os.getpid(), multiprocessing.get_start_method(allow_none=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_come_in_order_and_several_jobs_are_spawned_processes(jobs):
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        places = list(map_in_processes(jobs, place, range(4), [10] * 4))
    finally:
        ended.set()
        thread.join()
    assert [one[0] for one in places] == [0, 10, 20, 30]
    assert (os.getpid() in {one[1] for one in places}) == (jobs == 1)
    assert jobs == 1 or {one[2] for one in places} == {"spawn"}
