"""The settings for Kafka Connect, with Kafka's own file sink on the topic `cleaned` of a real broker."""

import importlib.util
import json
import sys
import time

import pytest

from tests.kafka.broker import RUNNER
from tests.kafka.stream import WAIT_S
from tests.kafka.test_index_command import produce

HERE = RUNNER.parent / "connect"


@pytest.fixture(scope="module")
def connect():
    sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location("deploy_kafka_connect", HERE / "connect.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_sink_writes_the_records_and_no_deletions(stream, tmp_path, connect):
    texts = [{"url": f"https://a/{number}", "text": "é\n“quoted”"} for number in range(3)]
    records = [(one["url"], json.dumps(one, ensure_ascii=False).encode()) for one in texts]
    produce(stream, *records[:2], ("https://a/0", None), records[2])
    out = tmp_path / "out.jsonl"
    process = connect.start(
        HERE / "cleaned-to-file.properties",
        tmp_path / "connect",
        broker=stream.address,
        prefix=stream.prefix,
        out=str(out),
    )
    try:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until and process.poll() is None:
            if out.exists() and out.read_bytes().count(b"\n") >= 3:
                break
            time.sleep(0.2)
    finally:
        process.kill()  # its connector has written; an orderly stop may wait for the broker for minutes
        process.wait()
    log = (tmp_path / "connect" / connect.LOG_FILE).read_text()
    assert out.exists(), log
    assert [json.loads(line) for line in out.read_text().splitlines()] == texts, log
