"""Event times of the pages of files, and times for pages that have none."""

from templ_core.site_cleaner.fetch_times import (
    FIRST_TIME_MS,
    LATEST_TIME_MS,
    SPACING_MS,
    parse_time_ms,
)
from workers.page import Page

NO_TIME_FIELD = "none"
"""Name of a time field for which event times are set one minute apart."""


class Timeline:
    """The event times of a sequence of pages.

    A page without a time gets the time of the page before it. Where the records' times are to be
    ignored, each page gets a time one minute after the page before it.
    """

    def __init__(self, time_field: str, latest_ms: int = LATEST_TIME_MS) -> None:
        """Start before the first page.

        Args:
            time_field: Name of the field that holds the event time; `none` ignores the records'
                times.
            latest_ms: Times later than this count as this one, so that a page dated 2100 does not
                make all other pages of its site old.
        """
        self.time_field = time_field
        self._latest_ms = latest_ms
        self.next_ms = FIRST_TIME_MS
        """Event time of the next page if it has none."""

    def event_time_ms(self, value: object) -> int:
        """Return the event time of a page whose time field holds `value`."""
        if self.time_field == NO_TIME_FIELD:
            return self.next_ms
        time_ms = parse_time_ms(value)
        return self.next_ms if time_ms is None else min(time_ms, self._latest_ms)

    def passed(self, page: Page) -> None:
        """Move on to the page after `page`."""
        is_spaced = self.time_field == NO_TIME_FIELD
        self.next_ms = page.event_time_ms + (SPACING_MS if is_spaced else 0)
