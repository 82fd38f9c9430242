"""Bounds of the console, and the figures from which on it warns of a site."""

import msgspec


class ConsoleConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of the console; they are no settings, since no operator has had to change them so far."""

    connections_max: int = 64
    """Most open connections; a further one takes the place of the oldest one whose request has not come yet."""
    requests_max: int = 32
    """Most requests that are answered at a time; a further one is refused with status 503."""
    idle_s: float = 15.0
    """Seconds that a connection may take to send the head of a request."""
    body_s: float = 10.0
    """Seconds that a request may take to send its body."""
    linger_s: float = 1.0
    """Seconds for which the rest of a refused body is read, so that the sender sees the answer."""
    body_bytes_max: int = 1 << 16
    """Largest body of a request, which has room for a form with many rules."""
    queries_max: int = 2
    """Queries that are answered at a time, each by a process; a worker needs the processors more than its console."""
    query_wait_s: float = 30.0
    """Seconds that a query waits for such a process before it is refused with status 503."""
    query_processor_s: int = 60
    """Longest processor time of a query in seconds; the report of a site of 1000 large pages takes about ten."""
    query_s: float = 300.0
    """Longest time of a query in seconds by the clock, for a machine whose processors are busy."""
    query_bytes_max: int = 64 << 20
    """Largest answer, such as a report."""
    rows_max: int = 100
    """Sites, or pages of a site, on one page of a list."""
    key_chars_max: int = 300
    """Longest site key that is looked up; host names have at most 253 characters."""
    url_chars_max: int = 4096
    """Longest URL of a page that is looked up."""
    rows_age_s: float = 2.0
    """Seconds for which the list of sites is used again, so that many readers cost no more than one."""
    lag_age_s: float = 5.0
    """Seconds for which an answer of the broker about lag is used again."""
    lag_wait_s: float = 5.0
    """Seconds that the broker may take to answer; after that, the lag is shown as not known."""
    survey_sites: int = 20
    """Sites whose repeated text is measured by one process, before the next one starts."""
    survey_pages: int = 20
    """Newest pages of a site on which its repeated text is measured for the list."""
    survey_rest_ratio: float = 3.0
    """Pause between two such processes, as a multiple of the time that the last one took."""
    survey_pause_s: float = 5.0
    """Shortest pause between two such processes, in seconds."""
    survey_change_ratio: float = 0.2
    """New pages, as a share of those that were known, after which a site is measured again."""
    low_fit: float = 0.5
    """Fit below which a site gets a warning: its newest page is like no kind of page that is known."""
    much_repeated_ratio: float = 0.02
    """Share of repeated text above which a site gets a warning."""
    repeated_pages_min: int = 8
    """Pages from which on a site gets that warning; what few pages repeat is often content."""
    long_lag_records: int = 1000
    """Records that wait in the partition of a site above which it gets a warning."""
