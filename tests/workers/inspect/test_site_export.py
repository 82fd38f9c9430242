import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

from templ_core.clean_document import clean
from templ_core.dom.document import read_document
from templ_core.explain import remove_repeated
from templ_core.explain.deciding import decided_page, deciding_expressions
from templ_core.explain.remove_repeated import block_text, remaining_blocks, removed_parts
from templ_core.explain.site_strings import read_site_strings
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.site_settings.rules import NodeMatcher, parse_selector
from tests.templ_core.site_level.builders import CONFIG, site_model
from tests.templ_core.site_level.repeating_site import page
from workers.inspect.site_export import encode_export, exported_expressions
from workers.lab.experiments.fusion_pages import with_new_names
from workers.lab.simulate.feed import FeedSettings, simulate_feed

STRING, TREE = "site-string", "site-tree"


def decisions(documents, model):
    """What is decided on each page, in the order of the pages."""
    return [clean(one, model, CONFIG, shipped_model()).decision for one in documents]


def found_of(documents, model):
    """What the export finds on the pages of a site."""
    return deciding_expressions(
        [
            decided_page(
                f"https://paper.example/{number}",
                document,
                read_page_evidence(document, shipped_model()).features,
                decision,
                model.strings,
            )
            for number, (document, decision) in enumerate(
                zip(documents, decisions(documents, model), strict=True)
            )
        ]
    )


@pytest.fixture(scope="module")
def repeating():
    """100 pages that repeat text inside their content, their model, and the export as JSON gives it back."""
    documents = [page(number) for number in range(100)]
    model = site_model(documents)
    deciding = found_of(documents, model)
    export = json.loads(encode_export(exported_expressions("paper.example", model, deciding)))
    return documents, model, export


@pytest.fixture(scope="module")
def renamed():
    """40 pages of a site, and 20 with new names of ids and classes that its model has not learned."""
    feed = list(simulate_feed(FeedSettings(genre="news", sites=1, pages=60, seed=3)))
    records = [one.record() for one in feed]
    bodies = [one["html"].encode() for one in records]
    bodies[40:] = [with_new_names(one, "2") for one in bodies[40:]]
    documents = [
        read_document(body, one["url"], content_type="text/html; charset=utf-8")
        for body, one in zip(bodies, records, strict=True)
    ]
    model = site_model(documents[:40])
    export = json.loads(
        encode_export(exported_expressions("paper.example", model, found_of(documents, model)))
    )
    return documents, model, export


def removed_for(document, decision, reason):
    """The texts that a decision removes for a reason, with the numbers of their segments."""
    removed = [
        (number, block_text(document.segments.texts[number]))
        for number, (kept, own) in enumerate(zip(decision.kept, decision.reasons, strict=True))
        if not kept and own == reason
    ]
    if reason == STRING:
        for number, spans in (decision.cuts or {}).items():
            text = block_text(document.segments.texts[number])
            removed += [(number, text[slice(*one)]) for one in spans if decision.kept[number]]
    return sorted(removed)


def test_expressions_of_strings_remove_exactly_what_is_removed_for_that_reason(repeating):
    documents, model, export = repeating
    whole = cut = 0
    for number, (document, decision) in enumerate(
        zip(documents, decisions(documents, model), strict=True)
    ):
        blocks = [block_text(text) for text in document.segments.texts]
        parts = removed_parts(blocks, f"https://paper.example/{number}", export["strings"])
        wanted = removed_for(document, decision, STRING)
        assert sorted((at, blocks[at][first:behind]) for at, first, behind in parts) == wanted
        whole += sum(text == blocks[at] for at, text in wanted)
        cut += sum(text != blocks[at] for at, text in wanted)
    assert whole > 50
    assert cut > 5
    assert (export["pages"], export["unequal_urls"]) == (100, [])


def test_expressions_of_trees_remove_exactly_what_is_removed_for_that_reason(renamed):
    documents, model, export = renamed
    removed = 0
    for number, (document, decision) in enumerate(
        zip(documents, decisions(documents, model), strict=True)
    ):
        blocks = [block_text(text) for text in document.segments.texts]
        selected = {
            one["selector"]: segments_in(document, one["selector"]) for one in export["trees"]
        }
        parts = removed_parts(blocks, f"https://paper.example/{number}", export["trees"], selected)
        wanted = removed_for(document, decision, TREE)
        assert sorted((at, blocks[at][first:behind]) for at, first, behind in parts) == wanted
        removed += len(wanted)
    assert removed > 20
    assert (export["pages"], export["unequal_urls"]) == (60, [])


def segments_in(document, selector):
    """The numbers of the segments that the elements of a selector hold directly."""
    matching = NodeMatcher(document.nodes).matching(parse_selector(selector))
    return matching[document.segments.owner].nonzero()[0].tolist()


def test_nothing_is_exported_that_decides_nowhere(repeating, renamed):
    for documents, _, export in (repeating, renamed):
        pages = [[block_text(text) for text in one.segments.texts] for one in documents]
        for expression in [*export["strings"], *export["trees"]]:
            assert expression["pages"] > 0
            assert any(expression["text"] in block for blocks in pages for block in blocks)
    documents, model, export = repeating
    strings = {one.text for one in read_site_strings(documents, model.strings)}
    assert "All rights reserved" in strings  # by its place, which says more
    assert "All rights reserved" not in {one["text"] for one in export["strings"]}
    assert export["trees"] == []


def test_words_between_strings_may_be_others(repeating):
    _, _, export = repeating
    mutable = [one for one in export["strings"] if "{0," in one["expression"]]
    assert max(one["pages"] for one in mutable) >= 5
    for expression in mutable:
        assert re.fullmatch(expression["expression"], expression["text"].upper())


def first_site(feed):
    return json.loads(feed.read_text().splitlines()[0])["site"]


def test_a_state_directory_is_exported_and_stays_as_it_is(templ_process, feed, state, tmp_path):
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    done = templ_process(
        "site", "export", first_site(feed), "--state", state, "--out", tmp_path / "out"
    )
    printed = re.search(r"applied to (\d+) pages .* on (\d+) of them", done.stderr.decode())
    assert printed[1] == printed[2]
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before
    export = json.loads((tmp_path / "out/expressions.json").read_text())
    assert export["unequal_urls"] == []
    assert export["pages"] == int(printed[1])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "expressions.json",
        "model.bin",
        "remove_repeated.py",
    ]


def test_the_script_of_an_export_needs_no_templ(repeating, tmp_path):
    documents, _, export = repeating
    (tmp_path / "expressions.json").write_text(json.dumps(export))
    script = tmp_path / "remove_repeated.py"
    script.write_bytes(Path(remove_repeated.__file__).read_bytes())
    pages = [
        (f"https://paper.example/{number}", [block_text(text) for text in one.segments.texts])
        for number, one in enumerate(documents)
    ]
    url, blocks, parts = next(
        (url, blocks, parts)
        for url, blocks in pages
        if (parts := removed_parts(blocks, url, export["strings"]))
    )
    done = subprocess.run(
        [sys.executable, "-I", script, tmp_path / "expressions.json", "--url", url],
        input="\n".join(blocks).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode() == "\n".join(remaining_blocks(blocks, parts))


def test_the_broker_of_the_settings_is_read_where_no_state_is_given(templ, tmp_path):
    nowhere = {"TEMPL_BROKER": "127.0.0.1:9"}
    for command in (("site", "export", "a.example"), ("inspect", "page", "https://a.example/1")):
        asked = templ(*command, "--out", tmp_path / "out", expect=69, **nowhere)
        assert "cannot reach Kafka at 127.0.0.1:9" in asked.stderr.decode()


@pytest.mark.parametrize(
    ("form", "name"), [("xpath", "xpath.json"), ("trafilatura", "trafilatura.json"), ("ftr", None)]
)
def test_rules_for_other_readers_are_one_file_that_says_whether_they_suffice(
    templ, feed, state, tmp_path, form, name
):
    site = first_site(feed)
    done = templ("site", "export", site, "--as", form, "--state", state, "--out", tmp_path / "out")
    said = re.search(r"agree with the worker's texts by (\d\.\d+)", done.stderr.decode())
    (file,) = (tmp_path / "out").iterdir()
    assert file.name == name or file.name == f"{site}.txt"
    if name is None:
        lines = [line.partition(": ") for line in file.read_text().splitlines()]
        assert {"title", "body", "strip", "date", "author", "test_url"} <= {
            one for one, _, _ in lines
        }
        assert said[1] in file.read_text()
        bodies = [one for key, _, one in lines if key == "body"]
    else:
        export = json.loads(file.read_text())
        assert export["suffices"] == (export["agreement"] >= 0.95)
        assert export["agreement"] == pytest.approx(float(said[1]), abs=0.001)
        bodies = export["body" if form == "xpath" else "content_xpath"]
    assert all(etree.XPath(one) for one in bodies)
