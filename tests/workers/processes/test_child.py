"""A child process ends without a word when its parent has gone."""

import os
import socket
import subprocess
import sys

import msgspec

from workers.processes.channel import Channel
from workers.processes.core_config import CONFIG
from workers.processes.messages import CleanTask
from workers.processes.page_model import read_model_file
from workers.processes.record_forms import RecordForms


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
    page = b"<p>A sentence of some words, and more." * 20_000
    task = CleanTask(
        body=page,
        url="https://example.com/",
        content_type=None,
        charset=None,
        content_encoding=None,
        limit_bytes=1 << 30,
        model_key=None,
        model_body=None,
        forms=RecordForms(),
        with_document=True,
        config=CONFIG,
        source_id="pages-0-1",
    )
    channel.send(msgspec.msgpack.encode(task))
    channel.close()
    assert child.communicate()[1] == b""
    assert child.returncode == 0
