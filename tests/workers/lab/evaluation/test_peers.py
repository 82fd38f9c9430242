import sys

import pytest

from tests.workers.lab.evaluation.builders import TEXT, gold_page, judge
from workers.errors import UsageProblem
from workers.lab.evaluation import peers
from workers.lab.evaluation.peers import PEERS, CommandPeer, load_peer


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
    found = judge(programs, with_segments=False).judge(gold_page(), None, 0)
    assert found.scores["program"].f1 == 0
    assert found.failures["program"].partition(":")[0] == failure


@pytest.mark.parametrize("name", sorted({*PEERS} - {"justext"}))
def test_every_peer_finds_an_article(name):
    assert "Sentence 3 of an article" in load_peer(name)(gold_page().body.decode())


def test_a_peer_that_is_not_installed_is_a_usage_problem(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(UsageProblem, match="needs trafilatura"):
        load_peer("trafilatura-recall")
