"""The errors of the workers: each ends a command with one line and an exit code."""

import errno
import os
from pathlib import Path

PLANNED_RESTART = 75
"""Exit code of a process that is to be started again although nothing is wrong."""
DISK_ERRORS = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS])
"""Errors of the system that say that a disk is full or fails."""


class WorkerError(Exception):
    """A problem that a person has to solve; the message says what is wrong and what to do."""

    exit_code = 1
    """Exit code of a command that ends with this error."""


class Terminated(BaseException):
    """The end of a command by SIGTERM; what was begun is put in order on the way out."""


class UsageProblem(WorkerError):
    """The problem that an argument cannot be used."""

    exit_code = 2


class PageProblem(WorkerError):
    """The problem that a page cannot be cleaned because of what it holds."""

    exit_code = 65


class FeedProblem(WorkerError):
    """The problem that most records of a feed cannot be cleaned, so that the feed itself is wrong."""

    exit_code = 65


class InputProblem(WorkerError):
    """The problem that an input file cannot be read."""

    exit_code = 66


class BrokerProblem(WorkerError):
    """The problem that the broker cannot be reached, or refuses."""

    exit_code = 69


class ServerProblem(WorkerError):
    """The problem that a search server cannot be reached, or refuses."""

    exit_code = 69


class StateProblem(WorkerError):
    """The problem that stored state is of another version, in use, damaged or not writable."""

    exit_code = 73


class OtherFormat(StateProblem):
    """The problem that another version has written a store; workers on Kafka rebuild it."""


class DamagedStore(StateProblem):
    """The problem that a store cannot be read; workers on Kafka set it aside and rebuild it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} is damaged ({reason}): workers on Kafka rebuild it by themselves, otherwise "
            "delete it to start with an empty one"
        )
        self.reason = reason


class DiskProblem(WorkerError):
    """The problem that a store cannot be written because the disk is full or fails.

    A worker on Kafka is started again until it can write.
    """

    exit_code = 74


def disk_remedy(reason: str) -> str:
    """Return what to do about a disk that cannot be written, for the reason that the system gives."""
    if os.strerror(errno.EROFS) in reason:
        return "it is mounted read-only: mount it for writing, after a look at why (`dmesg`)"
    if os.strerror(errno.EIO) in reason:
        return "check the disk (`dmesg`)"
    return "free some disk space"


class SettingsProblem(WorkerError):
    """The problem that a setting is unknown, cannot be used or contradicts another one."""

    exit_code = 78


class TopicProblem(WorkerError):
    """The problem that a topic is missing or has wrong settings."""

    exit_code = 78
