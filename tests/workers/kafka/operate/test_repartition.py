"""Which change of the number of partitions is made, and which records it moves."""

import pytest

from workers.errors import UsageProblem
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.operate.record_moves import NumberChange
from workers.kafka.operate.repartition import decide_change

SITES = [f"site-{number}.example" for number in range(200)]


@pytest.mark.parametrize(
    ("counts", "begun_with", "partitions", "old", "change"),
    [
        ([4, 4, 4], None, 10, None, (4, 10)),
        ([4, 4, 4], None, 4, None, None),
        ([4, 4, 4], None, None, None, None),
        ([4, 4, 4], 4, 10, None, (4, 10)),  # killed before the first topic grew
        ([10, 4, 4], 4, None, None, (4, 10)),
        ([10, 10, 10], 4, None, None, (4, 10)),
        ([10, 10, 10], 4, 12, None, (4, 12)),
        ([10, 4, 4], None, None, None, (4, 10)),  # one topic was altered by hand
        ([10, 10, 10], None, 10, 4, (4, 10)),  # all were
    ],
)
def test_the_change_that_is_made(counts, begun_with, partitions, old, change):
    found = decide_change(counts, begun_with, partitions, old)
    assert found == (NumberChange(*change) if change else None)


@pytest.mark.parametrize("counts", [[4, 4, 4], [4, 2, 2]])
def test_partitions_are_not_taken_away(counts):
    with pytest.raises(UsageProblem, match="cannot take partitions away.*another --prefix"):
        decide_change(counts, None, 3, None)


@pytest.mark.parametrize(("old", "new"), [(2, 5), (4, 8), (3, 4), (4, 4)])
def test_each_site_moves_from_its_old_partition_to_its_new_one_and_from_no_other(old, new):
    change = NumberChange(old, new)
    for site in SITES:
        was, will_be = partition_of(site, old), partition_of(site, new)
        for partition in range(new):
            moves = partition == was and was != will_be
            assert change.target(site, partition) == (will_be if moves else None)
