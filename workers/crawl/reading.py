"""The reading of answers in child processes, so that no page holds up the crawl.

As a program, this module is such a child, which shares nothing with the crawler. What is late, or needs too much
memory, ends with the process.
"""

import asyncio
import heapq
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar

import msgspec

from templ_core.site_key import site_key
from workers.crawl.answers import AnswerContent, read_answer, unread_answer
from workers.crawl.robots import RobotsFile, read_robots
from workers.errors import WorkerError
from workers.processes.child_process import (
    ChildLost,
    ChildNotStarted,
    ChildProcess,
    DeadlineExceeded,
)
from workers.processes.child_start import connect_to_parent


class ReadAnswer(msgspec.Struct, frozen=True, tag=True):
    """Read an answer with status 200."""

    url: str
    body: bytes
    content_type: str
    """Value of the content-type header; empty without one."""
    bytes_max: int
    """Most bytes of a compressed sitemap after decompression."""


class ReadRobots(msgspec.Struct, frozen=True, tag=True):
    """Read a robots.txt."""

    url: str
    body: bytes


ReadTask = ReadAnswer | ReadRobots
"""What a child may be asked to read."""


def serve_reading() -> None:
    """Read what the parent sends, until it closes the connection or ends."""
    connection = connect_to_parent()
    decoder = msgspec.msgpack.Decoder(ReadTask)
    encoder = msgspec.msgpack.Encoder()
    while True:
        try:
            connection.send_bytes(encoder.encode(_read(decoder.decode(connection.recv_bytes()))))
        except (EOFError, OSError):
            return


def _read(task: ReadTask) -> AnswerContent | RobotsFile:
    if isinstance(task, ReadRobots):
        return read_robots(task.url, task.body)
    try:
        return read_answer(task.url, task.body, task.content_type, task.bytes_max)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - what a page says must not end the crawl
        log.warning("%s cannot be read: %s", task.url, error)
        return unread_answer(task.body, task.content_type)


log = logging.getLogger("templ")
_CHILDREN = 2
"""Child processes; one goes on reading while a hostile page keeps the other busy."""
_LARGE_BYTES = 256 << 10
"""Largest answer that either child reads; it takes up to 0.3 s, and nearly all pages are smaller."""
_CHILD_BYTES = 1 << 30
"""Largest memory of a child."""

T = TypeVar("T")


class AnswerReader:
    """Child processes that read answers; one that dies, or is late, is replaced.

    Large answers are read one at a time, so that others never wait for them. That of the site whose large answers
    have taken least time so far comes first.
    """

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._threads = ThreadPoolExecutor(_CHILDREN, thread_name_prefix="reading")
        self._idle: list[ChildProcess] = []
        self._reads_large = False
        self._large: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._taken_s: defaultdict[str, float] = defaultdict(float)

    async def answer(self, task: ReadAnswer) -> AnswerContent:
        """Return what an answer holds; one that cannot be read names no addresses.

        Raises:
            WorkerError: A process cannot be started.
        """
        content = await self._read(task, msgspec.msgpack.Decoder(AnswerContent).decode)
        return content or unread_answer(task.body, task.content_type)

    async def robots(self, task: ReadRobots) -> RobotsFile | None:
        """Return what a robots.txt says; None where it cannot be read.

        Raises:
            WorkerError: A process cannot be started.
        """
        return await self._read(task, msgspec.msgpack.Decoder(RobotsFile).decode)

    def close(self) -> None:
        """End the processes, once what they are reading has been read."""
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().kill()

    async def _read(self, task: ReadTask, decode: Callable[[bytes], T]) -> T | None:
        if len(task.body) <= _LARGE_BYTES:
            return await self._read_now(task, decode)
        site = site_key(task.url)
        if self._reads_large:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self._large, (self._taken_s[site], next(self._numbers), turn))
            await turn
        self._reads_large = True
        began_s = time.monotonic()
        try:
            return await self._read_now(task, decode)
        finally:
            self._taken_s[site] += time.monotonic() - began_s
            if self._large:
                heapq.heappop(self._large)[-1].set_result(None)
            else:
                self._reads_large = False

    async def _read_now(self, task: ReadTask, decode: Callable[[bytes], T]) -> T | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, task, decode)

    def _ask(self, task: ReadTask, decode: Callable[[bytes], T]) -> T | None:
        """Have an idle child read; the call blocks a thread, and there are as many threads as children."""
        try:
            child = self._idle.pop()
        except IndexError:
            try:
                child = ChildProcess("workers.crawl.reading", _CHILD_BYTES)
            except ChildNotStarted as problem:
                raise WorkerError(f"a child process {problem}") from None
        try:
            content = decode(child.call(msgspec.msgpack.encode(task), self._deadline_s))
        except (DeadlineExceeded, ChildLost) as problem:
            child.kill()
            log.warning("%s cannot be read: %s", task.url, problem or "its process died")
            return None
        self._idle.append(child)
        return content


if __name__ == "__main__":
    serve_reading()
