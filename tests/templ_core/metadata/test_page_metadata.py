import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.metadata.claims import read_claims
from templ_core.metadata.fields import Metadata
from templ_core.metadata.forms import address, language_tag
from templ_core.metadata.page_metadata import read_metadata

SITE_NAME = '<meta property="og:site_name" content="The Daily">'
URL = "https://www.daily.example/news/2024/bridge.html"


def metadata(head, body="<p>Text", text="", url=URL):
    page = parse_document(f"<html><head>{head}</head><body>{body}</body></html>", url)
    return read_metadata(page, url, text)


def json_ld(**fields):
    item = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", **fields})
    return f'<script type="application/ld+json">{item}</script>'


def test_all_fields_of_json_ld():
    found = metadata(
        json_ld(
            headline="Bridge opens",
            author=[{"@type": "Person", "name": "Ann Lee"}, "Bob Ray"],
            datePublished="2024-03-01T10:00:00+01:00",
            dateModified="2024-03-02",
            inLanguage="en_gb",
            url="/news/2024/bridge.html",
            publisher={"name": "The Daily"},
            articleSection="Local",
            keywords=["bridge", "town"],
            image={"url": "https://i.example/b.jpg"},
            description="A bridge &amp; a town.",
        )
    )
    assert found == Metadata(
        title="Bridge opens",
        authors=["Ann Lee", "Bob Ray"],
        published_at="2024-03-01T09:00:00Z",
        modified_at="2024-03-02",
        language="en-GB",
        canonical_url=URL,
        site_name="The Daily",
        section="Local",
        tags=["bridge", "town"],
        image="https://i.example/b.jpg",
        description="A bridge & a town.",
    )


def test_authors_are_found_by_reference_and_in_a_graph():
    graph = {
        "@graph": [
            {"@type": "Article", "headline": "A", "author": {"@id": "#ann"}},
            {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
        ]
    }
    script = f'<script type="application/ld+json">{json.dumps(graph)}</script>'
    assert metadata(script).authors == ["Ann Lee"]


def test_the_first_article_with_authors_has_those_of_the_page():
    other = json_ld(headline="Other", author={"@type": "Person", "name": "Eve Poe"})
    own = json_ld(headline="Own", author={"@type": "Person", "name": "Ann Lee"})
    assert metadata(own + other).authors == ["Ann Lee"]


def test_organisations_are_authors_only_where_no_person_is():
    daily = {"@type": "NewsMediaOrganization", "name": "The Daily"}
    person = {"@type": "Person", "name": "Ann Lee"}
    assert metadata(json_ld(author=[person, daily])).authors == ["Ann Lee"]
    assert metadata(json_ld(author=[daily])).authors == ["The Daily"]


def test_a_time_that_contradicts_the_day_in_the_address_is_another_page_s():
    times = '<h1>Bridge</h1><time datetime="2023-12-24T13:05:00Z">now</time><p>Text'
    dated = "https://www.daily.example/2023/12/19/bridge"
    assert metadata("", times, url=dated).published_at == "2023-12-19"
    dated = "https://www.daily.example/2023/12/24/bridge"
    assert metadata("", times, url=dated).published_at == "2023-12-24T13:05:00Z"


def test_readers_who_comment_are_no_authors():
    readers = "".join(
        f'<div class="comment"><span itemprop="author">{name} Smith</span> says <p>Good.</div>'
        for name in ("Eve", "Max", "Tom", "Kim")
    )
    marked_up = metadata("", f'<h1>Bridge</h1><p class="byline">By Ann Lee</p><p>Text{readers}')
    assert marked_up.authors == ["Ann Lee"]


def test_authors_of_teasers_are_no_authors():
    teasers = "".join(
        f'<p>News <b class="author">{one} Poe</b>' for one in ("Eve", "Max", "Tom", "Kim")
    )
    own = '<h1>Bridge</h1><i class="storyAuthor_name__x1">Ann Lee</i><p>Text'
    assert metadata("", teasers + own).authors == ["Ann Lee"]


@pytest.mark.parametrize(
    ("byline", "authors"),
    [
        ("ByAnn Lee", ["Ann Lee"]),
        ("di Ann Lee", ["Ann Lee"]),
        ("Author of the article: Ann Lee", ["Ann Lee"]),
        ("<p>Ann Lee</p><p>Senior Reporter</p>", ["Ann Lee"]),
        ("Ann Lee Breaking News Reporter", ["Ann Lee"]),
        ("Ann LeeKorrespondent", ["Ann Lee"]),
        ("Foto: REUTERS", []),
        ("Photo by Ann Lee", []),
        ("AnnWrites", []),
        ("Byron Lee", ["Byron Lee"]),
    ],
)  # fmt: skip
def test_forms_of_bylines(byline, authors):
    assert metadata("", f'<div class="c-author">{byline}</div><p>Text').authors == authors


@pytest.mark.parametrize(
    ("head", "body", "field", "value"),
    [
        (SITE_NAME + '<meta property="og:title" content="Bridge opens | The Daily">', "", "title",
         "Bridge opens"),
        ("<title>Bridge opens - Daily</title>", "", "title", "Bridge opens"),
        ("<title>Bridge opens &lt;now&gt;</title>", "", "title", "Bridge opens <now>"),
        ('<meta name="DC.creator" content="Ann Lee">', "", "authors", ["Ann Lee"]),
        ("", '<span itemprop="author"><b itemprop="name">Ann Lee</b></span>', "authors", ["Ann Lee"]),
        ("", '<a rel="author" href="/ann">Ann Lee</a>', "authors", ["Ann Lee"]),
        ("", '<p class="byline">By Ann Lee and Bob Ray</p>', "authors", ["Ann Lee"]),
        ('<meta property="article:published_time" content="2024-03-01T10:00:00Z">', "",
         "published_at", "2024-03-01T10:00:00Z"),
        ('<meta name="DC.date.issued" content="2024-03-01">', "", "published_at", "2024-03-01"),
        ("", '<time class="entry-date published" datetime="2024-03-01T10:00:00Z">x</time>',
         "published_at", "2024-03-01T10:00:00Z"),
        ("", '<meta itemprop="datePublished" content="2024-03-01">', "published_at", "2024-03-01"),
        ("", '<p class="date">1 mars 2024</p>', "published_at", "2024-03-01"),
        ('<meta property="og:locale" content="pt_BR">', "", "language", "pt-BR"),
        ('<link href="/b?a=1&amp;b=2" rel="canonical">', "", "canonical_url",
         "https://www.daily.example/b?a=1&b=2"),
        ('<meta property="article:tag" content="a"><meta property="article:tag" content="b">', "",
         "tags", ["a", "b"]),
    ],
)  # fmt: skip
def test_a_field_is_read_from_markup(head, body, field, value):
    assert getattr(metadata(head, body + "<p>Text"), field) == value


@pytest.mark.parametrize(
    ("head", "field"),
    [
        ('<meta property="article:published_time" content="yesterday">', "published_at"),
        ('<meta property="article:published_time" content="0000-00-00T00:00:00Z">', "published_at"),
        ('<meta property="og:locale" content="english">', "language"),
        ('<link rel="canonical" href="javascript:void(0)">', "canonical_url"),
        ('<link rel="canonical" href="/">', "canonical_url"),
        ('<meta property="og:image" content="data:image/png;base64,xyz">', "image"),
        (
            '<script type="application/ld+json">{"@type": "Article", "headline": 7,</script>',
            "title",
        ),
    ],
)
def test_a_value_of_a_wrong_form_is_absent(head, field):
    assert getattr(metadata(head, url="https://www.daily.example/a"), field) is None


@pytest.mark.parametrize("name", ["admin", "https://facebook.com/ann", "By", "Ann@daily.example"])
def test_what_is_no_name_is_no_author(name):
    assert metadata(f'<meta name="author" content="{name}">').authors == []


def test_names_in_many_bylines_are_those_of_other_pages():
    body = "".join(f'<p class="byline">By Ann Lee{letter}</p>' for letter in "abcd")
    assert metadata("", body).authors == []


def test_the_language_is_detected_where_none_is_declared():
    text = (
        "Der Rat der Stadt hat am Montag beschlossen, dass die alte Brücke bis zum Herbst gesperrt "
        "bleibt. Die Bürgermeisterin sagte, es gebe keine andere Möglichkeit, weil das Geld für den "
        "Neubau erst im nächsten Jahr zur Verfügung stehe. Viele Anwohner sind darüber verärgert."
    )
    assert metadata("", text=text).language == "de"
    assert metadata('<meta http-equiv="content-language" content="en">', text=text).language == "en"


def test_claims_in_comments_and_scripts_do_not_count():
    head = (
        '<!-- <meta name="author" content="Ann Lee"> -->'
        '<script>var a = \'<meta name="author" content="Ann Lee">\';</script>'
    )
    assert metadata(head).authors == []


def test_a_page_with_too_many_claims_is_read_in_bounds():
    body = '<i itemprop="author">x</i>' * 100_000
    page = parse_document(body, URL)
    assert len(page.claims) <= 1 << 20
    read_metadata(page, URL)


@given(st.text(st.sampled_from("<>\"'=/ metanmcol:ad{}[],\1\2&;#"), max_size=200))
def test_any_markup_has_metadata_of_the_right_form(text):
    markup = f'<meta name="author" {text}><script type="application/ld+json">{text}</script>{text}'
    page = parse_document(markup, URL)
    found = read_metadata(page, URL)
    read_claims(page.claims)
    for value in (found.canonical_url, found.image):
        assert value is None or address(value, URL) == value
    assert found.language is None or language_tag(found.language) == found.language
