"""Ten random faults; `python -m tests.faults.faults` does a hundred over a larger feed."""

import pytest

from tests.faults.faults import disturbed_run

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(900)]


def test_ten_random_faults_lose_nothing(kafka_broker, prefix, tmp_path):
    found = disturbed_run(
        kafka_broker, prefix, tmp_path, seed=20260105, faults=10, pages=300, sites=5
    )
    assert sum(found.faults.values()) == 10
    assert found.pages == 300
    assert found.problems() == []
