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
    INSIDE,
    inject,
    injected_texts,
    on_page,
)
from workers.lab.experiments.injection import (
    InjectionSettings,
    _shuffled,
    injection,
    read_sites,
    run_sites,
)

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


def figures(corpus, kind, share, *, also_inside=False):
    settings = InjectionSettings(kind, also_inside, seed=3)
    [(_, [words])] = run_sites(read_sites(corpus, "arrival"), settings, [share], jobs=1)
    return words


@pytest.mark.parametrize(("kind", "most"), [("", 0.01), ("changing", 0.2)])
def test_repeated_paragraphs_go_and_the_content_stays(corpus, kind, most):
    words = figures(corpus, kind, 0.6)
    assert words["injected"] > 200
    assert words["left"] <= most * words["injected"]
    assert words["lost"] == 0


def test_texts_inside_paragraphs_go_and_most_of_the_content_stays(corpus):
    words = figures(corpus, "", 1, also_inside=True)
    assert words["left"] < 0.05 * words["injected"]
    assert 0 < words["lost"] < 0.15 * words["content"]


def without_strings(monkeypatch):
    fusion = shipped_fusion()
    terms = {name: one for name, one in fusion.terms.items() if name not in STRING_INPUTS}
    none = {name: msgspec.structs.replace(fusion.terms[name], weight=0.0) for name in STRING_INPUTS}
    weightless = msgspec.structs.replace(fusion, terms={**terms, **none})
    monkeypatch.setattr("templ_core.clean_document.fusion_for", lambda version: weightless)


@pytest.mark.parametrize("kind", ["", "changing", "varying", "scattered"])
def test_without_strings_it_would_be_left(corpus, monkeypatch, kind):
    words = figures(corpus, kind, 1)
    assert words["injected"] > 200
    left = words["left"] / words["injected"]
    assert left < (0.75 if kind == "scattered" else 0.2)
    assert words["lost"] == 0
    without_strings(monkeypatch)
    without = figures(corpus, kind, 1)
    assert without["left"] / without["injected"] > left + 0.25


def test_the_command_prints_both_tables(corpus):
    result = CliRunner().invoke(injection, [str(corpus)])
    assert result.exit_code == 0, result.output
    assert "paper.example" in result.output
    assert "Injected words left, content lost" in result.output


def test_pages_come_in_another_order_with_the_times_of_the_feed(corpus):
    [site] = read_sites(corpus, "arrival")
    other = _shuffled(site, 1)
    assert [page.event_time_ms for page in other.pages] == [
        page.event_time_ms for page in site.pages
    ]
    urls = [[page.url for page in one.pages] for one in (site, other)]
    assert urls[0] != urls[1]
    assert sorted(urls[0]) == sorted(urls[1]) == sorted(set(urls[1]))
    assert [gold.url for gold in other.gold] == urls[1]


def test_a_text_is_put_behind_a_paragraph_of_the_content():
    root = parsed("<body><article><p>One.</p> two</article><footer>End</footer>")
    assert inject(root, GoldSelectors(content="article"), ["New text."], "p", Random(1))
    assert "New text." in [
        one.text for one in parsed(serialised(root).decode()).xpath("//article//p")
    ]
    assert b"</p> two" in serialised(root).replace(b"<p>New text.</p>", b"")


def test_a_changing_text_differs_from_page_to_page_in_its_slots_alone():
    rng = Random(5)
    text = max(injected_texts(WORDS, rng, also_inside=False), key=lambda text: len(text.sentences))
    one, other = (" ".join(on_page(text, "changing", WORDS, rng)).split() for _ in range(2))
    assert one != other
    assert len(set(one) & set(other)) > 0.7 * len(set(one))


def test_a_site_has_several_texts_of_12_to_120_words_of_which_half_stand_inside_paragraphs():
    rng = Random(2)
    sites = [injected_texts(WORDS, rng, also_inside=True) for _ in range(200)]
    assert {len(texts) for texts in sites} == {2, 3, 4}
    texts = [text for some in sites for text in some]
    words = [len(" ".join(on_page(text, "", WORDS, rng)).split()) for text in texts]
    assert (min(words), max(words)) == (12, 120)
    assert 0.4 < sum(text.form == INSIDE for text in texts) / len(texts) < 0.6
    assert all(text.form != INSIDE for text in injected_texts(WORDS, rng, also_inside=False))


@pytest.mark.parametrize("seed", range(6))
def test_a_text_inside_a_paragraph_stands_between_its_sentences(seed):
    root = parsed("<body><article><p>One day. Two <a href=/>days</a> go.</p></article>")
    assert inject(root, GoldSelectors(content="article"), ["New text."], INSIDE, Random(seed))
    text = root.xpath("string(//p)")
    assert text in {"New text. One day. Two days go.", "One day. New text. Two days go."}
