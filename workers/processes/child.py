"""The program of a child process, which performs tasks for its parent and ends with it.

The parent sends the page model first, then one task after another, and receives one result for each.
"""

import gc
from collections.abc import Callable

import msgspec

from workers.processes.child_start import connect_to_parent
from workers.processes.learning import Models
from workers.processes.messages import Failure, Result, Task
from workers.processes.page_model import page_model_of
from workers.processes.tasks import run_task

GC_ALLOCATIONS = 200_000
"""Allocations between two garbage collections, many because documents hold no reference cycles."""


def serve_tasks(handle: Callable[[Task, Models], Result] = run_task) -> None:
    """Perform tasks until the parent closes the connection or ends."""
    connection = connect_to_parent()
    decoder = msgspec.msgpack.Decoder(Task)
    encoder = msgspec.msgpack.Encoder()
    try:
        models = Models(page_model_of(connection.recv_bytes()))
    except (EOFError, OSError):
        return
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)
    while True:
        try:
            task = decoder.decode(connection.recv_bytes())
        except (EOFError, OSError):
            return
        result = handle(task, models)
        try:
            connection.send_bytes(encoder.encode(result))
        except OSError:
            return
        if isinstance(result, Failure) and result.failure == "memory":
            return


if __name__ == "__main__":
    serve_tasks()
