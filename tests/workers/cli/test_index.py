import json

import pytest
from click.testing import CliRunner

from tests.workers.builders import write_lines
from workers.cli.console import console_command
from workers.cli.crawl import crawl_command
from workers.cli.index import index_command
from workers.cli.search import search_command
from workers.cli.seed import seed_command
from workers.cli.topics import topics_command
from workers.errors import InputProblem
from workers.kafka.broker.access import BrokerAccess

GONE = '{"schema":"deleted/1","url":"https://a/1","site":"a","id":"d","source":{"topic":"f","partition":0,"offset":1},"fetched_at":"2026-01-02T00:00:00Z"}'


def run(command, *arguments):
    return CliRunner().invoke(command, list(map(str, arguments)))


def test_cleaned_pages_are_found(cleaned, tmp_path):
    index = tmp_path / "new" / "index.db"
    first = run(index_command, cleaned, "--index", index)
    assert first.exit_code == 0, first.exception
    urls = {json.loads(line)["url"] for line in cleaned.read_text().splitlines()}
    assert len(urls) < 60
    assert first.stderr.endswith(f" deleted, 0 unchanged; {index} holds {len(urls)} texts\n")
    again = run(index_command, cleaned, "--index", index)
    assert again.stderr.startswith("0 texts written, 0 deleted, 60 unchanged;")
    record = json.loads(cleaned.read_text().splitlines()[20])
    phrase = " ".join(record["text"].splitlines()[-1].split()[:6])
    hits = run(search_command, phrase, "--index", index, "--json", "--limit", 1)
    assert json.loads(hits.stdout)["url"] == record["url"]
    shown = run(search_command, phrase, "--index", index).stdout
    assert record["url"] in shown
    assert "\x02" not in shown


def test_lines_that_are_no_records_are_told_and_left_out(cleaned, tmp_path):
    some = tmp_path / "some.jsonl"
    some.write_text(
        "\n".join([cleaned.read_text().splitlines()[0], "{}", "", GONE, "x" * 10]) + "\n"
    )
    done = run(index_command, some, "--index", tmp_path / "i.db")
    assert done.exit_code == 1
    *warnings, summary = done.stderr.splitlines()
    assert [line.split(" is left out")[0] for line in warnings] == [
        f"templ: {some}, line 2",
        f"templ: {some}, line 5",
    ]
    assert summary.startswith("1 text written, 1 deleted")


def test_pages_are_to_be_cleaned_first(tmp_path):
    feed = tmp_path / "pages.jsonl"
    feed.write_text('{"url": "https://a.example/", "html": "<p>Words"}\n')
    done = run(index_command, feed, "--index", tmp_path / "i.db")
    assert isinstance(done.exception, InputProblem)
    advice = f"`templ run {feed} --out cleaned.jsonl` cleans them"
    assert str(done.exception) == f"{feed} holds pages that are not cleaned yet: {advice}"


def test_of_many_lines_that_are_no_records_a_few_are_told(tmp_path):
    (tmp_path / "feed.jsonl").write_text('{"url": "u"}\n' * 450)
    done = run(index_command, tmp_path / "feed.jsonl", "--index", tmp_path / "i.db")
    *warnings, last, _ = done.stderr.splitlines()
    assert len(warnings) == 5
    assert last == "templ: 450 lines are left out; the first 5 are shown"


def test_a_search_without_a_hit_says_so(cleaned, tmp_path):
    index = ("--index", tmp_path / "i.db")
    run(index_command, cleaned, *index)
    none = run(search_command, "zzzz", *index)
    assert (none.exit_code, none.stderr) == (1, "templ: no page has these words\n")
    none = run(search_command, "zzzz", *index, "--since", "2026-01-01")
    assert none.stderr == "templ: no page that fits the filters has these words\n"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (index_command, ["--index", "index.db"]),
        (console_command, ["--state", "state"]),
        (crawl_command, ["a.example", "--to", "kafka", "--dir", "crawl", "--contact", "you@you.example"]),
        (topics_command, ["check"]),
        (seed_command, ["state"]),
    ],
)  # fmt: skip
def test_the_broker_may_stand_in_the_settings_file(monkeypatch, tmp_path, command, arguments):
    class ReachedError(Exception):
        pass

    def reach(address, *_):
        raise ReachedError(address)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(BrokerAccess, "of", reach)
    (tmp_path / "templ.toml").write_text('broker = "from-file:9092"\n')
    (tmp_path / "state").mkdir()
    done = CliRunner().invoke(command, arguments, env={"TEMPL_SETTINGS": "templ.toml"})
    assert isinstance(done.exception, ReachedError), done.output
    assert str(done.exception) == "from-file:9092"


def test_hits_are_of_a_time_a_language_and_an_author(tmp_path, templ):
    story = "A council met on Monday and said that the bridge stays open until the end of May. " * 5
    head = "<html lang={}><meta name=author content={}><meta property=article:published_time content={}>"
    pages = [
        {"url": f"https://a.example/{n}", "html": head.format(*one) + f"<p>{story} {n}"}
        for n, one in enumerate(
            [
                ("en-GB", "'Ann Lee'", "2026-01-05T08:00:00Z"),
                ("en", "'Bo Ek'", "2026-02-05T08:00:00Z"),
            ]
        )
    ]
    source, out, index = tmp_path / "in.jsonl", tmp_path / "out.jsonl", tmp_path / "i.db"
    write_lines(source, pages)
    templ("run", source, "--out", out)
    run(index_command, out, "--index", index)

    def found(*options):
        done = run(search_command, "council", "--copies", "--json", "--index", index, *options)
        return sorted(json.loads(line)["url"][-1] for line in done.stdout.splitlines())

    assert found() == ["0", "1"]
    assert found("--since", "2026-02-01") == ["1"]
    assert found("--until", "2026-01-05") == ["0"]
    assert found("--author", "ann") == ["0"]
    assert found("--language", "en") == ["0", "1"]
    assert found("--language", "en-gb") == ["0"]
    phrase = run(search_command, "bridge council", "--index", index)
    assert '"bridge council" was taken as a phrase: give its words' in phrase.stderr
