"""Three faults of a cluster; `python -m tests.faults.faults --cluster` does sixty."""

import pytest
from aiokafka.consumer import fetcher

from tests.faults import faults
from tests.faults.faults import disturbed_run
from tests.kafka.cluster import own_cluster
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(900)]
KINDS = ("controller gone", "another broker", "unclean election of pages")


@pytest.mark.usefixtures("_java")
def test_faults_of_a_cluster_lose_nothing(prefix, tmp_path, monkeypatch):
    for name in ("MemoryRecords", "PartitionRecords", "FetchResult"):
        monkeypatch.setattr(fetcher, name, getattr(fetcher, name))
    monkeypatch.setattr(faults, "FEED_S", 4.0)
    bound_fetches(load_settings().record_limit_bytes)
    with own_cluster(tmp_path) as cluster:
        outcome = disturbed_run(
            cluster, prefix, tmp_path, seed=1, faults=3, pages=160, sites=5, kinds=KINDS
        )
    assert sorted(outcome.faults) == sorted(KINDS)
    assert outcome.pages == 160
    assert outcome.problems() == []
