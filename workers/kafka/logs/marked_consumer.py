"""A consumer of faust that commits every offset together with the mark of the log that it is of.

The mark travels in the metadata of the committed offset, so whichever worker has the partition next
can tell whether the log is still the one that was read. Records of transactions that are open or were
aborted are not read.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aiokafka import TopicPartition
from aiokafka.errors import NoOffsetForPartitionError, OffsetOutOfRangeError
from aiokafka.structs import OffsetAndMetadata
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer
from faust.types import TP

from workers.kafka.broker.empty_tails import EMPTY_TAILS
from workers.kafka.logs.resume import LogMark

Marks = dict[int, LogMark]
"""The log of each partition of an App's input topic, as it was at the last look."""


class MarkedConsumer(Consumer):
    """A consumer whose commits carry the marks of its App."""

    def _new_consumer_thread(self) -> AIOKafkaConsumerThread:
        return _MarkedThread(self, loop=self.loop, beacon=self.beacon)

    async def go_to(self, offsets: Mapping[TP, int]) -> None:
        """Commit offsets, which may be smaller than those committed before, and read on there."""
        if await self._thread.commit(offsets):
            await self._thread.seek_wait(offsets)

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        """Yield the partitions whose offset to commit is looked for, be there an acknowledged record or not."""
        if topics is not None:
            return super()._filter_tps_with_pending_acks(topics)
        return iter(self._acked.keys() | (self._active_partitions or set()))

    def _new_offset(self, tp: TP) -> int | None:
        """Return the offset to commit, which leaves no offset behind that holds nothing to process."""
        done = super()._new_offset(tp)
        at = (self._committed_offset[tp] or 0) if done is None else done
        return EMPTY_TAILS.end_after(tp.topic, tp.partition, at) or done

    def join_again(self) -> None:
        """Join the group again, from any thread; if this process leads the group, it forms anew."""
        thread = cast("_MarkedThread", self._thread)
        thread.thread_loop.call_soon_threadsafe(thread.join_again)

    def event_loops(self) -> list[asyncio.AbstractEventLoop]:
        """Return the loop of the thread that polls the broker, once it runs."""
        thread = cast("_MarkedThread", self._thread)
        return [thread.thread_loop] if thread.started else []


class _MarkedThread(AIOKafkaConsumerThread):
    def _create_consumer(self, loop: asyncio.AbstractEventLoop) -> Any:
        consumer = super()._create_consumer(loop)
        consumer._isolation_level = "read_committed"  # noqa: SLF001 - faust has no setting for it
        commit = consumer.commit
        marks: Marks = self.app.marks  # type: ignore[attr-defined]

        async def commit_marked(offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
            await commit({one: _marked(place, marks, one) for one, place in offsets.items()})

        consumer.commit = commit_marked
        return consumer

    def join_again(self) -> None:
        """Join the group again; called in this thread's event loop."""
        if self._consumer is not None:
            self._consumer._coordinator.request_rejoin()  # noqa: SLF001 - aiokafka has no other way

    async def _fetch_records(self, *arguments: Any, **options: Any) -> Any:
        """Return fetched records; tell the App where the broker has none at an offset."""
        try:
            return await super()._fetch_records(*arguments, **options)
        except OffsetOutOfRangeError as error:
            ((one, offset),) = error.args[0].items()
            self.app.on_missing_offset(one, offset)  # type: ignore[attr-defined]
            raise
        except NoOffsetForPartitionError as error:
            self.app.on_missing_offset(error.args[0], None)  # type: ignore[attr-defined]
            raise


def _marked(place: OffsetAndMetadata, marks: Marks, one: TopicPartition) -> OffsetAndMetadata:
    mark = marks.get(one.partition)
    return OffsetAndMetadata(place.offset, mark.encode() if mark else "")
