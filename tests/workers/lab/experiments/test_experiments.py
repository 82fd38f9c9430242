import json

import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.lab.papers.pagelevel.smoothed_classifier import (
    LogisticRegression,
    SmoothedClassifier,
    encode_classifier,
)


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
        ("automatic-train", selected, "--out", tmp_path / "model.bin"),
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
    path.write_text("\n".join(map(json.dumps, records)))
    done = templ("experiments", "kolcz-yih-keywords", path, "--train", path, "--diverse", path)
    out = done.stdout.decode()
    assert "tested on 12 pages of 3 sites, 1.0 keywords a page" in out
    line = next(line for line in out.splitlines() if "DN-DF_both" in line)
    assert line.count("100.00") == 5


def test_windows_are_compared_by_age_and_size(templ, feed, tmp_path):
    options = ("--time-field", "fetched_at", "--days", "14", "--pages", "4,40")
    done = templ("experiments", "windows", feed, *options, "--sites", "2", "--out", tmp_path)
    out = done.stdout.decode()
    assert "feed: windows by days" in out
    assert "feed: windows by pages" in out
    assert (tmp_path / "feed-pages-bytes_a_site.svg").is_file()
