"""What `templ status` makes of the members and offsets of a group."""

import pytest

from workers.kafka.operate.status import GroupMember, PartitionProgress, role_status


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
