"""Stores whose content is in a topic too, and which are therefore rebuilt when they cannot be used."""

import logging
import shutil
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TypeVar

from workers.errors import DamagedStore, OtherFormat

_ASIDE = ".damaged"
"""End of the name under which something damaged is kept, for a person to examine."""

log = logging.getLogger("templ")

Store = TypeVar("Store")


def open_rebuildable(path: Path, open_store: Callable[[Path], Store], topic: str) -> Store:
    """Open a store; an empty one takes the place of one that is damaged or of another version.

    The topic from which the caller fills an empty store is named in the log.
    """
    try:
        return open_store(path)
    except OtherFormat:
        log.warning("%s was written by another version: it is rebuilt from %s", path, topic)
        shutil.rmtree(path)
    except DamagedStore as problem:
        aside = set_aside(path)
        log.warning(
            "%s is damaged (%s): it is set aside as %s and rebuilt from %s",
            *(path, problem.reason, aside.name, topic),
        )
    return open_store(path)


def set_aside(path: Path) -> Path:
    """Rename a file or directory to its name with `.damaged` added, and return the new path.

    What was set aside under that name before is removed, so the disk does not fill up.
    """
    aside = path.with_name(path.name + _ASIDE)
    if aside.is_dir():
        shutil.rmtree(aside)
    path.replace(aside)
    return aside


def remove_set_aside(directory: Path) -> None:
    """Remove what was set aside in a directory; it may hold what is to be erased."""
    _remove(directory.glob(f"*{_ASIDE}"))


def remove_all(directory: Path, *, keep: Collection[str]) -> None:
    """Remove what lies in a directory, except for what has one of the names in `keep`."""
    _remove(path for path in directory.iterdir() if path.name not in keep)


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def set_all_aside(directory: Path, *, keep: Collection[str]) -> None:
    """Set aside what lies in a directory, except for what has one of the names in `keep`."""
    for path in list(directory.iterdir()):
        if path.name not in keep and path.suffix != _ASIDE:
            set_aside(path)
