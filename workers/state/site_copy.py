"""Reading a state directory that a worker may be using: nothing is locked, written or marked as damaged.

A copy of what belongs to one site is made in memory; the stores then work on it as on any database.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from rocksdict import AccessType, Options, Rdict

from workers.errors import StateProblem
from workers.settings import Settings
from workers.state.database import DatabaseEntry
from workers.state.model_store import ModelStore
from workers.state.rocks import one_line_of, open_files_max, scanned
from workers.state.site_state import SiteState
from workers.state.window_store import WindowStore

T = TypeVar("T")

_ATTEMPTS = 10
"""Attempts at reading: a running worker may delete a file between two steps of a reader."""
_RETRY_S = 0.1
_WRITTEN_BY_READERS = frozenset({"LOG", "rocksdict-config.json"})
"""Files that whoever opens a database rewrites; nothing is read from them."""
_FORMAT = ("meta", b"format")


class SiteCopy(msgspec.Struct, frozen=True, kw_only=True):
    """The stores of one site from a state directory, in memory."""

    windows: WindowStore | None
    """The window of the site; None where the directory has none."""
    models: ModelStore
    """The site model, if there is one."""


def copy_site(state: Path, site: str, settings: Settings) -> SiteCopy:
    """Return what a state directory of `templ run` or `templ worker` holds of a site, used by a worker or not.

    The call may block for a second.

    Raises:
        StateProblem: The directory cannot be read.
    """

    def entries_in(path: Path) -> list[DatabaseEntry]:
        return _read(path, lambda db, families: list(_entries_of(db, families, site)))

    windows = None
    for entries in map(entries_in, _window_stores(state)):
        if any(family == "sites" for family, _, _ in entries):
            windows = WindowStore(None, settings)
            windows.restore(entries)
    models = ModelStore(None)
    for path in _stores(state, "models"):
        models.restore(entries_in(path))
    return SiteCopy(windows=windows, models=models)


def copied_sites(state: Path) -> dict[str, SiteState]:
    """Return the sites of a state directory that have a window, with their states.

    Raises:
        StateProblem: The directory cannot be read.
    """
    states: dict[str, SiteState] = {}
    for path in _window_stores(state):
        states |= _read(path, _states)
    return states


def _window_stores(state: Path) -> list[Path]:
    stores = _stores(state, "windows-*[0-9]")
    if not stores and not _stores(state, "models"):
        raise StateProblem(
            f"{state} is no state directory: name the one that `templ run` or `templ worker` has as "
            "its --state"
        )
    return stores


def _stores(state: Path, name: str) -> list[Path]:
    """Return the stores of a name, of `templ run` or of the roles of `templ worker`."""
    return [path for path in sorted([*state.glob(name), *state.glob(f"*/{name}")]) if path.is_dir()]


def _read(path: Path, read: Callable[[Rdict, list[str]], T]) -> T:
    """Return what a function reads from a database; it is called again if a file vanishes meanwhile."""
    problem: Exception | None = None
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_RETRY_S)
        try:
            with tempfile.TemporaryDirectory(prefix="templ-") as links:
                return _read_links(path, Path(links), read)
        except (StateProblem, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            problem = error
    raise StateProblem(f"cannot read {path}: {one_line_of(problem)}") from None


def _read_links(path: Path, links: Path, read: Callable[[Rdict, list[str]], T]) -> T:
    """Return what a function reads from a database through links to its files.

    RocksDB writes a log and rocksdict its options beside the files even of a database that is opened for reading
    only. So they go to the directory of the links, and the database may be on a mount that is read-only.
    """
    for file in path.resolve().iterdir():
        if file.name not in _WRITTEN_BY_READERS:
            (links / file.name).symlink_to(file)
    families = Rdict.list_cf(str(links), Options(raw_mode=True))
    options = Options(raw_mode=True)
    options.set_max_open_files(open_files_max(1))
    db = Rdict(
        str(links),
        options,
        column_families={name: Options(raw_mode=True) for name in families},
        access_type=AccessType.read_only(),
    )
    try:
        return read(db, families)
    finally:
        db.close()


def _entries_of(db: Rdict, families: list[str], site: str) -> Iterator[DatabaseEntry]:
    """Yield the format of a store, and all its entries whose key is the site or begins with it."""
    own, prefix = site.encode(), site.encode() + b"\0"
    for family in families:
        column = db.get_column_family(family)
        keys = {own, b"\xff" + own, _FORMAT[1]} if family == _FORMAT[0] else {own, b"\xff" + own}
        for key in keys:
            value = column.get(key)
            if value is not None:
                yield family, key, value
        for key, value in scanned(column, prefix):
            yield family, key, value


def _states(db: Rdict, _families: list[str]) -> dict[str, SiteState]:
    return {
        key.decode(): msgspec.msgpack.decode(value, type=SiteState)
        for key, value in scanned(db.get_column_family("sites"))
    }
