"""A child process ends without a word when its parent has gone."""

import os
import socket
import subprocess
import sys

import msgspec

from tests.workers.builders import page
from workers.processes.channel import Channel
from workers.processes.messages import CleanTask
from workers.processes.options import CONFIG, CleanOptions, RecordForms
from workers.processes.page_model import read_model_file


def test_a_child_whose_parent_has_closed_the_connection_says_nothing():
    ours, theirs = socket.socketpair()
    with theirs:
        child = subprocess.Popen(
            [
                *(sys.executable, "-m", "workers.processes.child", str(theirs.fileno())),
                *(str(1 << 30), str(os.getpid()), ""),
            ],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
    channel = Channel(ours)
    assert channel.receive() == b"ready"
    channel.send(read_model_file(None))
    body = b"<p>A sentence of some words, and more." * 20_000
    options = CleanOptions(
        config=CONFIG,
        forms=RecordForms(),
        cleaner_version="",
        page_limit_bytes=1 << 30,
        document_limit_bytes=1 << 30,
    )
    task = CleanTask(page=page(1, body), options=options)
    channel.send(msgspec.msgpack.encode(task))
    channel.close()
    assert child.communicate()[1] == b""
    assert child.returncode == 0
