"""Six random faults; `python -m tests.faults.faults` does 150 over a larger feed."""

import pytest
from aiokafka.consumer import fetcher

from tests.faults.faults import disturbed_run
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(900)]


def test_random_faults_lose_nothing(stoppable_broker, prefix, tmp_path, monkeypatch):
    for name in ("MemoryRecords", "PartitionRecords", "FetchResult"):
        monkeypatch.setattr(fetcher, name, getattr(fetcher, name))
    bound_fetches(load_settings().record_limit_bytes)
    outcome = disturbed_run(
        stoppable_broker,
        prefix,
        tmp_path,
        seed=20260105,
        faults=6,
        pages=180,
        sites=8,
        watched=True,
    )
    assert sum(outcome.faults.values()) == 6
    assert outcome.pages == 180
    assert outcome.watched.copies >= 10
    assert outcome.watched.changes
    assert outcome.problems() == []
