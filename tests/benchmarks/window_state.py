"""Size of windows on disk, relative to the raw HTML of their pages.

    templ run CORPUS.jsonl.xz --time-field arrival --out out.jsonl --state STATE
    python -m tests.benchmarks.window_state CORPUS.jsonl.xz STATE

The window store is compacted and measured as a whole, with indexes, contributions and dictionaries.
Then its parts are measured, before RocksDB's own compression.
"""

import lzma
from collections import Counter
from pathlib import Path

import msgspec

from tests.benchmarks.measuring import command_line
from workers.settings import load_settings
from workers.state.rocks import RocksDatabase
from workers.state.window_store import _FAMILIES, WindowStore


class _Page(msgspec.Struct):
    html: str


def html_bytes(corpus: Path) -> list[int]:
    with lzma.open(corpus) as lines:
        return [len(msgspec.json.decode(line, type=_Page).html.encode()) for line in lines]


def disk_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir() if path.is_file())


def compact(path: Path) -> None:
    database = RocksDatabase(path, _FAMILIES)
    for family in _FAMILIES:
        database._families[family].flush()
        database._families[family].compact_range(None, None)
    database.close()
    RocksDatabase(path, _FAMILIES).close()  # drops the files that compaction has replaced


def main() -> None:
    arguments = command_line(__doc__)
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("state", type=Path)
    options = arguments.parse_args()
    windows = options.state / "windows-0"
    compact(windows)
    sizes = html_bytes(options.corpus)
    store = WindowStore(windows, load_settings())
    offsets = [
        entry.source.offset for site, _ in store.sites() for entry in store.window_entries(site)
    ]
    parts: Counter[str] = Counter()
    for family, key, value in store.entries():
        parts[family] += len(key) + len(value)
    store.close()
    raw = sum(sizes[offset] for offset in offsets)
    total = disk_bytes(windows)
    logs = sum(
        path.stat().st_size
        for path in windows.iterdir()
        if path.name.startswith(("LOG", "OPTIONS", "MANIFEST"))
    )
    print(
        f"{options.corpus.name}: {len(offsets)} pages in windows, {raw / len(offsets):.0f} bytes of HTML"
    )
    print(f"  on disk {total / len(offsets):.0f} bytes a page, {total / raw:.2%} of the HTML")
    print(f"  without RocksDB's own log and manifest {(total - logs) / raw:.2%}")
    for family, size in parts.most_common():
        print(f"  {family:15} {size / len(offsets):8.0f} bytes a page, {size / raw:.2%}")


if __name__ == "__main__":
    main()
