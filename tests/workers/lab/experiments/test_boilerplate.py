import re
from random import Random

import pytest
from click.testing import CliRunner

from templ_core.dom.document import read_document
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.lab.experiments.boilerplate import boilerplate
from workers.lab.experiments.injected_pages import (
    Injection,
    inject_box,
    injected_text,
    link_box,
    on_page,
    parsed,
    serialised,
)

ROW = re.compile(r"│ (\w+), (\w+) .*│ +\d+ │ +([\d.]+) │ +([\d.]+) │")


def test_blocks_of_all_pages_go_and_own_text_stays():
    done = CliRunner().invoke(boilerplate, ["--sites", "2", "--pages", "12"])
    assert done.exit_code == 0, done.output
    rows = ROW.findall(done.output)
    assert [kind for kind, _, _, _ in rows] == ["shop", "manual", "manual"]
    for kind, what, left, kept in rows:
        assert float(kept) > 0.95, kind
        assert float(left) <= (0.05 if what == "box" else 0.02), kind


def test_scattered_words_change_at_other_places_on_each_page():
    rng = Random(1)
    vocabulary = [f"word{number}" for number in range(500)]
    text = injected_text(vocabulary, rng)
    run = Injection(share=1.0, scattered=True)
    pages = [" ".join(on_page(text, run, vocabulary, rng)).split() for _ in range(3)]
    assert len({len(one) for one in pages}) == 1
    changed = [
        [at for at, (a, b) in enumerate(zip(pages[0], other, strict=True)) if a != b]
        for other in pages[1:]
    ]
    assert changed[0] != changed[1]
    assert all(0.1 < len(one) / len(pages[0]) < 0.6 for one in changed)


@pytest.mark.parametrize("seed", range(8))
def test_a_box_of_links_has_the_lines_of_its_section_at_one_place(seed):
    box = link_box([f"word{number}" for number in range(100)], Random(seed))
    for section, lines in enumerate(box.sections):
        root = parsed(
            "<title>A page</title><h1>A page</h1><main><p>First<p>Last</main><footer>End</footer>"
        )
        assert inject_box(root, GoldSelectors(content="main"), box, section)
        texts = read_document(serialised(root), "https://s.example/").segments.texts
        place = {"before": 1, "first": 1, "last": 3, "behind": 3}[box.place]
        assert texts == [*(own := ["A page", "First", "Last", "End"])[:place], *lines, *own[place:]]
