"""Reading from this machine what `templ doctor` judges; nothing is changed."""

import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from workers.errors import DamagedStore, UsageProblem
from workers.kafka.operate.findings import Finding, MachineFacts, StateFacts, findings_of_lines
from workers.processes.page_model import has_fitted_weights, usable_model_file
from workers.settings import Settings
from workers.site_settings.book import SETTINGS_FILE, read_book
from workers.state.directory import is_used, made_for_partitions

_REFRESHER_CHILDREN = 2
_CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files with the memory limit of a container, of cgroup version 2 and 1."""
_ROLES = ("cleaner", "refresher")


def read_machine(settings: Settings) -> MachineFacts:
    """Return what this machine offers to a worker."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MachineFacts(
        memory_bytes=_memory_bytes(),
        children=(settings.cleaner_children or os.cpu_count() or 1) + _REFRESHER_CHILDREN,
        open_files=None if soft == resource.RLIM_INFINITY else soft,
    )


def read_state(path: Path) -> StateFacts:
    """Return what is known of a state directory, which need not exist yet."""
    there = path.absolute()
    while not os.access(there, os.F_OK):
        there = there.parent
    disk = shutil.disk_usage(there)
    directories = [there, *(path / role for role in _ROLES if os.access(path / role, os.F_OK))]
    made: list[int] = []
    for directory in directories[1:]:
        with suppress(DamagedStore, PermissionError):  # a worker begins a damaged one anew
            made += made_for_partitions(directory)
    return StateFacts(
        path=str(path),
        is_writable=all(one.is_dir() and os.access(one, os.W_OK | os.X_OK) for one in directories),
        is_of_run=os.access(there, os.X_OK) and is_used(path),
        partitions=tuple(made),
        disk_free_bytes=disk.free,
        disk_bytes=disk.total,
    )


def taken_down_in_state(path: Path) -> frozenset[str]:
    """Return the sites that the roles of a worker remember as taken down.

    Raises:
        InputProblem: The settings in the directory cannot be read.
    """
    books = [read_book(path / role / SETTINGS_FILE) for role in _ROLES]
    return frozenset(site for book in books for site in book.forgotten())


def judge_page_model(path: Path | None) -> Iterator[Finding]:
    """Yield what is wrong with the page model.

    Args:
        path: The file of the page model; None means the one that comes with templ.
    """
    try:
        body = b"" if path is None else usable_model_file(path)
    except UsageProblem as problem:
        yield from findings_of_lines([str(problem)])
        return
    if not has_fitted_weights(body):
        yield Finding(
            severity="warning",
            problem=f"page model {path or 'of templ'}: the site level's weights were fitted for another "
            "page model, so unfitted weights take their place",
            remedy="use the page model that comes with templ, or fit the weights",
        )


def _memory_bytes() -> int | None:
    """Return the memory of this machine, or of its container where that has less."""
    sizes = []
    with suppress(ValueError, OSError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in _CGROUP_LIMITS:
        with suppress(ValueError, OSError):  # there may be no file, or the word `max`
            sizes.append(int(file.read_text()))
    return min(sizes, default=None)
