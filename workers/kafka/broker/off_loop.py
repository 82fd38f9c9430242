"""Iteration over items that take time to produce, without holding up an event loop."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar, cast

Item = TypeVar("Item")
_END = object()


async def items_off_loop(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Yield the items, each produced in a thread so that the event loop can go on meanwhile."""
    iterator = iter(items)
    while (item := await asyncio.to_thread(next, iterator, _END)) is not _END:
        yield cast("Item", item)
