"""The number of processors that this process may use, which in a container is less than the machine has."""

import math
import os
from contextlib import suppress
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
"""Where the limits of a container are, as it sees them itself."""


def processor_count() -> int:
    """Return how many processors this process may use: at least one, and no part of one is left out."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, math.ceil(min(count or 1, _quota(_CGROUPS))))


def _quota(cgroups: Path) -> float:
    """Return how many processors the container may use, by its cgroup of version 2 or 1."""
    with suppress(OSError, ValueError):
        quota, period = (cgroups / "cpu.max").read_text().split()
        return math.inf if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError, ZeroDivisionError):
        names = "cpu.cfs_quota_us", "cpu.cfs_period_us"
        allowed_us, period_us = (int((cgroups / "cpu" / name).read_text()) for name in names)
        return math.inf if allowed_us < 0 else allowed_us / period_us
    return math.inf
