"""What a fault run says of the pages it has lost, when offsets are taken by one page after another."""

from types import SimpleNamespace

import msgspec
import pytest
from aiokafka import ConsumerRecord

from schemas.codec import encode_json
from schemas.source import Source
from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES
from tests.faults.disturber import Ledger
from tests.faults.faults import outcome_of
from tests.workers.builders import cleaned_text, page


class Topics:
    """Topics that hold what a test puts into them."""

    def __init__(self):
        self._records = {topic: [] for topic in (PAGES, CLEANED, DOCUMENTS, DEAD_LETTERS)}

    def records(self, topic):
        return self._records[topic]

    def put(self, topic, value, headers, offset=0):
        """Add a record; answers it."""
        named = [(name, str(said).encode()) for name, said in headers.items()]
        record = ConsumerRecord(topic, 0, offset, 0, 0, b"k", value, None, 0, len(value), named)
        self._records[topic].append(record)
        return record

    def put_page(self, sent, offset):
        headers = {
            "url": sent.url,
            "site": sent.site,
            "id": sent.id,
            "fetched-at": sent.event_time_ms,
        }
        return self.put(PAGES, b"<p>", headers, offset)

    def answer(self, sent, offset):
        record = msgspec.structs.replace(
            cleaned_text(sent.site, "", "A text."), id=sent.id, url=sent.url, source=Source(PAGES, 0, offset),
        )  # fmt: skip
        self.put(CLEANED, encode_json(record), {"source.id": record.source})

    def refuse(self, offset, **headers):
        names = {"topic": PAGES, "partition": 0, "offset": offset}
        place = {f"__streams.errors.{name}": said for name, said in names.items()}
        self.put(DEAD_LETTERS, b"", place | headers)


@pytest.fixture
def topics():
    """Topics that had a hostile record at offset 7, which was refused and cut away."""
    found = Topics()
    found.refuse(7)
    return found


def outcome(topics, ledger, *fed):
    fields, _, _ = outcome_of(topics, ledger, fed)
    return SimpleNamespace(**fields)


def test_a_page_that_is_cut_at_the_offset_of_an_earlier_hostile_record_has_not_vanished(topics):
    ledger, one = Ledger(), page(1, b"")
    ledger.lose_page(PAGES, 0, topics.put_page(one, 7))
    topics.records(PAGES).clear()
    found = outcome(topics, ledger, one)
    assert (found.vanished, found.pages_cut, found.lost, found.dead) == (0, 1, 0, 0)
    assert outcome(topics, Ledger(), one).vanished == 1


def test_the_outcome_of_an_earlier_record_at_its_offset_is_none_of_a_page(topics):
    one, other = page(1, b""), page(2, b"")
    topics.put_page(one, 7)
    found = outcome(topics, Ledger(), one)
    assert (found.lost, found.dead, found.hostile_dead) == (1, 0, 1)
    topics.answer(other, 7)
    assert outcome(topics, Ledger(), one).lost == 1
    topics.answer(one, 7)
    assert outcome(topics, Ledger(), one).lost == 0


def test_a_page_of_the_feed_among_the_dead_letters_is_said(topics):
    one = page(1, b"")
    topics.put_page(one, 7)
    topics.refuse(7, id=one.id)
    found = outcome(topics, Ledger(), one)
    assert (found.lost, found.dead, found.hostile_dead) == (0, 1, 1)
