"""What a child process does first: it limits its memory, logs as its parent does, and reports that it is ready."""

import os
import resource
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

import msgspec

from workers.log_forms import LogSetUp, present_set_up, set_up_logging

_CHECK_S = 0.5
"""Time between two checks of the parent."""


class _SetUp(msgspec.Struct, frozen=True, array_like=True):
    """The first message to a child."""

    memory_bytes: int
    """Its largest memory."""
    log: LogSetUp | None
    """How it logs; None if its parent does not log with `LogHandler`."""


def encode_set_up(memory_bytes: int) -> bytes:
    """Return the message by which a child limits its memory to this, and logs as this process does."""
    log = present_set_up()
    if log is not None:
        log = msgspec.structs.replace(log, role=f"{log.role}-child")
    return msgspec.msgpack.encode(_SetUp(memory_bytes, log))


def connect_to_parent() -> Connection:
    """Report that this process is ready, and return the connection to its parent.

    The arguments of the process are FILE_DESCRIPTOR PARENT. The process ends where its parent closes the
    connection before it says anything.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(int(sys.argv[2]))
    connection = Connection(int(sys.argv[1]))
    try:
        connection.send_bytes(b"ready")
        set_up = msgspec.msgpack.decode(connection.recv_bytes(), type=_SetUp)
    except (EOFError, OSError):
        sys.exit()
    _limit_memory(set_up.memory_bytes)
    if set_up.log is not None:
        set_up_logging(set_up.log)
    return connection


def _limit_memory(limit_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def end_with_parent(parent: int) -> None:
    """Have this process end at once when its parent has ended, for whatever reason.

    The parent itself passes its process id on, since it may have ended before this call.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_S)
    os._exit(0)
