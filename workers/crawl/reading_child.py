"""The program of a child process that reads what sites answer, so that no page holds up the crawl.

It shares nothing with the crawler. What is late, or needs too much memory, ends with the process.
"""

import logging

import msgspec

from workers.crawl.answers import AnswerContent, read_answer, unread_answer
from workers.crawl.robots import RobotsFile, read_robots
from workers.processes.child_start import connect_to_parent

log = logging.getLogger("templ")


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
    channel = connect_to_parent()
    decoder = msgspec.msgpack.Decoder(ReadTask)
    encoder = msgspec.msgpack.Encoder()
    while True:
        try:
            channel.send(encoder.encode(_read(decoder.decode(channel.receive()))))
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


if __name__ == "__main__":
    serve_reading()
