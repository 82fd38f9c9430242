"""The supervisor of `templ worker`, which runs one process of each role and restarts it."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

import msgspec

from workers.errors import StateProblem, TopicProblem, UsageProblem

_FIRST_PAUSE_S = 1.0
"""Pause before the first restart; each further one doubles it."""
_LONGEST_PAUSE_S = 30.0
"""Longest pause before a restart."""
_STEADY_S = 60.0
"""A process that ran longer than this is restarted after the first pause again."""
_STOP_WAIT_S = 30.0
"""How long processes may take to stop before they are killed."""
_POLL_S = 0.1
"""Time between two looks at the processes."""
_HOPELESS = {UsageProblem.exit_code, StateProblem.exit_code, TopicProblem.exit_code}
"""Exit codes of failures that a restart cannot mend."""
log = logging.getLogger("templ")


class _Role(msgspec.Struct):
    """A role and its process, if it is running."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    pause_s: float = _FIRST_PAUSE_S
    start_after: float = 0.0


def supervise(commands: dict[str, Sequence[str]]) -> int:
    """Run every role until SIGTERM or SIGINT arrives, or one fails in a way no restart can mend.

    Args:
        commands: Command line of each role by the role's name.

    Returns:
        0 after a signal, otherwise the exit code of the role that failed.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker %(levelname)s %(message)s")
    stopping: list[int] = []

    def stop(signum: int, _frame: FrameType | None) -> None:
        stopping.append(signum)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    roles = [_Role(name, list(command)) for name, command in commands.items()]
    code = 0
    try:
        while not stopping and not code:
            for role in roles:
                code = code or _look_after(role)
            time.sleep(_POLL_S)
    finally:
        _stop(roles)
    return code


def _look_after(role: _Role) -> int:
    """Start a role that is not running.

    Returns:
        The exit code of a role that failed in a way no restart can mend, otherwise 0.
    """
    now = time.monotonic()
    if role.process is None:
        if now >= role.start_after:
            role.process = subprocess.Popen(role.command, stdin=subprocess.DEVNULL)  # noqa: S603
            role.started_at = now
        return 0
    ended = role.process.poll()
    if ended is None:
        return 0
    role.process = None
    if ended in _HOPELESS:
        return ended
    if now - role.started_at > _STEADY_S:
        role.pause_s = _FIRST_PAUSE_S
    log.warning("%s ended with %s; it starts again in %g s", role.name, ended, role.pause_s)
    role.start_after = now + role.pause_s
    role.pause_s = min(2 * role.pause_s, _LONGEST_PAUSE_S)
    return 0


def _stop(roles: Sequence[_Role]) -> None:
    running = [role.process for role in roles if role.process is not None]
    for process in running:
        process.send_signal(signal.SIGTERM)
    until = time.monotonic() + _STOP_WAIT_S
    for process in running:
        try:
            process.wait(max(until - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def role_command(role: str, arguments: Sequence[str]) -> list[str]:
    """Return the command line of a role's process."""
    program = [sys.executable, "-m", "workers", "worker", "--supervisor", str(os.getpid())]
    return [*program, "--role", role, *arguments]
