import time
import weakref
from concurrent.futures import CancelledError
from itertools import cycle, islice

import msgspec
import pytest

from schemas.cleaned import TextSegment
from schemas.codec import encode_json, encode_msgpack
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.dom.document import read_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.stored.compact import content_digest, frame_content
from tests.workers.builders import OneModel, page, site_model_record
from tests.workers.hostile_site_models import hostile_site_models
from workers.kafka.cleaner import DeadLetterLimit
from workers.lab.in_process import InProcess
from workers.pipeline.actions import Dead, Deleted
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes import tasks
from workers.processes.messages import Cleaned, CleanTask, LearnTask, RefitTask, Unknown
from workers.processes.pool import Pool
from workers.processes.records import fit_message
from workers.settings import load_settings

GOOD = b"<html><title>T</title><body><p>" + b"A sentence of some words, and more. " * 20


@pytest.fixture
def cleaner(poison_pool, poison_settings):
    return PageCleaner(poison_pool, poison_settings)


def test_a_page_is_cleaned_and_its_document_carries_what_was_said(cleaner):
    outcome = cleaner.clean(page(1, GOOD, fetched_at="2026-01-05T00:00:00Z"))
    assert isinstance(outcome, Cleaned)
    record = outcome.record
    assert record.text.startswith("A sentence of some words")
    assert (record.title, record.revision, record.method) == ("T", 0, "page")
    assert record.fetched_at == "2026-01-05T00:00:00Z"
    assert record.blocks_kept == 1
    assert record.fingerprint is not None
    assert outcome.document is not None
    assert outcome.document.source == record.source
    assert len(outcome.document.content_digest) == 16


@pytest.mark.parametrize(
    ("body", "exception", "stage"),
    [
        (b"", "EmptyPage", "decode"),
        (b"%PDF-1.4 \xe2\xe3\xcf\xd3 stream", "UnsupportedContent", "decode"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256)), "UnsupportedContent", "decode"),
        (GOOD + b"POISON-RAISE", "ValueError", "clean"),
        (GOOD + b"POISON-HANG", "DeadlineExceeded", "clean"),
        (GOOD + b"POISON-KILL", "ProcessDied", "clean"),
        (GOOD + b"POISON-MEMORY", "OutOfMemory", "clean"),
    ],
    ids=["empty", "pdf", "jpeg", "raises", "hangs", "kills", "memory"],
)
def test_a_poison_page_is_a_dead_letter_and_the_next_page_is_cleaned(
    cleaner, body, exception, stage
):
    outcome = cleaner.clean(page(1, body))
    assert isinstance(outcome, Dead)
    assert (outcome.letter.exception, outcome.letter.stage) == (exception, stage)
    assert outcome.letter.message
    assert isinstance(cleaner.clean(page(2, GOOD)), Cleaned)


def test_a_page_whose_child_died_by_accident_is_tried_again(cleaner, tmp_path):
    body = GOOD + b"POISON-ONCE " + str(tmp_path / "died").encode() + b"<br>"
    assert isinstance(cleaner.clean(page(1, body)), Cleaned)
    assert (tmp_path / "died").exists()


def test_one_page_of_a_batch_takes_no_other_with_it(poison_pool, poison_settings):
    cleaner = PageCleaner(poison_pool, poison_settings)
    bodies = [GOOD, GOOD + b"POISON-KILL", GOOD, GOOD + b"POISON-HANG", GOOD]
    pages = [page(n, body, site=f"s{n % 2}.com") for n, body in enumerate(bodies)]
    futures = [poison_pool.submit(one.site, cleaner.clean, one) for one in pages]
    outcomes = [type(future.result()).__name__ for future in futures]
    assert outcomes == ["Cleaned", "Dead", "Cleaned", "Dead", "Cleaned"]


@pytest.mark.parametrize("poison", ["RAISE", "KILL", "HANG", "MEMORY"])
def test_one_page_of_a_task_takes_no_other_with_it(poison_pool, poison_settings, poison):
    model = fitted_model(poison_pool, [GOOD.replace(b"words", b"words%d" % n) for n in range(9)])
    cleaner = PageCleaner(poison_pool, poison_settings, models=OneModel(model))
    # The first page, which brings the model for all, is refused.
    bodies = [b"", GOOD, None, GOOD + f"POISON-{poison}".encode(), GOOD.replace(b"some", b"few")]
    pages = [page(number, body) for number, body in enumerate(bodies)]
    outcomes = cleaner.clean_pages(pages)
    alone = PageCleaner(poison_pool, poison_settings, models=OneModel(model))
    assert outcomes == [alone.clean(one) for one in pages]
    assert [type(one) for one in outcomes] == [Dead, Cleaned, Deleted, Dead, Cleaned]
    for outcome in (outcomes[1], outcomes[4]):
        assert (outcome.record.method, outcome.record.site_model_version) == ("site", model.version)


def test_large_pages_of_a_task_are_not_held_in_memory_together(poison_settings, monkeypatch):
    read, held = tasks._PageWork.read, []
    most = []

    def note(work):
        held.append(weakref.ref(work))
        most.append(sum(one() is not None for one in held))
        read(work)

    cleaner = PageCleaner(InProcess(shipped_model()), poison_settings)
    bodies = [GOOD + b"<!--" + b"x" * (size << 20) for size in (0, 2, 0, 2, 2, 0)]
    pages = [page(number, body) for number, body in enumerate(bodies)]
    expected = [cleaner.clean(one) for one in pages]
    monkeypatch.setattr(tasks._PageWork, "read", note)
    assert cleaner.clean_pages(pages) == expected
    assert max(most) == 2


def test_a_pool_that_is_closed_begins_no_further_task(poison_settings):
    pool = Pool(poison_settings, children=1)
    cleaner = PageCleaner(pool, poison_settings)
    pages = [page(number, GOOD + b"POISON-HANG") for number in range(8)]
    work = pool.submit("example.com", cleaner.clean_pages, pages)
    while not pool.attempts():
        time.sleep(0.01)
    pool.close()
    assert pool.attempts() == 1
    with pytest.raises(CancelledError):
        work.result()


@pytest.mark.parametrize("fields", [{"body": None}, {"status": 404}, {"status": 410}])
def test_a_page_that_is_gone_is_a_deletion(cleaner, fields):
    outcome = cleaner.clean(page(1, fetched_at="2026-01-01T00:00:00Z", **{"body": GOOD, **fields}))
    assert isinstance(outcome, Deleted)
    assert outcome.record.fetched_at == "2026-01-01T00:00:00Z"
    assert outcome.document.kind == "deletion"


@pytest.mark.parametrize("status", [301, 403, 500])
def test_error_pages_are_cleaned_and_never_learned_from(cleaner, status):
    outcome = cleaner.clean(page(1, GOOD, status=status))
    assert isinstance(outcome, Cleaned)
    assert outcome.document is None
    assert ("error-page" in outcome.record.warnings) == (status >= 400)


def test_a_document_too_large_for_its_topic_is_not_learned_and_says_so(poison_pool):
    from workers.settings import load_settings

    small = load_settings(message_limit_bytes=64 << 10)
    body = b"<p>" + b" ".join(f"w{n * 7919 % 1000003}".encode() for n in range(60_000))
    outcome = PageCleaner(poison_pool, small).clean(page(1, body))
    assert isinstance(outcome, Cleaned)
    assert outcome.document is None
    assert outcome.record.warnings == ["not-learned"]


def learn_task(body):
    return LearnTask(body, content_digest(frame_content(body, 1 << 20)))


def fitted_model(pool, bodies):
    documents = [
        compress_columns(document_columns(read_document(body, "https://example.com/")))
        for body in bodies
    ]
    to_learn = [learn_task(document) for document in documents]
    pages = {
        one.content_digest: (pool.run("example.com", one, 10)[0].body, one.body) for one in to_learn
    }
    result, _ = pool.run("example.com", RefitTask("example.com", list(pages), pages), 10)
    return site_model_record(result.version, documents=result.documents, body=result.body)


def cleaned_by(runner, task):
    """What a runner makes of one page."""
    result, _ = runner.run(task.page.site, CleanTask([task]), 10)
    return result.pages[0]


def test_a_child_fits_the_pages_that_it_has_cleaned_and_keeps_the_model(
    poison_pool, poison_settings
):
    shared = b"<div class=note>Shared words of the site, which come back everywhere, always.</div>"
    cleaner = PageCleaner(poison_pool, poison_settings)
    task = cleaner._outcome_or_task(page(0, GOOD + shared))
    options = msgspec.structs.replace(task.options, learns_here=True)
    own, site = InProcess(shipped_model()), "example.com"
    digests = []
    for number in range(9):
        other_page = page(number, GOOD.replace(b"words", b"words%d" % number) + shared)
        done = cleaned_by(own, msgspec.structs.replace(task, page=other_page, options=options))
        digests.append(done.document.content_digest)
    fitted, _ = own.run(site, RefitTask(site, digests, {}), 10)
    model = site_model_record(fitted.version, documents=fitted.documents, body=fitted.body)
    decoded = cleaned_by(poison_pool, msgspec.structs.replace(task, model=model))
    kept = msgspec.structs.replace(model, body=b"")
    cleaned = cleaned_by(own, msgspec.structs.replace(task, model=kept))
    assert cleaned.model_problem is None
    assert cleaned.record == decoded.record
    assert "Shared words" not in cleaned.record.text
    own._models.learners.clear()
    again, _ = own.run(site, RefitTask(site, digests, {}), 10)
    fewer, _ = own.run(site, RefitTask(site, digests[1:], {}), 10)
    assert (
        again == fitted
    )  # of a window that has not changed, although the pages are known no longer
    assert isinstance(fewer, Unknown)


def test_a_site_model_is_used_again_and_again_though_sent_once(poison_pool, poison_settings):
    shared = b"<div class=note>Shared words of the site, which come back everywhere, always.</div>"
    others = [GOOD.replace(b"words", b"words%d" % n) + shared for n in range(9)]
    model = fitted_model(poison_pool, others)
    cleaner = PageCleaner(poison_pool, poison_settings, models=OneModel(model))
    body = GOOD + shared
    for attempt in range(3):
        outcome = cleaner.clean(page(1, body))
        assert isinstance(outcome, Cleaned)
        assert outcome.record.site_model_version == model.version
        assert outcome.record.method == "site"
        assert "Shared words" not in outcome.record.text
        if attempt == 1:
            cleaner.clean(page(2, GOOD + b"POISON-KILL"))


HOSTILE = hostile_site_models()


@pytest.mark.parametrize(("body", "said"), HOSTILE.values(), ids=HOSTILE)
def test_pages_of_a_site_with_a_hostile_model_are_cleaned_as_those_of_a_new_site(
    poison_pool, poison_settings, caplog, body, said
):
    broken = site_model_record(f"v {said}", documents=9, body=body)
    alone = PageCleaner(poison_pool, poison_settings).clean(page(1, GOOD))
    cleaner = PageCleaner(poison_pool, poison_settings, models=OneModel(broken))
    outcomes = [cleaner.clean(page(1, GOOD)) for _ in range(3)]
    assert outcomes == [alone] * 3
    [line] = [one.getMessage() for one in caplog.records]
    assert "of 'example.com' (partition 3, offset 17) cannot be used: " in line
    assert said in line


def test_a_record_too_large_loses_its_segments_first_and_then_the_end_of_its_text(cleaner):
    outcome = cleaner.clean(page(1, b"<p>" + "wörter und noch mehr ".encode() * 9000))
    assert isinstance(outcome, Cleaned)
    segment = TextSegment(text="s" * 99, kept=True, templateness=0.5, reason="r", section=0)
    record = msgspec.structs.replace(outcome.record, segments=[segment])
    whole_bytes = len(encode_json(msgspec.structs.replace(record, segments=None)))
    without = fit_message(record, whole_bytes + 30)
    assert without.segments is None
    assert without.warnings[-1] == "segments-dropped"
    assert without.text == record.text
    room_bytes = whole_bytes // 2
    cut = fit_message(record, room_bytes)
    assert cut.warnings[-2:] == ["segments-dropped", "truncated"]
    assert record.text.startswith(cut.text)
    assert cut.chars_out == len(cut.text)
    assert 0.9 * room_bytes < len(encode_json(cut)) <= room_bytes
    assert fit_message(outcome.record, 1 << 30) is outcome.record


def test_children_that_cannot_start_are_no_dead_letters(poison_settings):
    from workers.errors import WorkerError

    broken = msgspec.structs.replace(poison_settings, child_module="tests.workers.no_such_module")
    pool = Pool(broken, children=1)
    with pytest.raises(WorkerError, match="did not start"):
        PageCleaner(pool, broken).clean(page(1, GOOD))
    pool.close()


def test_documents_decode_to_what_was_sent(cleaner):
    from schemas.codec import decode_document_record

    outcome = cleaner.clean(page(1, GOOD))
    assert decode_document_record(encode_msgpack(outcome.document)) == outcome.document


def pages_until_stopped(outcomes, **limits):
    """The number of pages after which the worker stops, and why; None = it goes on."""
    limit = DeadLetterLimit(load_settings(**limits))
    for number, is_dead in enumerate(outcomes, 1):
        excess = limit.exceeded_by(is_dead=is_dead)
        if excess is not None:
            return number, excess
    return None


def test_so_many_dead_letters_in_a_row_stop_the_worker():
    outcomes = [False, *[True] * 99, False, *[True] * 100]
    pages = pages_until_stopped(outcomes, dead_letters_run_max=100, dead_letters_ratio_max=1.0)
    assert pages == (201, "100 pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX)")


def test_a_feed_of_which_most_is_dead_stops_the_worker():
    good = [False] * 1000
    mostly_dead = islice(cycle([True, True, False]), 1000)
    pages = pages_until_stopped([*good, *mostly_dead], dead_letters_ratio_pages=100)
    number, excess = pages
    assert 1050 < number < 1100
    assert excess == "51 of the latest 100 pages are dead letters (TEMPL_DEAD_LETTERS_RATIO_MAX)"


def test_a_feed_of_which_half_is_dead_goes_on():
    half = islice(cycle([True, False]), 10_000)
    assert pages_until_stopped(half) is None


def test_the_share_of_the_first_pages_does_not_count():
    assert pages_until_stopped([True] * 99, dead_letters_ratio_pages=100) is None


def of_sites(*pages):
    """The number of pages after which the worker stops, of pages of sites that are dead letters or not."""
    limit = DeadLetterLimit(load_settings(dead_letters_run_max=100, dead_letters_ratio_pages=200))
    for number, (site, is_dead) in enumerate(pages, 1):
        if limit.exceeded_by(site, is_dead=is_dead):
            return number
    return None


GOOD_SITES = [("b.org", False), ("c.org", False)]


def test_the_dead_letters_of_one_site_stop_no_other():
    empty = [("a.org", True)] * 1000
    assert of_sites(*GOOD_SITES, *empty, *GOOD_SITES, ("b.org", True), *empty) is None
    assert of_sites(*GOOD_SITES, ("a.org", False), *empty) is None
    assert of_sites(*([*empty[:3], *GOOD_SITES] * 300)) is None


def test_a_feed_that_is_wrong_as_a_whole_stops_the_worker_whatever_its_sites_are():
    many = [(f"s{number % 50}.org", True) for number in range(1000)]
    assert 100 <= of_sites(*GOOD_SITES, *many) <= 110
    assert of_sites(*many) == 100
    assert of_sites(*[("a.org", True)] * 1000) == 100
    assert of_sites(("a.org", False), *[("a.org", True)] * 1000) == 101
    assert of_sites(*GOOD_SITES, *[(None, True)] * 1000) == 102


def test_both_limits_can_be_switched_off():
    limits = {"dead_letters_run_max": 0, "dead_letters_ratio_max": 1.0}
    assert pages_until_stopped([True] * 5000, **limits) is None
