"""What a worker counts, for Prometheus: no label names a site or a URL, there would be no end of them."""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from workers.errors import UsageProblem
from workers.state.window_change import SiteState

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
Sites = Iterable[tuple[str, SiteState]]
IsDue = Callable[[SiteState], bool]


class RoleMetrics:
    """Of both roles."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._lag = Gauge(
            "templ_lag_records",
            "Records of the input that are not done, of the partitions of this process",
            registry=self.registry,
        )

    def lag(self, records: int) -> None:
        """Take how far the committed offsets are behind."""
        self._lag.set(records)

    def serve(self, host: str, port: int) -> None:
        """Answer `GET /metrics` from now on, in a thread.

        Raises:
            UsageProblem: the address cannot be used.
        """
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            raise UsageProblem(
                f"metrics at {host}:{port}: {error.strerror}; set TEMPL_METRICS_PORT"
            ) from None


class CleanerMetrics(RoleMetrics):
    """Of a cleaner."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = Counter(
            "templ_pages", "Pages done, by outcome", ["outcome"], registry=self.registry
        )
        self.page_seconds = Histogram(
            "templ_page_seconds",
            "From a page's being taken to its being stored by the broker",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.with_site = Counter(
            "templ_pages_with_site_evidence",
            "Pages in whose text evidence of their site had weight",
            registry=self.registry,
        )
        self.models = Counter(
            "templ_site_models_read", "Records read from site-models", registry=self.registry
        )


class RefresherMetrics(RoleMetrics):
    """Of a refresher."""

    def __init__(self, sites: Callable[[], Sites], is_due: IsDue, templates_are_due: IsDue) -> None:
        """Prepare the counters.

        Args:
            sites: Answers the sites of this process with their sums.
            is_due: Whether a site's model is to be fitted anew.
            templates_are_due: Whether its trees and phrases are.
        """
        super().__init__()
        self.documents = Counter(
            "templ_documents", "Records of documents taken in", registry=self.registry
        )
        self.refits = Counter("templ_refits", "Site models published", registry=self.registry)
        self.refit_seconds = Histogram(
            "templ_refit_seconds",
            "Fitting one site model",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.templates_seconds = Histogram(
            "templ_templates_seconds",
            "Fitting the trees and phrases of one site",
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
            "Sites whose texts are still to be compared with a fresh model",
            registry=self.registry,
        )
        self.registry.register(_Windows(sites, is_due, templates_are_due))


class _Windows(Collector):
    """Sizes of the windows, summed up when they are asked for."""

    def __init__(self, sites: Callable[[], Sites], is_due: IsDue, templates_are_due: IsDue) -> None:
        self._sites = sites
        self._is_due = is_due
        self._templates_are_due = templates_are_due

    def collect(self) -> Iterator[GaugeMetricFamily]:
        sites = documents = size = due = templates_due = redesigned = 0
        fit = 0.0
        for _, state in self._sites():
            sites += state.pages > 0
            documents += state.pages
            size += state.bytes
            due += self._is_due(state)
            templates_due += self._templates_are_due(state)
            redesigned += state.changed_at_ms is not None
            fit += state.fit * (state.pages > 0)
        yield GaugeMetricFamily("templ_window_sites", "Sites with a window", sites)
        yield GaugeMetricFamily("templ_window_documents", "Documents in all windows", documents)
        yield GaugeMetricFamily("templ_window_bytes", "Bytes of their compact forms", size)
        yield GaugeMetricFamily("templ_models_due", "Sites whose model is to be fitted", due)
        yield GaugeMetricFamily(
            "templ_redesigned_sites",
            "Sites with a design in their window that has gone",
            redesigned,
        )
        yield GaugeMetricFamily(
            "templ_fit",
            "How like its kind each site's last page was, 0 to 1, mean",
            fit / (sites or 1),
        )
        yield GaugeMetricFamily(
            "templ_templates_due", "Sites whose trees and phrases are to be fitted", templates_due
        )
