import re
from random import Random

from click.testing import CliRunner

from workers.lab.experiments.site_level.boilerplate import boilerplate
from workers.lab.experiments.site_level.injected_pages import Injection, injected_text, on_page

ROW = re.compile(r"│ (\w+), (\w+) .*│ +\d+ │ +([\d.]+) │ +([\d.]+) │")


def test_blocks_of_all_pages_go_from_the_fourth_page_on_and_own_text_stays():
    done = CliRunner().invoke(boilerplate, ["--sites", "2", "--pages", "12"])
    assert done.exit_code == 0, done.output
    rows = ROW.findall(done.output)
    assert [kind for kind, _, _, _ in rows] == ["shop", "manual", "manual"]
    for kind, what, left, kept in rows:
        assert float(kept) > 0.95, kind
        assert float(left) <= 0.02 or what == "box"


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
