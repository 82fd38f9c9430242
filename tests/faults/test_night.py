"""Half a minute of a soak; `python -m tests.faults.night` does two hours."""

import pytest
from aiokafka.consumer import fetcher

from tests.faults import night as soak
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(900)]


def test_a_short_night_loses_nothing(stoppable_broker, prefix, tmp_path, monkeypatch):
    for name in ("MemoryRecords", "PartitionRecords", "FetchResult"):
        monkeypatch.setattr(fetcher, name, getattr(fetcher, name))
    monkeypatch.setattr(soak, "MEASURE_S", 3.0)
    monkeypatch.setattr(soak, "FIRST_S", 3.0)
    bound_fetches(load_settings().record_limit_bytes)
    figures = soak.night(
        stoppable_broker, prefix, tmp_path, minutes=0.5, rate=8, sites=6, fault_s=8, settle_minutes=0,
    )  # fmt: skip
    assert figures.pages == 240
    assert sum(figures.faults.values()) >= 1
    assert figures.problems() == []


def test_a_slope_is_a_share_of_the_mean_an_hour():
    points = [{"seconds": 360 * n, "files": 100.0 + n, "lag": 7.0} for n in range(11)]
    slopes = soak.slopes_of(points)
    assert (slopes["files"].mean, slopes["files"].percent_an_hour) == (105.0, 9.5)
    assert (slopes["files"].error, slopes["lag"].percent_an_hour) == (0.0, 0.0)
