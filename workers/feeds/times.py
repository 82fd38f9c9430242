"""Event times of the pages of files, and times for pages that have none."""

from collections.abc import Callable

from templ_core.site_cleaner.fetch_times import (
    FIRST_TIME_MS,
    LATEST_TIME_MS,
    SPACING_MS,
    parse_time_ms,
)
from workers.page import Page

NO_TIME_FIELD = "none"
"""Name of a time field for which event times are set one minute apart."""
NO_TIME = "without a time: that of the page before was taken"
UNREADABLE_TIME = "with a time that cannot be read: that of the page before was taken"
FUTURE_TIME = "with a time in the future: the present was taken"


class Timeline:
    """The event times of a sequence of pages.

    A page without a time gets the time of the page before it. Where the records' times are to be
    ignored, each page gets a time one minute after the page before it.
    """

    def __init__(
        self,
        time_field: str,
        latest_ms: int = LATEST_TIME_MS,
        on_guess: Callable[[str], None] | None = None,
    ) -> None:
        """Start before the first page.

        Args:
            time_field: Name of the field that holds the event time; `none` ignores the records'
                times.
            latest_ms: Times later than this count as this one, so that a page dated 2100 does not
                make all other pages of its site old.
            on_guess: Called with what is wrong with a time for which another one is set.
        """
        self.time_field = time_field
        self._latest_ms = latest_ms
        self._on_guess = on_guess or (lambda _what: None)
        self.next_ms = FIRST_TIME_MS
        """Event time of the next page if it has none."""

    def event_time_ms(self, value: object) -> int:
        """Return the event time of a page whose time field holds `value`."""
        if self.time_field == NO_TIME_FIELD:
            return self.next_ms
        time_ms = parse_time_ms(value)
        if time_ms is None:
            self._on_guess(NO_TIME if value is None else UNREADABLE_TIME)
            return self.next_ms
        if time_ms > self._latest_ms:
            self._on_guess(FUTURE_TIME)
        return min(time_ms, self._latest_ms)

    def passed(self, page: Page) -> None:
        """Move on to the page after `page`."""
        is_spaced = self.time_field == NO_TIME_FIELD
        self.next_ms = page.event_time_ms + (SPACING_MS if is_spaced else 0)
