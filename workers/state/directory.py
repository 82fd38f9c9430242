"""The state directory of a worker, which one process at a time may use."""

import errno
import fcntl
import logging
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from workers.errors import DamagedStore, DiskProblem, StateProblem, WorkerError
from workers.site_settings import SITE_SETTINGS_FILE
from workers.state.rebuildable import remove_all, set_all_aside
from workers.whole_file import write_whole

STATE_FORMAT = 1
"""Version of the directory's layout."""
_LOCK_WAIT_S = 5.0
"""How long opening waits for a lock: the processes of a killed worker end within a second."""
_LOCK_RETRY_S = 0.1
_LOCK_NAME = "lock"
_DESCRIPTION_NAME = "state.json"
_KEPT = {_LOCK_NAME, SITE_SETTINGS_FILE}
"""Files that stay when a directory is emptied: take-downs are remembered though their topic is lost."""
_FULL = {errno.ENOSPC, errno.EDQUOT}
log = logging.getLogger("templ")


class _Description(msgspec.Struct, frozen=True):
    format: int
    partitions: int
    instance: str = ""


class StateDirectory:
    """A directory that belongs to this process from `open` to `close`."""

    def __init__(self, path: Path, lock: IO[bytes], instance: str) -> None:
        self.path = path
        self.instance = instance
        """A random name that the directory keeps for as long as it exists."""
        self._lock = lock

    @classmethod
    def open(cls, path: Path, partitions: int, *, is_rebuildable: bool = False) -> "StateDirectory":
        """Lock the directory for this process, and create it when it does not exist.

        The call blocks for up to five seconds while another process holds the lock. `partitions` are those of
        the topic `documents`; on files there is one. If all that the directory holds is in topics too
        (`is_rebuildable`), one with a damaged description, or for another number of partitions, is emptied.

        Raises:
            StateProblem: The directory is in use or not writable, or it was made by another version; or its
                description is damaged or for other partitions, and it cannot be rebuilt.
            DiskProblem: The disk is full.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / _LOCK_NAME).open("ab")
        except OSError as error:
            raise _cannot_write(path, error) from None
        if not _locked(lock):
            lock.close()
            raise StateProblem(
                f"state directory {path} is in use by another process: stop that process or "
                "give each worker its own --state"
            )
        try:
            return cls(
                path, lock, _usable_instance(path, partitions, is_rebuildable=is_rebuildable)
            )
        except OSError as error:
            lock.close()
            raise _cannot_write(path, error) from None
        except StateProblem:
            lock.close()
            raise

    def close(self) -> None:
        """Unlock the directory for other processes."""
        self._lock.close()


def _cannot_write(path: Path, error: OSError) -> WorkerError:
    if error.errno in _FULL:
        return DiskProblem(f"cannot write {path}: {error.strerror}; free some disk space")
    return StateProblem(f"state directory {path}: {error.strerror}; choose another with --state")


def _locked(lock: IO[bytes]) -> bool:
    until = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(_LOCK_RETRY_S)
        else:
            return True


def remove_unused(path: Path) -> None:
    """Remove a state directory that no process uses; one that is being made has no description yet, and stays."""
    if not is_used(path):
        return
    with suppress(OSError), (path / _LOCK_NAME).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path)


def is_used(path: Path) -> bool:
    """Return whether a directory has been a state directory before."""
    return (path / _DESCRIPTION_NAME).exists()


def made_for_partitions(path: Path) -> list[int]:
    """Return the number of partitions for which a directory was made; nothing where it was not used."""
    return [_description(path).partitions] if is_used(path) else []


def _usable_instance(path: Path, partitions: int, *, is_rebuildable: bool) -> str:
    """Return the name of the directory, after a check that this version can use it, or has emptied it."""
    file, description = path / _DESCRIPTION_NAME, None
    try:
        description = _description(path) if file.exists() else None
    except DamagedStore as problem:
        if not is_rebuildable:
            raise
        log.warning(
            "%s is damaged (%s): its content is set aside and rebuilt",
            *(path, problem.reason),
        )
        set_all_aside(path, keep=_KEPT)
    if description is None:
        return _write(file, partitions)
    if description.format != STATE_FORMAT:
        raise StateProblem(
            f"state directory {path} has format {description.format}, this version writes "
            f"{STATE_FORMAT}: delete it to start with an empty one"
        )
    if description.partitions == partitions:
        return description.instance or _write(file, partitions)
    if not is_rebuildable:
        raise StateProblem(
            f"state directory {path} was made for {description.partitions} partitions, now there are "
            f"{partitions}: delete it to start with an empty one"
        )
    log.warning(
        "%s was made for %s partitions, now there are %s: it is rebuilt from the topics",
        *(path, description.partitions, partitions),
    )
    remove_all(path, keep=_KEPT | {_DESCRIPTION_NAME})
    return _write(file, partitions, description.instance)


def _description(path: Path) -> _Description:
    try:
        return msgspec.json.decode((path / _DESCRIPTION_NAME).read_bytes(), type=_Description)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedStore(path, f"state.json: {error}") from None


def _write(file: Path, partitions: int, instance: str = "") -> str:
    """Write a description, with a new name for the directory if it has none; return the name."""
    instance = instance or uuid.uuid4().hex
    write_whole(file, msgspec.json.encode(_Description(STATE_FORMAT, partitions, instance)))
    return instance
