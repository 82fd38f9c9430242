import json

from click.testing import CliRunner

from workers.lab.experiments.search import (
    SYSTEMS,
    KnownItem,
    PageTexts,
    known_items,
    reciprocal_rank,
    search,
    search_scores,
    sentence_words,
    title_words,
)

SENTENCE = "Seven yellow boats sailed slowly towards northern islands yesterday morning."


def test_a_query_has_words_of_one_sentence_in_their_order():
    words = sentence_words(f"Short one. {SENTENCE} Too short.", "seed")
    assert len(words) == 5
    assert list(words) == sorted(words, key=SENTENCE.lower().index)
    assert words == sentence_words(f"Short one. {SENTENCE} Too short.", "seed")
    assert sentence_words("Far too short. And so is this.", "seed") == ()
    assert title_words("Two words") == ()
    assert title_words("The boats, the islands") == ("the", "boats", "islands")


def test_the_rank_of_any_copy_counts():
    assert reciprocal_rank([4, 2, 3], frozenset([3, 2])) == 0.5
    assert reciprocal_rank([4], frozenset([3])) == 0


def test_copies_of_a_text_are_one_item():
    pages = [PageTexts("a", "", "Three telling words", SENTENCE, {}) for _ in range(2)]
    pages.append(PageTexts("b", "", "Three telling words", None, {}))
    items = known_items(pages)
    assert {one.kind for one in items} == {"title", "sentence"}
    assert {one.wanted for one in items} == {frozenset([0, 1])}


def test_a_page_that_only_lists_the_title_ranks_before_the_article_in_raw_text():
    item = KnownItem("a", "title", ("boats", "islands"), frozenset([1]))
    article = "boats islands " + "word " * 50

    def scores(menu, title=""):
        pages = [PageTexts("a", "", "", None, {"raw": menu})]
        pages.append(PageTexts("a", title, "", None, {"raw": article}))
        pages += [
            PageTexts("a", "", "", None, {"raw": f"page {n} " + "word " * 50}) for n in range(9)
        ]
        return search_scores(pages, "raw", [item])

    raw, clean = scores("boats islands news"), scores("news")
    assert scores("boats islands news", title="boats islands").ranks == [1.0]
    assert (raw.ranks, clean.ranks) == ([0.5], [1.0])
    assert clean.index_bytes > 0


def test_the_command_reports_sizes_and_ranks_of_all_systems(tmp_path):
    path = tmp_path / "pages.jsonl"
    numbers = ("one", "two", "three", "four", "five")
    with path.open("w") as file:
        for site in ("a.example", "b.example"):
            for number in numbers:
                text = f"{SENTENCE} The crew of {site} numbered {number} sailors on every vessel."
                html = (
                    f"<title>Boats of day {number}</title><ul><li><a href=/>Home</a>"
                    f"<li><a href=/a>About</a></ul><div id=main><h1>Boats of day {number}</h1>"
                    f"<p>{text}</p></div>"
                )
                record = {"site": site, "url": f"http://{site}/{number}", "html": html}
                file.write(json.dumps(record | {"gold_text": text}) + "\n")
    done = CliRunner().invoke(search, [str(path)])
    assert done.exit_code == 0, done.exception
    assert "10 pages of 2 sites, 20 queries" in done.output
    assert all(done.output.count(name) >= 3 for name in SYSTEMS)
