"""Reading the topic of dead letters, and sending its pages to the topic that they came from again."""

from collections.abc import AsyncIterator

import msgspec
from aiokafka import ConsumerRecord, TopicPartition

from schemas.dead_letter import (
    HEADER_AT,
    HEADER_ATTEMPTS,
    HEADER_CUT_FROM,
    HEADER_EXCEPTION,
    HEADER_MESSAGE,
    HEADER_OFFSET,
    HEADER_PARTITION,
    HEADER_REDRIVES,
    HEADER_STAGE,
    HEADER_TOPIC,
)
from schemas.page import HEADER_SITE, HEADER_URL
from schemas.topics import DEAD_LETTERS, PAGES
from templ_core.site_key import site_key
from templ_core.times import rfc3339
from workers.errors import InputProblem
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import topic_partitions
from workers.kafka.broker.plain_clients import (
    BROKER_LIMIT_BYTES,
    plain_consumer,
    plain_producer,
    read_range,
)
from workers.pace import Pace

_OURS = ("__streams.errors.", "templ.")
"""Beginnings of the names of headers that a worker adds to a dead letter."""

LetterHeader = tuple[str, bytes | None]


class StoredLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A dead letter in its topic."""

    id: str
    """Partition and offset in the topic of dead letters, such as `3-42`."""
    at: str
    """When it was written, as an RFC 3339 time."""
    reason: str
    """Class of the error."""
    message: str
    stage: str
    attempts: str
    source: str
    """Topic, partition and offset of the page's message."""
    url: str | None
    site: str | None
    redrives: int
    """How often it was sent again already."""
    is_cut: bool
    """Whether the value was cut, so that it cannot be sent again."""
    headers: tuple[LetterHeader, ...] = ()
    key: bytes | None = None
    value: bytes | None = None


class LetterFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which dead letters are asked for; None asks for all."""

    reason: str | None = None
    site: str | None = None
    since_ms: int | None = None
    """Earliest time of the record, in Unix milliseconds."""
    until_ms: int | None = None
    """Time before which the record must have been written, in Unix milliseconds."""

    def passes(self, letter: StoredLetter) -> bool:
        """Return whether the reason and the site are those that are asked for."""
        wanted = ((self.reason, letter.reason), (self.site, letter.site))
        return all(value is None or value == has for value, has in wanted)


class Redriven(msgspec.Struct):
    """Numbers of the letters that were asked for, by outcome."""

    sent: int = 0
    cut: int = 0
    """Letters whose values were cut."""
    tired: int = 0
    """Letters that were already sent again as often as is allowed."""


async def read_letters(broker: BrokerAccess, wanted: LetterFilter) -> AsyncIterator[StoredLetter]:
    """Yield the dead letters that are asked for, those of each partition in order.

    Those that are written meanwhile are left out.
    """
    topic = broker.topic(DEAD_LETTERS)
    count = await topic_partitions(broker, topic)
    partitions = [TopicPartition(topic, number) for number in range(count)]
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets(partitions)
        starts = await consumer.beginning_offsets(partitions)
        if wanted.since_ms is not None:
            offsets = await consumer.offsets_for_times(dict.fromkeys(partitions, wanted.since_ms))
            starts = {tp: ends[tp] if at is None else at.offset for tp, at in offsets.items()}
        async for record in read_range(consumer, starts, ends):
            letter = _letter(record)
            is_late = wanted.until_ms is not None and record.timestamp >= wanted.until_ms
            if not is_late and wanted.passes(letter):
                yield letter


async def read_letter(broker: BrokerAccess, letter_id: str) -> StoredLetter:
    """Return the dead letter with an id.

    Raises:
        InputProblem: There is no such dead letter.
    """
    number, _, offset = letter_id.partition("-")
    topic = broker.topic(DEAD_LETTERS)
    is_id = number.isdecimal() and offset.isdecimal()
    if is_id and int(number) < await topic_partitions(broker, topic):
        partition = TopicPartition(topic, int(number))
        async with plain_consumer(broker) as consumer:
            ends = await consumer.end_offsets([partition])
            end = min(int(offset) + 1, ends[partition])
            async for record in read_range(consumer, {partition: int(offset)}, {partition: end}):
                return _letter(record)
    raise InputProblem(f"{topic} has no letter {letter_id}; `templ dlq list` shows their ids")


async def redrive(
    broker: BrokerAccess,
    letters: AsyncIterator[StoredLetter],
    *,
    pages_per_s: float | None,
    redrives_max: int,
    limit: int | None,
    is_dry: bool = False,
) -> Redriven:
    """Send the pages of dead letters to the topic `pages` again, with the key and headers that they had.

    Letters that are cut, or were sent again `redrives_max` times, are left out, so that a page that cannot be cleaned
    does not go round forever. At most `limit` pages are sent; a dry run only counts them.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses a page; those before were sent.
        TopicProblem: There is no topic for pages.
    """
    await topic_partitions(broker, broker.topic(PAGES))
    done, pace = Redriven(), Pace(pages_per_s) if pages_per_s else None
    with as_broker_problem(
        lambda error: f"{broker} refused page {done.sent}, the others before were sent: {error}"
    ):
        async with plain_producer(broker, BROKER_LIMIT_BYTES, "gzip") as producer:
            async for letter in letters:
                if limit is not None and done.sent >= limit:
                    break
                if letter.is_cut or letter.redrives >= redrives_max:
                    done.cut += letter.is_cut
                    done.tired += not letter.is_cut
                    continue
                done.sent += 1
                if is_dry:
                    continue
                if pace is not None:
                    await pace.wait()
                headers = page_headers_of(letter)
                await producer.send(broker.topic(PAGES), letter.value, letter.key, headers=headers)
                await producer.settle()
    return done


def page_headers_of(letter: StoredLetter) -> list[LetterHeader]:
    """Return the headers that the page had, with how often it has been sent again."""
    theirs = [header for header in letter.headers if not header[0].startswith(_OURS)]
    return [*theirs, (HEADER_REDRIVES, str(letter.redrives + 1).encode())]


def _letter(record: ConsumerRecord) -> StoredLetter:
    # Of a name that comes twice the last one counts, which the worker has added.
    texts = {name: (value or b"").decode("utf-8", "replace") for name, value in record.headers}
    url = texts.get(HEADER_URL) or _url_in(record.value)
    site = texts.get(HEADER_SITE) or (site_key(url) if url else None)
    place = (texts.get(name, "?") for name in (HEADER_TOPIC, HEADER_PARTITION, HEADER_OFFSET))
    redrives = texts.get(HEADER_REDRIVES, "")
    return StoredLetter(
        id=f"{record.partition}-{record.offset}",
        at=texts.get(HEADER_AT) or rfc3339(record.timestamp),
        reason=texts.get(HEADER_EXCEPTION, "?"),
        message=texts.get(HEADER_MESSAGE, ""),
        stage=texts.get(HEADER_STAGE, "?"),
        attempts=texts.get(HEADER_ATTEMPTS, "?"),
        source="-".join(place),
        url=url,
        site=site,
        redrives=int(redrives) if redrives.isdecimal() else 0,
        is_cut=HEADER_CUT_FROM in texts,
        headers=tuple(record.headers),
        key=record.key,
        value=record.value,
    )


class _JsonPage(msgspec.Struct):
    url: str


def _url_in(value: bytes | None) -> str | None:
    try:
        return msgspec.json.decode(value or b"", type=_JsonPage).url
    except msgspec.DecodeError:
        return None
