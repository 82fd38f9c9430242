"""Experiments on small corpora, and the parts that they are made of."""

import json
import re
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document, read_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.lab.papers.pagelevel.variants import (
    LogisticRegression,
    SmoothedClassifier,
    encode_classifier,
)
from templ_core.lab.training.fusion import of_second_halves
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.page_level.model.model_file import encode_model, shipped_model
from templ_core.site_level.fusion.fusion import FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from tests.workers.builders import write_lines
from workers.lab.corpora import parsed, serialised
from workers.lab.evaluation.page_models import models_of_folds
from workers.lab.experiments import injected_pages
from workers.lab.experiments.class_set import TOPIC_SITES
from workers.lab.experiments.compared_cleaners import (
    SITE_CLEANERS,
    clean_compared_pages,
    compared_pages,
)
from workers.lab.experiments.fusion_pages import Simulation, read_fusion_pages
from workers.lab.experiments.injection import boilerplate
from workers.lab.experiments.pagelevel import LabelledTexts, specific_words
from workers.lab.experiments.replayed_sites import ReplayedPage, design_changes, two_passes
from workers.lab.experiments.rtdm import MINING_TEMPLATES
from workers.lab.simulate.feed import FeedSettings, simulate_feed


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """Write a classifier that calls text template if most of it is inside links."""
    markup = "<p>text"
    document = parse_document(markup, "")
    names = list(read_node_features(document, read_presentation(document, markup)).columns)
    weights = np.where(np.array(names) == "text in anchors", 8.0, 0.0)
    model = LogisticRegression(
        mean=np.zeros(len(names)), scale=np.ones(len(names)), weights=weights, bias=-2.0
    )
    path = tmp_path_factory.mktemp("model") / "classifier.json"
    path.write_bytes(
        encode_classifier(SmoothedClassifier(features=names, area_from=[0.0], models=[model]))
    )
    return path


def test_pagelevel_templates_reports_f_and_figures(templ, classifier, selected, tmp_path):
    done = templ("experiments", "pagelevel-templates", classifier, selected, "--out", tmp_path)
    out = done.stdout.decode()
    assert "6 pages of 2 sites" in out
    line = next(line for line in out.splitlines() if "Links in templates" in line)
    assert line.count("1.000") >= 9
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "figure-2.svg").is_file()


def test_pagelevel_segmentation_reads_synthetic_pages(templ, classifier, feed, tmp_path):
    done = templ("experiments", "pagelevel-segmentation", classifier, feed, "--out", tmp_path)
    assert "figure 1: segmentation of feed" in done.stdout.decode()
    assert (tmp_path / "figure-3-feed.svg").is_file()


def test_phrases_removal_reports_the_precision_of_each_site(templ, selected, tmp_path):
    out = templ("experiments", "phrases-removal", selected, "--out", tmp_path).stdout.decode()
    together = out[out.index("learned on all pages") :]
    assert "1.0000" in next(line for line in together.splitlines() if "a.org" in line)
    assert "content lost" in (tmp_path / "report.html").read_text()


def test_unusable_corpora_are_refused_in_one_line(templ, classifier, selected, tmp_path):
    experiments = [
        ("pagelevel-templates", tmp_path / "none.json", selected),
        ("pagelevel-templates", selected, selected),
        ("pagelevel-segmentation", classifier, selected),
        ("pagelevel-duplicates", classifier, selected),
        ("pagelevel-classes", classifier, selected),
        ("kolcz-yih", selected),
        ("kolcz-yih-keywords", selected, "--train", selected, "--diverse", selected),
        ("pagelevel-train", selected, "--out", tmp_path / "model.json"),
    ]
    for arguments in experiments:
        message = templ("experiments", *arguments, expect=66).stderr.decode()
        assert message.startswith("templ: ")
        assert message.count("\n") == 1


def test_keywords_are_extracted_before_and_after_cleaning(templ, tmp_path):
    path = tmp_path / "pages.jsonl"
    menu = "<ul><li><a href=/>Home page</a><li><a href=/a>About us</a></ul>"
    topics = ("otters", "beavers", "badgers", "weasels")
    records = [
        {
            "site": f"{letter}.org",
            "url": f"http://{letter}.org/{topic}",
            "html": f"<title>Of {topic}</title><meta name=keywords content='{topic}, Animals'><body>"
            f"{menu}<p>The {topic} are seen in the river at night. {topic.title()} like the river, "
            f"and people of the town like {topic}.</p><p>Tags: <a rel=tag href=/t>shy {topic}</a>",
        }
        for letter in "abc"
        for topic in topics
    ]
    write_lines(path, records)
    done = templ("experiments", "kolcz-yih-keywords", path, "--train", path, "--diverse", path)
    out = done.stdout.decode()
    assert "tested on 12 pages of 3 sites, 1.0 keywords a page" in out
    line = next(line for line in out.splitlines() if "DN-DF_both" in line)
    assert line.count("100.00") == 5


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
    text = injected_pages.injected_texts(vocabulary, rng, also_inside=False)[0]
    pages = [
        " ".join(injected_pages.on_page(text, "scattered", vocabulary, rng)).split()
        for _ in range(3)
    ]
    assert len({len(one) for one in pages}) == 1
    changed = [
        [at for at, (a, b) in enumerate(zip(pages[0], other, strict=True)) if a != b]
        for other in pages[1:]
    ]
    assert changed[0] != changed[1]
    assert all(0.1 < len(one) / len(pages[0]) < 0.6 for one in changed)


@pytest.mark.parametrize("seed", range(8))
def test_a_box_of_links_has_the_lines_of_its_section_at_one_place(seed):
    box = injected_pages.link_box([f"word{number}" for number in range(100)], Random(seed))
    for section, lines in enumerate(box.sections):
        root = parsed(
            "<title>A page</title><h1>A page</h1><main><p>First<p>Last</main><footer>End</footer>"
        )
        assert injected_pages.inject_box(root, GoldSelectors(content="main"), box, section)
        texts = read_document(serialised(root), "https://s.example/").segments.texts
        place = {"before": 1, "first": 1, "last": 3, "behind": 3}[box.place]
        assert texts == [*(own := ["A page", "First", "Last", "End"])[:place], *lines, *own[place:]]


def page(*segments):
    text, words, is_template, is_kept = zip(*segments, strict=True)
    return LabelledTexts(
        text=np.array(text, np.uint64),
        words=np.array(words, float),
        is_template=np.array(is_template),
        is_kept=np.array(is_kept),
    )


def test_only_text_of_one_page_counts():
    menu = (1, 3, True, False)
    first = page(menu, (2, 5, True, False), (3, 50, False, True))
    second = page(menu, (4, 7, True, True), (5, 40, False, False))
    specific = specific_words([first, second])
    assert specific == {
        "template": 12, "template_removed": 5, "content": 90, "content_kept": 50, "all_template": 18
    }  # fmt: skip


def replayed(number, design):
    return ReplayedPage(
        site="a.com", number=number, design=design, finds_redesign=False, uses_site=True, f1=1.0,
        alone_f1=1.0,
    )  # fmt: skip


def test_a_redesign_begins_with_the_first_page_of_a_design_and_ends_before_the_next():
    site = [replayed(number, design) for number, design in enumerate("aaaababbbcc", 1)]
    first, second = design_changes(site)
    assert [one.number for one in first[0]] == [1, 2, 3, 4]
    assert [one.number for one in first[1]] == [5, 6, 7, 8, 9]
    assert [one.design for one in second[1]] == ["c", "c"]
    assert list(design_changes(site[:4])) == []


def test_a_redesign_in_a_feed_is_detected(templ, tmp_path):
    feed = tmp_path / "feed.jsonl"
    settings = FeedSettings(genre="news", sites=1, pages=30, seed=3, redesign_day=14)
    write_lines(feed, (one.record() for one in simulate_feed(settings)))
    options = ("--design-field", "design", "--time-field", "fetched_at")
    done = templ("experiments", "redesign", feed, *options)
    out = done.stdout.decode()
    assert "1 redesigns" in out
    assert "Found by the redesign detector: 1 of 1" in out


def test_new_site_finds_no_redesign_in_a_stable_feed(templ, feed, tmp_path):
    done = templ("experiments", "new-site", feed, "--time-field", "fetched_at", "--out", tmp_path)
    out = done.stdout.decode()
    assert "Redesigns detected: 0 on 3 sites" in out
    assert (tmp_path / "new-site.svg").is_file()


MENU = "<ul><li><a href=/>Home of the site</a><li><a href=/about>About all of us</a></ul>"


@pytest.fixture(scope="module")
def pages():
    sentences = {
        name: f"The {name} tells a {name} of the {name}"
        for name in ("ant", "bee", "cat", "dog", "eel", "fox")
    }
    return compared_pages(
        ("b.org", f"http://b.org/{name}", f"<body>{MENU}<div><p>{text}</p></div>", text, name)
        for name, text in sentences.items()
    )


@pytest.mark.parametrize("cleaner", ["FindTemplate", "votes", "style tree", "phrases"])
def test_cleaners_leave_the_article(pages, cleaner):
    assert clean_compared_pages(pages, cleaner, 4) == [one.text for one in pages]


def test_original_is_the_whole_text(pages):
    assert next(iter(SITE_CLEANERS)) == "original"
    assert all("Home of the site" in text for text in clean_compared_pages(pages, "original", 4))


def test_rtdm_templates_finds_all_terms_of_simple_sites(templ, selected, tmp_path):
    out = templ(
        "experiments", "rtdm-templates", selected, "--pages-min", 3, "--out", tmp_path
    ).stdout.decode()
    assert "2 sites, 6 pages with gold" in out
    assert (tmp_path / "figure-7.svg").is_file()
    three = [line for line in out.splitlines() if "│ 3 │" in line.replace("  ", "")]
    assert all("1.000" in line for line in three)


def test_one_odd_page_empties_the_template_that_all_pages_share(templ, tmp_path):
    path = tmp_path / "pages.jsonl"
    records = [
        {
            "site": f"{place}.org",
            "url": f"http://{place}.org/{number}",
            "html": f"<{tag}><p>Home of {place}<p>About {place} and others</{tag}>"
            f"<div id=main>Story {'abcdefghijklmnopqrstuvwxyz'[number] * 4} has a text</div>",
            "gold_selector": "#main",
        }
        for place, tag in (("paris", "section"), ("tokyo", "nav"))
        for number in range(25)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    out = templ("experiments", "rtdm-templates", path).stdout.decode()
    table = out[out.index("mean F with one odd page") :]
    figures = {
        cells[1].strip(): [float(cell) for cell in cells[3:5]]
        for line in table.splitlines()
        if (cells := line.split("│"))[1:] and cells[2].strip() == "2"
    }
    assert figures["votes"] == [1.0, 1.0]
    assert figures["FindTemplate"] == [1.0, 0.0]
    assert figures["style tree"] == [1.0, 1.0]


def test_missing_sites_are_reported_in_one_line(templ, selected):
    message = templ("experiments", "rtdm-mining", selected, expect=66).stderr.decode()
    assert message.startswith("templ: the class set needs articles")
    assert message.count("\n") == 1


def test_too_few_templates_for_mining_are_reported_in_one_line(templ, tmp_path):
    sites = [*(some[0] for some in TOPIC_SITES.values()), MINING_TEMPLATES[0]]
    records = [
        {
            "site": site,
            "url": f"http://{site}/",
            "html": f"<p>Home<div id=main>{' '.join(f'w{number}' for number in range(60))} {site}</div>",
            "gold_text": site,
            "gold_selector": "#main",
        }
        for site in sites
    ]
    pages = write_lines(tmp_path / "pages.jsonl", records)
    message = templ("experiments", "rtdm-mining", pages, "--runs", 1, expect=66).stderr.decode()
    assert message.startswith("templ: too few articles or templates")
    assert message.count("\n") == 1


SITES = ("one.example", "two.example", "three.example")


@pytest.fixture
def corpus(tmp_path):
    """Write pages of three sites whose content a selector names; their first pages have no gold."""
    records = []
    for number in range(6):
        for site in SITES:
            sentences = [
                f"On day {number} the {site} boats went {turn} miles up the river, and came back."
                for turn in range(3)
            ]
            article = "".join(f"<p>{sentence}" for sentence in sentences)
            records.append(
                {
                    "site": site,
                    "url": f"http://{site}/{number}",
                    "html": f"<title>Day {number}</title><ul><li><a href=/>Home of {site}</a>"
                    f"<li><a href=/a>About us</a></ul><div id=main><h1>Day {number}</h1>{article}"
                    f"<table><tr><th>Harbour<td>Pier {number}</table></div><p>Copyright by those of {site}, who reserve all rights they have.</p>",
                    "gold_text": " ".join([f"Day {number}", *sentences, f"Harbour Pier {number}"])
                    if number
                    else None,
                    "gold_selector": "#main",
                }
            )
    return write_lines(tmp_path / "pages.jsonl", records)


@pytest.fixture
def folds(tmp_path):
    """Write the page models of two folds, which are equal."""
    directory = tmp_path / "folds"
    directory.mkdir()
    for number in range(2):
        (directory / f"fold-{number}.bin").write_bytes(encode_model(shipped_model()))
    of_site = {site: number % 2 for number, site in enumerate(SITES)}
    (directory / "folds.json").write_text(json.dumps({"pages": of_site}))
    return directory


@pytest.fixture
def lists(tmp_path):
    """Write two listings with equal teasers, of a site on which no page model was trained."""
    teasers = [f"Boat number {turn} came back from the island with a new mast" for turn in range(9)]
    records = [
        {
            "site": "lists.example",
            "url": f"http://lists.example/{number}",
            "html": f"<title>Boats</title><ul>{''.join(f'<li>{one}.' for one in teasers)}</ul>",
            "gold_text": " ".join(teasers),
            "kind": "listing",
        }
        for number in range(2)
    ]
    return write_lines(tmp_path / "lists.jsonl", records)


def test_the_fusion_is_fitted_judged_and_written(templ, corpus, folds, lists, tmp_path):
    model = tmp_path / "fusion.json"
    done = templ(
        *("experiments", "site-level", corpus, "--folds", folds, "--model", model),
        *("--page-model", "page-x", "--jobs", "2"),
        *("--listings", lists),
    )
    out = done.stdout.decode()
    for line in (*("page level alone", "places only, not fitted", "without site-string"),):
        assert line in out
    cells = {
        line.split("│")[1].strip(): line.split("│")[2:-1]
        for line in reversed(out.splitlines())
        if "│" in line
    }
    assert [int(cell) for cell in cells["all"]] == [3, 0, 0, 0, 0]
    for way in ("page by page, sites left out", "two-pass, sites left out"):
        assert float(cells[way][0].split("/")[0]) > 0.9
    rows = out[out.index("Label-value rows: kept whole / in part") :].splitlines()[4:8]
    found = [row.split("│")[2].strip() for row in rows]
    assert found == ["15", *["1.000 / 0.000"] * 3]
    assert "Confidence of known sites, sites left out" in out
    listings = next(line for line in out.splitlines() if "lists listing" in line)
    assert [cell.strip() for cell in listings.split("│")][2] == "2"
    assert "0.00%" in listings
    assert "0 sites with at least 20 pages lose more than 0.01" in out
    fusion = FusionModel.from_json(model.read_bytes())
    assert list(fusion.terms) == list(FUSION_INPUTS)
    assert all(term.weight * FUSION_INPUTS[name].sign >= 0 for name, term in fusion.terms.items())
    assert fusion.page_model == "page-x"
    assert fusion.quality["pages"] > 0.9


def test_types_are_found_by_weights_of_other_sites(templ, folds, lists, tmp_path):
    stories = [
        {
            "site": f"news{number}.example",
            "url": f"http://news{number}.example/2026/03/04/the-bridge-stays-closed",
            "html": f"<title>Bridge</title><h1>Bridge</h1><p>{'The bridge stays closed until the steel is there. ' * 9}",
            "kind": "news",
        }
        for number in range(6)
    ]
    listing = json.loads(lists.read_text().splitlines()[0])
    shops = [
        listing | {"site": f"list{n}.example", "url": f"http://list{n}.example/tag/boats"}
        for n in range(6)
    ]
    corpus = write_lines(tmp_path / "types.jsonl", [*stories, *shops])
    weights = tmp_path / "weights.json"
    out = templ(
        "experiments", "page-type", corpus, "--folds", folds, "--model", weights
    ).stdout.decode()
    rows = {line.split()[1]: line.split()[3] for line in out.splitlines() if line.startswith("│")}
    assert rows == {"article": "6", "listing": "6", "all": "12"}
    assert len(json.loads(weights.read_text())["weights"]) == 6


def test_each_page_comes_page_by_page_and_with_a_model_of_its_whole_site(corpus, folds):
    simulation = Simulation(config=CoreConfig(), two_passes=True)
    pages = read_fusion_pages([corpus], models_of_folds(folds), simulation, jobs=1)
    of_site = [page for page in pages if page.site == SITES[1]]
    by_page = [page for page in of_site if not page.whole_site]
    whole = [page for page in of_site if page.whole_site]
    assert [page.seen for page in by_page] == [page.seen for page in whole] == [2, 3, 4, 5, 6]
    assert [page.known.documents for page in by_page] == [1, 2, 3, 4, 4]
    assert [page.known.documents for page in whole] == [6] * 5
    assert all(one.bag is other.bag for one, other in zip(by_page, whole, strict=True))
    assert [by_page[at].seen for at in of_second_halves(by_page)] == [4, 5, 6]
    assert all(page.rows == whole[0].rows and len(page.rows[0]) == 2 for page in by_page)


def test_only_the_first_pages_of_each_site_arrive(corpus, folds):
    simulation = Simulation(config=CoreConfig(), pages_per_site=3)
    pages = read_fusion_pages([corpus], models_of_folds(folds), simulation, jobs=1)
    assert [(page.site, page.seen) for page in pages] == [
        (site, seen) for site in SITES for seen in (2, 3)
    ]


def test_missing_folds_are_refused(templ, corpus, tmp_path):
    done = templ(*("experiments", "site-level", corpus, "--folds", tmp_path / "none"), expect=2)
    assert b"folds.json: No such file" in done.stderr


def test_sites_left_out_of_a_single_model_are_too_few(templ, corpus, folds):
    (folds / "folds.json").write_text(json.dumps({"pages": {SITES[0]: 0}}))
    done = templ("experiments", "site-level", corpus, "--folds", folds, expect=66)
    assert b"too few sites with gold" in done.stderr


def test_both_ways_of_cleaning_are_scored_by_the_place_of_a_page_in_its_site(tmp_path):
    records = []
    for number in range(7):
        for site in ("a.example", "b.example"):
            text = f"Seven boats numbered {number} sailed slowly towards the islands of {site}."
            html = f"<ul><li><a href=/>Home</a></ul><div id=main><p>{text}</p></div>"
            record = {"site": site, "url": f"http://{site}/{number}", "html": html}
            when = f"2026-01-0{number + 1}T00:00:00Z"
            records.append(record | {"gold_text": text if number else None, "fetched_at": when})
    path = write_lines(tmp_path / "pages.jsonl", records)
    done = CliRunner().invoke(two_passes, [str(path), "--time-field", "fetched_at"])
    assert done.exit_code == 0, done.exception
    rows = [line.split("│")[1:-1] for line in done.output.splitlines() if line.startswith("│")]
    counts = {name.strip(): int(pages) for name, pages, *_ in rows}
    assert counts == {"1": 0, "1-5": 8, "6-25": 4, "26-": 0, "all": 12}


def test_pages_without_content_are_judged_by_weights_of_other_sites(templ, tmp_path):
    feed = tmp_path / "feed.jsonl"
    templ("simulate", "--sites", 6, "--pages", 120, "--out", feed)
    model = ("--model", tmp_path / "weights.json")
    out = templ("experiments", "page-quality", feed, "--pages", 6, *model).stdout.decode()
    assert out.count("any of them") == 2
    unknown, known = json.loads((tmp_path / "weights.json").read_text())
    assert len(unknown["bias"]) == len(known["weights"]) == 5
