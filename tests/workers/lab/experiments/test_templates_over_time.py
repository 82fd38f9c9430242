import json

import pytest

from templ_core.lab.training.labels.site_labels import CorpusPage, parse_site_pages
from workers.lab.experiments.templates_over_time import DatedSite, measure_site, yearly_growth

NUMBERS = range(20)
STORY_WORDS = 30


def markup(number, menu_words):
    """Return a page with a menu of so many linked words, and a story of its own with one link."""
    menu = "".join(f"<li><a href=/{word}>menu{word}</a>" for word in range(menu_words))
    words = [f"word{number}x{place}" for place in range(STORY_WORDS)]
    return f"<ul>{menu}</ul><p><a href=/own>{words[0]}</a> {' '.join(words[1:])}</p>"


def record(number, menu_words, year):
    return {
        "site": "a.org",
        "url": f"http://a.org/{year}/{number}",
        "html": markup(number, menu_words),
        "snapshot": f"{year}-06-01",
    }


def dated(site, year, share):
    return DatedSite(
        site=site, year=year, pages=12, shares=[share] * 3, content_words=1, template_words=1
    )


def test_the_share_of_words_and_links_is_that_of_the_menu():
    pages = parse_site_pages(
        [
            CorpusPage(
                corpus="c",
                site="a.org",
                url=f"http://a.org/{number}",
                body=markup(number, 10).encode(),
            )
            for number in NUMBERS
        ]
    )
    site = measure_site("a.org", 2005, pages)
    html, words, links = site.shares
    assert (site.pages, site.template_words, site.content_words) == (20, 10, STORY_WORDS)
    assert words == pytest.approx(10 / 40)
    assert links == pytest.approx(10 / 11)
    assert 0.3 < html < 0.7


def test_growth_is_that_of_each_site():
    growth = yearly_growth(
        [
            dated("a.org", 2000, 0.2),
            dated("a.org", 2010, 0.2 * 1.06**10),
            dated("b.org", 2000, 0.9),  # one year alone
            dated("c.org", 2001, 0.0),  # no template in one year
            dated("c.org", 2005, 0.4),
        ]
    )
    assert growth == {name: [pytest.approx(0.06)] for name in ("HTML", "words", "links")}


def test_the_command_reports_each_year(templ, tmp_path):
    path = tmp_path / "pages.jsonl"
    records = [
        record(number, words, year)
        for year, words in ((2000, 10), (2010, 30))
        for number in NUMBERS
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    done = templ("experiments", "templates-over-time", path, "--out", tmp_path / "out")
    rows = {
        line.split("│")[1].strip(): line
        for line in done.stdout.decode().splitlines()
        if "│" in line
    }
    assert "0.250" in rows["2000"]
    assert "0.500" in rows["2010"]
    assert "+7.2%" in rows["words"]  # twice the share after ten years
    assert (tmp_path / "out" / "templates-over-time.svg").is_file()


def test_pages_without_dates_are_refused_in_one_line(templ, selected):
    message = templ("experiments", "templates-over-time", selected, expect=66).stderr.decode()
    assert message == "templ: no site has 12 different pages of one year in the field `snapshot`\n"
