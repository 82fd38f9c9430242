import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from templ_core.explain.site_strings import read_site_strings, string_hits
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from tests.templ_core.site_level.builders import site_model
from tests.templ_core.site_level.repeating_site import page
from workers.inspect import remove_repeated
from workers.inspect.site_export import encode_export, exported_expressions
from workers.inspect.site_view import site_view
from workers.site_settings.book import decided_site
from workers.site_settings.changes import Overrides, empty_settings, overridden

ARTICLE, THREAD = PageType(article=1.0, other=0.0), PageType(forum=1.0, other=0.0)


@pytest.fixture(scope="module")
def site():
    """100 pages, their model, and the export of it as JSON gives it back."""
    documents = [page(number) for number in range(100)]
    model = site_model(documents)
    view = site_view("paper.example", None, state=None, window=[])
    strings = read_site_strings(documents, model.strings)
    export = json.loads(encode_export(exported_expressions(view, model, strings)))
    return documents, model, export


def test_expressions_match_the_strings_that_templ_finds(site):
    documents, model, export = site
    assert len(export["strings"]) >= 4
    expressions = [re.compile(one["expression"], re.IGNORECASE) for one in export["strings"]]
    hits = covered = 0
    for document in documents:
        found = string_hits(document, read_features(document), model.strings)
        for text, own in zip(document.segments.texts, found, strict=True):
            for hit in own:
                covers = any(
                    match.start() <= hit.start and hit.end <= match.end()
                    for one in expressions
                    for match in one.finditer(text)
                )
                hits += 1
                covered += covers
    assert hits > 100
    assert covered >= 0.85 * hits  # others are parts of strings


def test_the_script_removes_repeated_blocks_and_leaves_the_articles(site):
    documents, _, export = site
    asks = "We ask all readers of this paper to tell us what they think of it by letter."
    removed = 0
    for document in documents:
        texts = [text for text in document.segments.texts if asks not in text]
        left = remove_repeated.remaining_blocks([*texts, f"{asks} {asks}"], export)
        assert f"{asks} {asks}" not in left
        own = [text for text in texts if len(text.split()) > 30]
        assert sum(text in left for text in own) >= len(own) - 2
        removed += len(texts) + 1 - len(left)
    assert removed > 100


def test_the_export_states_numbers_and_rules(site):
    _, model, export = site
    assert export["pages"] == model.documents == 100
    assert all(one["pages"] >= 3 for one in export["strings"])
    assert all(one["pages"] >= 60 for one in export["usual"])
    assert export["string_rule"]["gap_words_max"] == 5
    for word in ("headings", "records", "place"):
        assert word in export["string_rule"]["text"]


def test_strings_whose_text_is_not_known_are_left_out(site):
    _, model, _ = site
    assert read_site_strings([], model.strings) == []


@pytest.fixture(scope="module")
def state(templ, feed, tmp_path_factory):
    """A state directory with what was learned of the sites of a feed."""
    folder = tmp_path_factory.mktemp("inspect")
    templ("run", feed, "--out", folder / "out.jsonl", "--state", folder / "state")
    return folder / "state"


def first_site(feed):
    return json.loads(feed.read_text().splitlines()[0])["site"]


def test_a_state_directory_is_exported_and_stays_as_it_is(templ, feed, state, tmp_path):
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    done = templ("site", "export", first_site(feed), "--state", state, "--out", tmp_path / "out")
    assert "strings of words" in done.stderr.decode()
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before
    export = json.loads((tmp_path / "out/expressions.json").read_text())
    for one in [*export["strings"], *export["usual"]]:
        re.compile(one["expression"])
    trees = (tmp_path / "out/trees.html").read_text()
    assert "&lt;html&gt;" in trees
    assert "unknown tag" not in trees


def test_the_script_of_an_export_needs_no_templ(site, tmp_path):
    _, _, export = site
    (tmp_path / "expressions.json").write_text(json.dumps(export))
    script = tmp_path / "remove_repeated.py"
    script.write_bytes(Path(remove_repeated.__file__).read_bytes())
    asks = "We ask all readers of this paper to tell us what they think of it by letter."
    own = "A story of one day in a town by the sea, where nobody had seen a ship for more than a year."
    page = f"{own} {asks} It rained.\nWhat was new?\n"
    done = subprocess.run(
        [sys.executable, "-I", script, tmp_path / "expressions.json"],
        input=page.encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode() == page.replace(f"{asks} ", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nowhere.example", "--state", "STATE"), 66, "knows no site nowhere.example; there is"),
        (("a.example", "--state", "EMPTY"), 73, "is no state directory"),
        (("a.example",), 2, "give either --state or --broker"),
        (
            ("a.example", "--state", "STATE", "--broker", "b:1"),
            2,
            "give either --state or --broker",
        ),
    ],
)
def test_what_cannot_be_exported_is_one_line(templ, state, tmp_path, arguments, code, message):
    places = {"STATE": state, "EMPTY": tmp_path}
    done = templ("site", "export", *(places.get(one, one) for one in arguments), expect=code)
    assert message in done.stderr.decode()
    assert done.stderr.decode().count("\n") == 1


def test_text_rules_of_the_settings_are_exported_and_applied(site):
    documents, model, _ = site
    rules = Overrides(remove_text=["Read *Also: the*"], keep_text=["read many also: the end"])
    known = decided_site(overridden(empty_settings("paper.example"), rules))
    view = site_view("paper.example", None, state=None, window=[], settings=known)
    strings = read_site_strings(documents, model.strings)
    export = json.loads(encode_export(exported_expressions(view, model, strings)))
    blocks = ["read ALSO: the bridge", "Read many also: the  end", "He has read also: the"]
    assert remove_repeated.ruled_blocks(blocks, export) == {0: False, 1: True}


def test_the_broker_of_the_settings_is_read_where_no_state_is_given(templ, tmp_path):
    nowhere = {"TEMPL_BROKER": "127.0.0.1:9"}
    for command in (("site", "export", "a.example"), ("inspect", "page", "https://a.example/1")):
        asked = templ(*command, "--out", tmp_path / "out", expect=69, **nowhere)
        assert "cannot reach Kafka at 127.0.0.1:9" in asked.stderr.decode()
