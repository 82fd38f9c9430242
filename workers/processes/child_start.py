"""What a child process does first: it limits itself, logs as its parent does, and says that it is ready."""

import os
import resource
import signal
import socket
import sys
import threading
import time

from workers.log_forms import decode_set_up, set_up_logging
from workers.processes.channel import Channel

_CHECK_S = 0.5
"""Time between two looks at the parent."""


def connect_to_parent() -> Channel:
    """Return the connection to the parent, which `workers.processes.child_process` has started.

    The arguments of the process are FILE_DESCRIPTOR MEMORY_BYTES PARENT LOG.
    """
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    _limit_memory(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(int(sys.argv[3]))
    set_up = decode_set_up(sys.argv[4])
    if set_up is not None:
        set_up_logging(set_up)
    channel.send(b"ready")
    return channel


def _limit_memory(limit_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def end_with_parent(parent: int) -> None:
    """Have this process end at once when its parent has ended, for whatever reason.

    Args:
        parent: Process id of the parent. The parent itself passes it on, since it may have ended
            before this call.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_S)
    os._exit(0)
