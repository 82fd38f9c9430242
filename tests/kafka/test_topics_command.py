"""`templ topics` on a real broker."""

from click.testing import CliRunner

from schemas.topics import FINGERPRINTS, PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS, TOPICS
from workers.cli.topics import topics_command
from workers.errors import BrokerProblem, TopicProblem


def run(broker, prefix, *arguments):
    options = ["--broker", broker, "--prefix", prefix]
    return CliRunner().invoke(topics_command, [*arguments, *options])


def test_create_then_check(kafka_broker, prefix):
    first = run(kafka_broker.address, prefix, "create", "--partitions", "2")
    assert first.exit_code == 0
    assert f"created {prefix}pages.dlq\n" in first.stdout
    again = run(kafka_broker.address, prefix, "create")
    assert (again.exit_code, again.stdout) == (0, "all topics exist already\n")
    right = run(kafka_broker.address, prefix, "check", "--partitions", "2")
    assert (right.exit_code, right.stdout) == (0, "all topics are right\n")


def test_check_says_every_problem(kafka_broker, prefix):
    result = run(kafka_broker.address, prefix, "check")
    assert isinstance(result.exception, TopicProblem)
    assert result.exception.exit_code == 78
    needed = TOPICS.keys() - {SITE_EVENTS, FINGERPRINTS, PAGE_CHANGES, PAGE_COPIES}
    assert f"{len(needed)} problems" in str(result.exception)
    assert result.stderr.count("no such topic; create it: templ topics create") == len(needed)
    assert result.stdout == ""


def test_options_come_from_the_environment_too(kafka_broker, prefix):
    environment = {"TEMPL_BROKER": kafka_broker.address, "TEMPL_PREFIX": prefix}
    result = CliRunner().invoke(topics_command, ["create"], env=environment)
    assert (result.exit_code, result.stdout.count(prefix)) == (0, len(TOPICS))


def test_no_broker(prefix, unused_tcp_port):
    result = run(f"127.0.0.1:{unused_tcp_port}", prefix, "check")
    assert isinstance(result.exception, BrokerProblem)
    assert (result.stdout, result.stderr) == ("", "")
