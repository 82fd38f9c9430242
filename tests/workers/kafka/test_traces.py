"""Which records have spans, whose children these are, and what passes on unchanged."""

import subprocess
import sys

import pytest

from tests.workers.kafka.builders import received
from workers.errors import SettingsProblem
from workers.kafka.traces import exporter_names, start_traces
from workers.log_lines import trace_id_of

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SAMPLED = f"00-{TRACE_ID}-b7ad6b7169203331-01".encode()
NOT_SAMPLED = SAMPLED[:-1] + b"0"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, []),
        (ENDPOINT, ["otlp_proto_http"]),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/v1/traces"}, ["otlp_proto_http"]),
        ({"OTEL_TRACES_EXPORTER": "otlp, console"}, ["otlp_proto_http", "console"]),
        ({"OTEL_TRACES_EXPORTER": "none", **ENDPOINT}, []),
        ({"OTEL_SDK_DISABLED": "True", **ENDPOINT}, []),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", **ENDPOINT}, ["otlp_proto_grpc"]),
    ],
)
def test_the_standard_variables_decide_where_spans_go(variables, expected):
    assert exporter_names(variables) == expected


def test_without_variables_nothing_is_imported():
    code = (
        "import sys\n"
        "from workers.kafka.traces import start_traces\n"
        "start_traces('cleaner', 'g')\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_exporter_or_extra_that_is_not_installed_is_one_line(monkeypatch, caplog):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "carrier-pigeon")
    assert not start_traces("cleaner", "g").begin([message()], 1).has(0)
    monkeypatch.setitem(sys.modules, "workers.kafka.spans", None)
    start_traces("cleaner", "g")
    first, second = [record.getMessage() for record in caplog.records]
    assert first == "no traces are written by the exporter 'carrier-pigeon', which is not installed"
    assert "install templ-worker with its extra `traces`" in second


def test_a_variable_that_cannot_be_used_stops_the_start(monkeypatch):
    pytest.importorskip("opentelemetry.sdk", reason="needs the extra `traces`")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    with pytest.raises(
        SettingsProblem, match=r"the OTEL_ variables cannot be used: .*max_queue_size"
    ):
        start_traces("cleaner", "g")


@pytest.fixture
def traces(monkeypatch):
    """Return a function that returns traces, and the spans that they have ended."""
    pytest.importorskip("opentelemetry.sdk", reason="needs the extra `traces`")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from workers.kafka.spans import ExportedTraces

    def with_sampler(sampler=""):
        monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler or "parentbased_always_on")
        exporter, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        made = ExportedTraces(provider, "clean", "templ-cleaner", begins=bool(sampler))
        return made, exporter.get_finished_spans

    return with_sampler


def message(*headers):
    pairs = (("url", b"https://a.org/"), *headers)
    return received("pages", partition=3, offset=7, value=b"<p>", headers=pairs)


def test_a_sampled_parent_has_our_span_as_its_child_which_is_the_parent_of_what_follows(traces):
    made, ended = traces()
    state = ("tracestate", b"vendor=1")
    batch = made.begin([message(("traceparent", SAMPLED), state), message()], began_ns=10)
    assert (batch.has(0), batch.has(1)) == (True, False)
    batch.stage("receive")
    batch.end()
    stage, page = ended()
    assert (stage.name, page.name, page.start_time) == ("receive", "clean page", 10)
    assert stage.parent.span_id == page.context.span_id
    assert page.parent.span_id == 0xB7AD6B7169203331
    assert page.attributes["messaging.kafka.offset"] == 7
    assert page.attributes["messaging.destination.partition.id"] == "3"
    first, second = batch.messages
    passed = dict(first.headers)
    assert passed["traceparent"] == f"00-{TRACE_ID}-{page.context.span_id:016x}-01".encode()
    assert passed["tracestate"] == b"vendor=1"
    assert passed["url"] == b"https://a.org/"
    assert second == message()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None],
        [NOT_SAMPLED],
        [SAMPLED, SAMPLED],
        [b"00-zz"],
        [SAMPLED + b"-more"],
        [b"\xff\n" * 2000],
        [b"ff" + SAMPLED[2:]],
        [b"00-" + b"0" * 32 + b"-b7ad6b7169203331-01"],
    ],
)
def test_without_a_sampled_parent_nothing_is_written_and_the_headers_pass_unchanged(traces, values):
    made, ended = traces()
    given = message(*(("traceparent", value) for value in values), ("tracestate", b"=,\xff" * 99))
    batch = made.begin([given], 10)
    batch.end()
    assert (batch.messages, batch.has(0), ended()) == ([given], False, ())


def test_a_sampler_may_begin_a_trace_and_a_malformed_parent_is_replaced(traces):
    made, ended = traces("always_on")
    batch = made.begin([message(("traceparent", b"nonsense"))], 10)
    batch.end()
    (page,) = ended()
    assert page.parent is None
    assert trace_id_of(batch.messages[0].headers) == f"{page.context.trace_id:032x}"
