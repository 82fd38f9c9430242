import numpy as np
import pytest

from templ_core import SiteCleaner
from templ_core.dom.document import parse_document
from templ_core.metadata.authors import author_names, byline_author, byline_authors
from templ_core.metadata.dates import before_change, day_in_text
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces, placed_texts
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.places.places import count_pages, document_places, tabulate

NAMES = ("Ann Lee", "Bob Ray", "Eve Poe")


def article(number, line="<div class=x1>{day} by {author}</div>", head="", below=""):
    line = line.format(day=f"March {number + 1}, 2024", author=NAMES[number % 3])
    story = "".join(f"<p>{f'word{number}{place} and another ' * 10}" for place in range(5))
    return parse_document(
        f"<title>Story {number} of the bridge</title><div class=top>{head}</div><main>"
        f"<h1>Story {number} of the bridge</h1>{story}{line}</main><div class=low>{below}</div>",
        f"https://e.example/{number}",
    )


def places_of(document):
    return document_places(document, read_features(document)).segments


def read(documents, page):
    pages = [places_of(one) for one in documents]
    table = tabulate(count_pages([(one, np.zeros(len(one.words))) for one in pages]))
    return SitePlaces(places_of(page), table)


def metadata(documents, page):
    return read_metadata(page, "https://e.example/a", PageMarkup(page), "", read(documents, page))


def test_author_and_date_are_found_where_other_pages_have_them():
    pages = [article(number) for number in range(10)]
    fields = metadata(pages, article(20))
    assert (fields.authors, fields.published_at) == (["Eve Poe"], "2024-03-21")
    alone = read_metadata(article(20), "https://e.example/a", PageMarkup(article(20)))
    assert (alone.authors, alone.published_at) == ([], None)


MONDAY = "Monday, March 4, 2024"
STATED = '<meta itemprop=datePublished content="2020-01-02">{day} by {author}'


def with_days(number, days):
    """An article above a list of days."""
    items = (f"<div class=x>April {number + step}, 2023</div>" for step in range(1, days + 1))
    return article(number, "", below=f"<section>{''.join(items)}</section>")


@pytest.mark.parametrize(
    ("count", "made", "day"),
    [
        pytest.param(3, article, None, id="too few pages"),
        pytest.param(10, lambda n: article(n, "", MONDAY), None, id="a day that does not change"),
        pytest.param(10, lambda n: article(n, head=f"May {n + 1}, 2025"), "2024-03-21", id="head"),
        pytest.param(10, lambda n: with_days(n, 4), None, id="days of a list"),
        pytest.param(10, lambda n: with_days(n, 1 if n == 20 else 4), None, id="a short list"),
        pytest.param(10, lambda n: with_days(n, 4 if n == 20 else 1), None, id="a long list"),
        pytest.param(10, lambda n: article(n, *[STATED] * (n == 20)), "2020-01-02", id="stated"),
    ],
)
def test_which_day_counts(count, made, day):
    assert metadata([made(number) for number in range(count)], made(20)).published_at == day


def test_headings_and_prose_are_left_out():
    pages = [article(number) for number in range(10)]
    placed = placed_texts(pages[4], read(pages, pages[4]))
    texts = [pages[4].segments.texts[one] for one in placed]
    assert texts == ["March 5, 2024 by Bob Ray"]
    assert placed_texts(pages[4], read([], pages[4])) == []


def test_the_library_learns_the_place_as_pages_come():
    cleaner = SiteCleaner()
    placed = []
    for number in range(9):
        line = f"<div class=x1>March {number + 1}, 2024 by {NAMES[number % 3]}</div>"
        story = "".join(f"<p>{f'word{number}{place} and another ' * 10}" for place in range(5))
        html = f"<title>Story {number}</title><main><h1>Story {number}</h1>{story}{line}</main>"
        placed.append(cleaner.clean(html.encode(), f"https://e.example/{number}").metadata)
    assert placed[0].published_at is None
    assert (placed[8].authors, placed[8].published_at) == (["Eve Poe"], "2024-03-09")


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("By Ann Lee", "Ann Lee"),
        ("Posted on June 10, 2004 by Kvanvig JonMarch 22, 2005", "Kvanvig Jon"),
        ("von Ludwig van Berg · 6. Februar 2014", "Ludwig van Berg"),
        ("Written by Lolo Posted in dinner, recipe", "Lolo"),
        ("by laxmi|Published September 30, 2014", "laxmi"),
        ("By Ann Lee and Bob Ray", "Ann Lee"),
        ("By Prof. Ann Lee", "Prof. Ann Lee"),
        ("Posted on Saturday April 1, 2006 by A.G. Lee. You can leave one.", "A.G. Lee"),
        ("March 4, 2024 at 8:15 pm by Ann Lee", "Ann Lee"),
        ("Bild av El Grafo", None),
        ("Storie da Acconciare", None),
        ("Acciones suben impulsadas por tecnología y farmacéutica", None),
        ("PLACEMENT TALK BY OUTGOING STUDENTS", None),
        ("By the end of the day", None),
        ("By 2030", None),
        ("By admin", None),
        ("Ann Lee", None),
        ("", None),
    ],
)
def test_authors_of_bylines(text, author):
    assert byline_author(text) == author


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("Ann Lee", "Ann Lee"),
        ("Ann Lee | Reporter", "Ann Lee"),
        ("Ann LeeCategories Current Events", "Ann Lee"),
        ("Ann McCommentson", "Ann McCommentson"),
        ("Ann Lee Messages: 12", "Ann Lee"),
        ("Messages", None),
        ("Name E-Mail", None),
        ("Posted", None),
        ("more about the author", None),
    ],
)
def test_a_name_alone_counts_in_an_element_that_is_named_after_authors(text, author):
    assert byline_author(text, is_named=True) == author


def test_the_day_of_a_change_is_not_that_of_publication():
    assert day_in_text(before_change("harmony.txt · Last modified: 2014/06/10 16:25")) is None
    assert day_in_text(before_change("4 May 2020, updated 6 May 2020")) == "2020-05-04"


@pytest.mark.parametrize(
    ("beside", "authors", "day"),
    [
        ("<p>Written by Ann Lee — 632 views<p>4 March 2024", ["Ann Lee"], "2024-03-04"),
        ("<p>Posted by admin | April 20, 2015 | News | 0 |", [], "2015-04-20"),
        ("<p>They met on 4 March 2024.<p>Nobody came.", [], None),
        ("<h2>By Which Road They Came</h2><p>Text", [], None),
        ("<p>One<p>Two<p>Three<p>Four<p>By Ann Lee<p>4 March 2024", [], None),
    ],
)
def test_a_page_alone_tells_its_author_and_day_beside_its_headline(beside, authors, day):
    page = parse_document(f"<title>Bridge opens</title><h1>Bridge opens</h1>{beside}", "")
    fields = read_metadata(page, "https://e.example/a", PageMarkup(page))
    assert (fields.authors, fields.published_at) == (authors, day)


COMMENT = "<div class=thread-author>Bob Ray</div><p>Well done"


@pytest.mark.parametrize(
    ("markup", "authors"),
    [
        ("<p>Text<div class=post__bio><div><h3>Ann Lee</h3></div><p>She writes.", ["Ann Lee"]),
        ("<p>Text<div class=about-author><p>About the author<p>Ann Lee</div>", ["Ann Lee"]),
        ("<p>Text<div class=author-box><p>More articles</div>", []),
        ("<p>Text<div class=box><h3>Ann Lee</h3></div>", []),
        ("<p>Text<a rel=author href=/g>Google +</a>", []),
        ("<ul><li>Par Client IRC<li>About</ul><h1>Bridge opens</h1><p>Text", []),
        (f"<p>Posted by Ann Lee in Towns<h1>Bridge opens</h1><p>Text{COMMENT}", ["Ann Lee"]),
    ],
)
def test_who_is_named_as_the_author(markup, authors):
    page = parse_document(f"<title>Bridge opens</title>{markup}", "")
    assert read_metadata(page, "https://e.example/a", PageMarkup(page)).authors == authors


def test_the_time_of_a_change_is_not_that_of_publication():
    page = parse_document(
        '<title>Bridge</title><time class=updated itemprop=dateModified datetime="2026-06-24">'
        '24 June</time><time datetime="2025-12-10">10 December</time>',
        "",
    )
    fields = read_metadata(page, "https://e.example/a", PageMarkup(page))
    assert (fields.published_at, fields.modified_at) == ("2025-12-10", "2026-06-24")


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("By A Moss and B Reed", ["A Moss", "B Reed"]),
        ("By Ann Moss, Bob Reed, and Eve Poe | 4 March 2026", ["Ann Moss", "Bob Reed", "Eve Poe"]),
        ("BY ANN MOSS AND BOB REED", ["ANN MOSS", "BOB REED"]),
        ("By Ann Moss with Bob Reed", ["Ann Moss", "Bob Reed"]),
        ("By Ann Moss in London and Bob Reed in Paris", ["Ann Moss", "Bob Reed"]),
        ("By Ann Moss, Political Editor", ["Ann Moss"]),
        ("By Ann Moss, New York", ["Ann Moss"]),
        ("By Ann Moss and filed under News", ["Ann Moss"]),
        ("Von Anna von der Aue und Bernd Müller", ["Anna von der Aue", "Bernd Müller"]),
        ("Por María de la Cruz y Juan Pérez", ["María de la Cruz", "Juan Pérez"]),
        ("Por Ana López en Buenos Aires", ["Ana López"]),
        ("Par Jean d'Aubigné et Marie Roy", ["Jean d'Aubigné", "Marie Roy"]),
        ("Door Jan de Vries en Piet Bakker", ["Jan de Vries", "Piet Bakker"]),
        ("Di Mario Rossi e Luca Bianchi", ["Mario Rossi", "Luca Bianchi"]),
        ("Por José Costa e Silva", ["José Costa e Silva"]),
        ("Av Anna Berg och Bo Ek", ["Anna Berg", "Bo Ek"]),
        ("Автор: Иван Петров и Анна Белова", ["Иван Петров", "Анна Белова"]),
        ("作者：王小明", ["王小明"]),
        ("来源：河流日报　作者：王小明", ["王小明"]),
        ("2026-03-04 10:20 来源：河流日报 作者：王小明 编辑：王芳", ["王小明"]),
        ("发布时间：2026-03-04　来源：河流日报　作者：李明、王小芳", ["李明", "王小芳"]),
        ("【字体：大 中 小】 来源：河流日报　记者：王小明", ["王小明"]),
        ("文／王小明　圖／王芳", ["王小明"]),
        ("文・山田太郎", ["山田太郎"]),
        ("山田太郎 記者", ["山田太郎"]),
        ("김철수 기자 kim@daily.example", ["김철수"]),
        ("사회부 기자", []),
        ("记者 王小明", ["王小明"]),
        ("By Martin Poe, Jr. and Ann Lee, PhD", ["Martin Poe Jr.", "Ann Lee"]),
        ("By John Poe, III", ["John Poe III"]),
        ("By Ann Lee M.D. | 4 March", ["Ann Lee"]),
    ],
)
def test_a_byline_names_all_its_authors(text, authors):
    assert byline_authors(text) == authors


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Words by Ann Moss, photos by Bob Reed", ["Ann Moss"]),
        ("Story by Ann Moss; photographs by Bob Reed", ["Ann Moss"]),
        ("Medically reviewed by Eve Poe, MD; written by Ann Moss", ["Ann Moss"]),
        ("Robert Poe Jr., Ann Lee", ["Robert Poe Jr.", "Ann Lee"]),
        ("Poe, Robert, Jr.", ["Robert Poe Jr."]),
        ("Ann Moss and others", ["Ann Moss"]),
        ("João da Silva e Ana Souza", ["João da Silva", "Ana Souza"]),
        ("Guest post by Ann Moss", ["Ann Moss"]),
    ],
)
def test_the_names_that_markup_gives(text, authors):
    assert author_names([text]) == authors
