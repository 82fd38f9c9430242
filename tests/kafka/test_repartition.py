"""The topics of a running stream get more partitions, and nothing is lost."""

import pytest

from tests.faults.repartition import repartitioned_run
from tests.kafka.stream import templ

pytestmark = pytest.mark.timeout(400)


def test_a_stream_goes_on_with_more_partitions_although_the_command_is_killed(
    kafka_broker, prefix, tmp_path
):
    found = repartitioned_run(
        *(kafka_broker, prefix, tmp_path),
        old=2,
        new=5,
        pages=240,
        sites=20,
        kills=1,
        rate=30.0,
        workers=["one"],
    )
    assert found.problems() == []
    assert found.sent_meanwhile > 0
    assert found.moved["documents"] > 10
    options = ("--broker", kafka_broker.address, "--prefix", prefix)
    done = templ("topics", "repartition", *options, "--partitions", 3, expect=2)
    assert done.stderr.count("\n") == 1
    assert "Kafka cannot take partitions away" in done.stderr
    again = templ("topics", "repartition", *options, "--partitions", 5)
    assert again.stdout == "the topics have so many partitions already\n"
    dry = templ("topics", "repartition", *options, "--partitions", 10, "--dry-run")
    assert f"{prefix}documents: " in dry.stdout
    assert "records would move" in dry.stdout
    assert templ("topics", "check", *options, "--partitions", 5).stdout == "all topics are right\n"
