"""The windows and site models of a stream without a broker, in a directory or in memory."""

from pathlib import Path

from schemas.codec import encode_json
from workers.errors import StateProblem
from workers.settings import Settings
from workers.site_settings.book import SETTINGS_FILE, SettingsBook, read_book, write_records
from workers.state.directory import StateDirectory
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

_PARTITIONS = 1


class LocalState:
    """The two stores of one stream, and the directory that holds them."""

    def __init__(
        self, path: Path | None, settings: Settings, book: SettingsBook | None = None
    ) -> None:
        """Open the state, and create it when it does not exist; sites that are taken down are erased.

        Args:
            path: State directory; None means in memory, for one thread.
            settings: Bounds of the windows.
            book: What operators have decided about sites; None = what a file in the directory says.

        Raises:
            StateProblem: The directory cannot be used.
            InputProblem: The file of site settings cannot be used.
        """
        self._settings = settings
        self._directory = None if path is None else StateDirectory.open(path, _PARTITIONS)
        self.windows = WindowStore(path and path / "windows-0", settings, has_topic=False)
        self.models = ModelStore(path and path / "models")
        if book is None:
            book = SettingsBook() if path is None else read_book(path / SETTINGS_FILE)
        self.book = book
        """What operators have decided about sites."""
        for site in book.forgotten():
            self.windows.erase(site)
            self.models.erase(site)

    def load(self, path: Path) -> None:
        """Copy what a state directory holds; the directory stays as it is.

        Raises:
            StateProblem: There is no state at `path` that can be used.
        """
        if not path.is_dir():
            raise StateProblem(f"there is no state directory {path}")
        saved = LocalState(path, self._settings)
        saved._copy_to(self)
        saved.close()

    def save(self, path: Path) -> None:
        """Write the state to a new directory.

        Raises:
            StateProblem: There is something at `path`, or it cannot be written.
        """
        if path.exists() and any(path.iterdir()):
            raise StateProblem(f"{path} is not empty: name a directory that is not there yet")
        saved = LocalState(path, self._settings)
        self._copy_to(saved)
        if self.book.records():
            write_records(path / SETTINGS_FILE, self.book.records())
        saved.close()

    def _copy_to(self, other: "LocalState") -> None:
        for record in self.book.records():
            other.book.put(record.site, encode_json(record))
        other.windows.restore(self.windows.entries())
        other.models.restore(self.models.entries())

    def close(self) -> None:
        """Write what is in memory to disk, and unlock the directory."""
        self.windows.close()
        self.models.close()
        if self._directory is not None:
            self._directory.close()
