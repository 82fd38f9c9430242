"""Synthetic feeds are as large and difficult as real sites, ordered, repeatable, and true to their gold."""

import base64
import codecs
import gzip
import hashlib
import json
import logging
import lzma
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from random import Random

import lxml.html
import msgspec
import numpy as np
import pytest
import trafilatura
from click.testing import CliRunner

from schemas.page import PageRecord
from workers.errors import UsageProblem
from workers.lab.simulate.design import make_design, sections
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.parts import BodyWriter
from workers.lab.simulate.site import (
    FIELD_GENRES,
    LANGUAGES,
    SITE_GENRES,
    Encoding,
    archive_entry,
    choose_encoding,
    language,
    make_site,
)
from workers.lab.simulate_feed import simulate

_WORD = re.compile(r"\w+")
_HIDDEN = {"script", "style", "noscript", "template", "head", "iframe", "object"}


@pytest.fixture(scope="module")
def readable_pages():
    """60 pages of newspapers, shops and manuals, error pages and two designs among them."""
    settings = FeedSettings(readable=True, sites=6, pages=60, redesign_day=14, missing_share=0.1)
    return list(simulate_feed(settings))


def test_readable_pages_tell_the_truth_as_well(readable_pages):
    assert pages_of_checked_gold(readable_pages) > 40
    test_sections_hold_the_visible_text_and_nothing_else(readable_pages)
    roles = {page.page_role for page in readable_pages}
    assert roles == {"article", "listing", "missing"}
    assert {page.design for page in readable_pages} == {0, 1}
    assert len({page.html.count("class=") for page in readable_pages}) > 1


@pytest.fixture(scope="module")
def pages():
    """600 pages of 80 sites, with every genre, language and family of designs."""
    return list(simulate_feed(FeedSettings(sites=80, pages=600)))


def words_of(text):
    return Counter(_WORD.findall(text.lower()))


def words_of_sections(page, *section_types):
    """Count the words of the sections of some types; of all sections if none are given."""
    texts = (text for one, text in page.sections if not section_types or one in section_types)
    return sum(map(words_of, texts), Counter())


def visible_words(elements, excluded=()):
    """Count the visible words of elements, without those of excluded elements."""
    names = set(elements)
    outermost = [one for one in names if names.isdisjoint(one.iterancestors())]
    return sum((words_of("".join(_texts(one, set(excluded)))) for one in outermost), Counter())


def _texts(element, skipped):
    if not isinstance(element.tag, str) or element.tag in _HIDDEN or element in skipped:
        return
    yield element.text or ""
    for child in element:
        yield from _texts(child, skipped)
        yield child.tail or ""


_AT = (10, 25, 50, 75, 90, 95)
_STREAM_BYTES = (12_496, 24_616, 38_543, 64_936, 108_830, 150_270)
_STREAM_ELEMENTS = (111, 138, 296, 535, 916, 1_100)
_STREAM_TRAFILATURA_F1 = 0.974


@pytest.fixture(scope="module")
def default_pages():
    """Return every fourth page of the default feed."""
    return list(simulate_feed(FeedSettings(pages=FeedSettings().pages // 4)))


def _sent(page) -> int:
    encode = page.encoding.encode if page.encoding else str.encode
    return len(encode(page.html))


def test_bytes_match_the_stream(default_pages):
    sizes = np.percentile([_sent(page) for page in default_pages], _AT)
    assert sizes == pytest.approx(np.array(_STREAM_BYTES), rel=0.3)


def test_elements_match_the_stream(default_pages):
    counts = []
    for page in default_pages:
        tree = lxml.html.document_fromstring(page.html)
        counts.append(sum(isinstance(one.tag, str) for one in tree.iter()))
    assert np.percentile(counts, _AT) == pytest.approx(np.array(_STREAM_ELEMENTS), rel=0.3)


def _f1(out: Counter, gold: Counter, neutral: Counter) -> float:
    scored = out - ((out - gold) & neutral)
    return 2 * (scored & gold).total() / max(1, scored.total() + gold.total())


def test_trafilatura_scores_as_on_the_stream(default_pages):
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    articles = [page for page in default_pages if page.page_role == "article"][:160]
    whole, extracted = [], []
    for page in articles:
        gold = words_of(page.gold_text)
        neutral = words_of_sections(page, "neutral", "comments")
        seen = words_of_sections(page)
        out = words_of(trafilatura.extract(page.html, include_comments=False) or "")
        whole.append(_f1(seen, gold, neutral))
        extracted.append(_f1(out, gold, neutral))
    assert np.mean(extracted) == pytest.approx(_STREAM_TRAFILATURA_F1, abs=0.05)
    assert 0.75 < np.mean(whole) < 0.85


def _run(*arguments: str):
    return CliRunner().invoke(simulate, [*arguments], catch_exceptions=True)


def test_writes_json_lines_plain_and_compressed(tmp_path):
    common = ("--sites", "3", "--pages", "8", "--seed", "4", "--redesign-day", "2", "--days", "4")
    lines = {}
    for suffix, opened in (("jsonl", open), ("jsonl.gz", gzip.open), ("jsonl.xz", lzma.open)):
        out = tmp_path / f"feed.{suffix}"
        result = _run(*common, "--out", str(out))
        assert result.exit_code == 0, result.output
        assert "8 pages of 3 sites" in result.stderr
        assert result.stdout == ""
        with opened(out, "rt", encoding="utf-8") as file:
            lines[suffix] = file.readlines()
    assert lines["jsonl"] == lines["jsonl.gz"] == lines["jsonl.xz"]
    records = [json.loads(line) for line in lines["jsonl"]]
    assert len(records) == 8
    assert {record["design"] for record in records} == {0, 1}


def test_compressed_files_are_reproducible(tmp_path):
    out = tmp_path / "feed.jsonl.gz"
    arguments = ("--sites", "2", "--pages", "3", "--out", str(out))
    _run(*arguments)
    first = out.read_bytes()
    _run(*arguments)
    assert out.read_bytes() == first


def test_the_start_date_is_used(tmp_path):
    out = tmp_path / "feed.jsonl"
    _run(
        "--sites", "1", "--pages", "2", "--days", "0.1", "--start", "2025-02-03", "--out", str(out)
    )
    record = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert record["fetched_at"].startswith("2025-02-03T")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--sites", "0"), "--sites"),
        (("--pages", "-1"), "--pages"),
        (("--days", "-2"), "--days"),
        (("--redesign-day", "-1"), "--redesign-day"),
        (("--missing-share", "1.5"), "--missing-share"),
        (("--start", "soon"), "--start"),
    ],
)
def test_an_invalid_option_is_refused_in_one_line(tmp_path, arguments, word):
    result = _run(*arguments, "--out", str(tmp_path / "feed.jsonl"))
    assert isinstance(result.exception, UsageProblem)
    assert word in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not (tmp_path / "feed.jsonl").exists()


def test_missing_directories_are_created_or_the_error_names_the_option(tmp_path):
    assert _run("--pages", "1", "--out", str(tmp_path / "new" / "feed.jsonl")).exit_code == 0
    assert (tmp_path / "new" / "feed.jsonl").exists()
    (tmp_path / "file").write_text("")
    result = _run("--pages", "1", "--out", str(tmp_path / "file" / "feed.jsonl"))
    assert isinstance(result.exception, UsageProblem)
    assert "--out" in str(result.exception)


def test_most_pages_are_text_and_the_others_decode_to_the_same_words():
    names = set()
    pages = list(simulate_feed(FeedSettings(sites=160, pages=480)))
    for page in pages:
        if page.encoding is None:
            continue
        record = page.record()
        decoded = base64.b64decode(record["html_base64"]).decode(record["encoding"])
        tree = lxml.html.document_fromstring(decoded)
        assert visible_words([tree]) == words_of_sections(page), page.url
        names.add(page.encoding.name)
    assert {"utf-8", "utf-16", "windows-1252", "gb18030"} <= names
    as_text = sum(page.encoding is None for page in pages)
    assert 0.7 < as_text / len(pages) < 0.9


def test_a_declaration_in_the_page_names_the_encoding():
    for page in simulate_feed(FeedSettings(sites=160, pages=480)):
        start = page.html[: page.html.index("<title>")]
        declared = "utf-8"
        if page.encoding is not None:
            declared = page.encoding.name if page.encoding.in_page else None
        assert ("charset=" in start) == (declared is not None)
        assert declared is None or f"charset={declared}" in start


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_encodings_that_hold_its_words(code):
    text = "".join(language(code).slots["N"])
    chosen = {choose_encoding(code, Random(f"{code}/{number}")) for number in range(300)} - {None}
    assert len({encoding.name for encoding in chosen}) == 3
    for encoding in chosen:
        page = encoding.encode(text)
        assert page.decode(encoding.codec) == text


def test_byte_order_marks_come_first():
    marked = Encoding("utf-8", in_header=False, in_page=False, mark=True)
    assert marked.encode("a") == codecs.BOM_UTF8 + b"a"
    wide = Encoding("utf-16", in_header=False, in_page=False, mark=True)
    assert wide.encode("a")[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}


def test_characters_that_an_encoding_lacks_become_references():
    western = Encoding("windows-1252", in_header=True, in_page=True, mark=False)
    assert western.encode("é北") == b"\xe9&#21271;"
    assert western.content_type == "text/html; charset=windows-1252"


def digest_of_feed() -> str:
    digest = hashlib.sha256()
    for page in simulate_feed(FeedSettings(sites=9, pages=60, seed=5, redesign_day=14)):
        digest.update(msgspec.json.encode(page.record()))
    return digest.hexdigest()


def test_same_seed_same_bytes_in_another_process():
    here = digest_of_feed()
    assert here == digest_of_feed()
    program = f"from {__name__} import digest_of_feed; print(digest_of_feed())"
    for hash_seed in ("1", "77"):
        there = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert there.stdout.strip() == here


def test_another_seed_gives_other_sites():
    one, other = (next(simulate_feed(FeedSettings(seed=seed))) for seed in (1, 2))
    assert one.site != other.site
    assert one.html != other.html


def test_pages_arrive_in_order_within_the_given_days():
    start = datetime(2026, 3, 1, tzinfo=UTC)
    settings = FeedSettings(sites=6, pages=100, start=start, days=7)
    moments = [page.fetched_at for page in simulate_feed(settings)]
    assert moments == sorted(moments)
    assert start <= moments[0]
    assert moments[-1] <= start + timedelta(days=7)
    assert moments[-1] - moments[0] > timedelta(days=6)


def test_sites_are_interleaved_and_nearly_all_of_them_occur(pages):
    same = sum(one.site == other.site for one, other in pairwise(pages))
    assert same < len(pages) * 0.02
    assert len({page.site for page in pages}) > 70


def test_readable_sites_have_no_more_pages_than_their_sentences_are_for(tmp_path):
    out = tmp_path / "feed.jsonl"
    asked = ["--readable", "--pages", "60", "--out", str(out)]
    refused = CliRunner().invoke(simulate, [*asked, "--sites", "2"])
    assert isinstance(refused.exception, UsageProblem)
    assert "write --sites 3 or more" in str(refused.exception)
    assert CliRunner().invoke(simulate, asked).exit_code == 0
    sites = [json.loads(line)["site"] for line in out.read_text().splitlines()]
    assert (len(sites), len(set(sites))) == (60, 6)


def test_a_large_feed_is_made_lazily():
    settings = FeedSettings(sites=5000, pages=10**9)
    assert len(list(islice(simulate_feed(settings), 5))) == 5


def test_every_genre_and_language_appears(pages):
    assert {page.genre for page in pages} == set(SITE_GENRES)
    assert {page.language for page in pages} == set(LANGUAGES)
    for page in pages:
        root = lxml.html.document_fromstring(page.html)
        assert root.get("lang") == page.language
        assert root.get("dir") == language(page.language).direction


@pytest.mark.parametrize("genre", [*SITE_GENRES, *FIELD_GENRES])
def test_a_feed_of_one_genre_has_only_that_genre(genre):
    pages = list(simulate_feed(FeedSettings(genre=genre, sites=3, pages=12)))
    assert {page.genre for page in pages} == {genre}


def test_languages_can_be_chosen():
    pages = simulate_feed(FeedSettings(sites=4, pages=30, languages=("ar", "zh")))
    assert {page.language for page in pages} == {"ar", "zh"}


def test_a_record_is_a_page_record(pages):
    for page in pages:
        written = msgspec.json.encode(page.record())
        record = msgspec.json.decode(written, type=PageRecord)
        assert (record.html is None) != (record.html_base64 is None)
        assert record.url.startswith("https://")
        assert record.site in record.url
        assert datetime.fromisoformat(record.fetched_at) <= page.fetched_at


def _paths(html: str) -> set[str]:
    tree = lxml.html.document_fromstring(html)
    return {f"{one.tag}.{one.get('class')}" for one in tree.body.iter("div", "p", "td", "section")}


def test_a_redesign_changes_the_markup_of_the_same_site():
    settings = FeedSettings(sites=8, pages=240, redesign_day=14)
    paths_of_site = defaultdict(lambda: {0: set(), 1: set()})
    for page in simulate_feed(settings):
        day = (page.fetched_at - settings.start) / timedelta(days=1)
        assert page.design == int(day >= 14)
        if page.page_role == "article":
            paths_of_site[page.site][page.design] |= _paths(page.html)
    assert len(paths_of_site) == 8
    for before, after in (of_site.values() for of_site in paths_of_site.values()):
        assert len(before & after) < 0.4 * len(before | after)


def test_old_and_new_designs_can_be_mixed():
    settings = FeedSettings(sites=10, pages=600, redesign_day=10, mixed_days=10)
    designs = defaultdict(set)
    for page in simulate_feed(settings):
        day = (page.fetched_at - settings.start) / timedelta(days=1)
        designs[page.site, int(day // 10)].add(page.design)
    for (_, period), seen in designs.items():
        assert seen == ({0}, {0, 1}, {1})[period]


def test_lists_and_counters_change_between_requests():
    texts = defaultdict(set)
    for page in simulate_feed(FeedSettings(genre="news", sites=2, pages=150)):
        for section_type, text in page.sections:
            if section_type in {"related", "widget", "header"}:
                texts[page.site, section_type].add(text)
    assert len(texts) >= 4
    assert all(len(seen) > 10 for seen in texts.values())


def test_missing_pages_have_a_status_and_no_gold():
    settings = FeedSettings(sites=5, pages=200, missing_share=0.3)
    missing = [page for page in simulate_feed(settings) if page.page_role == "missing"]
    assert 30 < len(missing) < 90
    assert {page.status for page in missing} == {200, 404, 410, 500}
    assert all(page.gold_text is None for page in missing)


def test_gold_text_is_what_the_selector_finds(pages):
    assert pages_of_checked_gold(pages) > 500


def pages_of_checked_gold(pages):
    checked = 0
    for page in pages:
        if page.gold_selector is None:
            continue
        tree = lxml.html.document_fromstring(page.html)
        excluded = tree.cssselect(page.gold_exclude)
        words = visible_words(tree.cssselect(page.gold_selector), excluded)
        assert words == words_of(page.gold_text), page.url
        checked += 1
    return checked


@pytest.mark.parametrize("genre", FIELD_GENRES)
def test_fields_and_records_are_content_with_labels_and_values_that_other_pages_have(genre):
    settings = FeedSettings(genre=genre, sites=16, pages=320)
    pages = [page for page in simulate_feed(settings) if page.page_role == "article"]
    assert pages_of_checked_gold(pages) == len(pages) > 200
    test_sections_hold_the_visible_text_and_nothing_else(pages)
    sites = defaultdict(list)
    for page in {page.url: page for page in pages}.values():
        sites[page.site].append(page)
    assert {page.language for page in pages} == set(LANGUAGES)
    for some in sites.values():
        count = Counter(line for page in some for line in set(page.gold_text.splitlines()))
        assert max(count.values()) == len(some), "a label is on all pages"
        shared = [
            sum(1 < count[line] < len(some) for line in set(page.gold_text.splitlines()))
            for page in some
        ]
        assert max(shared) > 1, "values are on some"
        assert all(min(map(count.get, page.gold_text.splitlines())) == 1 for page in some)


def test_sections_hold_the_visible_text_and_nothing_else(pages):
    for page in pages:
        tree = lxml.html.document_fromstring(page.html)
        assert words_of_sections(page) == visible_words([tree]), page.url


def test_sections_come_in_document_order(pages):
    for page in pages:
        section_types = [section_type for section_type, _ in page.sections]
        assert "content" not in section_types or section_types.index(
            "header"
        ) < section_types.index("content")
        assert all(one != other for one, other in pairwise(section_types))
        assert section_types[-1] in {"footer", "consent"}


def test_neutral_sections_are_what_the_neutral_selector_finds(pages):
    for page in pages:
        if page.gold_neutral is None:
            continue
        tree = lxml.html.document_fromstring(page.html)
        words = visible_words(tree.cssselect(page.gold_neutral))
        expected = words_of_sections(page, "neutral", "comments")
        assert (expected - words) == Counter(), page.url
        if page.gold_text is not None:
            assert words == expected, page.url


def test_content_differs_from_page_to_page(pages):
    golds = {(page.url, page.gold_text) for page in pages if page.page_role == "article"}
    assert len({text for _, text in golds}) == len({url for url, _ in golds})


def test_an_entry_keeps_its_words_through_a_redesign():
    start, gap = FeedSettings().start, timedelta(hours=3)
    for number in range(8):
        site = make_site(number, "0", "news", "en", start - 50 * gap, gap)
        texts = set()
        for design_number in (0, 1):
            design = make_design(site.seed, "0", number, design_number)
            writer = BodyWriter(site, archive_entry(site, 20), design.markup)
            texts.add(
                tuple(sections(part)[0].text for part in writer.paragraphs(300) if sections(part))
            )
        assert len(texts) == 1


def test_teasers_are_content_on_listings_but_not_on_home_pages(pages):
    roles = {page.page_role: page for page in pages}
    assert {"article", "listing", "home", "about"} == set(roles)
    assert roles["listing"].gold_text
    assert roles["home"].gold_text is None
    assert "neutral" in {section_type for section_type, _ in roles["home"].sections}
