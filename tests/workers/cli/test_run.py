import base64
import json
import random

import msgspec
import pytest

from schemas.cleaned import DeletedRecord
from schemas.codec import decode_output
from tests.workers.builders import write_lines
from workers.state.directory import StateDirectory

ARTICLE = "<p>" + "A sentence of some words, and then some more of them. " * 10


def outputs(path):
    return [decode_output(line) for line in path.read_bytes().splitlines()]


def one_line(done):
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("templ: ")
    return lines[0]


def test_every_page_has_one_record_in_order(templ_process, feed, tmp_path):
    done = templ_process("run", feed, "--out", tmp_path / "out.jsonl")
    records = outputs(tmp_path / "out.jsonl")
    assert [record.source.offset for record in records] == list(range(60))
    assert {record.source.topic for record in records} == {"feed.jsonl"}
    assert {record.method for record in records} == {"page", "site"}
    summary = done.stderr.decode()
    assert "60 pages of 3 sites" in summary
    assert "0 dead letters" in summary
    assert str(tmp_path / "out.jsonl") in summary
    assert not (tmp_path / "out.jsonl.dead-letters").exists()


@pytest.mark.parametrize("pages_before", [0, 40], ids=["new site", "known site"])
@pytest.mark.parametrize(
    "newest", ["<p>The text of the second fetch. ", None], ids=["text", "gone"]
)
def test_an_older_fetch_that_comes_late_is_not_the_last_record_of_its_url(
    templ, tmp_path, pages_before, newest
):
    def record(number, url, body):
        menu = "<ul><li><a href=/a>Home and more</a><li><a href=/b>News of today</a></ul>"
        time = f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00Z"
        html = None if body is None else f"<html><body>{menu}{body * 6}</body></html>"
        status = 410 if body is None else 200
        return {"url": url, "html": html, "status": status, "fetched_at": time, "id": str(number)}

    url = "https://example.com/again"
    before = [
        record(n, f"https://example.com/{n}", f"<p>Words of page {n}, and then some more of them. ")
        for n in range(pages_before)
    ]
    older = record(50, url, "<p>The text of the first fetch, which is older. ")
    newer = record(60, url, newest)
    feed = tmp_path / "feed.jsonl"
    feed.write_text("".join(json.dumps(one) + "\n" for one in [*before, newer, older]))
    templ("run", feed, "--out", tmp_path / "out.jsonl")
    records = outputs(tmp_path / "out.jsonl")
    of_url = [one for one in records if one.url == url]
    assert [one.id for one in of_url] == ["60", "50", of_url[-1].id]
    assert str(of_url[-1].source) == str(of_url[0].source)
    if newest is None:
        assert isinstance(of_url[-1], DeletedRecord)
    else:
        assert of_url[-1].text == of_url[0].text
        assert of_url[-1].revision_reason == "superseded"
    resumed = (tmp_path / "out.jsonl").read_bytes()
    said = templ("run", feed, "--out", tmp_path / "out.jsonl", "--resume")
    assert (tmp_path / "out.jsonl").read_bytes() == resumed
    assert b"0.0% cleaned" not in said.stderr


def test_damaged_state_ends_a_run_with_one_line(templ, feed, tmp_path):
    out = ("--out", tmp_path / "out.jsonl")
    state = tmp_path / "state"
    templ("run", feed, *out, "--state", state)
    for table in (state / "windows-0").glob("*.sst"):
        content = bytearray(table.read_bytes())
        content[10] ^= 1
        table.write_bytes(content)
    for _ in range(2):  # once when the damage is read, once because it is known
        done = templ("run", feed, *out, "--force", "--state", state, expect=73)
        message = done.stderr.decode()
        *_, line = message.splitlines()
        assert line.startswith(f"templ: {state} is damaged (Corruption: ")
        assert line.endswith("or delete it to learn its sites again")


def test_page_only_uses_no_site_models_and_segments_agree_with_the_text(templ, feed, tmp_path):
    templ("run", feed, "--out", tmp_path / "out.jsonl", "--segments", "--page-only")
    for record in outputs(tmp_path / "out.jsonl"):
        assert (record.method, record.site_model_version) == ("page", None)
        assert sum(segment.kept for segment in record.segments) == record.blocks_kept
        assert len(record.segments) == record.blocks_kept + record.blocks_removed
        kept = {segment.text for segment in record.segments if segment.kept}
        assert all(text in record.text for text in kept)


def test_a_broken_record_becomes_a_dead_letter_and_the_run_goes_on(templ, tmp_path):
    lines = [
        json.dumps({"url": "https://a.com/1", "html": ARTICLE}),
        '{"url": "https://a.com/2", "html": ',
        json.dumps({"url": "https://a.com/3"}),
        json.dumps({"url": "https://a.com/4", "html": ""}),
        json.dumps({"url": "https://a.com/5", "html": ARTICLE, "status": 404}),
        json.dumps({"url": "https://a.com/6", "html": ARTICLE}),
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(lines))
    letters = tmp_path / "letters.jsonl"
    done = templ("run", source, "--out", tmp_path / "out.jsonl", "--dead-letters", letters)
    assert "3 dead letters" in done.stderr.decode()
    letters_read = [json.loads(line) for line in letters.read_bytes().splitlines()]
    assert [letter["offset"] for letter in letters_read] == [1, 2, 3]
    assert [letter["exception"] for letter in letters_read] == [
        "InvalidRecord",
        "InvalidRecord",
        "EmptyPage",
    ]
    schemas = [
        json.loads(line)["schema"] for line in (tmp_path / "out.jsonl").read_bytes().splitlines()
    ]
    assert schemas == ["cleaned/3", "deleted/1", "cleaned/3"]


def test_without_a_time_field_records_keep_their_fetched_at(templ, feed, tmp_path):
    templ("run", feed, "--out", tmp_path / "out.jsonl", "--time-field", "none")
    said = [json.loads(line)["fetched_at"] for line in feed.read_bytes().splitlines()]
    assert [record.fetched_at for record in outputs(tmp_path / "out.jsonl")] == said


def test_other_mistakes_are_reported_in_one_line(templ, feed, tmp_path):
    out = ("--out", tmp_path / "out.jsonl")
    StateDirectory.open(tmp_path / "old", 1).close()
    (tmp_path / "old" / "state.json").write_text('{"format":0,"partitions":1}')
    assert "delete it" in one_line(templ("run", feed, *out, "--state", tmp_path / "old", expect=73))
    busy = StateDirectory.open(tmp_path / "busy", 1)
    assert "in use" in one_line(templ("run", feed, *out, "--state", tmp_path / "busy", expect=73))
    busy.close()
    assert "TEMPL_PAGE_DEADLINE_S" in one_line(
        templ("run", feed, *out, expect=78, TEMPL_PAGE_DEADLINE_S="soon")
    )


def test_a_page_of_twenty_megabytes_is_cleaned(templ, tmp_path):
    paragraph = "<p>Paragraph with several words of text in it, and a few more of them.</p>"
    body = paragraph * (20_000_000 // len(paragraph))
    source = tmp_path / "big.jsonl"
    source.write_text(json.dumps({"url": "https://a.com/big", "html": body}))
    templ("run", source, "--out", tmp_path / "out.jsonl", TEMPL_PAGE_DEADLINE_S="20")
    (record,) = outputs(tmp_path / "out.jsonl")
    assert record.chars_out > 15_000_000
    assert record.warnings == []


def test_pages_come_from_standard_input_and_go_to_standard_output(templ, feed, tmp_path):
    templ("run", feed, "--out", tmp_path / "out.jsonl")
    done = templ("run", "-", "--out", "-", stdin=feed.read_bytes())
    streamed = [decode_output(line) for line in done.stdout.splitlines()]
    assert [one.text for one in streamed] == [one.text for one in outputs(tmp_path / "out.jsonl")]
    assert {one.source.topic for one in streamed} == {"stdin"}
    assert "cleaned text: standard output" in done.stderr.decode()


def test_records_have_the_author_and_day_that_the_site_shows(templ, tmp_path):
    feed, out = tmp_path / "feed.jsonl", tmp_path / "out.jsonl"
    lines = []
    for number in range(9):
        byline = f"<div class=x1>March {number + 1}, 2024 by Ann {'Lee' * (number % 3 + 1)}</div>"
        story = " ".join(f"word{number}{place} and another one" for place in range(40))
        html = f"<title>Story {number}</title><main>{byline}<p>{story}</main>"
        lines.append(json.dumps({"url": f"https://a.com/{number}", "html": html}))
    feed.write_text("\n".join(lines))
    templ("run", feed, "--out", out)
    first, *_, last = (json.loads(line)["metadata"] for line in out.read_text().splitlines())
    assert (first["authors"], first["published_at"]) == ([], None)
    assert (last["authors"], last["published_at"]) == (["Ann LeeLeeLee"], "2024-03-09")


def test_precision_keeps_less_and_recall_more_of_new_and_known_sites(templ, feed, tmp_path):
    words = {}
    for balance in ("precision", "even", "recall"):
        out = tmp_path / f"{balance}.jsonl"
        templ("run", feed, "--out", out, "--balance", balance)
        for record in outputs(out):
            key = (balance, record.method)
            words[key] = words.get(key, 0) + len(record.text.split())
    templ("run", feed, "--out", tmp_path / "default.jsonl")
    assert (tmp_path / "default.jsonl").read_bytes() == (tmp_path / "even.jsonl").read_bytes()
    for method in ("page", "site"):
        precise, even, complete = (words[one, method] for one in ("precision", "even", "recall"))
        assert precise <= even <= complete
        assert precise < complete


def test_two_passes_clean_every_page_with_what_its_whole_site_shares(templ, feed, tmp_path):
    for workers in (1, 3):
        templ(
            "run", feed, "--out", tmp_path / f"{workers}.jsonl", "--two-pass", "--workers", workers
        )
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "3.jsonl").read_bytes()
    records = outputs(tmp_path / "1.jsonl")
    assert [record.source.offset for record in records] == list(range(60))
    assert len({(record.site, record.site_model_version) for record in records}) == 3
    assert all(record.site_model_version for record in records)


def test_records_of_pages_that_come_again_say_what_has_changed(templ, tmp_path):
    pages = [
        {"url": "https://a.example/1", "html": f"<h1>Bridge</h1>{ARTICLE}{event}"}
        for event in ("<p>It is open now.", "<p>It is closed again.")
    ]
    feed = write_lines(tmp_path / "feed.jsonl", pages)
    templ("run", feed, "--out", tmp_path / "out", "--time-field", "none", "--changes")
    first, second = outputs(tmp_path / "out")
    assert first.changes is msgspec.UNSET
    assert second.changes.added == ["It is closed again."]


def test_what_changes_on_a_site_is_in_a_file_of_its_own(templ, tmp_path):
    pages = []
    for number in range(30):
        charset = "utf-8" if number < 15 else "utf-16"
        html = f"<h1>Number {number}</h1>{ARTICLE}<p>It is {number * 7}.".encode(charset)
        pages.append(
            {
                "url": f"https://a.example/{number}",
                "html_base64": base64.b64encode(html).decode(),
                "content_type": f"text/html; charset={charset}",
            }
        )
    feed, out, events = (
        write_lines(tmp_path / "feed.jsonl", pages),
        tmp_path / "out",
        tmp_path / "events",
    )
    options = ("--out", out, "--time-field", "none")
    done = templ("run", feed, *options, "--events", events)
    assert "1 event\n" in done.stderr.decode()
    (event,) = map(json.loads, events.read_bytes().splitlines())
    assert (event["site"], event["event"]) == ("a.example", "charset-changed")
    written = out.read_bytes()
    templ("run", feed, *options, "--force")
    assert out.read_bytes() == written
    done = templ("run", feed, *options, "--events", events, expect=2)
    assert "--force" in one_line(done)
    templ("run", feed, *options, "--force", "--two-pass", "--events", events)
    assert len(events.read_bytes().splitlines()) == 1


MENU = "<nav><a href=/>Home</a> <a href=/news>News of the harbour</a></nav>"
FOOT = "<footer>All rights of the paper are reserved</footer>"


def _story(number):
    """A story of words that no other page has."""
    rng = random.Random(number)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(200)]
    return "".join(f"<p>{' '.join(words[start : start + 40])}." for start in range(0, 200, 40))


def test_a_page_that_is_none_is_known_by_its_quality_and_changes_no_text(templ, tmp_path):
    pages = [
        {
            "url": f"https://a.example/{number}",
            "html": f"{MENU}<h1>Boat {number}</h1>{_story(number)}{FOOT}",
        }
        for number in range(20)
    ]
    gone = f"<title>Page not found</title>{MENU}<h1>Sorry, the page was not found</h1>{FOOT}"
    pages.append({"url": "https://a.example/gone", "html": gone})
    feed = write_lines(tmp_path / "feed.jsonl", pages)
    templ("run", feed, "--out", tmp_path / "out", "--time-field", "none", "--quality")
    *qualities, missing = (one.quality for one in outputs(tmp_path / "out"))
    assert missing.soft_404 > max(one.soft_404 for one in qualities)
    assert not missing.has_content
    templ("run", feed, "--out", tmp_path / "plain", "--time-field", "none")
    assert [one.text for one in outputs(tmp_path / "plain")] == [
        one.text for one in outputs(tmp_path / "out")
    ]


def _copied_feed(path):
    """Write pages of a site, most of them also on another site in its own template, with deletions and short pages."""
    pages = []
    for number in range(40):
        for site, content in (
            ("first.example", number),
            ("copy.example", number + 1000 * (number % 4 == 0)),
        ):
            menu = f"<nav><ul><li>Home of {site}<li>News of {site}</ul></nav>"
            html = f"{menu}<div class=logo>{site}</div>{_story(content)}"
            fields = {"html": f"<p>{site} {number}"} if number == 30 else {"html": html}
            pages.append({"url": f"https://{site}/{number}", **fields})
    pages[20:20] = [{"url": "https://first.example/3", "html": "", "status": 404}]
    return write_lines(path, pages)


def _named(path):
    texts = [one for one in outputs(path) if not isinstance(one, DeletedRecord)]
    return {one.url: one.duplicate_of for one in texts if one.duplicate_of}


def test_copies_of_another_site_are_named_whatever_the_number_of_workers(templ, tmp_path):
    feed = _copied_feed(tmp_path / "feed.jsonl")
    plain, options = tmp_path / "plain", ("--time-field", "none", "--revisions")
    templ("run", feed, "--out", plain, *options)
    for workers in (1, 3):
        out, events = tmp_path / f"{workers}.jsonl", tmp_path / f"{workers}.events"
        more = ("--duplicates", "--events", events, "--workers", workers)
        templ("run", feed, "--out", out, *options, *more)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "3.jsonl").read_bytes()
    assert (tmp_path / "1.events").read_bytes() == (tmp_path / "3.events").read_bytes()
    names = _named(tmp_path / "1.jsonl")
    same = {f"https://copy.example/{n}": f"https://first.example/{n}" for n in range(40) if n % 4}
    assert names.items() <= same.items()
    assert len(names) >= 0.9 * len(same)
    assert "https://copy.example/30" not in names
    (event,) = map(json.loads, (tmp_path / "1.events").read_bytes().splitlines())
    assert (event["site"], event["event"]) == ("copy.example", "content-copied")
    assert (event["before"], event["after"]) == (None, "first.example")
    unmarked = [
        msgspec.structs.replace(one, duplicate_of=msgspec.UNSET) if hasattr(one, "text") else one
        for one in outputs(tmp_path / "1.jsonl")
    ]
    assert b"duplicate_of" not in plain.read_bytes()
    assert unmarked == outputs(plain)


@pytest.mark.parametrize("options", [(), ("--page-only",), ("--two-pass",)])
def test_a_resumed_run_names_the_copies_of_pages_before(templ, tmp_path, options):
    feed, out = _copied_feed(tmp_path / "feed.jsonl"), tmp_path / "out"
    options = ("--out", out, "--duplicates", "--time-field", "none", *options)
    templ("run", feed, *options)
    whole = out.read_bytes()
    out.write_bytes(b"".join(whole.splitlines(keepends=True)[:37]) + b'{"schema')
    templ("run", feed, *options, "--resume")
    assert out.read_bytes() == whole
    assert len(_named(out)) >= 20


def test_pages_are_compared_with_those_of_earlier_runs_but_for_sites_taken_down(templ, tmp_path):
    lines = _copied_feed(tmp_path / "feed.jsonl").read_bytes().splitlines(keepends=True)
    days = {}
    for site in ("first.example", "copy.example"):
        days[site] = tmp_path / f"{site}.jsonl"
        days[site].write_bytes(b"".join(one for one in lines if b"//" + site.encode() in one))
    state = ("--state", tmp_path / "state", "--time-field", "none")
    templ("run", days["first.example"], "--out", tmp_path / "1", "--duplicates", *state)
    templ("run", days["copy.example"], "--out", tmp_path / "2", "--duplicates", *state)
    assert len(_named(tmp_path / "2")) >= 25
    templ("site", "forget", "first.example", "--state", tmp_path / "state", "--yes")
    templ("run", days["copy.example"], "--out", tmp_path / "3", *state)
    files = [one for one in (tmp_path / "state" / "contents").iterdir() if one.is_file()]
    assert not [one.name for one in files if b"first.example" in one.read_bytes()]
    templ("run", days["copy.example"], "--out", tmp_path / "4", "--duplicates", *state)
    assert _named(tmp_path / "4") == {}
