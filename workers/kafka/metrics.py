"""What a worker reports to Prometheus.

No metric has a label for a site or a URL, because there would be an unbounded number of them.
"""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from workers.errors import UsageProblem
from workers.state.site_state import WindowTotals

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Upper bounds of the buckets of all duration histograms."""


class RoleMetrics:
    """The metrics that the cleaner and the refresher have in common."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._lag = Gauge(
            "templ_lag_records",
            "Records of this process's input partitions that are not processed yet",
            registry=self.registry,
        )

    def lag(self, records: int) -> None:
        """Set the number of records that wait behind the committed offsets."""
        self._lag.set(records)

    def serve(self, host: str, port: int) -> None:
        """Answer `GET /metrics` from now on, in a thread of its own.

        Raises:
            UsageProblem: The address cannot be used.
        """
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            raise UsageProblem(
                f"metrics at {host}:{port}: {error.strerror}; set TEMPL_METRICS_PORT"
            ) from None


class CleanerMetrics(RoleMetrics):
    """The metrics of a cleaner."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = Counter(
            "templ_pages", "Pages processed, by outcome", ["outcome"], registry=self.registry
        )
        self.page_seconds = Histogram(
            "templ_page_seconds",
            "Time from receiving a page until the broker has stored its output",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.with_site = Counter(
            "templ_pages_with_site_evidence",
            "Pages whose text was decided with evidence from their site",
            registry=self.registry,
        )
        self.models = Counter(
            "templ_site_models_read", "Records read from site-models", registry=self.registry
        )


class RefresherMetrics(RoleMetrics):
    """The metrics of a refresher."""

    def __init__(self, totals: Callable[[], WindowTotals]) -> None:
        """Prepare the counters.

        Args:
            totals: Returns the totals of all windows of this process. It is called by the thread
                that answers a scrape, so it must be quick and must not read a store.
        """
        super().__init__()
        self.documents = Counter(
            "templ_documents", "Records of documents processed", registry=self.registry
        )
        self.left_out = Counter(
            "templ_documents_left_out",
            "Records of documents that could not be used",
            registry=self.registry,
        )
        self.refits = Counter("templ_refits", "Site models published", registry=self.registry)
        self.refit_seconds = Histogram(
            "templ_refit_seconds",
            "Time to fit one site model",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.templates_seconds = Histogram(
            "templ_templates_seconds",
            "Time to fit the trees and phrases of one site",
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
            (
                "templates_due",
                "Sites whose trees and phrases are due to be fitted",
                totals.templates_due,
            ),
        ):
            yield GaugeMetricFamily(f"templ_{name}", description, value)
