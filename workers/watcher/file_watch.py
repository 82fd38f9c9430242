"""Watching the records of files, in their order, with what an earlier run remembers."""

from collections.abc import Iterable
from pathlib import Path

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.site_event import SiteEventRecord
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.watcher.watch import Noticed, Watch, WatchRecord
from workers.watcher.watch_store import WatchChange, WatchStore

_SEEN, _CONTENTS = "watched", "contents"
"""Directories of the stores in a state directory."""


class FileWatch:
    """Watches records that come in one order; a closed one goes on with its state directory."""

    def __init__(
        self,
        state: Path | None,
        settings: Settings,
        *,
        finds_copies: bool,
        forgotten: Iterable[str] = (),
    ) -> None:
        """Open the stores, in memory without a state directory; sites that are taken down are erased.

        Raises:
            WorkerError: A store cannot be used, see `open_database`.
        """
        self._store = WatchStore(state and state / _SEEN, settings.window)
        self._contents: ContentIndex | None = None
        if finds_copies:
            self._contents = ContentIndex(
                state and state / _CONTENTS, settings.duplicates_pages_max
            )
        for site in forgotten:
            self._store.erase(site)
            if self._contents is not None:
                self._contents.erase(site)
        self._watch = Watch(self._store, self._contents)

    def take(self, record: CleanedRecord | DeletedRecord) -> Noticed:
        """Return what a record says; of a deletion, what it says of other pages."""
        change: WatchChange | None
        if isinstance(record, DeletedRecord):
            noticed = Noticed()
            _, change = self._watch.delete(record)
        else:
            noticed, change = self._watch.take(record)
        if change is not None:
            self._store.apply(change)
        for report in self._judged_again():
            if isinstance(report, SiteEventRecord):
                noticed.events = [*noticed.events, report]
            else:
                noticed.others = [*noticed.others, report]
        return noticed

    def _judged_again(self) -> list[WatchRecord]:
        """Return the reports about pages whose original has changed."""
        reports: list[WatchRecord] = []
        while self._contents is not None and (due := self._contents.due()):
            for due_page in due:
                records, change = self._watch.judge_again(due_page.page)
                if change is not None:
                    self._store.apply(change)
                    reports += records
            self._contents.settle(due)
        return reports

    def silent_sites(self) -> list[SiteEventRecord]:
        """Return the events of sites that have fallen silent, by the time of the newest page of all sites."""
        silent = []
        for events, change in self._watch.silent_sites():
            self._store.apply(change)
            silent += events
        return silent

    def close(self) -> None:
        """Write what is in memory to disk."""
        self._store.close()
        if self._contents is not None:
            self._contents.close()


def erase_watched(state: Path, settings: Settings, sites: Iterable[str]) -> None:
    """Erase sites from what watching has left in a state directory."""
    names = [name for name in (_SEEN, _CONTENTS) if (state / name).exists()]
    if names and (forgotten := list(sites)):
        has_contents = _CONTENTS in names
        FileWatch(state, settings, finds_copies=has_contents, forgotten=forgotten).close()
