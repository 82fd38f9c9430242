"""The state directory of a worker, which one process at a time may use."""

import errno
import fcntl
import time
import uuid
from pathlib import Path
from typing import IO

import msgspec

from workers.errors import DiskProblem, StateProblem, WorkerError

STATE_FORMAT = 1
"""Version of the directory's layout."""
_LOCK_WAIT_S = 5.0
"""How long opening waits for a lock: the processes of a killed worker end within a second."""
_LOCK_RETRY_S = 0.1
_FULL = {errno.ENOSPC, errno.EDQUOT}


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
    def open(cls, path: Path, partitions: int) -> "StateDirectory":
        """Lock the directory for this process, and create it when it does not exist.

        The call blocks for up to five seconds while another process holds the lock.

        Args:
            path: Path of the directory.
            partitions: Partitions of the topic `documents`; 1 when working on files.

        Raises:
            StateProblem: The directory is in use or not writable, or it was made by another version
                or for another number of partitions.
            DiskProblem: The disk is full.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / "lock").open("ab")
        except OSError as error:
            raise _cannot_write(path, error) from None
        if not _locked(lock):
            lock.close()
            raise StateProblem(
                f"state directory {path} is in use by another process: stop that process or "
                "give each worker its own --state"
            )
        try:
            instance = _instance(path, partitions)
        except OSError as error:
            lock.close()
            raise _cannot_write(path, error) from None
        except StateProblem:
            lock.close()
            raise
        return cls(path, lock, instance)

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


def _instance(path: Path, partitions: int) -> str:
    """Return the name of the directory, after a check that this version can use it."""
    file = path / "state.json"
    if not file.exists():
        return _write(file, partitions)
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_Description)
    except msgspec.DecodeError:
        raise StateProblem(f"{file} is damaged: delete {path} to start anew") from None
    if found.format != STATE_FORMAT:
        raise StateProblem(
            f"state directory {path} has format {found.format}, this version writes "
            f"{STATE_FORMAT}: delete it to start anew"
        )
    if found.partitions != partitions:
        raise StateProblem(
            f"state directory {path} was made for {found.partitions} partitions, now there are "
            f"{partitions}: delete it to start anew"
        )
    return found.instance or _write(file, partitions)


def _write(file: Path, partitions: int) -> str:
    instance = uuid.uuid4().hex
    temporary = file.with_suffix(".new")
    temporary.write_bytes(msgspec.json.encode(_Description(STATE_FORMAT, partitions, instance)))
    temporary.replace(file)
    return instance
