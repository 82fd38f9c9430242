"""The watcher on Kafka says what it lacks."""

import msgspec
import pytest

from schemas.cleaned import Observed
from schemas.codec import encode_json
from tests.workers.builders import cleaned_text
from tests.workers.kafka.builders import kafka_config, received
from workers.kafka.watcher import ObservedCheck, PartitionWatch
from workers.site_settings import SettingsOfSites
from workers.state.content_index import ContentIndex

OBSERVED = Observed(charset=None, repeated_ratio=None, language=None, left_out=[], design=None)


@pytest.fixture
def watch_records(tmp_path):
    """Return a function that has two partitions take records in turn."""
    contents, check = ContentIndex(None, 1000), ObservedCheck()
    watches = [
        PartitionWatch(kafka_config(tmp_path, 2), number, contents, SettingsOfSites(), check)
        for number in range(2)
    ]

    def watch(records):
        for number, record in enumerate(records):
            message = received("cleaned", offset=number, value=encode_json(record))
            assert watches[number % 2].take(message)

    yield watch
    for partition in watches:
        partition.store.close()


@pytest.mark.parametrize("observed_at", [None, 0, 98])
def test_records_without_what_a_watcher_needs_are_reported_once(watch_records, caplog, observed_at):
    records = [
        cleaned_text("a.example", str(number), f"Words of page {number}.") for number in range(260)
    ]
    if observed_at is not None:
        records[observed_at] = msgspec.structs.replace(records[observed_at], observed=OBSERVED)
    watch_records(records)
    warnings = [line for line in caplog.messages if "TEMPL_OBSERVED" in line]
    assert len(warnings) == (observed_at is None)
