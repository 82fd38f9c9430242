from datetime import UTC, datetime, timedelta

import pytest

from tests.workers.builders import page
from workers.errors import StateProblem
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.library import NotCleaned, SiteCleaner, clean_site
from workers.local.runner import LocalWorker
from workers.settings import load_settings

START = datetime(2026, 1, 5, tzinfo=UTC)
URL = "https://example.com/a"
ARTICLE = "<p>" + "A sentence of some words, and then some more of them. " * 10


@pytest.fixture(scope="module")
def fetched():
    """(URL, bytes, time) of two news sites, 40 pages."""
    feed = simulate_feed(FeedSettings(genre="news", sites=2, pages=40, seed=3))
    return [
        (made.url, made.html.encode(), START + timedelta(minutes=number))
        for number, made in enumerate(feed)
    ]


def texts(cleaner, pages):
    return [cleaner.clean(*one).text for one in pages]


def test_pages_as_they_come_are_cleaned_as_templ_run_cleans_them(fetched, tmp_path):
    cleaner = SiteCleaner()
    records = [cleaner.clean(*one) for one in fetched]
    worker = LocalWorker(tmp_path / "state", load_settings(), workers=1)
    pages = [
        page(
            number,
            body,
            url=url,
            site=records[number].site,
            id=records[number].id,
            event_time_ms=round(time.timestamp() * 1000),
        )
        for number, (url, body, time) in enumerate(fetched)
    ]
    outputs = list(worker.run(pages))
    worker.close()
    assert {record.method for record in records} == {"page", "site"}
    assert [record.text for record in records] == [output.text for output in outputs]
    assert [record.site_model_version for record in records] == [
        output.site_model_version for output in outputs
    ]


def test_what_was_saved_is_known_after_loading(fetched, tmp_path):
    whole = texts(SiteCleaner(), fetched)
    first = SiteCleaner()
    half = texts(first, fetched[:20])
    first.save(tmp_path / "saved")
    again = SiteCleaner.load(tmp_path / "saved")
    on_disk = SiteCleaner(tmp_path / "saved")
    assert half + texts(again, fetched[20:]) == whole
    assert half + texts(on_disk, fetched[20:]) == whole
    on_disk.close()


def test_pages_that_have_left_their_window_take_no_memory():
    few = load_settings(window_pages_max=5, window_floor_pages=2)
    cleaner = SiteCleaner(settings=few)
    sizes = []
    for number in range(60):
        cleaner.clean(f"{URL}/{number}", ARTICLE + f"<p>Page {number}", 60.0 * number)
        windows = cleaner._state.windows
        sizes.append((len(list(windows.entries())), len(windows.outbox.nulls(100))))
    assert sizes[-1] == sizes[29]
    assert sizes[-1][1] == 0


def test_a_state_is_not_written_over_nor_made_up(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StateProblem, match="not empty"):
        SiteCleaner().save(tmp_path)
    with pytest.raises(StateProblem, match="no state directory"):
        SiteCleaner.load(tmp_path / "nowhere")


def test_pages_of_one_site_are_cleaned_with_what_all_of_them_share(fetched):
    pages = [
        (url, body) for url, body, _ in fetched if url.split("/")[2] == fetched[0][0].split("/")[2]
    ]
    records = clean_site(pages)
    assert [record.url for record in records] == [url for url, _ in pages]
    assert {record.method for record in records} == {"site"}
    assert len({record.site_model_version for record in records}) == 1
    assert clean_site([]) == []


def test_a_page_that_cannot_be_cleaned_says_why():
    with pytest.raises(NotCleaned, match="EmptyPage"):
        SiteCleaner().clean(URL, b"")
    with pytest.raises(NotCleaned, match="gone"):
        SiteCleaner().clean(URL, ARTICLE, status=404)
    refused, cleaned = clean_site([(URL, b""), (URL + "b", ARTICLE)])
    assert isinstance(refused, NotCleaned)
    assert cleaned.text.startswith("A sentence of some words")


def test_text_and_bytes_are_the_same_page():
    text = "<p>Smörgåsbord, and some words beside it, so that there is a text to keep."
    cleaner = SiteCleaner()
    assert cleaner.clean(URL, text, 0.0).text == cleaner.clean(URL, text.encode(), 60.0).text
