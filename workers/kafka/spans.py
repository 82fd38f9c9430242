"""Spans of pages, whose parent is the header `traceparent` of their records (W3C Trace Context).

The names of attributes are those of OpenTelemetry's semantic conventions for messaging with Kafka.
"""

import logging
import threading
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points

import msgspec
from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span
from opentelemetry.trace import set_span_in_context as context_of
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AnyValue

from templ_core import __version__
from workers.kafka.broker.received import Header, Received
from workers.kafka.traces import BatchSpans, Traces
from workers.log_lines import one_line
from workers.pipeline.actions import Dead, Outcome
from workers.processes.messages import Cleaned

_CLOSE_S = 5.0
"""Longest wait at the end of a process for a collector that does not answer, in seconds."""
_OPERATIONS = {"cleaner": "clean", "refresher": "learn"}
_TRACE_HEADERS = ("traceparent", "tracestate")
_W3C = TraceContextTextMapPropagator()
log = logging.getLogger("templ")


def start_exports(names: Iterable[str], role: str, group: str, *, begins: bool) -> Traces:
    """Return traces that are exported in the background, by exporters as packages have registered them.

    Only if it `begins` traces does a record without a parent have one.

    Raises:
        ValueError: A variable of OpenTelemetry cannot be used.
    """
    exporters = []
    for name in names:
        found = entry_points(group="opentelemetry_traces_exporter", name=name)
        if not found:
            log.warning("no traces are written by the exporter %r, which is not installed", name)
        exporters += [one.load()() for one in found]
    if not exporters:
        return Traces()
    resource = Resource.create({"service.version": __version__, "templ.role": role})
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "templ"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for one in exporters:
        provider.add_span_processor(BatchSpanProcessor(one))
    return ExportedTraces(provider, _OPERATIONS[role], group, begins=begins)


class ExportedTraces(Traces):
    """The traces of a role that writes them."""

    def __init__(
        self, provider: TracerProvider, operation: str, group: str, *, begins: bool
    ) -> None:
        """Begin no span yet; `begins` says whether a record without a parent may begin a trace."""
        self._provider = provider
        self._tracer = provider.get_tracer("templ", __version__)
        self._name = f"{operation} page"
        self._begins = begins
        self._common = {
            "messaging.system": "kafka",
            "messaging.operation.type": "process",
            "messaging.operation.name": operation,
            "messaging.consumer.group.name": group,
        }

    def begin(self, messages: Sequence[Received], began_ns: int) -> BatchSpans:
        """Begin the spans of those records that are sampled, each the parent of what follows."""
        pages, traced = {}, list(messages)
        for number, message in enumerate(messages):
            span = self._begin(message, began_ns)
            if span is not None and span.is_recording():
                pages[number] = ExportedSpan(self._tracer, span)
                traced[number] = _with_parent(message, span)
        return BatchSpans(traced, pages, began_ns)

    def _begin(self, message: Received, began_ns: int) -> Span | None:
        carrier = _carrier(message.headers)
        parent = _W3C.extract(carrier, Context()) if carrier else Context()
        if not self._begins and not get_current_span(parent).get_span_context().is_valid:
            return None
        attributes: dict[str, AnyValue] = {
            **self._common,
            "messaging.destination.name": message.topic,
            "messaging.destination.partition.id": str(message.partition),
            "messaging.kafka.offset": message.offset,
            "messaging.message.body.size": len(message.value or b""),
        }
        return self._tracer.start_span(
            self._name, parent, SpanKind.CONSUMER, attributes, start_time=began_ns
        )

    def close(self) -> None:
        """Send what was not sent yet, and wait a few seconds for it."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(_CLOSE_S)


class ExportedSpan:
    """The span of a record that is exported."""

    def __init__(self, tracer: Tracer, span: Span) -> None:
        self._tracer = tracer
        self._span = span

    def stage(self, name: str, began_ns: int, ended_ns: int) -> None:
        """Write the span of a stage."""
        stage = self._tracer.start_span(name, context_of(self._span), start_time=began_ns)
        stage.end(ended_ns)

    def cleaned(self, outcome: Outcome, began_ns: int, ended_ns: int) -> None:
        """Write what became of the page; one that was cleaned by itself has spans of its stages."""
        self._span.set_attributes(_attributes(outcome))
        if isinstance(outcome, Dead):
            self._span.set_status(Status(StatusCode.ERROR, one_line(outcome.letter.message)))
        times = outcome.times if isinstance(outcome, Cleaned) else None
        if times is None:
            self.stage("clean", began_ns, ended_ns)
        else:
            self.stage("decode", times.began_ns, times.decoded_ns)
            self.stage("model", times.decoded_ns, times.ended_ns)

    def end(self) -> None:
        """End the span."""
        self._span.end()


def _carrier(headers: Iterable[Header]) -> dict[str, str]:
    """Return the headers of the parent; none where there are several parents or none."""
    found = [(name, value or b"") for name, value in headers if name in _TRACE_HEADERS]
    parents = [value for name, value in found if name == "traceparent"]
    if len(parents) != 1:
        return {}
    states = [value.decode("ascii", "replace") for name, value in found if name == "tracestate"]
    carrier = {"traceparent": parents[0].decode("ascii", "replace")}
    return {**carrier, "tracestate": ",".join(states)} if states else carrier


def _with_parent(message: Received, page: Span) -> Received:
    """Return a record whose headers name a span as the parent of what follows."""
    ours: dict[str, str] = {}
    _W3C.inject(ours, context_of(page))
    theirs = (one for one in message.headers if one[0] not in _TRACE_HEADERS)
    headers = [*((name, value.encode()) for name, value in ours.items()), *theirs]
    return msgspec.structs.replace(message, headers=tuple(headers))


def _attributes(outcome: Outcome) -> dict[str, str]:
    if isinstance(outcome, Dead):
        found = {"templ.outcome": "dead", "error.type": outcome.letter.exception}
        return {**found, "templ.site": one_line(outcome.site)} if outcome.site else found
    record = outcome.record
    known = {"templ.site": one_line(record.site), "url.full": one_line(record.url)}
    if isinstance(outcome, Cleaned):
        return {**known, "templ.outcome": "cleaned", "templ.method": outcome.record.method}
    return {**known, "templ.outcome": "deleted"}
