import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from templ_core.config import CoreConfig
from templ_core.explain.site_names import read_names
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.phrases.phrase_corpus import page_text
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher
from templ_core.site_level.sentences.repeated_sentences import find_repeated
from templ_core.site_level.sentences.sentences import prose_segments
from templ_core.site_level.sentences.varied_text import find_varied
from tests.templ_core.site_level.builders import site_model
from tests.templ_core.site_level.repeating_site import page
from workers.inspect import remove_repeated
from workers.inspect.remove_repeated import phrase_spans, sentence_spans, varied_blocks
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
    names = read_names(documents, model)
    export = json.loads(encode_export(exported_expressions(view, model, names)))
    return documents, model, export


def test_sentence_expressions_remove_what_the_worker_removes(site):
    documents, model, export = site
    assert not export["sentences_without_text"]
    assert len(export["sentences"]) >= 4
    wholes = cuts = 0
    for document in documents:
        features = read_features(document)
        others = np.flatnonzero(~prose_segments(features)).tolist()
        texts = document.segments.texts
        for page_type in (ARTICLE, THREAD):
            found = find_repeated(document, features, page_type, model.sentences, model.documents)
            wanted = [[] for _ in texts]
            if found is not None:
                for segment, parts in found.cuts.items():
                    wanted[segment] = list(parts)
                for segment in np.flatnonzero(found.whole).tolist():
                    wanted[segment] = [(0, len(texts[segment]))]
                wholes, cuts = wholes + int(found.whole.sum()), cuts + len(found.cuts)
            removed = sentence_spans(
                texts, export, other_blocks=others, is_record_page=page_type is THREAD
            )
            assert removed == wanted
    assert wholes > 50
    assert cuts > 50


def test_shingle_expressions_remove_what_the_worker_removes_of_text_that_varies(site):
    documents, model, export = site
    assert not export["shingles_without_text"]
    removed = 0
    for document in documents:
        features = read_features(document)
        others = np.flatnonzero(~prose_segments(features)).tolist()
        for page_type in (ARTICLE, THREAD):
            found = find_varied(
                features, page_type, model.shingles, model.sentences, model.documents
            )
            wanted = [] if found is None else np.flatnonzero(found).tolist()
            assert wanted == varied_blocks(
                document.segments.texts,
                export,
                other_blocks=others,
                is_record_page=page_type is THREAD,
            )
            removed += len(wanted)
    assert removed > 20


def test_phrase_expressions_cover_what_the_automaton_covers(site):
    documents, model, export = site
    matcher, covered = PhraseMatcher(model.phrases), 0
    for document in documents:
        text = page_text(document)
        spans = phrase_spans(text, export)
        assert spans == matcher.spans(text)
        covered += len(spans)
    assert covered > 100


def test_the_export_states_numbers_and_rules(site):
    _, model, export = site
    assert export["pages"] == model.documents == 100
    assert all(one["pages"] >= 5 for one in export["sentences"])
    assert {one["pages"] for one in export["phrases"]} >= {25}
    for word in ("documentation", "forums", "headings", "series"):
        assert word in export["sentence_rule"]["text"]


def test_sentences_whose_text_is_not_known_are_counted(site):
    _, model, export = site
    view = site_view("paper.example", None, state=None, window=[])
    nothing = exported_expressions(view, model, read_names([], model))
    assert nothing["sentences"] == []
    assert nothing["sentences_without_text"] == len(export["sentences"])


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
    assert "phrases" in done.stderr.decode()
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before
    export = json.loads((tmp_path / "out/expressions.json").read_text())
    for one in [*export["phrases"], *export["sentences"]]:
        re.compile(one["expression"])
    assert ET.parse(tmp_path / "out/histogram.svg").getroot().tag.endswith("svg")
    assert "cut-off" in (tmp_path / "out/histogram.txt").read_text()
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
        [sys.executable, "-I", script, tmp_path / "expressions.json", "--phrases"],
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


def test_core_config_is_what_the_export_speaks_of(site):
    _, _, export = site
    assert export["sentence_rule"]["documents_min"] == CoreConfig().page_rules_pages


def test_text_rules_of_the_settings_are_exported_and_applied(site):
    documents, model, _ = site
    rules = Overrides(remove_text=["Read *Also: the*"], keep_text=["read many also: the end"])
    known = decided_site(overridden(empty_settings("paper.example"), rules))
    view = site_view("paper.example", None, state=None, window=[], settings=known)
    names = read_names(documents, model)
    export = json.loads(encode_export(exported_expressions(view, model, names)))
    blocks = ["read ALSO: the bridge", "Read many also: the  end", "He has read also: the"]
    assert remove_repeated.ruled_blocks(blocks, export) == {0: False, 1: True}


def test_the_broker_of_the_settings_is_read_where_no_state_is_given(templ, tmp_path):
    nowhere = {"TEMPL_BROKER": "127.0.0.1:9"}
    for command in (("site", "export", "a.example"), ("inspect", "page", "https://a.example/1")):
        asked = templ(*command, "--out", tmp_path / "out", expect=69, **nowhere)
        assert "cannot reach Kafka at 127.0.0.1:9" in asked.stderr.decode()
