import pytest

from workers.lab.experiments.compared_cleaners import (
    SITE_CLEANERS,
    clean_compared_pages,
    parse_compared_page,
)

MENU = "<ul><li><a href=/>Home of the site</a><li><a href=/about>About all of us</a></ul>"


@pytest.fixture(scope="module")
def pages():
    return [
        parse_compared_page(
            site="b.org",
            url=f"http://b.org/{name}",
            markup=f"<body>{MENU}<div><p>The {name} tells a {name} of the {name}</p></div>",
            text=f"The {name} tells a {name} of the {name}",
            name=name,
        )
        for name in ("ant", "bee", "cat", "dog", "eel", "fox")
    ]


@pytest.mark.parametrize("cleaner", ["FindTemplate", "votes", "phrases"])
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


@pytest.mark.parametrize("experiment", ["rtdm-mining", "foschini-copies"])
def test_missing_sites_are_reported_in_one_line(templ, selected, experiment):
    message = templ("experiments", experiment, selected, expect=66).stderr.decode()
    assert message.startswith("templ: the class set needs articles")
    assert message.count("\n") == 1
