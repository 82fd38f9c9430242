"""The tour shows what stays as the page looks, what goes faded, and fields and records marked; nothing is cut."""

import json
import re

import pytest

from tests.browser import measured, needs_chromium
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.tour import CurveGroup, learning_curve

LOOKED_AT = """
const faint = (one) => {
  let opacity = 1;
  for (; one instanceof Element; one = one.parentElement) opacity *= getComputedStyle(one).opacity;
  return opacity;
};
const right = (one) => one.getBoundingClientRect().right;
return {
  width: innerWidth, page: document.documentElement.scrollWidth,
  screens: [...document.querySelectorAll(".screen")].map((host) => {
    const all = [...host.shadowRoot.querySelectorAll("*")].filter((one) => one.getClientRects().length);
    const find = (selector) => all.filter((one) => one.matches(selector));
    return {
      height: host.getBoundingClientRect().height,
      beyond: Math.max(...all.map(right)) - right(host),
      h1: find("h1 span").map(faint), menu: find("nav span").map(faint), footer: find("footer span").map(faint),
      prose: find("p").filter((one) => one.textContent.length > 120).map((one) => [
        one.textContent.slice(0, 40), Math.max(...[...one.querySelectorAll("span")].map(faint))]),
      fields: find(".templ-text-field").map((one) => getComputedStyle(one).backgroundColor),
      records: find(".templ-record").map((one) => getComputedStyle(one).outlineColor),
    };
  }),
};
"""


@pytest.fixture(scope="module")
def toured(templ, tmp_path_factory):
    """A tour of readable sites, what the command said, its folder, and what `templ evaluate` says."""
    folder = tmp_path_factory.mktemp("tour")
    feed, out, state = folder / "feed.jsonl", folder / "out.jsonl", folder / "state"
    templ("simulate", "--readable", "--sites", 6, "--pages", 72, "--seed", 7, "--out", feed)
    templ("run", feed, "--out", out, "--state", state, "--records")
    templ("run", feed, "--out", folder / "alone.jsonl", "--page-only")
    command = ("tour", feed, out, "--state", state, "--out", folder / "tour.html")
    alone = ("--page-only", folder / "alone.jsonl")
    said = templ(*command, *alone, "--curve", folder / "curve.svg").stderr.decode()
    figures = templ("evaluate", feed, out, "--text-only", "--json").stdout
    return folder, said, figures


def test_a_run_on_readable_sites_is_shown(toured, templ):
    folder, said, figures = toured
    assert said == f"written to {folder / 'tour.html'}\nwritten to {folder / 'curve.svg'}\n"
    page = (folder / "tour.html").read_text()
    assert page.count('<template shadowrootmode="open">') == 8
    assert "<script" not in page
    shown = re.search(r"<b>(0\.\d{3})</b>, as <code>templ evaluate</code>", page)[1]
    assert shown == f"{json.loads(figures)['all']['all pages']['f1']:.3f}"
    curve = (folder / "curve.svg").read_text()
    assert curve.startswith("<svg")
    assert curve.count('<polyline class="line"') == 2
    assert ">each page by itself</text>" in curve
    out = folder / "out.jsonl"
    wrong = templ("tour", out, out, "--state", folder / "state", "--out", folder / "x", expect=66)
    assert "is no feed of `templ simulate`" in str(wrong.stderr)


@needs_chromium
@pytest.mark.timeout(300)
@pytest.mark.parametrize("width_px", [1200, 400])
def test_in_a_browser_the_headline_is_kept_the_menu_is_faded_and_nothing_is_cut(
    toured, width_px, tmp_path
):
    boxes = measured((toured[0] / "tour.html").read_text(), width_px, LOOKED_AT, tmp_path)
    assert boxes["width"] == width_px
    assert boxes["page"] <= width_px
    assert len(boxes["screens"]) == 8
    for before, after in zip(boxes["screens"][::2], boxes["screens"][1::2], strict=True):
        for screen in (before, after):
            assert screen["beyond"] <= 0
            assert screen["height"] > 400
            assert screen["h1"]
            assert all(one == 1 for one in screen["h1"])
        assert all(one == 1 for one in before["menu"] + before["footer"])
        assert after["menu"]
        assert after["footer"]
        assert all(one <= 0.25 for one in after["menu"] + after["footer"])
        stays = [opacity for _, opacity in after["prose"]]
        assert stays.count(1) >= 0.7 * len(stays)
        assert not before["fields"]
        assert not before["records"]
    _, news, _, product, _, listing, _, manual = boxes["screens"]
    assert len(product["fields"]) >= 10
    assert set(product["fields"]) == {"rgb(207, 227, 255)"}
    assert listing["records"] == ["rgb(160, 107, 216)"] * 9
    assert not news["fields"]
    assert manual["prose"]


def test_the_learning_curve_groups_pages_by_how_many_came_before_them():
    assert learning_curve([(1, 0.5), (1, 1.0), (2, 1.0), (3, 0.8), (4, 0.6)]) == [
        CurveGroup(first_page=1, pages=2, word_f1=0.75),
        CurveGroup(first_page=2, pages=1, word_f1=1.0),
        CurveGroup(first_page=3, pages=2, word_f1=0.7),
    ]


def test_readable_sites_have_three_kinds_and_sentences_that_end():
    pages = list(simulate_feed(FeedSettings(readable=True, sites=6, pages=90, seed=3)))
    assert {page.genre for page in pages} == {"news", "shop", "manual"}
    golds = {page.url: page.gold_text for page in pages if page.page_role == "article"}
    assert len(set(golds.values())) == len(golds)
    for text in golds.values():
        assert "{" not in text
        assert "[" not in text
        prose = [line for line in text.splitlines() if len(line) > 80]
        assert all(line[-1] in ".”?" for line in prose), prose
