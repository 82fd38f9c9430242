"""A page's trace goes through both roles to their outputs, and stands in the lines of the log."""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES

proto = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="needs the extra `traces`"
)
HTML = b"<h1>Bridge opens</h1>" + b"<p>The council said that the bridge is open. " * 9
PARENT_SPAN = "b7ad6b7169203331"
CLEANED_TRACE, DEAD_TRACE, UNSAMPLED_TRACE = "a" * 32, "b" * 32, "c" * 32


@pytest.fixture
def collector():
    """A receiver of OTLP over HTTP; its `spans` are those that came, with their resource."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in proto.ExportTraceServiceRequest.FromString(body).resource_spans:
                known = attributes(resource.resource)
                for scope in resource.scope_spans:
                    server.spans += [(known, span) for span in scope.spans]
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.spans = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def attributes(holder):
    return {one.key: one.value.int_value or one.value.string_value for one in holder.attributes}


def parent(trace, flags="01"):
    return f"00-{trace}-{PARENT_SPAN}-{flags}".encode()


def send(stream, pages):
    for name, (value, *parents) in pages.items():
        headers = [("url", f"https://{name}.example/\nx".encode())]
        headers += [("traceparent", one) for one in parents]
        stream.send(PAGES, {"value": value, "headers": headers})


def test_a_trace_goes_through_both_roles_and_into_the_log(stream, collector):
    pages = {
        "traced": (HTML, parent(CLEANED_TRACE)),
        "dead": (b"", parent(DEAD_TRACE)),
        "unsampled": (HTML, parent(UNSAMPLED_TRACE, "00")),
        "malformed": (HTML, b"00-\xff\nforged"),
        "several": (HTML, parent(CLEANED_TRACE), parent(DEAD_TRACE)),
        "plain": (HTML,),
    }
    send(stream, pages)
    stream.start(
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=test",
        TEMPL_SESSION_TIMEOUT_S="30",
    )
    stream.wait_until_settled()
    assert stream.stop() == 0  # what was not sent yet is sent then

    by_name = {}
    for known, span in collector.spans:
        assert (known["service.name"], known["deployment.environment.name"]) == ("templ", "test")
        by_name.setdefault((span.trace_id.hex(), known["templ.role"], span.name), []).append(span)
    stages = {
        (CLEANED_TRACE, "cleaner", name)
        for name in ["receive", "decode", "model", "publish", "store"]
    }
    wanted = stages | {
        (CLEANED_TRACE, "cleaner", "clean page"),
        (CLEANED_TRACE, "refresher", "learn page"),
        *((DEAD_TRACE, "cleaner", name) for name in ["receive", "clean", "publish", "store"]),
        (DEAD_TRACE, "cleaner", "clean page"),
    }
    assert by_name.keys() == wanted
    assert {len(spans) for spans in by_name.values()} == {1}
    (page,) = by_name[CLEANED_TRACE, "cleaner", "clean page"]
    (learned,) = by_name[CLEANED_TRACE, "refresher", "learn page"]
    (dead,) = by_name[DEAD_TRACE, "cleaner", "clean page"]
    assert (page.parent_span_id.hex(), learned.parent_span_id) == (PARENT_SPAN, page.span_id)
    assert {one.parent_span_id for key in stages for one in by_name[key]} == {page.span_id}
    assert all(one.start_time_unix_nano <= one.end_time_unix_nano for _, one in collector.spans)
    assert attributes(page)["messaging.destination.name"] == stream.prefix + PAGES
    assert attributes(page)["templ.outcome"] == "cleaned"
    assert attributes(dead)["error.type"] == "EmptyPage"
    assert attributes(learned)["messaging.destination.name"] == stream.prefix + DOCUMENTS

    ours = {"traced": [f"00-{CLEANED_TRACE}-{page.span_id.hex()}-01".encode()]}
    ours["dead"] = [f"00-{DEAD_TRACE}-{dead.span_id.hex()}-01".encode()]
    expected = {name: ours.get(name, list(parents)) for name, (_, *parents) in pages.items()}
    for topic, names in ((CLEANED, expected.keys() - {"dead"}), (DEAD_LETTERS, {"dead"})):
        found = passed_on(stream, topic)
        assert found == {name: expected[name] for name in names}
    assert ours["traced"] in passed_on(stream, DOCUMENTS).values()

    lines = [json.loads(line) for line in stream.log().splitlines()]
    assert {"worker", "cleaner", "refresher"} <= {one["role"] for one in lines}
    (line,) = [one for one in lines if "is a dead letter" in one["event"]]
    (place,) = stream.dead_letters()
    assert f"{line['topic']}-{line['partition']}-{line['offset']}" == place
    assert (line["trace_id"], line["site"], line["level"]) == (
        DEAD_TRACE,
        "dead.example",
        "warning",
    )


def passed_on(stream, topic):
    """Return the parents in the headers of a topic's records, by the first label of their host."""
    found = {}
    for record in stream.records(topic):
        headers = dict(record.headers)
        url = (record.key if topic == CLEANED else headers.get("url", record.key)) or b""
        name = url.decode("utf-8", "replace").removeprefix("https://").partition(".")[0]
        found[name] = [value for key, value in record.headers if key == "traceparent"]
    return found
