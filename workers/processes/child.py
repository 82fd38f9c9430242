"""The program of a child process, which performs tasks for its parent and ends with it.

`workers.processes.pool` starts it as
`python -m workers.processes.child FILE_DESCRIPTOR MEMORY_BYTES NICENESS PARENT LOG`. The parent sends the
page model first, then one task after another, and receives one result for each.
"""

import gc
import resource
import signal
import socket
import sys
from collections.abc import Callable

import msgspec

from workers.log_forms import decode_set_up, set_up_logging
from workers.processes.channel import Channel
from workers.processes.messages import Failure, Result, Task
from workers.processes.models import Models
from workers.processes.page_model import page_model_of
from workers.processes.parent_watch import end_with_parent
from workers.processes.tasks import run_task

GC_ALLOCATIONS = 200_000
"""Allocations between two garbage collections, many because documents hold no reference cycles."""


def serve_tasks(handle: Callable[[Task, Models], Result] = run_task) -> None:
    """Perform tasks until the parent closes the connection or ends."""
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    _limit_memory(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(int(sys.argv[3]))
    set_up = decode_set_up(sys.argv[4])
    if set_up is not None:
        set_up_logging(set_up)
    decoder = msgspec.msgpack.Decoder(Task)
    encoder = msgspec.msgpack.Encoder()
    channel.send(b"ready")
    try:
        models = Models(page_model_of(bytes(channel.receive())))
    except (EOFError, OSError):
        return
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)
    while True:
        try:
            task = decoder.decode(channel.receive())
        except (EOFError, OSError):
            return
        result = handle(task, models)
        try:
            channel.send(encoder.encode(result))
        except OSError:
            return
        if isinstance(result, Failure) and result.failure == "memory":
            return


def _limit_memory(limit_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


if __name__ == "__main__":
    serve_tasks()
