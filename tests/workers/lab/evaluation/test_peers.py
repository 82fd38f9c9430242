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


def test_a_program_that_fails_or_hangs_scores_as_an_empty_text_and_is_counted(monkeypatch):
    monkeypatch.setattr(peers, "COMMAND_DEADLINE_S", 0.5)
    programs = {
        "fails": program(f"print({TEXT!r}); sys.exit(3)"),
        "hangs": program(f"print({TEXT!r}, flush=True); time.sleep(60)"),
    }
    found = judge(programs, with_segments=False).judge(gold_page(), None, 0)
    assert {name: found.scores[name].f1 for name in programs} == {"fails": 0, "hangs": 0}
    kinds = {name: reason.partition(":")[0] for name, reason in found.failures.items()}
    assert kinds == {"fails": "CalledProcessError", "hangs": "TimeoutExpired"}


@pytest.mark.parametrize("name", sorted({*PEERS} - {"justext"}))
def test_every_peer_finds_an_article(name):
    assert "Sentence 3 of an article" in load_peer(name)(gold_page().body.decode())


def test_a_peer_that_is_not_installed_is_a_usage_problem(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(UsageProblem, match="needs trafilatura"):
        load_peer("trafilatura-recall")
