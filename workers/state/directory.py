"""The state directory: whose it is, and of which version."""

import fcntl
import time
import uuid
from pathlib import Path
from typing import IO

import msgspec

from workers.errors import StateProblem

STATE_FORMAT = 1
_LOCK_WAIT_S = 5.0
_LOCK_RETRY_S = 0.1


class _Description(msgspec.Struct, frozen=True):
    format: int
    partitions: int
    instance: str = ""


class StateDirectory:
    """A directory that one process at a time works in, from `open` to `close`."""

    def __init__(self, path: Path, lock: IO[bytes], instance: str) -> None:
        self.path = path
        self.instance = instance
        """A name that no other directory has, the same as long as this one lives."""
        self._lock = lock

    @classmethod
    def open(cls, path: Path, partitions: int) -> "StateDirectory":
        """The directory, made if it is not there, locked for this process.

        The processes of a worker that was killed end within a second, so the lock is tried for some.

        Args:
            path: Where it lies.
            partitions: Partitions of `documents`; 1 on files.

        Raises:
            StateProblem: in use, not writable, of another format or number of partitions.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / "lock").open("ab")
        except OSError as error:
            raise StateProblem(
                f"state directory {path}: {error.strerror}; choose another with --state"
            ) from None
        if not _locked(lock):
            lock.close()
            raise StateProblem(
                f"state directory {path} is in use by another process: stop that, or give each "
                "worker its own --state"
            )
        try:
            instance = _instance(path, partitions)
        except StateProblem:
            lock.close()
            raise
        return cls(path, lock, instance)

    def close(self) -> None:
        """Let the next process in."""
        self._lock.close()


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
    """Name of the directory; one that cannot be used is refused."""
    file = path / "state.json"
    if not file.exists():
        return _write(file, partitions)
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_Description)
    except msgspec.DecodeError:
        raise StateProblem(f"{file} is damaged: delete {path}; it is rebuilt") from None
    if found.format != STATE_FORMAT:
        raise StateProblem(
            f"state directory {path} has format {found.format}, this version writes "
            f"{STATE_FORMAT}: delete it; it is rebuilt"
        )
    if found.partitions != partitions:
        raise StateProblem(
            f"state directory {path} was made for {found.partitions} partitions, now there are "
            f"{partitions}: delete it; it is rebuilt"
        )
    return found.instance or _write(file, partitions)


def _write(file: Path, partitions: int) -> str:
    instance = uuid.uuid4().hex
    temporary = file.with_suffix(".new")
    temporary.write_bytes(msgspec.json.encode(_Description(STATE_FORMAT, partitions, instance)))
    temporary.replace(file)
    return instance
