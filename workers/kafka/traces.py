"""Traces of pages by OpenTelemetry, which is imported only if its standard variables ask for it."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workers.errors import SettingsProblem
from workers.kafka.broker.received import Received
from workers.pipeline.actions import Outcome
from workers.settings import otel_variables

if TYPE_CHECKING:
    from workers.kafka.spans import ExportedSpan

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
log = logging.getLogger("templ")


class BatchSpans:
    """The spans of those records of a batch that are traced, often of none."""

    def __init__(
        self,
        messages: Sequence[Received],
        pages: "Mapping[int, ExportedSpan] | None" = None,
        began_ns: int = 0,
    ) -> None:
        self.messages = messages
        """The records; in the headers of one that has a span, that span is the parent."""
        self._pages = pages or {}
        self._reached_ns = began_ns

    def has(self, number: int) -> bool:
        """Return whether the record of this number has a span."""
        return number in self._pages

    def stage(self, name: str) -> None:
        """End a stage of the batch, which began when the last one ended."""
        began_ns, self._reached_ns = self._reached_ns, time.time_ns()
        for page in self._pages.values():
            page.stage(name, began_ns, self._reached_ns)

    def cleaned(self, outcomes: Sequence[Outcome]) -> None:
        """End the cleaning of the batch, with what became of each record."""
        began_ns, self._reached_ns = self._reached_ns, time.time_ns()
        for number, page in self._pages.items():
            page.cleaned(outcomes[number], began_ns, self._reached_ns)

    def end(self) -> None:
        """End the spans."""
        for page in self._pages.values():
            page.end()


class Traces:
    """The traces of a role: none, unless a subclass writes some."""

    def begin(self, messages: Sequence[Received], began_ns: int) -> BatchSpans:  # noqa: ARG002
        """Begin the spans of those records of a batch that are traced, at a Unix time in nanoseconds."""
        return BatchSpans(messages)

    def close(self) -> None:
        """Send what was not sent yet."""


def start_traces(role: str, group: str) -> Traces:
    """Return the traces of a role, which writes none unless an exporter is configured.

    Raises:
        SettingsProblem: A variable of OpenTelemetry cannot be used.
    """
    variables = otel_variables()
    names = exporter_names(variables)
    if not names:
        return Traces()
    try:
        from workers.kafka.spans import start_exports  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as missing:
        log.warning(
            "no traces are written, since %s is not installed: install templ-worker with its extra "
            "`traces`, or unset the OTEL_ variables",
            missing.name,
        )
        return Traces()
    # Only cleaners begin traces: a refresher goes on with those that its documents carry.
    begins = role == "cleaner" and bool(variables.get("OTEL_TRACES_SAMPLER"))
    try:
        return start_exports(names, role, group, begins=begins)
    except (ValueError, TypeError, OSError) as error:
        raise SettingsProblem(f"the OTEL_ variables cannot be used: {error}") from None


def exporter_names(variables: Mapping[str, str]) -> Sequence[str]:
    """Return the names under which packages have registered the exporters to use; often none.

    An endpoint alone means `otlp`. Without an endpoint and an exporter nothing is written, although
    OpenTelemetry would assume a collector on this machine.
    """
    if variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return []
    default = "otlp" if any(variables.get(name) for name in _ENDPOINTS) else "none"
    said = variables.get("OTEL_TRACES_EXPORTER") or default
    protocol = next((found for name in _PROTOCOLS if (found := variables.get(name))), "")
    otlp = "otlp_proto_grpc" if protocol == "grpc" else "otlp_proto_http"
    names = [name.strip() for name in said.split(",")]
    return [otlp if name == "otlp" else name for name in names if name not in {"", "none"}]
