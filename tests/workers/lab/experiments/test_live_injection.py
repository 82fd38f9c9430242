"""What is left of a text that a site repeats, on the path of `templ run`."""

from random import Random

import msgspec
import pytest
from click.testing import CliRunner

from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.site_level.fusion.fusion import shipped_fusion
from templ_core.site_level.fusion.site_columns import STRING_INPUTS
from tests.workers.builders import write_lines
from workers.lab.corpora import parsed, serialised
from workers.lab.experiments.injected_pages import (
    inject,
    injected_text,
    on_page,
)
from workers.lab.experiments.injection import injection, read_sites, run_sites

WORDS = [
    first + second
    for first in "har coun win brid mar sto peo ri mor gar".split()  # noqa: SIM905
    for second in "bour cil ter ge ket ry ple ver ning den".split()  # noqa: SIM905
]
PAGES = 24


def sentence(rng):
    return " ".join(rng.choice(WORDS) for _ in range(13)).capitalize() + "."


def record(number):
    rng = Random(number)
    paragraphs = [" ".join(sentence(rng) for _ in range(3)) for _ in range(5)]
    text = "".join(f"<p>{one}</p>" for one in paragraphs)
    return {
        "url": f"https://paper.example/{number}",
        "site": "paper.example",
        "arrival": f"2026-01-{number + 1:02}T00:00:00Z",
        "html": f"<title>Day {number}</title><nav><a href=/>Home</a></nav><article>{text}</article>",
        "gold_text": "\n".join(paragraphs),
        "gold_selector": "article",
    }


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "paper.jsonl"
    return write_lines(path, map(record, range(PAGES)))


def figures(corpus, kind, share):
    [(_, [found])] = run_sites(read_sites(corpus, "arrival"), kind, [share], seed=3, jobs=1)
    return found


@pytest.mark.parametrize("kind", ["", "changing"])
def test_a_repeated_paragraph_goes_and_the_content_stays(corpus, kind):
    found = figures(corpus, kind, 0.6)
    assert found["injected"] > 200
    assert found["left"] == 0
    assert found["lost"] == 0


def without_strings(monkeypatch):
    fusion = shipped_fusion()
    terms = {name: one for name, one in fusion.terms.items() if name not in STRING_INPUTS}
    none = {name: msgspec.structs.replace(fusion.terms[name], weight=0.0) for name in STRING_INPUTS}
    weightless = msgspec.structs.replace(fusion, terms={**terms, **none})
    monkeypatch.setattr("templ_core.clean_document.fusion_for", lambda version: weightless)


@pytest.mark.parametrize("kind", ["", "changing", "varying", "scattered"])
def test_without_strings_it_would_be_left(corpus, monkeypatch, kind):
    found = figures(corpus, kind, 1)
    assert found["injected"] > 200
    left = found["left"] / found["injected"]
    assert left < (0.75 if kind == "scattered" else 0.1)
    assert found["lost"] == 0
    without_strings(monkeypatch)
    without = figures(corpus, kind, 1)
    assert without["left"] / without["injected"] > left + 0.25


def test_the_command_prints_both_tables(corpus):
    result = CliRunner().invoke(injection, [str(corpus)])
    assert result.exit_code == 0, result.output
    assert "paper.example" in result.output
    assert "Injected words left, content lost" in result.output


def test_a_text_is_put_behind_a_paragraph_of_the_content():
    root = parsed("<body><article><p>One.</p> two</article><footer>End</footer>")
    assert inject(root, GoldSelectors(content="article"), ["New text."], "p", Random(1))
    assert "New text." in [
        one.text for one in parsed(serialised(root).decode()).xpath("//article//p")
    ]
    assert b"</p> two" in serialised(root).replace(b"<p>New text.</p>", b"")


def test_a_changing_text_differs_from_page_to_page_in_its_slots_alone():
    rng = Random(5)
    text = injected_text(WORDS, rng)
    one, other = (" ".join(on_page(text, "changing", WORDS, rng)).split() for _ in range(2))
    assert one != other
    assert len(set(one) & set(other)) > 0.7 * len(set(one))
    assert 35 <= len(" ".join(on_page(text, "", WORDS, rng)).split()) <= 65
