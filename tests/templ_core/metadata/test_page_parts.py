"""What a page says about itself is separated from what its menus, teasers, comments and clocks say."""

import json
import time

import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.metadata._page_parts import PageParts
from templ_core.metadata.authors import author_names, people_among
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata

STORY = "".join(
    f"<p>The lock keeper of Otterford counted the boats {number} times on Monday and wrote to the council about it.</p>"
    for number in ("three", "four", "five", "six")
)
URL = "https://herald.example/otterford/locks"


def metadata(body, head="", fetched_at=None):
    page = parse_document(f"<title>Locks | Otterford Herald</title>{head}<body>{body}", URL)
    cleaned = clean(page, None, CoreConfig())
    return read_metadata(
        page, URL, PageMarkup(page), cleaned.text, None, cleaned.decision.kept, fetched_at
    )


def story(under="", around="", behind="", head="", fetched_at=None):
    body = (
        f"{around}<main><article><h1>Locks of Otterford</h1>{under}{STORY}</article>{behind}</main>"
    )
    return metadata(body, head, fetched_at)


TIME = "<time datetime=2020-01-02>2 January 2020</time>"


@pytest.mark.parametrize(
    "elsewhere",
    [
        f"<aside class=sidebar>{TIME}</aside>", f"<nav>{TIME}</nav>", f"<div class=related-posts>{TIME}</div>", f"<footer>{TIME}</footer>",
        f"<div id=comments><p>Tom Poe, {TIME}<p>Good news.</div>", f"<div class='widget widget_calendar'>{TIME}</div>",
        "<div class=menu><span class=date>2 January 2020</span></div>", "<div class=teaser><p class=date>2 January 2020</div>",
    ],
)  # fmt: skip
def test_days_elsewhere_are_not_that_of_the_page(elsewhere):
    assert story(behind=elsewhere).published_at is None
    assert story(around=elsewhere).published_at is None
    assert (
        story("<p class=date>4 March 2026</p>", elsewhere, elsewhere).published_at == "2026-03-04"
    )


def test_a_clock_in_the_head_of_the_site_is_no_day_of_publication():
    clock = "<header><time datetime=2026-05-01>Today</time></header>"
    assert story("<p>4 March 2026</p>", clock).published_at == "2026-03-04"


@pytest.mark.parametrize(
    ("under", "published", "changed"),
    [
        ("<p>Updated <time datetime=2026-05-06>6 May</time>, published <time datetime=2026-05-04>4 May</time>", "2026-05-04", "2026-05-06"),
        ("<p>Aktualisiert: <time>6. Mai 2026</time>", None, "2026-05-06"),
        ("<p>Next event <time datetime=2026-05-04>4 May</time>", None, None),
        ("<div><span>Last modified</span><div><time datetime=2026-05-04>4 May</time></div></div>", None, "2026-05-04"),
        ("<footer><time datetime=2026-05-04>4 May</time></footer>", "2026-05-04", None),
        ("<aside><time datetime=2026-05-04>4 May</time></aside>", "2026-05-04", None),
    ],
)  # fmt: skip
def test_words_beside_a_time_say_what_it_is(under, published, changed):
    fields = story(under)
    assert (fields.published_at, fields.modified_at) == (published, changed)


def test_no_day_after_the_fetch_is_that_of_publication():
    fetched_at = "2026-03-05T10:00:00Z"
    ahead = '<meta property="article:published_time" content="2026-03-09T10:00:00Z">'
    assert story(head=ahead, fetched_at=fetched_at).published_at is None
    assert story(head=ahead).published_at == "2026-03-09T10:00:00Z"
    assert story("<p>4 March 2026", head=ahead, fetched_at=fetched_at).published_at == "2026-03-04"
    assert story("<p>6 March 2026", fetched_at=fetched_at).published_at == "2026-03-06"
    assert story("<p>9 March 2026", fetched_at=fetched_at).published_at is None
    # Some feeds give all pages the time at which their crawl began.
    assert story("<p>By Ann Lee | 9 March 2026", fetched_at=fetched_at).published_at == "2026-03-09"
    assert story("<p>By Ann Lee | 9 March 2027", fetched_at=fetched_at).published_at is None


def json_ld(**fields):
    text = json.dumps({"@type": "NewsArticle", **fields})
    return f'<script type="application/ld+json">{text}</script>'


HERALD = {"@type": "Organization", "name": "Otterford Herald"}


@pytest.mark.parametrize(
    ("head", "under", "behind", "authors"),
    [
        (json_ld(author=HERALD, publisher=HERALD), "<p class=byline>By Ann Lee", "", ["Ann Lee"]),
        (json_ld(author=HERALD, publisher=HERALD), "<a rel=author href=/a>Ann Lee</a>", "", ["Ann Lee"]),
        (json_ld(author=HERALD, publisher=HERALD), "", "", ["Otterford Herald"]),
        (json_ld(author={"name": {"@type": "Person", "name": "Ann Lee"}}), "", "", ["Ann Lee"]),
        (json_ld(author={"name": {"@value": "Ann Lee"}}), "", "", ["Ann Lee"]),
        ('<script type="Application/LD+JSON; charset=utf-8">{"@type": "NewsArticle", "author": "Ann Lee"}</script>', "", "", ["Ann Lee"]),
        ('<script type="application/ld+json">\ufeff{"@type": "NewsArticle", "author": "Ann Lee"}</script>', "", "", ["Ann Lee"]),
        ('<meta property="og:author" content="By &lt;b&gt;Ann Lee&lt;/b&gt;, Bob Ray and Eve Poe, BBC">', "", "",
         ["Ann Lee", "Bob Ray", "Eve Poe"]),
        (json_ld(author="Ann Lee, Sr. Director of Parks, City of Poe"), "", "", ["Ann Lee"]),
        (json_ld(author="Ann Lee, Chief Editor; Bob Ray, Reporter"), "", "", ["Ann Lee", "Bob Ray"]),
        ('<meta name=author content="Herald.com Staff">', "", "", ["Herald.com Staff"]),
        ('<meta name=author content="Herald.com Staff">', "<p class=byline>By Ann Lee", "", ["Ann Lee"]),
        ('<meta property=og:site_name content="Otterford">', "<p class=byline>By Otterford", "", []),
        ('<meta property=og:site_name content="Ann Lee">', "<p class=byline>By Ann Lee", "", ["Ann Lee"]),
        ("", "", "<div class=comment><b class=author>Ann Lee</b> Good.</div>", []),
        ("", "", "<div class=comment><b itemprop=author>Ann Lee</b> Good.</div>", []),
        ("", "", "<aside class=related><p class=byline>By Ann Lee</p></aside>", []),
        ('<meta name="DC.creator" content="Lee, Ann">', "", "", ["Ann Lee"]),
        ('<meta name="citation_author" content="Poe Diaz, Eva"><meta name="citation_author" content="Ray, B. C.">', "", "",
         ["Eva Poe Diaz", "B. C. Ray"]),
    ],
)  # fmt: skip
def test_people_who_sign_are_the_authors(head, under, behind, authors):
    assert story(under, behind=behind, head=head).authors == authors


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lee, Ann", ["Ann Lee"]), ("de la Rosa, Eva María", ["Eva María de la Rosa"]), ("Lee, Ann; Ray, Bob", ["Ann Lee", "Bob Ray"]),
        ("Ann Lee, Bob Ray", ["Ann Lee", "Bob Ray"]), ("Ann Lee, Reuters", ["Ann Lee"]), ("Ann Lee, PhD", ["Ann Lee"]),
        ("Berg, Ludwig van", ["Ludwig van Berg"]), ("Lee, Ann, 1950-", ["Ann Lee"]), ("José Rosa y Vega", ["José Rosa y Vega"]),
        ("x" * 1_000_000, []), ("Ann Lee, " * 200_000, []), ("<" * 1900, []),
    ],
)  # fmt: skip
def test_names_as_libraries_and_newsrooms_write_them(text, names):
    assert author_names([text]) == names


def test_organisations_are_told_from_people():
    names = ["The Otterford Herald", "Herald Staff", "herald.example", "Ann Lee"]
    assert people_among(names, ["heraldexample", "otterfordherald"]) == ["Ann Lee"]


def test_an_author_of_a_megabyte_costs_the_page_nothing_else():
    head = f'<meta name="author" content="{"Ann Lee, " * 60_000}"><meta name="dc.date" content="2026-03-04">'
    fields = story(head=head)
    assert (fields.authors, fields.published_at) == ([], "2026-03-04")


def test_the_content_is_never_elsewhere():
    page = parse_document(f"<body class=sidebar><div class=menu><h2>One</h2>{STORY}</div>", URL)
    parts = PageParts(page, 0, np.ones(len(page.segments.texts), np.bool_))
    assert not any(map(parts.is_elsewhere, range(len(page.segments.texts))))


@pytest.mark.parametrize("tag", ["nav", "div class=post-meta", "aside", "div class=related"])
def test_deep_pages_are_read_in_bounds(tag):
    page = parse_document(
        f"<{tag}>" * 20_000 + "<p>By Ann Lee, 4 March 2026</p>" * 500 + STORY, URL
    )
    parts = PageParts(page, None, np.ones(len(page.segments.texts), np.bool_))
    began = time.process_time()
    for number in range(0, len(page.segments.texts), 5):
        parts.is_elsewhere(number)
    assert time.process_time() - began < 3


def test_elements_named_after_authors_or_dates_that_are_empty_tell_nothing():
    empty = "<div class=byline><img src=a.png></div><span class=post-date></span>"
    fields = story(under=f"{empty}<div class=byline>By Ann Lee</div>")
    assert fields.authors == ["Ann Lee"]
    assert fields.published_at is None


@pytest.mark.parametrize("kind", ["Organization", "NewsMediaOrganization"])
def test_who_signs_counts_before_an_organisation_of_whatever_name(kind):
    script = json.dumps(
        {"@type": "Article", "author": {"@type": kind, "name": "Otterford Lantern"}}
    )
    head = f'<script type="application/ld+json">{script}</script>'
    assert story("<p class=byline>By Ann Lee</p>", head=head).authors == ["Ann Lee"]
    assert story(head=head).authors == ["Otterford Lantern"]


@pytest.mark.parametrize(
    "under",
    [
        "<div itemprop=author itemscope><meta itemprop=name content='Ann Lee'></div>",
        "<div itemprop=author itemscope><link itemprop=url href=/ann><meta itemprop=name content='Ann Lee'></div>",
    ],
)  # fmt: skip
def test_the_name_of_an_author_without_a_text(under):
    assert story(under).authors == ["Ann Lee"]
    assert story(under + under.replace("Ann Lee", "Tom Poe")).authors == ["Ann Lee"]
    far = "<div itemprop=author itemscope></div>" + "<meta itemprop=about content=x>" * 4
    assert story(far + "<meta itemprop=name content='Otterford Lantern'>").authors == []


@pytest.mark.parametrize("name", ["response", "replies", "discussion", "kommentare", "comentarios"])
def test_readers_are_no_authors_and_their_days_are_none_of_the_page(name):
    behind = (
        f"<div class={name}><div><span class=author>Tom Poe</span> {TIME}<p>Good news.</div></div>"
    )
    fields = story(behind=behind)
    assert (fields.authors, fields.published_at) == ([], None)


def test_a_name_that_is_stated_in_parts():
    author = {"@type": "Person", "givenName": "Ann", "familyName": "Lee"}
    script = json.dumps(
        {"@type": "Article", "author": [author, {"@type": "Person", "familyName": "Poe"}]}
    )
    head = f'<script type="application/ld+json">{script}</script>'
    assert story(head=head).authors == ["Ann Lee"]
