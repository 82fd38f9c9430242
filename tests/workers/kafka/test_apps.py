"""A failed step of a worker ends its process, and its traceback is logged."""

import asyncio
import logging
from types import SimpleNamespace

import faust
import msgspec
import pytest
from aiokafka.errors import KafkaConnectionError
from faust.types import Message

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DocumentRecord
from tests.workers.builders import document
from tests.workers.kafka.builders import kafka_config, received, received_document
from workers.errors import BrokerProblem, DiskProblem, FeedProblem, StateProblem
from workers.kafka import app, role
from workers.kafka.app import build_app, essential
from workers.kafka.cleaner import Cleaner
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.refresher import Refresher
from workers.state.model_store import ModelStore


@pytest.fixture
def reasons(monkeypatch):
    """Reasons for which the process would have ended, and its exit codes."""
    problems = []
    monkeypatch.setattr(app, "end_process", lambda *given: problems.append(given))
    return problems


def run(error, *, should_stop=False):
    async def step():
        raise error

    asyncio.run(essential(SimpleNamespace(should_stop=should_stop), "cleaning", step))


def errors(caplog):
    return [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_an_unforeseen_failure_is_logged_whole_and_once(reasons, caplog):
    run(KeyError("a fault of ours"))
    (record,) = errors(caplog)
    assert record.exc_info[0] is KeyError
    assert "cleaning" in record.getMessage()
    assert "in step" in caplog.text
    assert [code for _, code in reasons] == [70]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DiskProblem("it is full"), 74),
        (BrokerProblem("it does not answer"), 69),
        (KafkaConnectionError("Connection closed"), 69),
        (StateProblem("it is in use"), 70),
    ],
)
def test_a_foreseen_failure_is_its_message_alone(reasons, caplog, error, code):
    run(error)
    assert errors(caplog) == []
    ((reason, ended_with),) = reasons
    assert str(error) in reason
    assert ("the broker is gone" in reason) == isinstance(error, KafkaConnectionError)
    assert ended_with == code


def test_a_broker_that_is_gone_before_all_has_started_is_one_line(reasons, tmp_path):
    async def start_without_broker():
        started = build_app(kafka_config(tmp_path), "cleaner")
        await started.start()
        await started.stop()

    asyncio.run(start_without_broker())
    ((reason, code),) = reasons
    assert reason.startswith("starting: the broker is gone or refuses: KafkaConnectionError")
    assert code == 69


async def test_what_crashes_without_the_broker_ends_the_process_in_one_line(reasons, tmp_path):
    build_app(kafka_config(tmp_path), "cleaner")._crash(KafkaConnectionError("Connection closed"))
    ((reason, code),) = reasons
    assert reason.startswith("reading and sending: the broker is gone or refuses: KafkaConn")
    assert code == 69


async def test_a_stop_that_a_lost_broker_holds_up_is_ended(reasons, tmp_path, monkeypatch):
    async def waits_for_the_broker(_app):
        await asyncio.sleep(0.2)

    monkeypatch.setattr(app, "_STOP_WAIT_S", 0.01)
    monkeypatch.setattr(faust.App, "stop", waits_for_the_broker)
    await build_app(kafka_config(tmp_path), "cleaner").stop()
    ((reason, code, _),) = reasons
    assert reason.startswith("the broker has not taken what is left to send")
    assert code == 69


async def test_a_process_that_stops_does_not_join_its_group_again(tmp_path):
    stopping = build_app(kafka_config(tmp_path), "cleaner")
    joined = []
    stopping._consumer = SimpleNamespace(join_again=lambda: joined.append(1))
    stopping.join_again()
    stopping._stopped.set()
    stopping.join_again()
    assert joined == [1]


def test_a_failure_during_the_stop_of_the_worker_is_none(reasons, caplog):
    with pytest.raises(asyncio.CancelledError):
        run(KeyError("the producer is gone"), should_stop=True)
    assert errors(caplog) == []
    assert reasons == []


def test_a_feed_that_is_wrong_ends_the_process_for_good(monkeypatch, caplog):
    ends = []
    monkeypatch.setattr(app, "end_process", lambda *given: ends.append(given))
    run(FeedProblem("most pages are dead letters"))
    assert ends[0] == ("most pages are dead letters", FeedProblem.exit_code)
    assert errors(caplog) == []


ARTICLE = b"<p>" + b"A sentence of some words, and then some more of them. " * 10


class NoGaps:
    """Stands in for the reader of records that faust has passed over."""

    async def complete(self, records):
        return list(records)


class Producer:
    """Takes records at once and stores them when the loop comes round; may refuse one of a kind."""

    def __init__(self, refuses=()):
        self.stored = []
        self._refuses = refuses

    async def _handed_over(self, name, record):
        async def stored():
            await asyncio.sleep(0)
            if name in self._refuses:
                raise ConnectionError(f"{name} refused")
            self.stored.append((name, record))

        return asyncio.ensure_future(stored())

    def send(self, record, headers=()):
        return self._handed_over(type(record).__name__, record)

    def send_dead_letter(self, message, letter):
        return self._handed_over("DeadLetter", (message, letter))

    def names(self):
        return [name for name, _ in self.stored]


def message(offset, value, **headers):
    pairs = [(name, text.encode()) for name, text in headers.items()]
    return Message(
        "pages", 0, offset, 1_700_000_000.0, 0, pairs, None, value, None, generation_id=0
    )


@pytest.fixture
def clean(tmp_path, poison_pool, poison_settings):
    """Return a function that cleans a batch of messages; it returns the cleaner and what it has sent."""

    def run(messages, refuses=(), **settings):
        config = kafka_config(tmp_path, 4, msgspec.structs.replace(poison_settings, **settings))
        producer = Producer(refuses)

        async def one_batch():
            app = Cleaner(config, poison_pool, ModelStore(None))
            app.app.gaps, app.outputs = NoGaps(), producer
            app._follower.ready.set()
            app._site_settings_follower.ready.set()
            rest = await app._batch([SimpleNamespace(message=one) for one in messages])
            await rest()
            return app

        run.producer = producer
        return asyncio.run(one_batch()), producer

    return run


def test_every_message_is_answered_and_documents_follow_the_texts(clean, poison_pool):
    before = poison_pool.attempts()
    messages = [
        message(0, ARTICLE, url="https://example.com/0"),
        message(1, b"", url="https://example.com/1"),
        message(2, None, url="https://example.com/2"),
        message(3, b"no page"),
        message(4, ARTICLE, url="https://example.org/4"),
    ]
    app, producer = clean(messages)
    names = producer.names()
    assert sorted(names[:5]) == [
        "CleanedRecord", "CleanedRecord", "DeadLetter", "DeadLetter", "DeletedRecord",
    ]  # fmt: skip
    assert names[5:] == ["DocumentRecord"] * 3
    answered = {one.source.offset for _, one in producer.stored if isinstance(one, CleanedRecord)}
    learned = {one.source.offset for _, one in producer.stored if isinstance(one, DocumentRecord)}
    gone = {one.source.offset for _, one in producer.stored if isinstance(one, DeletedRecord)}
    assert (answered, gone, learned) == ({0, 4}, {2}, {0, 2, 4})
    dead = {one[0].offset for name, one in producer.stored if name == "DeadLetter"}
    assert dead == {1, 3}
    counted = {
        outcome: app.metrics._pages.labels(outcome, method)._value.get()
        for outcome, method in (("cleaned", "page"), ("dead", ""), ("deleted", ""))
    }
    assert counted == {"cleaned": 2, "dead": 2, "deleted": 1}
    # One of the messages is no page, and a deletion is no task.
    assert app.inner_progress() - before == 3


def test_no_document_is_sent_where_a_text_was_not_stored(clean):
    messages = [message(0, ARTICLE, url="https://example.com/0")]
    with pytest.raises(ConnectionError, match="CleanedRecord refused"):
        clean(messages, refuses={"CleanedRecord"})
    assert "DocumentRecord" not in clean.producer.names()


def test_a_feed_of_dead_letters_stops_the_worker_once_they_are_stored(clean):
    messages = [message(offset, b"no page") for offset in range(4)]
    with pytest.raises(FeedProblem) as problem:
        clean(messages, dead_letters_run_max=3)
    assert clean.producer.names() == ["DeadLetter"] * 4
    assert str(problem.value) == (
        "3 pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX), the last one pages-0-2 "
        "(MissingUrl: a page message needs the header `url`, or a JSON record as its value); the "
        "worker stops: mend the feed, or raise the limit"
    )


def story(number):
    menu = "<ul><li>Home and more of the menu<li>About us and our friends</ul>"
    return f"{menu}<div>{f'<p>Article {number} says this, and then that. ' * 3}</div>".encode()


def test_pages_of_a_batch_stay_in_order_within_their_site(clean, poison_pool):
    before = poison_pool.attempts()
    urls = ["https://a.com/0", "https://b.com/1", "https://a.com/2", "https://a.com/0"]
    urls += ["https://b.com/4", "https://a.com/5"]
    messages = [message(offset, story(offset), url=url) for offset, url in enumerate(urls)]
    messages.insert(3, message(9, None, url="https://a.com/0"))
    app, producer = clean(messages)
    texts = [one for _, one in producer.stored[:7]]
    of_sites = {site: [one for one in texts if one.site == site] for site in ("a.com", "b.com")}
    assert [one.source.offset for one in of_sites["a.com"]] == [0, 2, 9, 3, 5]
    assert [one.source.offset for one in of_sites["b.com"]] == [1, 4]
    kinds = [type(one) for one in of_sites["a.com"]]
    assert kinds == [CleanedRecord] * 2 + [DeletedRecord] + [CleanedRecord] * 2
    assert app.inner_progress() - before == 6


def test_texts_leave_before_a_page_that_kills_its_process_but_for_those_of_its_site(
    clean, poison_pool
):
    sites = [f"https://{name}.com/{n}" for n, name in enumerate("aaababcb" * 2)]
    bodies = [ARTICLE + b"POISON-KILL" * (number == 1) for number in range(len(sites))]
    _, producer = clean(
        [message(n, body, url=url) for n, (body, url) in enumerate(zip(bodies, sites, strict=True))]
    )
    left = [
        one[0].offset if name == "DeadLetter" else one.source.offset
        for name, one in producer.stored[: len(sites)]
    ]
    killer = left.index(1)
    others = [n for n, url in enumerate(sites) if "a.com" not in url]
    assert set(others) <= set(left[:killer])
    for letter in "abc":
        of_site = [n for n in left if f"/{letter}.com" in sites[n]]
        assert of_site == sorted(of_site)


def test_a_batch_is_cleaned_while_the_one_before_is_stored_and_acknowledged_once_it_is(
    tmp_path, poison_pool, monkeypatch
):
    """The broker stores nothing until both batches are cleaned."""
    events = [
        SimpleNamespace(message=message(offset, ARTICLE, url=f"https://a.com/{offset}"))
        for offset in range(2)
    ]
    happened = []

    async def batches(_stream, _settings):
        for event in events:
            yield [event]

    class Stream:
        async def ack(self, event):
            happened.append(("acknowledged", event.message.offset))

    class Outputs(Producer):
        both_are_cleaned = asyncio.Event()

        async def send(self, record, headers=()):
            happened.append((type(record).__name__, record.source.offset))
            if isinstance(record, CleanedRecord) and record.source.offset == 1:
                self.both_are_cleaned.set()
            return asyncio.ensure_future(self.both_are_cleaned.wait())

    async def run():
        app = Cleaner(kafka_config(tmp_path, 4), poison_pool, ModelStore(None))
        app.warm_up()
        app.app.gaps, app.outputs = NoGaps(), Outputs()
        app._follower.ready.set()
        app._site_settings_follower.ready.set()
        await asyncio.wait_for(app._take_batches(Stream()), 60)
        assert app.app.consumer._new_offset(events[0].message.tp) == len(events)

    monkeypatch.setattr(role, "batches", batches)
    asyncio.run(run())
    assert happened == [
        ("CleanedRecord", 0), ("CleanedRecord", 1), ("DocumentRecord", 0), ("acknowledged", 0),
        ("DocumentRecord", 1), ("acknowledged", 1),
    ]  # fmt: skip


NOT_OURS = 3


@pytest.fixture
def refresher(tmp_path):
    return Refresher(kafka_config(tmp_path, 4), pool=None)


def of_a_known_log(owned):
    """Return what stands in for the recovery of windows."""

    async def recover(number):
        owned.opened()[number].snapshot = LogSnapshot("a", 0, 0)

    return recover


def test_a_partition_that_was_taken_away_is_not_opened_again(refresher, tmp_path):
    message = received_document(document(1), partition=NOT_OURS)

    async def late():
        await refresher._revoked(refresher.app, [SimpleNamespace(partition=NOT_OURS)])
        await refresher._batch_of(NOT_OURS, [message])
        await refresher._take_over(NOT_OURS)

    asyncio.run(late())
    assert not (tmp_path / f"windows-{NOT_OURS}").exists()


def test_records_that_are_no_documents_are_stepped_over(tmp_path, poison_pool, monkeypatch):
    refresher = Refresher(kafka_config(tmp_path, 4), poison_pool)
    refresher._site_settings_follower.ready.set()
    refresher._owned.assign([0])
    monkeypatch.setattr(refresher._owned, "_recover", of_a_known_log(refresher._owned))
    odd = [(None, None), (None, b"no document"), (b"\xff", None), (b"site\0\xff", b"\x80")]
    messages = [
        received(offset=offset, key=key, value=value) for offset, (key, value) in enumerate(odd)
    ]
    asyncio.run(refresher._batch_of(0, messages))
    assert refresher.inner_progress() == {0: len(odd)}
    refresher.close()
