import json

import pytest

from templ_core.page_level.model.model_file import encode_model, shipped_model
from templ_core.site_level.fusion.fusion import FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS

SITES = ("one.example", "two.example", "three.example")


@pytest.fixture
def corpus(tmp_path):
    """Write pages of three sites whose content a selector names; their first pages have no gold."""
    path = tmp_path / "pages.jsonl"
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
                    f"</div><p>Copyright by those of {site}, who reserve all rights they have.</p>",
                    "gold_text": " ".join([f"Day {number}", *sentences]) if number else None,
                    "gold_selector": "#main",
                }
            )
    path.write_text("\n".join(map(json.dumps, records)))
    return path


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
    path = tmp_path / "lists.jsonl"
    teasers = [f"Boat number {turn} came back from the island with a new mast" for turn in range(9)]
    records = [
        {
            "site": "lists.example",
            "url": f"http://lists.example/{number}",
            "html": f"<title>Boats</title><ul>{''.join(f'<li>{one}.' for one in teasers)}</ul>",
            "gold_text": " ".join(teasers),
            "page_role": "listing",
        }
        for number in range(2)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_the_fusion_is_fitted_judged_and_written(templ, corpus, folds, lists, tmp_path):
    model = tmp_path / "fusion.json"
    done = templ(
        *("experiments", "site-level", corpus, "--folds", folds, "--model", model),
        *("--page-model", "page-x", "--jobs", "2"),
        *("--listings", lists),
    )
    out = done.stdout.decode()
    for line in (
        *("page level alone", "places only, not fitted", "sites left out", "without site-string"),
    ):
        assert line in out
    listings = next(line for line in out.splitlines() if "lists listing" in line)
    assert [cell.strip() for cell in listings.split("│")][2] == "2"
    assert "0.00%" in listings
    assert "0 sites with at least 20 pages lose more than 0.01" in out
    fusion = FusionModel.from_json(model.read_bytes())
    assert list(fusion.terms) == list(FUSION_INPUTS)
    assert all(term.weight * FUSION_INPUTS[name].sign >= 0 for name, term in fusion.terms.items())
    assert fusion.page_model == "page-x"
    assert fusion.quality["pages"] > 0.9


def test_missing_folds_are_refused(templ, corpus, tmp_path):
    done = templ(*("experiments", "site-level", corpus, "--folds", tmp_path / "none"), expect=2)
    assert b"folds.json: No such file" in done.stderr


def test_sites_left_out_of_a_single_model_are_too_few(templ, corpus, folds):
    (folds / "folds.json").write_text(json.dumps({"pages": {SITES[0]: 0}}))
    done = templ("experiments", "site-level", corpus, "--folds", folds, expect=66)
    assert b"too few sites with gold" in done.stderr
