"""Memory of `templ feed --by-time`, and what is missing or doubled after kills: WARC files of some gigabytes to a file.

    python -m tests.benchmarks.replay_memory --gigabytes 2 --kills 5

The pages take turns in eight WARC files, so that all of them are merged. The largest resident memory is printed for
each tenth of the output, and at the end how many pages are missing, doubled or out of order. It needs twice the
given size on the disk.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import psutil

from templ_core.times import rfc3339
from tests.benchmarks.measuring import read_options

FILES = 8
BODIES = 50
WORDS = 9000
POLL_S = 0.05
_URL = re.compile(rb'"url":"https://s\d+\.example/(\d+)"')


def write_crawl(folder: Path, size_bytes: float) -> int:
    """Write the files of a crawl, one page a second; return the number of pages."""
    drawn = random.Random(1)
    letters = "abcdefghijklmnop"
    words = ["".join(drawn.choices(letters, k=drawn.randint(2, 10))) for _ in range(5000)]
    bodies = [
        f"<html><body><p>{' '.join(drawn.choices(words, k=WORDS))}</p>".encode()
        for _ in range(BODIES)
    ]
    folder.mkdir()
    files = [(folder / f"CC-NEWS-{number:05}.warc").open("wb") for number in range(FILES)]
    written = pages = 0
    while written < size_bytes:
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + bodies[pages % BODIES]
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\n"
            f"WARC-Target-URI: https://s{pages % 97}.example/{pages}\r\n"
            f"WARC-Date: {rfc3339(1_700_000_000_000 + 1000 * pages)}\r\n"
            f"WARC-Record-ID: <urn:uuid:{pages:032}>\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
        )
        written += files[pages % FILES].write(head.encode() + http + b"\r\n\r\n")
        pages += 1
    for file in files:
        file.close()
    return pages


def replay(folder: Path, size_bytes: float, kills: int) -> list[float]:
    """Replay to a file through kills; return the largest memory (MB) of each tenth of the output."""
    out = folder / "out.jsonl"
    command = [sys.executable, "-m", "workers", "feed", "--by-time", folder / "crawl", "--to", out]
    command += ["--progress", folder / "progress", "--dead-letters", folder / "dead"]
    whole_bytes = size_bytes * 4 / 3  # pages are written in base64
    memory_mb = [0.0] * 10
    killed = 0
    process = None
    while process is None or process.poll() is None or process.returncode:
        if process is None or process.poll() is not None:
            process = subprocess.Popen([*map(str, command)], stderr=subprocess.DEVNULL)
        time.sleep(POLL_S)
        done = out.stat().st_size / whole_bytes if out.exists() else 0.0
        try:
            used_mb = psutil.Process(process.pid).memory_info().rss / 1e6
        except psutil.NoSuchProcess:
            continue
        tenth = min(int(10 * done), 9)
        memory_mb[tenth] = max(memory_mb[tenth], used_mb)
        if killed < kills and done > (killed + 1) / (kills + 1):
            process.kill()
            process.wait()
            killed += 1
    return memory_mb


def main() -> None:
    given = read_options(__doc__, gigabytes=2.0, kills=5)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pages = write_crawl(folder / "crawl", given.gigabytes * 1e9)
        memory_mb = replay(folder, given.gigabytes * 1e9, given.kills)
        print("MB of memory for each tenth:", *(f"{one:.0f}" for one in memory_mb))
        with (folder / "out.jsonl").open("rb") as lines:
            sent = [int(_URL.search(line)[1]) for line in lines]
        first = list(dict.fromkeys(sent))
        print(
            f"{pages} pages, {pages - len(first)} missing, {len(sent) - len(first)} doubled, "
            f"{sum(a > b for a, b in pairwise(first))} out of order"
        )


if __name__ == "__main__":
    main()
