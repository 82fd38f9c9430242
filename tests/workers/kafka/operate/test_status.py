"""What `templ status` makes of the members and offsets of a group."""

from types import SimpleNamespace

import pytest

from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.kafka.operate.status import GroupMember, PartitionProgress, models_by_time, role_status


def progress(partition, start, committed, end):
    return PartitionProgress(partition=partition, start=start, committed=committed, end=end)


def status(*partitions, members=()):
    return role_status("cleaner", "templ-cleaner", "pages", "Stable", members, partitions)


def test_lag_and_share_count_what_the_log_still_has():
    one = status(progress(0, 0, 50, 100), progress(1, 100, 20, 200), progress(2, 0, None, 0))
    assert (one.lag, one.read_ratio) == (150, 0.25)
    assert status(progress(0, 5, None, 5)).read_ratio == 1.0


def test_offsets_beyond_a_log_that_was_cut():
    one = status(progress(0, 0, 90, 40))
    assert (one.lag, one.read_ratio) == (0, 1.0)


@pytest.mark.parametrize(("taken", "free"), [((0, 1), ()), ((1,), (0,)), ((), (0, 1))])
def test_partitions_without_a_member(taken, free):
    member = GroupMember(id="one", host="127.0.0.1", partitions=taken)
    found = status(progress(0, 0, 1, 1), progress(1, 0, 1, 1), members=[member])
    assert found.unassigned == free


def model_record(partition, timestamp, site, version=None):
    value = version and encode_msgpack(
        SiteModelRecord(
            site=site,
            version=version,
            documents=3,
            first_event_time_ms=0,
            last_event_time_ms=0,
            body=b"",
        )
    )
    return SimpleNamespace(partition=partition, timestamp=timestamp, key=site.encode(), value=value)


def test_a_model_that_moved_to_another_partition_is_still_the_newest_one():
    records = [
        model_record(3, 1000, "a.example", "old"),
        model_record(3, 2000, "a.example", "new"),
        model_record(1, 9000, "a.example"),  # says that the record has moved
        model_record(1, 3000, "b.example", "other"),
        model_record(1, 4000, "c.example", "removed"),
        model_record(1, 5000, "c.example"),
    ]
    found = [(one.site, one.version) for one in models_by_time(records)]
    assert found == [("b.example", "other"), ("a.example", "new")]


def test_a_group_without_a_state_is_dead():
    assert role_status("refresher", "templ-refresher", "documents", "", [], []).state == "Dead"
