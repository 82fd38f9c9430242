"""What would hold up an event loop, done in threads."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, TypeVar, cast

from aiokafka.producer import sender

Item = TypeVar("Item")
_END = object()


async def items_off_loop(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Yield the items, each produced in a thread so that the event loop can go on meanwhile."""
    iterator = iter(items)
    while (item := await asyncio.to_thread(next, iterator, _END)) is not _END:
        yield cast("Item", item)


class _CompressedOffLoop(sender.SendProduceReqHandler):  # type: ignore[misc]
    """A request of aiokafka's producer whose batches are compressed in a thread."""

    async def do(self, node_id: int) -> Any:
        """Compress the batches, which keep the result, and send the request."""
        await asyncio.to_thread(self._compress)
        return await super().do(node_id)

    def _compress(self) -> None:
        for batch in self._batches.values():
            batch.get_data_buffer()


def compress_off_loop() -> None:
    """Have every producer of this process compress what it sends in threads.

    aiokafka compresses on the event loop, which takes 30 to 50 ms for a batch of a megabyte, and
    has no setting for it, so one of its classes is replaced. Batches of a partition still follow each other,
    because a partition has one request at a time.
    """
    sender.SendProduceReqHandler = _CompressedOffLoop
