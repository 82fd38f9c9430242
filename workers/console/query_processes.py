"""Answers queries in processes of their own, whose time and memory are bounded.

A report of a hostile or very large site may take long. In a process of its own it holds up neither the
console nor the worker, can be ended at any time, and leaves nothing in memory.
"""

import multiprocessing
import resource
import signal
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from workers.console.config import ConsoleConfig
from workers.console.queries import Query, answer_query
from workers.errors import WorkerError
from workers.settings import Settings

_DONE, _REFUSED = b"+", b"-"
"""First byte of an answer."""


class QueryFailed(Exception):
    """The error that there is no report; the message is a sentence for the person who asked for it."""


class QueryRefused(Exception):
    """The error that there is no such site or page; the message says so."""


class QueryProcesses:
    """Starts a process for each query, forked off one that has imported what is needed."""

    def __init__(self, state: Path, settings: Settings, config: ConsoleConfig) -> None:
        """Start the process that the others are forked off.

        Args:
            state: State directory that is read.
            settings: Limits, page model and bounds.
            config: Bounds of time and size.
        """
        self._state = state
        self._settings = settings
        self._config = config
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])

    def run(self, query: Query) -> bytes:
        """Return the answer to a query; the call blocks.

        Raises:
            QueryRefused: There is no such site or page.
            QueryFailed: It took too long or too much memory, or met a fault.
        """
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_answer,
            args=(sender, query, self._state, self._settings, self._config.query_processor_s),
            daemon=True,
        )
        with receiver:
            with sender:
                process.start()
            return self._answer_of(process, receiver)

    def _answer_of(self, process: ForkServerProcess, receiver: Connection) -> bytes:
        try:
            if not receiver.poll(self._config.query_s):
                raise QueryFailed(f"There was no report within {self._config.query_s:g} s.")
            answer = receiver.recv_bytes(self._config.query_bytes_max)
        except (EOFError, OSError):
            raise QueryFailed(
                "The report took too much time or memory, is too large, or met a fault of templ; "
                "`templ inspect` says which."
            ) from None
        finally:
            process.kill()
            process.join()
            process.close()
        if answer[:1] == _REFUSED:
            raise QueryRefused(answer[1:].decode())
        return answer[1:]


def _answer(
    sender: Connection, query: Query, state: Path, settings: Settings, processor_s: int
) -> None:
    """Send the answer to a query; nothing is sent where there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (settings.child_memory_bytes, hard))
    try:
        sender.send_bytes(_DONE + answer_query(query, state, settings))
    except WorkerError as error:
        sender.send_bytes(_REFUSED + str(error).encode())
