"""A child process whose parser fails in the way that a page asks for."""

import os
import time
from pathlib import Path

from workers.processes import tasks
from workers.processes.child import serve_tasks

read_document = tasks.read_document


def read_or_fail(body, url, **declared):
    """Fail in the way that the page's body asks for, or else read the page."""
    if b"POISON-RAISE" in body:
        raise ValueError("bad page")
    if b"POISON-HANG" in body:
        time.sleep(600)
    if b"POISON-KILL" in body:
        os._exit(9)
    if b"POISON-ONCE" in body:
        marker = Path(body.split(b"POISON-ONCE ")[1].split(b"<")[0].decode())
        if not marker.exists():
            marker.touch()
            os._exit(9)
    if b"POISON-BUSY" in body:  # works for a second of processor time, and says when it begins
        Path(body.split(b"POISON-BUSY ")[1].split(b"<")[0].decode()).touch()
        until = time.process_time() + 1.0
        while time.process_time() < until:
            pass
    if b"POISON-STOP" in body:
        Path(body.split(b"POISON-STOP ")[1].split(b"<")[0].decode()).touch()
        time.sleep(600)
    if b"POISON-MEMORY" in body:
        bytearray(8 << 30)
    return read_document(body, url, **declared)


if __name__ == "__main__":
    tasks.read_document = read_or_fail
    serve_tasks()
