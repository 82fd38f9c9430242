"""Follows partitions of a topic without a consumer group: first what they hold, then each record as it comes.

A follower stores how far it has read together with what was read, and which log that was. What blocks runs
in threads, so that the event loop goes on answering the broker.
"""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import plain_consumer, read_until, settled_offset
from workers.kafka.logs.log_reader import CHECK_S, LogReader, ask_for_logs, log_reader
from workers.kafka.logs.resume import LogSnapshot, LogState, Resume, decode_snapshot, resume

_POLL_MS = 1000
log = logging.getLogger("templ")

Logs = Mapping[int, LogState]
"""The present logs of partitions, by partition."""
Position = tuple[int, bytes | None]
"""Offset at which reading of a partition goes on, and the snapshot of its log, as it is stored."""


class LogFollower(ABC):
    """Follows partitions of a topic; a subclass says where reading begins and what a record does."""

    _needs_settled: ClassVar[bool] = True
    """Whether `_begin` needs the settled offsets, which cost a request a partition."""

    def __init__(self, broker: BrokerAccess, topic: str, partitions: Iterable[int]) -> None:
        """Prepare to follow partitions of a topic, given by its full name, without connecting."""
        self._broker = broker
        self._topic = topic
        self._wanted = list(partitions)
        self._changed = asyncio.Event()
        self.ready = asyncio.Event()
        """Set once everything was read that the partitions held when they became wanted."""

    def follow(self, partitions: Iterable[int]) -> None:
        """Follow only these partitions from now on."""
        wanted = sorted(partitions)
        if wanted != self._wanted:
            self._wanted = wanted
            self._changed.set()
            self.ready.clear()

    async def run(self, *, stays: bool = True) -> None:
        """Follow the topic forever, or (unless the follower stays) up to where it ended at the start.

        Raises:
            BrokerProblem: The broker cannot be reached, or there was no progress for a minute before the
                start was read.
        """
        async with plain_consumer(self._broker) as consumer, log_reader(self._broker) as reader:
            while True:
                self._changed.clear()
                ends = await self._start(consumer) if self._wanted else {}
                async for records in read_until(consumer, ends):
                    await asyncio.to_thread(self._take, records)
                if not self._changed.is_set():
                    await asyncio.to_thread(self._reach, ends)
                if not self._changed.is_set():  # The wanted partitions may have changed meanwhile.
                    self.ready.set()
                if not stays:
                    return
                if self._wanted:
                    await self._follow(consumer, reader)
                else:
                    await self._changed.wait()

    async def _start(self, consumer: AIOKafkaConsumer) -> dict[TopicPartition, int]:
        """Put the consumer where reading begins; return the ends of the logs."""
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, self._snapshots())
        )
        ends = {TopicPartition(self._topic, number): state.end for number, state in logs.items()}
        consumer.assign(list(ends))
        settled = (
            {tp.partition: await settled_offset(consumer, tp, ends[tp]) for tp in ends}
            if self._needs_settled
            else {}
        )
        starts = await asyncio.to_thread(self._begin, logs, settled)
        for partition in ends:
            consumer.seek(partition, starts[partition.partition])
        return ends

    async def _follow(self, consumer: AIOKafkaConsumer, reader: LogReader) -> None:
        """Take records as they come, until other partitions are wanted or a log is another one.

        While the broker does not answer, the logs are not checked.
        """
        check_at_s = time.monotonic() + CHECK_S
        while not self._changed.is_set():
            for records in (await consumer.getmany(timeout_ms=_POLL_MS)).values():
                await asyncio.to_thread(self._take, records)
            await self._after_poll()
            if time.monotonic() < check_at_s:
                continue
            check_at_s = time.monotonic() + CHECK_S
            try:
                logs = await reader.logs(self._topic, self._snapshots())
            except (KafkaError, OSError) as error:
                log.debug("the logs of %s cannot be read: %r", self._topic, error)
                continue
            if await asyncio.to_thread(self._is_other_log, logs):
                return

    def _snapshots(self) -> Mapping[int, LogSnapshot | None]:
        return {number: decode_snapshot(self._position(number)[1]) for number in self._wanted}

    def _resumes(self, logs: Logs) -> dict[int, Resume]:
        """Return where reading resumes in logs, and log which of them are not those that were read."""
        resumes = {}
        for number, state in logs.items():
            offset, mark = self._position(number)
            resumes[number] = resume(offset, decode_snapshot(mark), state, "earliest")
        return resumes

    def _is_other_log(self, logs: Logs) -> bool:
        """Return whether a log is another one; otherwise note the logs as they are now."""
        if any(resumption.is_other_log for resumption in self._resumes(logs).values()):
            return True
        self._note(logs)
        return False

    def _warn_of_reading_again(self, number: int, reason: str, offset: int = 0) -> None:
        log.warning(
            "%s-%s is read again from %s: %s",
            *(self._topic, number, f"offset {offset}" if offset else "its start", reason),
            extra={"topic": self._topic, "partition": number},
        )

    @abstractmethod
    def _position(self, number: int) -> Position:
        """Return how far a partition was read."""

    @abstractmethod
    def _begin(self, logs: Logs, settled: Mapping[int, int]) -> Mapping[int, int]:
        """Return and store the offset at which reading of each partition begins, and note the logs.

        Below the `settled` offsets null values may be gone.
        """

    @abstractmethod
    def _note(self, logs: Logs) -> None:
        """Store which logs the positions belong to."""

    @abstractmethod
    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        """Apply records of one partition, and store how far it was read."""

    @abstractmethod
    def _reach(self, ends: Mapping[TopicPartition, int]) -> None:
        """Act on reaching the ends that the logs had at the start."""

    async def _after_poll(self) -> None:  # noqa: B027 - most have nothing to do
        """Act on the records that were taken."""
