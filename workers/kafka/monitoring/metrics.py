"""What a worker reports to Prometheus.

No metric has a label for a site or a URL, because there would be an unbounded number of them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from workers.kafka.monitoring.repeated_lines import RepeatedLines
from workers.pipeline.actions import Dead, Outcome
from workers.processes.messages import Cleaned
from workers.processes.pool import Pool
from workers.state.rocks import memory_bytes
from workers.state.site_state import WindowTotals

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Upper bounds of the buckets of all duration histograms but one."""
_DELAY_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 86400)
"""Upper bounds of the buckets of the time since a page arrived, which may have waited for days."""

Pools = Mapping[str, Pool]
"""The child processes of a role, by the name of their pool."""


class RoleMetrics:
    """The metrics that the cleaner and the refresher have in common."""

    def __init__(self, pools: Pools) -> None:
        """Prepare the metrics.

        Args:
            pools: The child processes.
        """
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._lag = Gauge(
            "templ_lag_records",
            "Records of this process's input partitions that are not processed yet, as last measured",
            registry=self.registry,
        )
        self._lag_at = Gauge(
            "templ_lag_measured_timestamp_seconds",
            "Unix time at which the lag was measured; it stands still while the broker is away",
            registry=self.registry,
        )
        self._lag_at.set_to_current_time()
        self._partitions = Gauge(
            "templ_partitions", "Input partitions that this process has", registry=self.registry
        )
        self._ready = Gauge(
            "templ_ready",
            "1 while the process does its work, as /ready says",
            registry=self.registry,
        )
        self.registry.register(_Process(pools))

    def lag(self, records: int) -> None:
        """Set the number of records that wait behind the committed offsets."""
        self._lag.set(records)
        self._lag_at.set_to_current_time()

    def watch(self, partitions: Callable[[], int], waiting_for: Callable[[], str]) -> None:
        """Report the number of partitions, and whether anything is waited for, at each scrape."""
        self._partitions.set_function(partitions)
        self._ready.set_function(lambda: not waiting_for())


class CleanerMetrics(RoleMetrics):
    """The metrics of a cleaner."""

    def __init__(self, pools: Pools) -> None:
        super().__init__(pools)
        self._pages = Counter(
            "templ_pages",
            "Pages processed, by outcome and by what decided the text",
            ["outcome", "method"],
            registry=self.registry,
        )
        self._dead_letters = Counter(
            "templ_dead_letters",
            "Pages that became dead letters, by reason",
            ["reason"],
            registry=self.registry,
        )
        self.page_seconds = Histogram(
            "templ_page_seconds",
            "Time from receiving a page until the broker has stored its output",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._delay_seconds = Histogram(
            "templ_page_delay_seconds",
            "Time from the timestamp of a page's record until the broker has stored its output",
            buckets=_DELAY_SECONDS,
            registry=self.registry,
        )
        self._stage_seconds = Histogram(
            "templ_stage_seconds",
            "Time of a batch of pages in each stage",
            ["stage"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._models = Counter(
            "templ_site_models_read", "Records read from site-models", registry=self.registry
        )
        self._model_at = Gauge(
            "templ_site_model_read_timestamp_seconds",
            "Unix time at which the last site model was read",
            registry=self.registry,
        )
        self._text = Counter(
            "templ_sampled_text_characters",
            "Characters of published text that were searched for repeated lines, of one site in eight",
            registry=self.registry,
        )
        self._repeated = Counter(
            "templ_repeated_text_characters",
            "Characters of these that are in lines which several other pages of the site have",
            registry=self.registry,
        )
        self._lines = RepeatedLines()

    def model_read(self) -> None:
        """Count a record of `site-models`."""
        self._models.inc()
        self._model_at.set_to_current_time()

    def stage(self, name: str, since_s: float) -> float:
        """Count the time of a stage that ends now.

        Args:
            name: The stage.
            since_s: When it began, by a monotonic clock.

        Returns:
            The present time of that clock.
        """
        now_s = time.monotonic()
        self._stage_seconds.labels(name).observe(now_s - since_s)
        return now_s

    def count(self, outcomes: Iterable[tuple[int, Outcome]], seconds: float) -> None:
        """Count the pages of a batch.

        Args:
            outcomes: The timestamp of each page in Unix milliseconds, and what became of it.
            seconds: Time that the batch took.
        """
        now_s = time.time()
        for timestamp_ms, outcome in outcomes:
            method = ""
            if isinstance(outcome, Cleaned):
                record = outcome.record
                method = record.method
                looked_at, repeated = self._lines.take(record.site, record.url, record.text)
                self._text.inc(looked_at)
                self._repeated.inc(repeated)
            elif isinstance(outcome, Dead):
                self._dead_letters.labels(outcome.letter.exception).inc()
            self._pages.labels(type(outcome).__name__.lower(), method).inc()
            self.page_seconds.observe(seconds)
            self._delay_seconds.observe(max(now_s - timestamp_ms / 1000, 0))


class RefresherMetrics(RoleMetrics):
    """The metrics of a refresher."""

    def __init__(self, totals: Callable[[], WindowTotals], pools: Pools) -> None:
        """Prepare the metrics.

        Args:
            totals: Returns the totals of all windows of this process. It is called by the thread
                that answers a scrape, so it must be quick and must not read a store.
            pools: The child processes.
        """
        super().__init__(pools)
        self.documents = Counter(
            "templ_documents", "Records of documents processed", registry=self.registry
        )
        self.left_out = Counter(
            "templ_documents_left_out",
            "Records of documents that could not be used",
            registry=self.registry,
        )
        self._refits = Counter("templ_refits", "Site models published", registry=self.registry)
        self._refit_at = Gauge(
            "templ_refit_timestamp_seconds",
            "Unix time at which the last site model was published",
            registry=self.registry,
        )
        self._refit_seconds = Histogram(
            "templ_refit_seconds",
            "Time to fit one site model",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.not_fitted = Counter(
            "templ_refits_failed", "Site models that could not be fitted", registry=self.registry
        )
        self.revisions = Counter(
            "templ_revisions",
            "Texts published again, by reason",
            ["reason"],
            registry=self.registry,
        )
        self.revisions_waiting = Gauge(
            "templ_revisions_waiting_sites",
            "Sites whose texts wait to be compared with a new model",
            registry=self.registry,
        )
        self.registry.register(_Windows(totals))

    def refitted(self, seconds: float) -> None:
        """Count a site model that was published, and the time to fit it."""
        self._refits.inc()
        self._refit_at.set_to_current_time()
        self._refit_seconds.observe(seconds)


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


class _Windows(Collector):
    """Sizes of the windows as they are at the time of a scrape."""

    def __init__(self, totals: Callable[[], WindowTotals]) -> None:
        self._totals = totals

    def collect(self) -> Iterator[GaugeMetricFamily]:
        totals = self._totals()
        for name, description, value in (
            ("window_sites", "Sites with documents in their window", totals.sites),
            ("window_documents", "Documents in all windows", totals.documents),
            ("window_bytes", "Bytes of the compact forms of these documents", totals.bytes),
            ("models_due", "Sites whose model is due to be fitted", totals.models_due),
            (
                "redesigned_sites",
                "Sites whose window still holds pages of a design no longer in use",
                totals.redesigned_sites,
            ),
            (
                "fit",
                "Similarity of each site's newest page to its cluster of pages, 0 to 1, mean",
                totals.fit_sum / (totals.sites or 1),
            ),
        ):
            yield GaugeMetricFamily(f"templ_{name}", description, value)
