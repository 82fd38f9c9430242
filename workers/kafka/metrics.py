"""The metrics that a worker reports to Prometheus.

No metric has a label for a site or a URL, because there would be an unbounded number of them.
"""

import collections
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from workers.lru_cache import LruCache
from workers.pipeline.actions import Dead, Outcome
from workers.processes.messages import Cleaned
from workers.processes.pool import Pool
from workers.state.rocks import memory_bytes
from workers.state.site_state import WindowTotals
from workers.watcher.watch import WatchRecord

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Upper bounds of the buckets of all duration histograms but one."""
_DELAY_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 86400)
"""Upper bounds of the buckets of the time since a page arrived, which may have waited for days."""
_SITES_PER_SAMPLED = 8
"""One in this number of sites is searched for repeated lines, which keeps the cost small."""
_SITES = 256
"""Sites that are remembered."""
_PAGES = 8
"""Latest pages of a site that a new one is compared with."""
_PAGES_WITH_LINE = 3
"""Pages on which a line must have been to count as repeated."""
_WORDS = 4
"""Shortest line that counts; shorter ones repeat in good text, too."""

Pools = Mapping[str, Pool]
"""The child processes of a role, by the name of their pool."""


class RoleMetrics:
    """The metrics that all roles have in common."""

    def __init__(self, pools: Pools) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._gauge = partial(Gauge, namespace="templ", registry=self.registry)
        self._counter = partial(Counter, namespace="templ", registry=self.registry)
        self._histogram = partial(
            Histogram, namespace="templ", registry=self.registry, buckets=_SECONDS
        )
        self._lag = self._gauge(
            "lag_records",
            "Records of this process's input partitions that are not processed yet, as last measured",
        )
        self._lag_at = self._gauge(
            "lag_measured_timestamp_seconds",
            "Unix time at which the lag was measured; it does not change while the broker is away",
        )
        self._lag_at.set_to_current_time()
        self._partitions = self._gauge("partitions", "Input partitions that this process has")
        self._ready = self._gauge("ready", "1 while the process does its work, as /ready says")
        self.registry.register(_Process(pools))

    def lag(self, records: int) -> None:
        """Set the number of records that wait behind the committed offsets."""
        self._lag.set(records)
        self._lag_at.set_to_current_time()

    def watch(self, partitions: Callable[[], int], waiting_for: Callable[[], str]) -> None:
        """Report the number of partitions, and whether anything is waited for, at each scrape."""
        self._partitions.set_function(partitions)
        self._ready.set_function(lambda: not waiting_for())


class BatchTimer:
    """Measures the time that a batch spends in each stage."""

    def __init__(self, seconds: Histogram) -> None:
        self._seconds = seconds
        self._started_s = self._last_s = time.monotonic()

    def resume(self) -> None:
        """Begin the next stage now; the time since the last one counts for none."""
        self._last_s = time.monotonic()

    def end(self, stage: str) -> None:
        """Count the time of a stage that ends now; the next one begins."""
        now_s = time.monotonic()
        self._seconds.labels(stage).observe(now_s - self._last_s)
        self._last_s = now_s

    def total_s(self) -> float:
        """Return the time from the start of the batch to the end of the last stage, in seconds."""
        return self._last_s - self._started_s


class CleanerMetrics(RoleMetrics):
    """The metrics of a cleaner."""

    def __init__(self, pools: Pools) -> None:
        super().__init__(pools)
        self._pages = self._counter(
            "pages",
            "Pages processed, by outcome and by what decided the text",
            ("outcome", "method"),
        )
        self._dead_letters = self._counter(
            "dead_letters", "Pages that became dead letters, by reason", ["reason"]
        )
        self.page_seconds = self._histogram(
            "page_seconds", "Time from receiving a page until the broker has stored its output"
        )
        self._delay_seconds = self._histogram(
            "page_delay_seconds",
            "Time from the timestamp of a page's record until the broker has stored its output",
            buckets=_DELAY_SECONDS,
        )
        self._stage_seconds = self._histogram(
            "stage_seconds", "Time of a batch of pages in each stage", ["stage"]
        )
        self._models = self._counter("site_models_read", "Records read from site-models")
        self._model_at = self._gauge(
            "site_model_read_timestamp_seconds", "Unix time at which the last site model was read"
        )
        self._text = self._counter(
            "sampled_text_characters",
            "Characters of published text that were searched for repeated lines, of one site in eight",
        )
        self._repeated = self._counter(
            "repeated_text_characters",
            "Characters of these that are in lines which several other pages of the site have",
        )
        self._lines = RepeatedLines()

    def model_read(self) -> None:
        """Count a record of `site-models`."""
        self._models.inc()
        self._model_at.set_to_current_time()

    def batch_timer(self) -> "BatchTimer":
        """Return a timer of a batch that begins now."""
        return BatchTimer(self._stage_seconds)

    def count(self, outcomes: Iterable[tuple[int, Outcome]], seconds: float) -> None:
        """Count the pages of a batch by their timestamps in Unix milliseconds, and the time that it took."""
        now_s = time.time()
        for timestamp_ms, outcome in outcomes:
            method = ""
            if isinstance(outcome, Cleaned):
                record = outcome.record
                method = record.method
                searched, repeated = self._lines.take(record.site, record.url, record.text)
                self._text.inc(searched)
                self._repeated.inc(repeated)
            elif isinstance(outcome, Dead):
                self._dead_letters.labels(outcome.letter.exception).inc()
            self._pages.labels(type(outcome).__name__.lower(), method).inc()
            self.page_seconds.observe(seconds)
            self._delay_seconds.observe(max(now_s - timestamp_ms / 1000, 0))


class RefresherMetrics(RoleMetrics):
    """The metrics of a refresher."""

    def __init__(self, totals: Callable[[], WindowTotals], pools: Pools) -> None:
        """Prepare the metrics; the thread that answers a scrape asks for the `totals`, which must be quick."""
        super().__init__(pools)
        self.documents = self._counter("documents", "Records of documents processed")
        self.left_out = self._counter(
            "documents_left_out", "Records of documents that could not be used"
        )
        self._refits = self._counter("refits", "Site models published")
        self._refit_at = self._gauge(
            "refit_timestamp_seconds", "Unix time at which the last site model was published"
        )
        self._refit_seconds = self._histogram("refit_seconds", "Time to fit one site model")
        self.not_fitted = self._counter("refits_failed", "Site models that could not be fitted")
        self.revisions = self._counter("revisions", "Texts published again, by reason", ["reason"])
        self.revisions_waiting = self._gauge(
            "revisions_waiting_sites", "Sites whose texts wait to be compared with a new model"
        )
        similarity = "Similarity of each site's newest page to its cluster of pages, 0 to 1, mean"
        old_design = "Sites whose window still holds pages of a design no longer in use"
        windows: dict[tuple[str, str], Callable[[WindowTotals], float]] = {
            ("window_sites", "Sites with documents in their window"): lambda sums: sums.sites,
            ("window_documents", "Documents in all windows"): lambda sums: sums.documents,
            ("window_bytes", "Bytes of these documents, not compressed"): lambda sums: sums.bytes,
            ("models_due", "Sites whose model is due to be fitted"): lambda sums: sums.models_due,
            ("redesigned_sites", old_design): lambda sums: sums.redesigned_sites,
            ("fit", similarity): lambda sums: sums.fit_sum / (sums.sites or 1),
        }
        for (name, description), value in windows.items():
            self._gauge(name, description).set_function(partial(_of_totals, totals, value))

    def refitted(self, seconds: float) -> None:
        """Count a site model that was published, and the time to fit it."""
        self._refits.inc()
        self._refit_at.set_to_current_time()
        self._refit_seconds.observe(seconds)


class WatcherMetrics(RoleMetrics):
    """The metrics of a watcher."""

    def __init__(self) -> None:
        super().__init__({})
        self.records = self._counter("watched_records", "Records of cleaned processed")
        self.left_out = self._counter(
            "watched_records_left_out", "Records of cleaned that could not be used"
        )
        self._changes = self._counter("page_changes", "Changes of pages, by degree", ["degree"])
        self._copies = self._counter("page_copies", "Pages found to be copies of other sites")
        self._events = self._counter("site_events", "Changes of sites, by event", ["event"])

    def count_report(self, record: WatchRecord) -> None:
        """Count a record that was published."""
        if isinstance(record, PageChangeRecord):
            self._changes.labels(record.changes.degree).inc()
        elif isinstance(record, PageCopyRecord):
            self._copies.inc()
        elif isinstance(record, SiteEventRecord):
            self._events.labels(record.event).inc()


def _of_totals(totals: Callable[[], WindowTotals], value: Callable[[WindowTotals], float]) -> float:
    return value(totals())


class _Process(Collector):
    """Child processes and the memory of RocksDB as they are at the time of a scrape."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        children = CounterMetricFamily(
            "templ_child_restarts",
            "Child processes that were replaced because they died, were late or lacked memory",
            labels=["pool"],
        )
        for name, pool in self._pools.items():
            children.add_metric([name], pool.restarts())
        yield children
        memory = GaugeMetricFamily(
            "templ_rocksdb_memory_bytes",
            "Memory of RocksDB: the block cache, and the write buffers, which it contains",
            labels=["part"],
        )
        for name, size_bytes in memory_bytes().items():
            memory.add_metric([name], size_bytes)
        yield memory


class RepeatedLines:
    """Compares each text of a sampled site with the latest texts of that site.

    A line that several other pages have is most probably a template that was not removed.
    """

    def __init__(self) -> None:
        self._recent: LruCache[str, deque[tuple[str, frozenset[int]]]] = LruCache(_SITES)

    def take(self, site: str, url: str, text: str) -> tuple[int, int]:
        """Return the characters of a text that were searched, and those of repeated lines.

        Both are 0 for a site that is not sampled, and before it has had enough pages. Another fetch of
        the same URL does not count as another page.
        """
        if zlib.crc32(site.encode()) % _SITES_PER_SAMPLED:
            return 0, 0
        lines = {
            hash(line): len(line) for line in text.split("\n") if line.count(" ") + 1 >= _WORDS
        }
        recent = self._recent.get(site) or deque(maxlen=_PAGES)
        others = [known for of, known in recent if of != url]
        recent.append((url, frozenset(lines)))
        self._recent.put(site, recent)
        if len(others) < _PAGES_WITH_LINE:
            return 0, 0
        counts = collections.Counter(line for known in others for line in known)
        repeated = sum(size for line, size in lines.items() if counts[line] >= _PAGES_WITH_LINE)
        return sum(lines.values()), repeated
