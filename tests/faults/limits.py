"""Silent connections to the probes of a worker, and forks beside threads that clean, in large numbers.

    python -m tests.faults.limits [--connections 2000] [--forks 500]

Opens connections that say nothing to the port of `/live` of a worker's cleaner, and prints its threads and files
before and meanwhile, and how long `/live` takes. Then forks children that clean a page each, half of them with
the cleaner that two threads of the parent share, and prints how many hang. Needs Java, Maven and Linux.
"""

import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from templ_core import SiteCleaner
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.measuring import read_options
from tests.kafka.stream import wait_until
from tests.kafka.test_monitoring import asked, free_ports

HANGS_S = 30
"""Time after which a child counts as one that hangs."""
URL, HTML = (
    "https://example.com/a",
    "<p>" + "A sentence of some words, and then more of them. " * 20,
)


def main():
    options = read_options(__doc__, connections=2_000, forks=500)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with (
        tempfile.TemporaryDirectory(prefix="limits-") as name,
        stream_on_a_broker(Path(name)) as stream,
    ):
        slow = silent_connections(stream, options.connections)
    hanging = hanging_forks(options.forks)
    print(f"{hanging} of {options.forks} children hang after a fork")
    sys.exit(bool(hanging or slow))


def silent_connections(stream, count):
    """Print what connections do to a cleaner; answers whether `/live` was not answered within a second."""
    port = free_ports()
    stream.start(TEMPL_METRICS_PORT=str(port))
    live = f"http://127.0.0.1:{port}/live"
    wait_until(lambda: asked(live)[0] == 200, stream.log)
    wait_until(lambda: stream.log().count('"event":"ready: ') >= 2, stream.log)
    (cleaner,) = [
        one for one in psutil.Process(stream.pid("one")).children() if "cleaner" in one.cmdline()
    ]
    taken = [(cleaner.num_threads(), cleaner.num_fds())]
    silent = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(count)]
    answered_s = []
    for _ in range(10):
        started_s = time.monotonic()
        code = asked(live)[0]
        answered_s.append(time.monotonic() - started_s if code == 200 else 60.0)
        taken.append((cleaner.num_threads(), cleaner.num_fds()))
    for connection in silent:
        connection.close()
    (threads, files), (most_threads, most_files) = taken[0], map(max, zip(*taken, strict=True))
    print(
        f"{count} silent connections: {threads} threads and {files} files become {most_threads} and {most_files} "
        f"at most; /live answers within {max(answered_s):.2f} s",
        flush=True,
    )
    return max(answered_s) > 1


def hanging_forks(count):
    """The number of children that do not end after a fork beside threads that clean."""
    shared, ended = SiteCleaner(), threading.Event()

    def work():
        while not ended.is_set():
            shared.clean(URL, HTML)
            SiteCleaner().clean(URL, HTML)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    hanging = 0
    for number in range(count):
        pid = os.fork()
        if not pid:
            signal.alarm(HANGS_S)
            cleaner = shared if number % 2 else SiteCleaner()
            os._exit(not cleaner.clean(URL, HTML).text)
        hanging += os.waitpid(pid, 0)[1] != 0
    ended.set()
    for thread in threads:
        thread.join()
    return hanging


if __name__ == "__main__":
    main()
