"""What has changed on a site as a whole, page by page: one event for a change, not one for each page.

A value that the site's pages have, such as their language, is watched as `drift` watches a design: a
cumulative sum (Page, Biometrika 1954) of log-likelihood ratios that no page with it comes any more. Only pages
with values that began when half of its pages had come count against it, so a site of two languages raises no
alarm. What `drift` finds becomes an event once.
"""

import math
from typing import Literal, TypeAlias

import msgspec

from templ_core.site_level.config import DRIFT_CONFIG, SCHEDULE_CONFIG, DriftConfig

EventKind: TypeAlias = Literal[
    "design-changed",
    "content-gone",
    "repeated-text-rising",
    "language-changed",
    "charset-changed",
    "content-copied",
    "feed-silent",
    "site-back",
]
"""What has changed on a site."""


class NoticedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a site as a whole."""

    kind: EventKind
    time_ms: int
    """Event time of the page that showed it, or of the first page with a new design, in Unix milliseconds."""
    last_url: str | None = None
    """The last page before the change."""
    first_url: str | None = None
    """The first page after it."""
    before: str | None = None
    """The value that has gone, such as a language."""
    after: str | None = None
    """The value that has taken its place."""


class PageFacts(msgspec.Struct, frozen=True, array_like=True):
    """What is compared of a page."""

    words: int
    """Words of the published text."""
    repeated_ratio: float | None
    """Share of these words in segments that other pages have too, 0 to 1; None where nothing is known of them."""
    language: str | None
    charset: str | None


class WatchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of the watch."""

    text_ratio_min: float = 0.1
    """Share of the words of a site's usual page, 0 to 1, below which a page has no text."""

    repeated_ratio_min: float = 0.5
    """Share of a page's published words that other pages have, 0 to 1, from which on its text is repeated."""

    usual_pages: int = 25
    """Pages over which the usual number of words is averaged, and after which a site's rhythm is known."""

    known_ratio_max: float = 0.5
    """Share of the anchors of later pages, 0 to 1, that the pages of a design that has gone may have: listings that
    follow articles of the same design have 0.57 to 0.93 of them, pages of another design hardly any."""

    silent_gaps: float = 4.0
    """How many times as long as the longest gap between pages a site must be silent before that is reported."""

    silent_ms: int = 2 * 24 * 3600 * 1000
    """Shortest silence that is reported, in milliseconds: many sites rest at weekends."""

    gap_decay: float = 0.99
    """What the longest gap is multiplied with at each page, 0 to 1."""


WATCH = WatchConfig()

_HAS_TEXT, _NO_TEXT = "text", "no text"
_OWN_TEXT, _REPEATED_TEXT = "own text", "repeated text"
_CONTENT, _REPEATED, _LANGUAGE, _CHARSET = "content", "repeated", "language", "charset"
_KINDS: dict[tuple[str, str | None], EventKind] = {
    (_CONTENT, _HAS_TEXT): "content-gone",
    (_CONTENT, _NO_TEXT): "site-back",
    (_REPEATED, _OWN_TEXT): "repeated-text-rising",
    (_LANGUAGE, None): "language-changed",
    (_CHARSET, None): "charset-changed",
}
"""The event of a value that has gone; None stands for any value."""
_VALUES_MAX = 8
"""Values of one kind that are remembered; the one that has not come for longest is dropped."""


class WatchedValue(msgspec.Struct, array_like=True):
    """One value that pages of a site have, and what its detector needs."""

    began: int
    """Number of the first page with it."""
    last: int
    """Number of the last page with it."""
    last_url: str
    pages: int = 0
    instead: int = 0
    """Pages in its place since its last one."""
    instead_url: str | None = None
    """The first of them."""

    def is_gone(self, config: DriftConfig) -> bool:
        """Return whether the cumulative sum is above the alarm."""
        share = min(config.share_max, (self.pages + 1) / (self.last - self.began + 3))
        is_usual = self.pages >= SCHEDULE_CONFIG.design_documents
        return is_usual and self.instead * -math.log(1 - share) >= config.alarm_log_ratio


class SiteWatch(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is remembered of a site to notice its changes; stored with the state of its window."""

    pages: int = 0
    values: dict[str, dict[str, WatchedValue]] = {}
    mean_words: float = 0.0
    """Words of the usual page, the latest pages weighing most."""
    newest_ms: int | None = None
    """Highest event time of the pages."""
    newest_url: str | None = None
    gap_ms: float = 0.0
    """Longest time without a page, shrinking slowly."""
    is_silent: bool = False
    """Whether it was reported that no page comes any more."""
    origins: list[str] = []
    """Which other sites published the contents of the latest pages first, from the first copy on; empty for pages of
    the site's own."""
    copied_from: str | None = None
    """The site that was reported as the source of most pages."""
    design_ms: int | None = None
    """`newest_ms` when a change of design was reported last."""
    unreported: list[NoticedChange] = msgspec.field(default_factory=list, name="untold")
    """Changes to be reported."""

    def add_page(self, url: str, time_ms: int, facts: PageFacts) -> None:
        """Take a page into account, in the order of arrival.

        Args:
            url: Its address.
            time_ms: Its event time in Unix milliseconds.
            facts: What was read of it.
        """
        self.pages += 1
        self._follow_time(url, time_ms)
        has_text = facts.words >= WATCH.text_ratio_min * self.mean_words
        if has_text:
            weight = 1 / min(self.pages, WATCH.usual_pages)
            self.mean_words += weight * (facts.words - self.mean_words)
        seen = {
            _CONTENT: _HAS_TEXT if has_text else _NO_TEXT,
            _REPEATED: _repetition(facts.repeated_ratio),
            _LANGUAGE: facts.language and facts.language.partition("-")[0],
            _CHARSET: facts.charset,
        }
        for name, value in seen.items():
            if value is not None and (has_text or name == _CONTENT):
                self._follow_value(name, value, url, time_ms)

    def notice_origin(self, url: str, time_ms: int, origin: str) -> NoticedChange | None:
        """Notice that most of the latest pages are copies from one other site, or that no page is any more.

        Args:
            url: Address of the next page.
            time_ms: Its event time in Unix milliseconds.
            origin: The site that published its content first; empty for the site itself.

        Returns:
            The change, which the caller is to report.
        """
        if not origin and not any(self.origins):
            return None
        self.origins = [*self.origins, origin][-WATCH.usual_pages :]
        before = self.copied_from
        kind: EventKind = "content-copied"
        if origin and origin != before and 2 * self.origins.count(origin) > WATCH.usual_pages:
            self.copied_from = origin
        elif before is not None and before not in self.origins:
            self.copied_from, kind = None, "site-back"
        else:
            return None
        return NoticedChange(
            kind=kind, time_ms=time_ms, first_url=url, before=before, after=self.copied_from
        )

    def _follow_time(self, url: str, time_ms: int) -> None:
        before_ms = self.newest_ms
        if before_ms is not None and time_ms > before_ms:
            if self.is_silent or self._is_silence(time_ms - before_ms):
                back = NoticedChange(
                    kind="site-back", time_ms=time_ms, last_url=self.newest_url, first_url=url
                )
                self._note(back)
                self.is_silent = False
            self.gap_ms = max(WATCH.gap_decay * self.gap_ms, time_ms - before_ms)
        if before_ms is None or time_ms >= before_ms:
            self.newest_ms, self.newest_url = time_ms, url

    def _is_silence(self, gap_ms: int) -> bool:
        shortest_ms = max(WATCH.silent_ms, WATCH.silent_gaps * self.gap_ms)
        return self.pages > WATCH.usual_pages and gap_ms >= shortest_ms

    def notice_silence(self, now_ms: int) -> None:
        """Notice that no page comes any more.

        Args:
            now_ms: The present time of the feed in Unix milliseconds, by its other sites.
        """
        if self.has_fallen_silent(now_ms):
            self.is_silent = True
            self._note(NoticedChange(kind="feed-silent", time_ms=now_ms, last_url=self.newest_url))

    def has_fallen_silent(self, now_ms: int) -> bool:
        """Return whether pages should have come by now, and that was not reported."""
        if self.newest_ms is None or self.is_silent:
            return False
        return self._is_silence(now_ms - self.newest_ms)

    def notice_design(self, changed_at_ms: int | None, last_url: str, first_url: str) -> None:
        """Notice a change of design that the drift detector has found, once.

        Detectors of the other kinds of page of the old design find the same change later. So a change is
        another one only if it came after the last one was reported.

        Args:
            changed_at_ms: Event time of the first page after the change; None = there was none.
            last_url: The page before it.
            first_url: That page.
        """
        if changed_at_ms is None or self.newest_ms is None:
            return
        if self.design_ms is None or changed_at_ms > self.design_ms:
            self.design_ms = max(self.newest_ms, changed_at_ms)
            change = NoticedChange(
                kind="design-changed", time_ms=changed_at_ms, last_url=last_url, first_url=first_url
            )
            self._note(change)

    def _follow_value(self, name: str, value: str, url: str, time_ms: int) -> None:
        values = dict(self.values.get(name, {}))
        seen = values.pop(value, None) or WatchedValue(self.pages, self.pages, url)
        for other, watched in [*values.items()]:
            if 2 * seen.began <= watched.began + watched.last:
                continue
            watched.instead += 1
            watched.instead_url = watched.instead_url or url
            if watched.is_gone(DRIFT_CONFIG):
                del values[other]
                kind = _KINDS.get((name, other)) or _KINDS.get((name, None))
                if kind is not None:
                    change = NoticedChange(
                        kind=kind,
                        time_ms=time_ms,
                        last_url=watched.last_url,
                        first_url=watched.instead_url,
                        before=other,
                        after=value,
                    )
                    self._note(change)
        seen.pages, seen.last, seen.last_url = seen.pages + 1, self.pages, url
        seen.instead, seen.instead_url = 0, None
        values[value] = seen  # the latest is the last one
        if len(values) > _VALUES_MAX:
            del values[next(iter(values))]
        self.values = {**self.values, name: values}

    def _note(self, change: NoticedChange) -> None:
        self.unreported = [*self.unreported, change]


def _repetition(repeated_ratio: float | None) -> str | None:
    if repeated_ratio is None:
        return None
    return _REPEATED_TEXT if repeated_ratio >= WATCH.repeated_ratio_min else _OWN_TEXT
