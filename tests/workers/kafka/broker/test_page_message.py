"""Reading a page message never raises, whatever its value and headers are."""

from random import Random

import msgspec

from schemas.page import CLOUD_EVENT_HEADERS
from tests.workers.feeds.test_random_records import NAMES, TEXTS, random_record
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.received import Received
from workers.page import Page, Rejected
from workers.settings import load_settings

MESSAGES = 20_000
HEADER_NAMES = [*NAMES, *CLOUD_EVENT_HEADERS, "URL", "content-encoding", "fetched-at"]
NOW_MS = 1_800_000_000_000


def random_message(rng):
    headers = tuple(
        (rng.choice(HEADER_NAMES), rng.choice([None, _bytes(rng)])) for _ in range(rng.randrange(6))
    )
    return Received(
        topic="pages",
        partition=0,
        offset=7,
        timestamp_ms=rng.choice([0, 1_800_000_000_000, 2**63 - 1]),
        key=rng.choice([None, b"", b"\xff"]),
        value=rng.choice([None, b"", b"{", b"\n" * 9, _bytes(rng), random_record(rng)]),
        headers=headers,
    )


def _bytes(rng):
    return rng.choice([rng.choice(TEXTS).encode("utf-8", "surrogatepass"), rng.randbytes(9)])


def test_random_messages_are_pages_or_rejected():
    rng = Random(4)
    settings = load_settings()
    found = []
    for _ in range(MESSAGES):
        message = random_message(rng)
        record = page_of_message(message, settings, NOW_MS)
        assert len(msgspec.msgpack.encode(record)) > 0  # every field can be sent
        found.append(type(record))
    assert min(found.count(Page), found.count(Rejected)) > MESSAGES // 20
