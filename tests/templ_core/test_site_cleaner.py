"""The library as a program uses it, which touches nothing but its values."""

import importlib
import inspect
import itertools
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

import templ_core
from schemas.cleaned import CleanedRecord
from schemas.codec import decode_output
from templ_core import (
    CleanerOptions,
    CrawledPage,
    SampleBounds,
    SiteCleaner,
    clean,
    clean_crawl,
    clean_site,
)
from templ_core.config import WindowBounds
from templ_core.dom.document import read_document
from templ_core.errors import CleanerClosed, CodecError, EmptyPage, PageError, PageGone
from templ_core.page_level.model.model_file import encode_model
from templ_core.site_cleaner import site_cleaner, two_passes
from tests.workers.builders import other_page_model
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.settings import Settings

START = datetime(2026, 1, 5, tzinfo=UTC)
URL = "https://example.com/a"
ARTICLE = "<p>" + "A sentence of some words, and then some more of them. " * 10


@pytest.fixture(scope="module")
def fetched():
    """(bytes, URL, time) of two news sites, 40 pages."""
    feed = simulate_feed(FeedSettings(genre="news", sites=2, pages=40, seed=3))
    return [
        (made.html.encode(), made.url, START + timedelta(minutes=number))
        for number, made in enumerate(feed)
    ]


@pytest.fixture(scope="module")
def whole(fetched):
    """The texts of these pages."""
    return texts(SiteCleaner(), fetched)


def texts(cleaner, pages):
    return [cleaner.clean(*one).text for one in pages]


def test_what_was_saved_is_known_after_loading(fetched, whole):
    first = SiteCleaner()
    half = texts(first, fetched[:20])
    saved = first.to_bytes()
    assert saved == first.to_bytes()
    assert half + texts(SiteCleaner.from_bytes(saved), fetched[20:]) == whole
    assert half + texts(first, fetched[20:]) == whole


def test_sites_are_saved_one_by_one_as_they_change(fetched, whole):
    cleaner, store = SiteCleaner(), {}
    for page in fetched[:20]:
        cleaner.clean(*page)
        store |= cleaner.changed_sites()
    assert dict(cleaner.changed_sites()) == {}
    again = SiteCleaner()
    assert [again.restore_site(body) for body in store.values()] == list(store)
    assert whole[:20] + texts(again, fetched[20:]) == whole


def test_a_site_that_is_restored_replaces_what_was_known(fetched):
    early, late = SiteCleaner(), SiteCleaner()
    early.clean(*fetched[0])
    texts(late, fetched[:10])
    (site,) = early.sites()
    late.restore_site(dict(early.changed_sites())[site])
    with_both = late.clean(*fetched[11], learns=False)
    assert with_both.text == early.clean(*fetched[11], learns=False).text


def test_bytes_that_were_not_saved_are_refused(fetched):
    cleaner = SiteCleaner()
    cleaner.clean(*fetched[0])
    saved = cleaner.to_bytes()
    middle = len(saved) // 2
    changed = saved[:middle] + bytes([saved[middle] ^ 1]) + saved[middle + 1 :]
    for damage in (b"", b"\xc1", b"text", msgspec.msgpack.encode((9, 0, [])), changed):
        with pytest.raises(CodecError):
            SiteCleaner.from_bytes(damage)


def test_what_another_page_model_has_learned_is_of_use(fetched):
    cleaner = SiteCleaner()
    texts(cleaner, fetched[:20])
    options = CleanerOptions(page_model=encode_model(other_page_model()))
    other = SiteCleaner.from_bytes(cleaner.to_bytes(), options)
    assert {other.clean(*one).method for one in fetched[20:]} == {"site"}


def test_after_the_end_every_use_says_so(fetched):
    with SiteCleaner() as cleaner:
        cleaner.clean(*fetched[0])
    cleaner.close()
    uses = [
        lambda: cleaner.clean(*fetched[0]),
        lambda: cleaner.learn(*fetched[0]),
        lambda: cleaner.fit("example.com"),
        cleaner.sites,
        cleaner.to_bytes,
        lambda: list(cleaner.changed_sites()),
    ]
    for use in uses:
        with pytest.raises(CleanerClosed, match="make a new one, or load"):
            use()


def test_pages_that_have_left_their_window_take_no_memory():
    window = WindowBounds(pages_max=5, floor_pages=2)
    cleaner = SiteCleaner(CleanerOptions(window=window))
    sizes = []
    for number in range(60):
        cleaner.clean(ARTICLE + f"<p>Page {number}", f"{URL}/{number}", 60.0 * number)
        site = cleaner._known()["example.com"]
        sizes.append(len(site.documents))
    assert sizes[-30:] == [5] * 30
    assert len(cleaner._memory._kept.take("example.com")) <= 10


def test_a_page_that_cannot_be_cleaned_says_why_and_is_not_learned():
    cleaner = SiteCleaner()
    with pytest.raises(EmptyPage):
        cleaner.clean(b"", URL)
    assert "error-page" in cleaner.clean(ARTICLE, URL, status=503).warnings
    with pytest.raises(PageGone, match="404"):
        cleaner.clean(ARTICLE, URL, status=404)
    assert cleaner.sites() == []
    assert [site for site, _ in cleaner.changed_sites()] == ["example.com"]
    cleaner.clean(ARTICLE, URL)
    with pytest.raises(PageGone, match="410"):
        cleaner.clean(ARTICLE, URL, status=410)
    assert cleaner._known()["example.com"].documents == []
    refused, cleaned = clean_site([(b"", URL), (ARTICLE, URL + "b")])
    assert isinstance(refused, EmptyPage)
    assert cleaned.text.startswith("A sentence of some words")


def test_a_page_is_had_in_the_forms_that_people_take():
    things = "<li>A first thing, which is long enough to stay.<li>A second thing, which is as long."
    html = f"<title>One | Site</title><ul>{things}</ul>{ARTICLE} and <a href=/b>a link</a>.</p>"
    cleaned = SiteCleaner(CleanerOptions(with_links=True)).clean(html, URL)
    assert "- A first thing" in cleaned.markdown()
    assert "[a link](https://example.com/b)" in cleaned.markdown()
    assert "<li>A second thing" in cleaned.html()
    assert [link.url for link in cleaned.links()] == ["https://example.com/b"]
    assert cleaned.metadata.title == "One | Site"
    plain = SiteCleaner().clean(html, URL)
    assert (plain.text, plain.links()) == (cleaned.text, [])


@pytest.mark.parametrize(
    "fetched_at",
    [
        START, START.replace(tzinfo=None), "2026-01-05T00:00:00Z", "2026-01-05", 1767571200,
        1767571200.0, "1767571200000",
    ],
)  # fmt: skip
def test_pages_are_taken_as_bytes_or_text_and_times_in_any_form(fetched_at):
    page = SiteCleaner().clean("<p>Smörgåsbord. " + ARTICLE, URL, fetched_at)
    assert page.fetched_at == "2026-01-05T00:00:00Z"
    assert page.text == SiteCleaner().clean(("<p>Smörgåsbord. " + ARTICLE).encode(), URL).text


def test_pages_without_a_time_follow_each_other():
    cleaner = SiteCleaner()
    ids = [cleaner.clean(ARTICLE, f"{URL}{number}") for number in range(2)]
    assert [one.fetched_at for one in ids] == [None, None]
    assert [one.id.rpartition("-")[2] for one in ids] == ["946684800000", "946684860000"]


def test_a_cleaned_page_that_is_printed_fits_a_screen():
    with SiteCleaner() as cleaner:
        shown = repr(cleaner.clean("<title>Ferries</title>" + ARTICLE, URL))
    assert "title='Ferries'" in shown
    assert "metadata=Metadata(" in shown
    assert "array(" not in shown


def test_the_library_is_light_and_loads_nothing_of_the_worker():
    """Folders of our packages' names in the current directory have no part in it."""
    code = (
        "import sys; from templ_core import SiteCleaner\n"
        "heavy = {'workers', 'schemas', 'rocksdict', 'faust', 'aiokafka', 'pydantic', 'rich',\n"
        "         'click', 'sklearn', 'scipy', 'logging', 'asyncio'}\n"
        "print(heavy & set(sys.modules))"
    )
    root = Path(__file__).parents[2]
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=root, text=True)
    assert printed.strip() == "set()"


def test_the_window_of_the_library_has_the_bounds_of_a_worker():
    settings, bounds = Settings(), WindowBounds()
    for name in WindowBounds.__struct_fields__:
        assert getattr(settings, f"window_{name}") == getattr(bounds, name), name


def test_the_balance_decides_how_much_is_kept():
    teasers = "".join(f"<li><p>Teaser {n} of a page about quite another town" for n in range(9))
    page = f"<article>{'<p>A sentence of some words, and more. ' * 9}</article><ul>{teasers}</ul>"
    options = (CleanerOptions(balance=one) for one in ("precision", "even", "recall"))
    low, even, high = (SiteCleaner(one).clean(page, URL).text for one in options)
    assert len(low) <= len(even) <= len(high)
    assert even == SiteCleaner().clean(page, URL).text


def test_one_page_is_cleaned_without_a_site_and_without_a_url():
    options = CleanerOptions(with_links=True)
    page = clean(ARTICLE + '<a href="/more">More of it</a>.', options=options)
    assert page.text.startswith("A sentence of some words")
    assert (page.site, page.method) == ("local", "page")
    known = clean(ARTICLE + '<a href="/b">More of it</a>.', URL, options)
    assert "[More of it](https://example.com/b)" in known.markdown()
    with pytest.raises(EmptyPage):
        clean(b"")


def test_the_package_shows_its_public_names_only():
    importlib.import_module("templ_core.clean_document")
    assert dir(templ_core) == sorted(templ_core.__all__)
    assert all(callable(getattr(templ_core, name)) for name in dir(templ_core))


def test_an_option_that_has_no_such_value_is_refused_in_words():
    with pytest.raises(ValueError, match="balance='x': give one of precision, even, recall"):
        CleanerOptions(balance="x")
    with pytest.raises(ValueError, match="page_model='x': give a value of type bytes"):
        CleanerOptions(page_model="x")
    with pytest.raises(ValueError, match="page_bytes_max=0: give 1 or more"):
        CleanerOptions(page_bytes_max=0)


@pytest.mark.parametrize(
    "swapped",
    [
        lambda html: clean(URL, html),
        lambda html: SiteCleaner().clean(URL, html),
        lambda html: SiteCleaner().clean(URL, html.encode()),
        lambda html: SiteCleaner().learn(URL.encode(), html),
        lambda html: clean_site([(URL, html)]),
        lambda html: list(clean_crawl([(URL, html)])),
        lambda html: list(clean_crawl([(URL, html.encode())])),
    ],
    ids=["clean", "SiteCleaner.clean", "both bytes", "learn", "clean_site", "clean_crawl", "bytes"],
)
def test_swapped_arguments_are_refused_in_one_short_line(swapped):
    with pytest.raises(
        ValueError, match=r"the page comes first, then its URL: clean\(html, url\)"
    ) as raised:
        swapped("<html>" + ARTICLE * 300)
    assert len(str(raised.value)) < 100


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: clean_site([ARTICLE]), "a page is of type str: give each page as a tuple"),
        (
            lambda: clean_site([(ARTICLE, URL, "a.org")]),
            "a page is a tuple of 3: give each page as a",
        ),
        (
            lambda: list(clean_crawl([ARTICLE.encode()])),
            "a page is of type bytes: give each page as a",
        ),
        (
            lambda: list(clean_crawl([{"html": ARTICLE, "url": URL}])),
            "a page is of type dict: give",
        ),
        (
            lambda: list(clean_crawl([(ARTICLE,)])),
            "a page is a tuple of 1: give each page as a tuple",
        ),
        (
            lambda: clean(ARTICLE, URL, "markdown"),
            "options='markdown': give CleanerOptions, such as",
        ),
        (lambda: SiteCleaner(5), "options=5: give CleanerOptions, such as"),
    ],
)
def test_other_types_are_refused_in_a_line_that_says_what_to_give(use, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        use()


def test_no_error_holds_a_page():
    long = "x" * 100_000
    uses = [
        lambda: SiteCleaner().clean(ARTICLE, 5, site=long),
        lambda: SiteCleaner().clean(ARTICLE, [long]),
        lambda: SiteCleaner().clean(ARTICLE, URL, long),
        lambda: SiteCleaner().clean(ARTICLE, URL + long, status=404),
        lambda: SiteCleaner().clean(None, URL + long),
        lambda: CleanerOptions(balance=long),
        lambda: clean_site([(ARTICLE, URL), (ARTICLE, f"https://{long}.org/")]),
    ]
    for use in uses:
        with pytest.raises((ValueError, PageError)) as raised:
            use()
        assert len(str(raised.value)) < 500


def test_a_page_is_a_record_in_json():
    page = clean(ARTICLE + "<a href=/b>More</a>", URL, CleanerOptions(with_records=True))
    record = decode_output(page.to_json().encode())
    assert isinstance(record, CleanedRecord)
    assert (record.url, record.text, record.schema) == (URL, page.text, "cleaned/3")
    assert record.fingerprint.value == page.fingerprint
    assert record.markdown == page.markdown()
    assert msgspec.json.decode(page.to_json()) == msgspec.json.decode(
        msgspec.json.encode(page.to_dict())
    )


def test_pages_are_equal_by_their_content_and_can_be_pickled(fetched):
    one, same, other = clean(ARTICLE, URL), clean(ARTICLE, URL), clean(ARTICLE, URL + "b")
    assert one == same
    assert one != other
    assert len({one, same, other}) == 2
    assert pickle.loads(pickle.dumps(one)) == one
    cleaner = SiteCleaner(CleanerOptions(with_links=True))
    for page in fetched[:12]:
        cleaner.clean(*page)
    again = pickle.loads(pickle.dumps(cleaner))
    assert again.sites() == cleaner.sites()
    assert again.clean(*fetched[12], learns=False) == cleaner.clean(*fetched[12], learns=False)
    assert again.clean(*fetched[12]).links()


def test_a_crawl_may_be_of_tuples_and_a_site_is_one():
    crawl = [(ARTICLE, URL), (ARTICLE, URL + "2", "other"), (ARTICLE, URL, "third", None, 410)]
    cleaned = list(clean_crawl(crawl))
    assert [page.site_key for page, _ in cleaned] == ["example.com", "other", "third"]
    assert isinstance(cleaned[2][1], PageGone)
    with pytest.raises(ValueError, match=r"pages of 2 sites \(example.com, b.org\): clean_crawl"):
        clean_site([(ARTICLE, URL), (ARTICLE, "https://b.org/")])


@pytest.mark.parametrize("name", ["CleanedPage", "CleanerOptions", "CrawledPage", "SampleBounds"])
def test_help_has_the_meaning_of_every_field(name):
    kind = getattr(templ_core, name)
    fields = getattr(kind, "__struct_fields__", None) or kind._fields
    printed = re.findall(
        r"^ {4}(\w+): \S", inspect.getdoc(kind).partition("Attributes:")[2], re.MULTILINE
    )
    assert printed == list(fields)


def test_a_url_or_a_time_that_is_none_is_refused_in_words():
    with pytest.raises(ValueError, match="url=None is no text: give the address of the page"):
        SiteCleaner().clean(ARTICLE, None)
    with pytest.raises(ValueError, match="fetched_at='yesterday' is no time"):
        SiteCleaner().clean(ARTICLE, URL, "yesterday")


def test_names_with_lone_surrogates_are_replaced_as_in_feeds():
    cleaner, html = SiteCleaner(), f"<title>\ud800</title>{ARTICLE}\udfff"
    url, host = "https://s.example/\ud800", "https://\udc80.example/"
    assert cleaner.clean(html, url, content_type="text/html; charset=\ud800").url[-1] == "?"
    for address in (host, "\ud800", "\udfff.example/a", "https://s.example/?q=\ud800#\udfff"):
        assert cleaner.clean(html, address).url.encode()
    assert cleaner.clean(html, URL, site="a\ud800").site == "a?"
    assert cleaner.learn(html, url, site="a\udfff") == "a?"
    cleaner.fit("a\ud800")
    with pytest.raises(PageGone):
        cleaner.clean(html, url, status=404)
    restored = SiteCleaner.from_bytes(cleaner.to_bytes())
    assert restored.sites() == cleaner.sites()
    assert "a?" in restored.sites()
    assert clean(html, url).text.startswith("A sentence")


def test_a_name_with_a_lone_surrogate_costs_no_page_of_a_crawl():
    urls = [URL, "https://example.com/\ud800", "https://\ud800.example/a", "https://s.example/a"]
    assert [one.text[:10] for one in clean_site([(ARTICLE, url) for url in urls], site="one")] == [
        "A sentence"
    ] * 4
    crawl = [CrawledPage(ARTICLE, url) for url in urls]
    crawl += [CrawledPage(ARTICLE, URL, "t\ud800"), CrawledPage(ARTICLE, URL, "t\udfff")]
    cleaned = list(clean_crawl(crawl))
    assert [page.url for page, _ in cleaned] == [page.url for page in crawl]
    assert all(one.text.startswith("A sentence") for _, one in cleaned)
    assert msgspec.json.encode([(one.url, one.site, one.id, one.metadata) for _, one in cleaned])


@pytest.mark.parametrize("kind", ["NewsArticle", "Product"])
def test_half_a_character_in_what_a_page_declares_is_replaced_too(kind):
    """A description that was cut within an emoji ends with half of it."""
    body = "The ferry sank in the harbour \\ud83d and nobody was hurt. " * 40
    fields = ["name", "headline", "description", "datePublished", "image", "keywords", "author"]
    declared = ",".join(f'"{one}": "{one} \\udc00 \\ud83d\\ude00 cut \\ud83d"' for one in fields)
    script = f'{{"@type": "{kind}", {declared}, "articleBody": "{body}"}}'
    html = f'<script type="application/ld+json">{script}</script><p>'
    cleaner = SiteCleaner(CleanerOptions(with_links=True, with_records=True))
    for shown in ("Loading", ARTICLE):
        page = cleaner.clean(html + shown, URL)
        whole = (page.title, page.text, page.metadata, page.records, page.markdown(), page.html())
        assert msgspec.json.encode(whole)
    assert "\ud83d" not in page.text
    assert "\U0001f600 cut ?" in msgspec.json.encode(page.metadata).decode()
    assert SiteCleaner.from_bytes(cleaner.to_bytes()).sites() == ["example.com"]


@pytest.mark.parametrize("name", ["site", "content_type"])
def test_a_name_that_is_no_text_is_refused_in_words(name):
    with pytest.raises(ValueError, match=f"{name}=5 is no text"):
        SiteCleaner().clean(ARTICLE, URL, **{name: 5})


@pytest.mark.parametrize(
    "cleaned",
    [
        lambda page: clean(page, URL),
        lambda page: SiteCleaner().clean(page, URL),
        lambda page: SiteCleaner().learn(page, URL),
        lambda page: clean_site([(page, URL)]),
        lambda page: list(clean_crawl([CrawledPage(page, URL)])),
    ],
    ids=["clean", "SiteCleaner.clean", "learn", "clean_site", "clean_crawl"],
)
def test_a_page_that_is_neither_bytes_nor_text_is_refused_in_words(cleaned):
    with pytest.raises(ValueError, match=f"the page {URL} is None: give its bytes as fetched"):
        cleaned(None)
    with pytest.raises(ValueError, match="of type StringIO: give its bytes as fetched, or"):
        cleaned(StringIO(ARTICLE))


def test_threads_share_a_cleaner(fetched):
    alone, shared = SiteCleaner(), SiteCleaner()
    for one in fetched:
        alone.learn(*one)
    with ThreadPoolExecutor(4) as threads:
        cleaned = threads.map(lambda one: shared.clean(*one), fetched)
        saves = [dict(shared.changed_sites()) for _ in range(5)]
        assert all(page.text for page in cleaned)
    assert all(save.keys() <= set(shared.sites()) for save in saves)
    for cleaner in (alone, shared):
        for site in cleaner.sites():
            cleaner.fit(site)
    one, other = (cleaner.clean(*fetched[-1], learns=False) for cleaner in (shared, alone))
    assert one.text == other.text
    assert one.site_model_version == other.site_model_version


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_process_that_is_forked_beside_a_call_can_clean(is_shared, monkeypatch):
    inside, slow = threading.Event(), site_cleaner.clean_page

    def clean_slowly(*arguments, **named):
        inside.set()
        time.sleep(0.2)
        return slow(*arguments, **named)

    cleaner = SiteCleaner()
    monkeypatch.setattr(site_cleaner, "clean_page", clean_slowly)
    thread = threading.Thread(target=cleaner.clean, args=(ARTICLE, URL))
    thread.start()
    inside.wait()
    pid = os.fork()
    if not pid:
        signal.alarm(20)
        own_cleaner = cleaner if is_shared else SiteCleaner()
        is_whole = own_cleaner.sites() == (["example.com"] if is_shared else [])
        os._exit(0 if is_whole and own_cleaner.clean(ARTICLE, URL).text else 1)
    assert os.waitpid(pid, 0)[1] == 0
    thread.join()
    assert cleaner.clean(ARTICLE, URL).text


def test_forks_beside_many_calls_neither_hang_nor_hold_up_the_calls():
    ended, calls = threading.Event(), []

    def work():
        while not ended.is_set():
            calls.append(clean(ARTICLE).text)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        before = len(calls)
        pid = os.fork()
        if not pid:
            signal.alarm(20)
            os._exit(not clean(ARTICLE).text)
        assert os.waitpid(pid, 0)[1] == 0
        while len(calls) == before:
            time.sleep(0.001)
    ended.set()
    for thread in threads:
        thread.join()


@pytest.fixture(scope="module")
def crawl(fetched):
    """These pages, one site after the other."""
    pages = [CrawledPage(body, url, urlsplit(url).netloc) for body, url, _ in fetched]
    return sorted(pages, key=lambda page: page.site)


def test_the_pages_of_a_site_are_cleaned_with_what_all_of_them_share(crawl):
    outcomes = list(clean_crawl(crawl))
    assert [page for page, _ in outcomes] == crawl
    for _, pages in itertools.groupby(crawl, lambda page: page.site):
        some = list(pages)
        together = clean_site([(page.body, page.url) for page in some])
        of_site = [cleaned for page, cleaned in outcomes if page.site == some[0].site]
        assert [one.text for one in of_site] == [one.text for one in together]
        assert [one.url for one in together] == [page.url for page in some]
        assert {one.method for one in of_site} == {"site"}
        (version,) = {one.site_model_version for one in (*of_site, *together)}
        assert version is not None
    assert clean_site([]) == []
    assert SiteCleaner().clean(crawl[0].body, crawl[0].url).site_model_version is None


def test_the_sample_is_bounded_and_pages_behind_it_are_learned_from_as_they_come(crawl):
    read = []

    def reading():
        for page in crawl:
            read.append(page.url)
            yield page

    next(clean_crawl(reading(), sample=SampleBounds(bytes_max=1)))
    assert len(read) == 1
    read.clear()
    outcomes = clean_crawl(reading(), sample=SampleBounds(pages_max=4))
    first = next(outcomes)
    assert len(read) == 4
    versions = {cleaned.site_model_version for _, cleaned in [first, *outcomes]}
    assert len(read) == len(crawl)
    assert len(versions) > 2


def test_a_page_of_the_sample_is_read_once(crawl, monkeypatch):
    read = []

    def reading(*arguments, **options):
        read.append(arguments[1])
        return read_document(*arguments, **options)

    monkeypatch.setattr(site_cleaner, "read_document", reading)
    list(clean_crawl(crawl))
    assert read == [page.url for page in crawl]
    read.clear()
    cleaned = clean_site([(page.body, page.url) for page in crawl], site="all")
    assert read == [page.url for page in crawl]
    read.clear()
    monkeypatch.setattr(two_passes, "SampleBounds", partial(SampleBounds, pages_max=2))
    again = clean_site([(page.body, page.url) for page in crawl], site="all")
    assert [page.text for page in again] == [page.text for page in cleaned]
    assert read == [page.url for page in [*crawl, *crawl[2:]]]


def test_a_page_that_cannot_be_cleaned_costs_no_other_page(crawl):
    bad = crawl[0]._replace(url=crawl[0].url + "/bad", body=b"")
    gone = crawl[0]._replace(url=crawl[0].url + "/gone", status=410)
    for sample in (SampleBounds(), SampleBounds(pages_max=1)):
        outcomes = clean_crawl([crawl[0], bad, gone, *crawl[1:]], sample=sample)
        cleaned = [one for _, one in outcomes]
        assert isinstance(cleaned[1], EmptyPage)
        assert isinstance(cleaned[2], PageGone)
        others = [one for one in cleaned if not isinstance(one, PageError)]
        assert len(others) == len(crawl)
    assert list(clean_crawl([])) == []


def test_a_site_that_comes_back_is_refused(crawl):
    mixed = [crawl[0], crawl[-1], crawl[1]]
    outcomes = clean_crawl(mixed)
    assert [next(outcomes)[0], next(outcomes)[0]] == mixed[:2]
    with pytest.raises(ValueError, match=f"pages of the site {crawl[0].site} come again"):
        next(outcomes)
