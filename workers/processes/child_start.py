"""What a child process does first: it limits itself, logs as its parent does, and says that it is ready."""

import resource
import signal
import socket
import sys

from workers.log_forms import decode_set_up, set_up_logging
from workers.processes.channel import Channel
from workers.processes.parent_watch import end_with_parent


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
