"""The supervisor of `templ worker`: waits for the broker, runs one process of each role and restarts it."""

import logging
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import TypeVar

import msgspec

from workers.child_program import child_environment
from workers.errors import (
    PLANNED_RESTART,
    BrokerProblem,
    FeedProblem,
    StateProblem,
    TopicProblem,
    UsageProblem,
)

_HOPELESS = {
    problem.exit_code for problem in (UsageProblem, FeedProblem, StateProblem, TopicProblem)
}
"""Exit codes of failures that a restart cannot mend."""
_WAIT_S = 60.0
"""How long a worker waits at its start for a broker that may be starting too."""
_ANSWER_WAIT_S = 20.0
"""How long it asks a broker that accepts connections and does not answer as it should."""
_TRY_S, _PAUSE_S = 5.0, 1.0
_PORT = 9092
log = logging.getLogger("templ")
_Answer = TypeVar("_Answer")


class RestartPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How often processes are checked, restarted and waited for."""

    first_pause_s: float = 1.0
    """Pause before the first restart; each further one doubles it."""
    longest_pause_s: float = 30.0
    """Longest pause before a restart, so that a worker soon recovers when a broker is back."""
    steady_s: float = 60.0
    """Running time after which the pause before a restart is the first one again."""
    stop_wait_s: float = 30.0
    """How long the processes may take to stop before they are killed."""
    poll_s: float = 0.1
    """Time between two checks of the processes."""


class _Role(msgspec.Struct):
    """A role and its process, if it is running."""

    name: str
    command: list[str]
    pause_s: float
    is_extra: bool
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_after: float = 0.0


def supervise(
    commands: Mapping[str, Sequence[str]],
    policy: RestartPolicy | None = None,
    *,
    extras: Collection[str] = (),
) -> int:
    """Run every role, given its command line, until SIGTERM or SIGINT arrives, or one fails in a way no restart can mend.

    The others go on without a role that is among the `extras`. The answer is 0 after a signal, otherwise the exit code of
    the role that failed.
    """
    policy = policy or RestartPolicy()
    stopping: list[int] = []

    def stop(signum: int, _frame: FrameType | None) -> None:
        stopping.append(signum)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    roles = [
        _Role(name, list(command), policy.first_pause_s, name in extras)
        for name, command in commands.items()
    ]
    code = 0
    try:
        while not stopping and not code:
            for role in roles:
                code = code or _look_after(role, policy)
            time.sleep(policy.poll_s)
    finally:
        _stop(roles, policy.stop_wait_s)
    return code


def _look_after(role: _Role, policy: RestartPolicy) -> int:
    """Start a role that is not running; return its exit code if it failed in a way no restart can mend, otherwise 0."""
    now = time.monotonic()
    if role.process is None:
        if now >= role.start_after:
            role.process = subprocess.Popen(  # noqa: S603
                role.command, stdin=subprocess.DEVNULL, env=child_environment()
            )
            role.started_at = now
        return 0
    ended = role.process.poll()
    if ended is None:
        return 0
    role.process = None
    if ended == PLANNED_RESTART:
        log.info(
            "planned restart: %s ended, so that its memory holds nothing of a site that was taken down",
            role.name,
        )
        return 0
    if ended in _HOPELESS and role.is_extra:
        log.error("%s ended with %s and is not started again; the worker goes on", role.name, ended)
        role.start_after = math.inf
        return 0
    if ended in _HOPELESS:
        return ended
    if now - role.started_at > policy.steady_s:
        role.pause_s = policy.first_pause_s
    log.warning("%s ended with %s; it starts again in %g s", role.name, ended, role.pause_s)
    role.start_after = now + role.pause_s
    role.pause_s = min(2 * role.pause_s, policy.longest_pause_s)
    return 0


def _stop(roles: Sequence[_Role], wait_s: float) -> None:
    running = [role.process for role in roles if role.process is not None]
    for process in running:
        process.send_signal(signal.SIGTERM)
    until = time.monotonic() + wait_s
    for process in running:
        try:
            process.wait(max(until - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def child_command(command: str, arguments: Sequence[str]) -> list[str]:
    """Return the command line of a process of templ that ends with this one."""
    program = [sys.executable, "-P", "-m", "workers", command, "--supervisor", str(os.getpid())]
    return [*program, *arguments]


def wait_for_broker(brokers: str, tell: Callable[[str], None], wait_s: float = _WAIT_S) -> None:
    """Wait until one of the brokers, `HOST:PORT` separated by commas, accepts a connection; tell once that it waits.

    Raises:
        BrokerProblem: None of them has accepted a connection in that time.
    """
    waiting = f"waiting up to {wait_s:g} s for the broker {brokers}"
    try:
        _tried(partial(_connect, brokers), lambda reason: tell(f"{waiting} ({reason})"), wait_s)
    except BrokerProblem as reason:
        raise BrokerProblem(
            f"cannot reach the broker {brokers} ({reason}): check the address, and that it runs"
        ) from None


def patiently(
    ask: Callable[[], _Answer], tell: Callable[[str], None], wait_s: float = _ANSWER_WAIT_S
) -> _Answer:
    """Ask the broker, and ask again while it restarts or its answer is late; tell once of the first failure.

    Raises:
        BrokerProblem: The broker has not answered in that time.
    """
    again = f"(trying again for up to {wait_s:g} s)"
    return _tried(ask, lambda problem: tell(f"{problem} {again}"), wait_s)


def _tried(
    ask: Callable[[], _Answer], tell: Callable[[BrokerProblem], None], wait_s: float
) -> _Answer:
    until = time.monotonic() + wait_s
    has_said = False
    while True:
        try:
            return ask()
        except BrokerProblem as problem:
            if time.monotonic() >= until:
                raise
            if not has_said:
                tell(problem)
                has_said = True
            time.sleep(_PAUSE_S)


def _connect(brokers: str) -> None:
    """Connect to the first of the brokers that accepts it, or raise why none does."""
    reason = "no address"
    for broker in brokers.split(","):
        host, _, port = broker.strip().rpartition(":")
        try:
            number = int(port) if host else _PORT
            socket.create_connection((host.strip("[]") or port, number), _TRY_S).close()
        except (OSError, ValueError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return
    raise BrokerProblem(reason)
