import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from templ_core.dom.addresses import address
from templ_core.dom.document import parse_document
from templ_core.metadata.dates import day_in_path, day_in_text, point_in_time
from templ_core.metadata.fields import Metadata
from templ_core.metadata.languages import contradicting_language, language_tag, page_language
from templ_core.metadata.markup import PageMarkup, read_claims
from templ_core.metadata.page_metadata import read_metadata

SITE_NAME = '<meta property="og:site_name" content="The Daily">'
URL = "https://www.daily.example/news/2024/bridge.html"


def metadata(head, body="<p>Text", text="", url=URL):
    page = parse_document(f"<html><head>{head}</head><body>{body}</body></html>", url)
    return read_metadata(page, url, PageMarkup(page), text)


def ld(text):
    return f'<script type="application/ld+json">{text}</script>'


def json_ld(**fields):
    return ld(json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", **fields}))


def test_all_fields_of_json_ld():
    fields = metadata(
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
    assert fields == Metadata(
        title="Bridge opens", authors=["Ann Lee", "Bob Ray"], published_at="2024-03-01T09:00:00Z",
        modified_at="2024-03-02", language="en-GB", canonical_url=URL, site_name="The Daily",
        section="Local", tags=["bridge", "town"], image="https://i.example/b.jpg",
        description="A bridge & a town.",
    )  # fmt: skip


ANN, DAILY = (
    {"@type": "Person", "name": "Ann Lee"},
    {"@type": "NewsMediaOrganization", "name": "The Daily"},
)
GRAPH = [{"@type": "Article", "headline": "A", "author": {"@id": "#ann"}}, ANN | {"@id": "#ann"}]
PEOPLE = ("Eve", "Max", "Tom", "Kim")


@pytest.mark.parametrize(
    ("head", "body", "authors"),
    [
        pytest.param(
            ld(json.dumps({"@graph": GRAPH})), "", ["Ann Lee"], id="by reference and in a graph",
        ),
        pytest.param(
            json_ld(headline="Own", author=ANN) + json_ld(headline="Other", author={"name": "Eve Poe"}),
            "", ["Ann Lee"], id="the first article with authors has those of the page",
        ),
        pytest.param(json_ld(author=[ANN, DAILY]), "", ["Ann Lee"], id="no organisation beside a person"),
        pytest.param(json_ld(author=[DAILY]), "", ["The Daily"], id="an organisation alone"),
        pytest.param(
            "", '<h1>Bridge</h1><p class="byline">By Ann Lee</p><p>Text' + "".join(
                f'<div class="comment"><span itemprop="author">{one} Smith</span> says <p>Good.</div>'
                for one in PEOPLE
            ), ["Ann Lee"], id="not readers who comment",
        ),
        pytest.param(
            "", "".join(f'<p>News <b class="author">{one} Poe</b>' for one in PEOPLE)
            + '<h1>Bridge</h1><i class="storyAuthor_name__x1">Ann Lee</i><p>Text',
            ["Ann Lee"], id="not those of teasers",
        ),
        pytest.param(
            "", "".join(f'<p class="byline">By Ann Lee{letter}</p>' for letter in "abcd"),
            [], id="not names in many bylines, which are those of other pages",
        ),
        pytest.param(
            '<!-- <meta name="author" content="Ann Lee"> -->'
            '<script>var a = \'<meta name="author" content="Ann Lee">\';</script>',
            "", [], id="not claims in comments and scripts",
        ),
    ],
)  # fmt: skip
def test_whose_names_are_those_of_the_authors(head, body, authors):
    assert metadata(head, body or "<p>Text").authors == authors


@pytest.mark.parametrize(
    ("head", "section", "tags"),
    [
        (json_ld(articleSection="News, Local politics", keywords="bridge"), "News", ["Local politics", "bridge"]),
        (json_ld(articleSection=["News", "Sports"]), "News", []),
        (json_ld(articleSection="Arts, Culture & Style"), "Arts, Culture & Style", []),
        ('<meta property="article:section" content="News; Sports">', "News", ["Sports"]),
        ('<meta property="article:section" content="Blog / River news">', "Blog", ["River news"]),
    ],
)  # fmt: skip
def test_of_several_categories_the_first_is_the_section(head, section, tags):
    fields = metadata(head)
    assert (fields.section, fields.tags) == (section, tags)


def test_a_time_that_contradicts_the_day_in_the_address_is_another_page_s():
    times = '<h1>Bridge</h1><time datetime="2023-12-24T13:05:00Z">now</time><p>Text'
    dated = "https://www.daily.example/2023/12/19/bridge"
    assert metadata("", times, url=dated).published_at == "2023-12-19"
    dated = "https://www.daily.example/2023/12/24/bridge"
    assert metadata("", times, url=dated).published_at == "2023-12-24T13:05:00Z"


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
        ("By Ann Lee ann@daily.example", ["Ann Lee"]),
        ("文：山田太郎", ["山田太郎"]),
        ("王小明", ["王小明"]),
        ("김철수 기자", ["김철수"]),
        ("Byron Lee", ["Byron Lee"]),
    ],
)
def test_forms_of_bylines(byline, authors):
    assert metadata("", f'<div class="c-author">{byline}</div><p>Text').authors == authors


@pytest.mark.parametrize(
    "byline",
    [
        "<p>Text: Ann Lee</p>", "<p>Medically reviewed by Bob Ray, MD — Written by Ann Lee</p>",
        "<p><span class='author vcard'><a class='url fn n' href=/ann>Ann Lee</a></span> / <a href=/n>News</a></p>",
    ],
)  # fmt: skip
def test_the_byline_below_the_headline_names_the_author(byline):
    assert metadata("", f"<h1>Bridge</h1>{byline}<p>Text").authors == ["Ann Lee"]


def test_who_is_quoted_in_a_testimonial_is_no_author():
    quote = "<div class=testimonial><p>Very good!<p class=author>Ann Lee</div>"
    assert metadata("", f"<h1>Bridge</h1><p>Text{quote}").authors == []


@pytest.mark.parametrize(
    "name",
    [
        "Ann Lee for The Daily", "Ann Lee avec AFP", "Ann Lee / dpa", "Ann Lee con información de EFE", "Ann Lee ann@daily.example",
        "Ann Lee mit Agenturmaterial", "An\u00adn L\u200bee", "An&shy;n Lee",
    ],
)  # fmt: skip
def test_what_stands_behind_a_name_or_inside_it_is_no_part_of_it(name):
    assert metadata(f'<meta name="author" content="{name}">').authors == ["Ann Lee"]
    assert metadata(json_ld(author={"@type": "Person", "name": name})).authors == ["Ann Lee"]


def test_marks_that_nobody_sees_are_in_no_field():
    head = '<meta name="description" content="Der Kre\u00addit der&shy;\u200b Stadt"><meta name="keywords" content="Kre&shy;dit">'
    found = metadata(json_ld(headline="Kre\u00addit") + head)
    assert (found.title, found.description, found.tags) == (
        "Kredit", "Der Kredit der Stadt", ["Kredit"],
    )  # fmt: skip


def test_a_number_in_json_ld_is_a_time():
    assert metadata(json_ld(datePublished=1709283600)).published_at == "2024-03-01T09:00:00Z"


@pytest.mark.parametrize("name", ["admin", "https://facebook.com/ann", "By", "Ann@daily.example"])
def test_what_is_no_name_is_no_author(name):
    assert metadata(f'<meta name="author" content="{name}">').authors == []


@pytest.mark.parametrize(
    ("head", "body", "field", "value"),
    [
        (SITE_NAME + '<meta property="og:title" content="Bridge opens | The Daily">', "", "title",
         "Bridge opens"),
        ("<title>Bridge opens - Daily</title>", "", "title", "Bridge opens"),
        ("<title>The Daily board - View topic - Bridge opens</title>", "<h2>Bridge opens</h2>", "title", "Bridge opens"),
        ("<title>View topic - Bridge opens</title>", "<h1>Bridge opens</h1>", "title", "Bridge opens"),
        ("<title>Bridge opens &lt;now&gt;</title>", "", "title", "Bridge opens <now>"),
        ('<meta name="DC.creator" content="Ann Lee">', "", "authors", ["Ann Lee"]),
        ("", '<span itemprop="author"><b itemprop="name">Ann Lee</b></span>', "authors", ["Ann Lee"]),
        ("", '<a rel="author" href="/ann">Ann Lee</a>', "authors", ["Ann Lee"]),
        ("", '<p class="byline">By Ann Lee and Bob Ray</p>', "authors", ["Ann Lee", "Bob Ray"]),
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
        (ld('{"@type": "Article", "headline": 7,'), "title"),
    ],
)
def test_a_value_of_a_wrong_form_is_absent(head, field):
    assert getattr(metadata(head, url="https://www.daily.example/a"), field) is None


def test_the_language_is_detected_where_none_is_declared():
    text = (
        "Der Rat der Stadt hat am Montag beschlossen, dass die alte Brücke bis zum Herbst gesperrt "
        "bleibt. Die Bürgermeisterin sagte, es gebe keine andere Möglichkeit, weil das Geld für den "
        "Neubau erst im nächsten Jahr zur Verfügung stehe. Viele Anwohner sind darüber verärgert."
    )
    assert metadata("", text=text).language == "de"
    assert (
        metadata('<meta http-equiv="content-language" content="de-AT">', text=text).language
        == "de-AT"
    )
    assert metadata('<meta http-equiv="content-language" content="en">', text=text).language == "de"


def test_a_page_with_too_many_claims_is_read_in_bounds():
    body = '<i itemprop="author">x</i>' * 100_000
    page = parse_document(body, URL)
    assert len(page.claims) <= 1 << 20
    read_metadata(page, URL, PageMarkup(page))


@given(st.text(st.sampled_from("<>\"'=/ metanmcol:ad{}[],\1\2&;#"), max_size=200))
def test_any_markup_has_metadata_of_the_right_form(text):
    markup = f'<meta name="author" {text}><script type="application/ld+json">{text}</script>{text}'
    page = parse_document(markup, URL)
    fields = read_metadata(page, URL, PageMarkup(page))
    read_claims(page.claims)
    for value in (fields.canonical_url, fields.image):
        assert value is None or address(value, URL) == value
    assert fields.language is None or language_tag(fields.language) == fields.language


def stated(markup):
    page = parse_document(markup + "<p>Some text.", "")
    return PageMarkup(page).kind


def microdata(inside):
    return f'<div itemscope itemtype="https://schema.org/Product">{inside}</div>'


PART = '"isPartOf": {"@type": ["CreativeWork", "Product"]}'
OG_ARTICLE = '<meta property="og:type" content="article">'
PRICED = ld('{"@type":"Product","offers":{"price":4.5}}')


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        (ld('{"@type":"NewsArticle"}'), "article"),
        (ld('{"@type":"QAPage"}'), "forum"),
        (ld('{"@type":"DiscussionForumPosting"}'), "forum"),
        (ld('{"@type":"Product"}'), "product"),
        (ld('{"@type":"CollectionPage"}'), "listing"),
        (ld('[{"@type":"Product"},{"@type":"BlogPosting"}]'), "article"),
        (ld('{"@type":"Product"}') + OG_ARTICLE, None),
        (PRICED + OG_ARTICLE, "product"),
        (PRICED + ld('{"@type":"VideoObject"}'), "product"),
        (PRICED + ld('{"@type":"NewsArticle"}'), "article"),
        (microdata(""), None),
        (microdata('<b itemprop="price" content="4.50"></b>'), "product"),
        (2 * microdata('<b itemprop="price" content="4.50"></b>'), None),
        ('<meta property="og:type" content="product.item">', "product"),
        ('<meta property="og:type" content="product">', "product"),
        # An article that is part of a subscription is no product.
        (ld(f'{{"@type": "NewsArticle", "headline": "Rain", {PART}}}'), "article"),
        (ld(f'{{"@type": "Product", "headline": "Rain", {PART}}}'), "product"),
        ('<meta property="og:type" content="article">', None),
        ("", None),
    ],
)
def test_the_markup_states_the_type(markup, kind):
    assert stated(markup) == kind


TEXTS = {
    "en": (
        "The council met on Monday and decided that the bridge in the town is to stay closed until "
        "May. It took longer than anybody had thought, because the workers found cracks in two of "
        "the four pillars, and the company that repairs them has to wait for steel. People who "
        "live on the other side of the river are angry with the mayor, who promised them last year "
        "that they would not have to take the long way round for more than a few weeks. "
    ),
    "nl": (
        "De raad heeft maandag besloten dat de brug in de stad tot mei gesloten blijft voor het "
        "verkeer. Het duurde langer dan iemand had gedacht, omdat de werklieden scheuren vonden in "
        "twee van de vier pijlers, en het bedrijf dat ze herstelt moet op staal wachten. Mensen "
        "die aan de andere kant van de rivier wonen zijn boos op de burgemeester, die hun vorig "
        "jaar beloofde dat ze niet langer dan een paar weken zouden moeten omrijden. "
    ),
    "de": (
        "Der Rat hat am Montag beschlossen, dass die Brücke in der Stadt bis Mai geschlossen "
        "bleibt. Es dauerte länger, als irgendjemand gedacht hatte, weil die Arbeiter Risse in "
        "zwei der vier Pfeiler fanden und die Firma, die sie ausbessert, auf Stahl warten muss. "
        "Die Menschen, die auf der anderen Seite des Flusses wohnen, sind zornig auf die "
        "Bürgermeisterin, die ihnen im letzten Jahr versprochen hatte, dass sie nur einige Wochen "
        "lang einen Umweg fahren müssen. "
    ),
    "hi": "परिषद ने सोमवार को फैसला किया कि शहर का पुल मई तक बंद रहेगा और मरम्मत जारी रहेगी। ",
    "ru": "Совет в понедельник решил, что мост в городе останется закрытым до мая для всех машин. ",
    "zh": "市议会星期一决定，城里的桥在五月之前继续关闭，维修工程将继续进行，车辆必须绕行。",
    "ja": "市議会は月曜日に、町の橋を五月まで閉鎖することを決めた。修理は続けられる予定です。",
    "ko": "시의회는 월요일에 도시의 다리를 오월까지 폐쇄하기로 결정했으며 수리는 계속될 것이다. ",
    "el": "Το συμβούλιο αποφάσισε τη Δευτέρα ότι η γέφυρα στην πόλη θα μείνει κλειστή μέχρι τον Μάιο. ",
}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_text_in_the_declared_language_does_not_contradict_it(language):
    assert contradicting_language(TEXTS[language] * 5, language) is None


@pytest.mark.parametrize(
    ("language", "declared"),
    [
        ("nl", "en-US"), ("de", "en"), ("hi", "en-US"), ("ru", "en"), ("zh", "en"), ("ja", "de"),
        ("ko", "en"), ("el", "en-GB"), ("en", "es-AR"), ("en", "fa"), ("de", "ru"),
    ],
)  # fmt: skip
def test_a_text_in_another_language_contradicts_its_page(language, declared):
    assert contradicting_language(TEXTS[language] * 5, declared) == language


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("Мост", "en"),
        ("12:30 45 67 89 " * 20, "en"),
        (TEXTS["en"] * 5, "zu"),
        (TEXTS["ru"] * 5, "kk"),
        (TEXTS["ja"] * 5, "zh"),
        ("Arizona Cardinals, Buffalo Bills, Houston Texans, New York Jets, Miami " * 5, "en"),
    ],
    ids=["short", "figures", "unknown-language", "unknown-script", "chinese-scripts", "only-names"],
)
def test_what_is_not_sure_contradicts_nothing(text, declared):
    assert contradicting_language(text, declared) is None


def test_both_languages_are_in_the_metadata_where_they_differ():
    page = parse_document('<html lang="en-US"><p>Text', "https://example.com/")
    found = read_metadata(page, "https://example.com/", PageMarkup(page), TEXTS["hi"] * 3)
    assert (found.language, found.declared_language) == ("hi", "en-US")
    found = read_metadata(page, "https://example.com/", PageMarkup(page), TEXTS["en"] * 3)
    assert (found.language, found.declared_language) == ("en-US", UNSET)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"),
        ("2024-03-01T10:00:00.123456789+0100", "2024-03-01T09:00:00Z"),
        ("2024-03-01 10:00:00 +0100", "2024-03-01T09:00:00Z"),
        ("2024-03-01 10:00:00 UTC", "2024-03-01T10:00:00Z"),
        ("2024-03-01T10:00:00+01:00[Europe/Berlin]", "2024-03-01T09:00:00Z"),
        ("2024-03-01T10:00:00", "2024-03-01"),
        ("20240301", "2024-03-01"),
        ("Fri, 01 Mar 2024 10:00:00 GMT", "2024-03-01T10:00:00Z"),
        ("March 1, 2024", "2024-03-01"),
        ("1 de marzo de 2024", "2024-03-01"),
        ("2024年3月1日", "2024-03-01"),
        ("01.03.2024", "2024-03-01"),
        ("1. 3. 2024", "2024-03-01"),
        (">25.06 2016", "2016-06-25"),
        ("Version 2.5 2016", None),
        ("31/12/2024", "2024-12-31"),
        ("01/03/2024", None),
        ("2024-02-30", None),
        ("1024-03-01", None),
        ("", None),
    ],
)
def test_dates_are_read_or_absent(text, value):
    assert point_in_time(text) == value


def test_a_day_in_a_text_and_in_a_path():
    assert day_in_text("Last updated 4 May 2023, 10:12") == "2023-05-04"
    assert day_in_text("No date, 12 may be 2024 pages") is None
    assert day_in_path("https://a.example/2024-03-01-story") == "2024-03-01"
    assert day_in_path("https://a.example/1234567890") is None


MENUS = {
    "es": "Inicio. Quiénes somos. Nuestras noticias de la semana. Contacto con el ayuntamiento. Aviso legal y política de privacidad.",
    "de": "Startseite. Wir über uns und den Verein. Das ist neu auf der Seite. So finden Sie zu uns. Impressum und Datenschutz.",
    "en": "Home. Who we are. News of the week from the town. Contact us by mail. The terms and conditions of this site.",
}


@pytest.mark.parametrize(
    ("text", "declared", "around", "language"),
    [
        ("Hoy no hay clase por la tarde.", "en-US", "es", ("es", True)),
        ("Hoy no hay clase por la tarde.", None, "es", ("es", False)),
        ("Heute Nachmittag fällt der Unterricht aus.", "en", "de", ("de", True)),
        ("There is no school this afternoon, and the bus is late.", "en", "de", ("en", False)),
        ("Returns the size of the array, or -1.", None, "en", ("en", False)),
        ("Hôm nay trường học đóng cửa, và xe buýt đến muộn một giờ.", "en", "en", ("vi", True)),
        ("Сегодня школа закрыта.", "ru", "en", ("ru", False)),
        ("Сегодня школа закрыта, и автобус опоздал на час.", None, "en", (None, False)),
    ],
)  # fmt: skip
def test_a_short_text_is_looked_at_with_what_stands_around_it(text, declared, around, language):
    assert page_language(text, declared, MENUS[around] * 2) == language


POSTS = {
    "pl": "Rada miasta postanowiła we wtorek wieczorem odbudować starą kładkę nad młyńskim potokiem, która była zamknięta od wiosennej powodzi.",
    "tr": "Belediye meclisi salı akşamı değirmen deresi üzerindeki eski yaya köprüsünü yeniden yapmaya karar verdi ve bunun için bir kurul seçti.",
    "id": "Dewan kota memutuskan pada Selasa malam untuk membangun kembali jembatan penyeberangan tua di atas sungai yang ditutup sejak banjir.",
    "cs": "Městská rada v úterý večer rozhodla, že znovu postaví starou lávku přes mlýnský potok, která byla od jarní povodně uzavřena."
    " Inženýři roky varovali, že dřevěné pilíře pod vodou hnijí, a oprava po bouři nepřečkala zimu. Práce začnou po školních prázdninách"
    " a do té doby musí lidé chodit oklikou přes silniční most, který je daleko.",
    "ro": "Consiliul orașului a decis marți seara să reconstruiască pasarela de peste pârâu, care a fost închisă de la inundația din primăvară.",
    "hu": "A városi tanács kedden este úgy döntött, hogy újjáépíti a régi gyaloghidat a malompatak felett, amely a tavaszi áradás óta zárva van.",
    "hr": "Gradsko vijeće odlučilo je u utorak navečer obnoviti stari pješački most preko potoka, koji je od proljetne poplave zatvoren za sve.",
    "lt": "Miesto taryba antradienio vakarą nusprendė atstatyti seną pėsčiųjų tiltą per upelį, kuris po pavasario potvynio yra uždarytas.",
    "et": "Linnavolikogu otsustas teisipäeva õhtul, et vana jalakäijate sild üle oja taastatakse, ja see on olnud suletud kevadest saadik.",
    "fi": "Kaupunginvaltuusto päätti tiistaina rakentaa vanhan sillan uudelleen, ja se on ollut suljettuna kevään tulvasta lähtien, mutta ei kauan.",
    "no": "Kommunestyret vedtok tirsdag kveld å bygge opp igjen den gamle gangbrua over bekken, som har vært stengt siden flommen i vår."
    " Det var ingen som visste om den kan stå en vinter til etter stormen.",
}


@pytest.mark.parametrize("language", POSTS)
def test_a_post_of_a_theme_in_english_has_its_own_language(language):
    assert page_language(POSTS[language], "en-US") == (language, True)


@pytest.mark.parametrize(
    "names",
    [
        "José Ramírez, Andrés Giménez, Josh Naylor, Steven Kwan, Myles Straw, Oscar González, Bo Naylor, Luis Peña, Juan Soto",
        "Kowalski, Wiśniewski, Lewandowski, Zieliński, Szczęsny, Bednarek, Kiwior, Frankowski, Zalewski, Świderski, Milik, Piątek",
    ],
)  # fmt: skip
def test_names_of_people_are_in_no_language(names):
    assert page_language(names, "en") == ("en", False)


def test_a_short_page_of_a_theme_in_another_language_has_its_own():
    body = f"<nav>{MENUS['es'] * 2}</nav><p>Hoy no hay clase por la tarde."
    page = parse_document(f"<html lang=en-US><body>{body}", URL)
    found = read_metadata(page, URL, PageMarkup(page), "Hoy no hay clase por la tarde.")
    assert (found.language, found.declared_language) == ("es", "en-US")


@pytest.mark.parametrize(
    ("title", "body", "headline"),
    [
        ("View topic - Boats of old", "<a href=/t>Boats of old</a>", "Boats of old"),
        ("Thema anzeigen - Boote von damals", "<td>Boote von damals", "Boote von damals"),
        ("River Manual: Names of boats", "<b>Names of boats</b>", "Names of boats"),
        ("Interview: Ann Lee", "<p>Ann Lee</p>", "Interview: Ann Lee"),
        ("Part 2 - Boats of old", "<p>Boats of old</p>", "Part 2 - Boats of old"),
        ("Boats - Boats of old", "<p>Boats<p>Boats of old", "Boats - Boats of old"),
        ("Boats of old |", "<p>Text", "Boats of old"),
        ("| Boats of old", "<p>Text", "Boats of old"),
    ],
)  # fmt: skip
def test_a_subject_that_the_page_shows_stands_without_what_a_board_puts_before_it(
    title, body, headline
):
    assert (
        metadata(
            f"<title>{title}</title>", f"{body}<p>Where are they? In the harbour, said Ann."
        ).title
        == headline
    )


LABELLED = (
    "<meta name='twitter:label1' content='{}'><meta name='twitter:data1' content='{}'>"
    "<meta name='twitter:label2' content='{}'><meta name='twitter:data2' content='{}'>"
)


@pytest.mark.parametrize(
    "label", ["Written by", "Verfasst von", "Escrito por", "Écrit par", "Автор", "作者"]
)
def test_a_label_for_previews_names_the_author(label):
    head = LABELLED.format(label, "Ann Lee", "Est. reading time", "3 minutes")
    assert metadata(head).authors == ["Ann Lee"]
    assert metadata(head + "<meta name=author content='Tom Poe'>").authors == ["Tom Poe"]


def test_labels_for_previews_tell_of_a_product():
    head = LABELLED.format("Price", "£12.50", "Availability", "In stock")
    product = metadata(f"<meta property=og:type content=product>{head}").product
    assert (product.price, product.price_currency, product.availability) == (
        "12.50",
        "GBP",
        "InStock",
    )
