"""The windows and site models of a stream without a broker, in a directory or in memory."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workers.errors import StateProblem
from workers.settings import Settings
from workers.site_settings import SITE_SETTINGS_FILE, SettingsOfSites, read_site_settings
from workers.state.directory import StateDirectory, is_used, remove_unused
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore
from workers.watcher.file_watch import erase_watched

_PARTITIONS = 1
_ROLES = ("cleaner", "refresher")
"""Directories in a state directory of `templ worker`."""

_TEMPORARY = "templ-run-", "-state"
"""Beginning and end of the names of state directories that last as long as a run."""
_NO_OTHER_FILES = {"lock", "lost+found", SITE_SETTINGS_FILE}
"""Names that a directory may hold before its first use as a state directory."""


def _refuse_other_directory(path: Path) -> None:
    if any((path / role).is_dir() for role in _ROLES):
        raise StateProblem(
            f"{path} is a state directory of `templ worker`: name another one for `templ run`"
        )
    names = (
        {entry.name for entry in path.iterdir()} if path.is_dir() and not is_used(path) else set()
    )
    if names - _NO_OTHER_FILES:
        raise StateProblem(
            f"{path} is a directory of other files: name a new or empty one as --state"
        )


@contextmanager
def temporary_state() -> Iterator[Path]:
    """Yield a new state directory; at the end it is removed, with those of runs that were killed before."""
    for left in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY[0]}*{_TEMPORARY[1]}"):
        remove_unused(left)
    with tempfile.TemporaryDirectory(_TEMPORARY[1], _TEMPORARY[0]) as path:
        yield Path(path)


class LocalState:
    """The stores of one stream, and the directory that holds them."""

    def __init__(
        self, path: Path | None, settings: Settings, site_settings: SettingsOfSites | None = None
    ) -> None:
        """Open the state, and create it when it does not exist; sites that are taken down are erased.

        Without a path it is in memory, for one thread. Without site settings, a file in the directory says what operators have
        decided about sites.

        Raises:
            StateProblem: The directory cannot be used, or it holds other files.
            InputProblem: The file of site settings cannot be used.
        """
        if path is not None:
            _refuse_other_directory(path)
        self._directory = None if path is None else StateDirectory.open(path, _PARTITIONS)
        self.windows = WindowStore(path and path / "windows-0", settings, has_topic=False)
        self.models = ModelStore(path and path / "models")
        if site_settings is None:
            site_settings = (
                SettingsOfSites() if path is None else read_site_settings(path / SITE_SETTINGS_FILE)
            )
        self.site_settings = site_settings
        """What operators have decided about sites."""
        forgotten = site_settings.forgotten()
        for site in forgotten:
            self.windows.erase(site)
            self.models.erase(site)
        if path is not None:
            erase_watched(path, settings, forgotten)

    def close(self) -> None:
        """Write what is in memory to disk, and unlock the directory."""
        self.windows.close()
        self.models.close()
        if self._directory is not None:
            self._directory.close()
