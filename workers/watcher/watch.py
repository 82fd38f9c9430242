"""What a record of `cleaned` says of its page and its site: what has changed, and who published the content first.

The answers depend on the records and their order alone.
"""

from typing import TypeAlias

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, Observed
from schemas.fingerprint import FingerprintRecord, Original
from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from schemas.source import Source
from templ_core.page_changes import FetchedText, PageChanges, page_changes
from templ_core.site_events import WATCH, NoticedChange, PageFacts
from templ_core.site_key import site_key
from templ_core.stored.compact import content_digest
from templ_core.times import SPACING_MS, parse_time_ms, rfc3339
from templ_core.tokens import tokenise
from workers.state.content_index import ContentIndex
from workers.watcher.watch_store import SeenPage, WatchChange, WatchStore


class CopyEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was reported as a copy is no copy any more, or was deleted."""

    url: str
    site: str


WatchRecord: TypeAlias = (
    PageChangeRecord | PageCopyRecord | CopyEnded | SiteEventRecord | FingerprintRecord
)
"""Something that is reported because of a record."""


class Noticed(msgspec.Struct, kw_only=True):
    """What one record says."""

    changes: PageChanges | None = None
    """What has changed on the page since its fetch before; None where that is not known."""
    original: Original | None = None
    """The page of another site that published the content first; None where none is known."""
    was_copy: bool = False
    """Whether another site may have published the content of the fetch before."""
    fingerprint: FingerprintRecord | None = None
    """What other watchers are to know of the text."""
    events: list[SiteEventRecord] = []
    others: list[WatchRecord] = []
    """Reports about other pages whose original this one now is, or no longer is; on files alone."""

    def records(self, of: CleanedRecord) -> list[WatchRecord]:
        """Return what is to be reported because of a cleaned record."""
        reports: list[WatchRecord] = []
        page = {"url": of.url, "site": of.site}
        if self.changes is not None and self.changes.degree != "none":
            fetch = {"fetched_at": of.fetched_at, "source": of.source}
            reports.append(PageChangeRecord(**page, **fetch, changes=self.changes))  # type: ignore[arg-type]
        if self.original is not None:
            copy = Original(of.url, of.site)
            reports.append(_copy(copy, of.fetched_at, of.source, self.original))
        elif self.was_copy:
            reports.append(CopyEnded(**page))
        if self.fingerprint is not None:
            reports.append(self.fingerprint)
        return [*reports, *self.events, *self.others]


class Watch:
    """Notices what changes on pages and sites, and which pages are copies.

    Records of a site follow each other; one thread at a time may use it.
    """

    def __init__(self, store: WatchStore, contents: ContentIndex | None) -> None:
        """Watch with what a store remembers; without contents no copies are sought."""
        self.store = store
        self._contents = contents

    def take(
        self, record: CleanedRecord, arrived_ms: int | None = None
    ) -> tuple[Noticed, WatchChange]:
        """Return what a record says, and the change of its site, which the caller applies.

        Args:
            record: The record; a revision replaces the text of its fetch and says nothing else.
            arrived_ms: When it was published, by which it is decided who was first, in Unix milliseconds; None = the
                order of the calls.
        """
        change = self.store.change(record.site)
        noticed, known = Noticed(), change.page(record.url)
        place = Original(record.url, record.site)
        if self._contents is not None:
            # Whether a page that has left the window was reported as a copy is no longer known.
            noticed.was_copy = (
                known.is_copy if known is not None else self._contents.published(place) is not None
            )
            noticed.original, noticed.fingerprint = self._contents.take(record, arrived_ms)
        if isinstance(record.observed, Observed):
            self._observe(record, record.observed, known, change, noticed)
        return noticed, change

    def _observe(
        self,
        record: CleanedRecord,
        observed: Observed,
        known: SeenPage | None,
        change: WatchChange,
        noticed: Noticed,
    ) -> None:
        watch = change.watch
        is_known_fetch = known is not None and known.source == record.source
        time_ms = parse_time_ms(record.fetched_at)
        if time_ms is None:
            time_ms = (watch.newest_ms or 0) + SPACING_MS
        page = SeenPage(
            url=record.url,
            source=record.source,
            time_ms=known.time_ms if known and is_known_fetch else time_ms,
            fetched_at=record.fetched_at,
            text=record.text,
            left_out=observed.left_out,
            metadata=record.metadata,
            is_copy=noticed.original is not None,
        )
        if is_known_fetch:
            change.replace(page, _digest(page))
            return
        if record.revision or not change.enter(page, _digest(page)):
            return
        if known is not None:
            noticed.changes = _changes(known, page)
        facts = PageFacts(
            words=len(tokenise(record.text)),
            # The text of a page that comes again is that of its earlier fetch.
            repeated_ratio=None if known else observed.repeated_ratio,
            language=observed.language,
            charset=observed.charset,
        )
        watch.add_page(record.url, time_ms, facts)
        design = observed.design
        if design is not None and design.known_ratio <= WATCH.known_ratio_max:
            watch.notice_design(parse_time_ms(design.since), design.last_url, design.first_url)
        if self._contents is not None:
            self._notice_origin(change, page, noticed.original)
        noticed.events = _take_events(change)

    def _notice_origin(
        self, change: WatchChange, page: SeenPage, original: Original | None
    ) -> None:
        watch = change.watch
        copied = watch.notice_origin(page.url, page.time_ms, original.site if original else "")
        watch.unreported = [*watch.unreported, *([copied] if copied else [])]

    def judge_again(self, page: Original) -> tuple[list[WatchRecord], WatchChange | None]:
        """Return the reports about a page whose original may be another page now, and the change of its site.

        There is no change where nothing is to be reported.
        """
        if self._contents is None:
            return [], None
        change = self.store.change(page.site)
        seen = change.page(page.url)
        # Contents are remembered for longer than pages.
        known = seen or self._contents.published(page)
        original, reports = self._contents.judge(page), list[WatchRecord]()
        if original is None:
            reports.append(CopyEnded(url=page.url, site=page.site))
        elif known is not None and known.source is not None:
            reports.append(_copy(page, known.fetched_at, known.source, original))
        if seen is not None:
            if original is not None and not seen.is_copy:
                self._notice_origin(change, seen, original)
            judged = msgspec.structs.replace(seen, is_copy=original is not None)
            change.replace(judged, _digest(judged))
        return [*reports, *_take_events(change)], change

    def delete(self, record: DeletedRecord) -> tuple[list[WatchRecord], WatchChange | None]:
        """Return what the deletion of a page says, and the change of its site; None for a site that is not remembered.

        The site of the record may be empty, as a null value does not say it where the page message did not.
        """
        site = record.site or self.store.site_of(record.url) or site_key(record.url)
        if not self.store.remembers(site):
            return [], None
        if self._contents is not None:
            self._contents.remove(site, record.url)
        change = self.store.change(site)
        change.leave(record.url)
        gone: list[WatchRecord] = []
        if self._contents is not None:
            gone = [
                CopyEnded(url=record.url, site=site),
                FingerprintRecord(url=record.url, site=site, key=None),
            ]
        return gone, change

    def silent_sites(self) -> list[tuple[list[SiteEventRecord], WatchChange]]:
        """Return the events and changes of sites whose pages no longer come, by the newest page of all sites."""
        watched = list(self.store.sites())
        now_ms = max((watch.newest_ms or 0 for _, watch in watched), default=0)
        silent = []
        for site, watch in watched:
            if watch.has_fallen_silent(now_ms):
                change = self.store.change(site)
                change.watch.notice_silence(now_ms)
                silent.append((_take_events(change), change))
        return silent


def _changes(known: SeenPage, page: SeenPage) -> PageChanges | None:
    """Return what has changed since an earlier fetch; None where one of them is not known as a whole."""
    if known.left_out is None or page.left_out is None:
        return None
    before, after = (
        FetchedText(
            kept=version.text,
            shown=[*version.text.split("\n"), *(version.left_out or ())],
            metadata=version.metadata,
        )
        for version in (known, page)
    )
    return page_changes(before, after, known.fetched_at)


def _digest(page: SeenPage) -> bytes:
    return content_digest(msgspec.msgpack.encode(page))


def _copy(
    page: Original, fetched_at: str | None, source: Source, original: Original
) -> PageCopyRecord:
    return PageCopyRecord(
        url=page.url,
        site=page.site,
        fetched_at=fetched_at,
        source=source,
        duplicate_of=original.url,
        duplicate_of_site=original.site,
    )


def _take_events(change: WatchChange) -> list[SiteEventRecord]:
    """Return the events of a site that were not reported yet, and remove them from it."""
    events, change.watch.unreported = change.watch.unreported, []
    return [_event(change.site, event) for event in events]


def _event(site: str, change: NoticedChange) -> SiteEventRecord:
    return SiteEventRecord(
        site=site,
        event=change.kind,
        time=rfc3339(change.time_ms),
        last_url=change.last_url,
        first_url=change.first_url,
        before=change.before,
        after=change.after,
    )
