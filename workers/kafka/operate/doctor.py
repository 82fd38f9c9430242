"""Looking for what keeps a worker from running, or would let it lose records."""

from pathlib import Path

from schemas.topics import DEFAULT_PARTITIONS, DOCUMENTS, SITE_SETTINGS
from workers.errors import BrokerProblem, WorkerError
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.admin import check_topics
from workers.kafka.operate.broker_facts import (
    read_broker,
    records_ahead,
    taken_down_in_topic,
    usable_codecs,
)
from workers.kafka.operate.findings import (
    DoctorLimits,
    Finding,
    findings_of_lines,
    judge_clock,
    judge_machine,
    judge_state,
    judge_take_downs,
    judge_topics,
)
from workers.kafka.operate.machine_facts import (
    judge_page_model,
    read_machine,
    read_state,
    taken_down_in_state,
)
from workers.settings import Settings

_ROLES = ("cleaner", "refresher")


async def examine(
    broker: BrokerAccess, prefix: str, state: Path | None, settings: Settings
) -> list[Finding]:
    """Return what is found out about a broker, this machine and a state directory.

    Nothing is changed. Where the broker cannot be reached, the machine is examined all the same.

    Args:
        broker: How the broker is reached.
        prefix: Text before the name of each topic and group.
        state: State directory of a worker; None where none is examined.
        settings: The settings of the worker.
    """
    limits = DoctorLimits()
    found, partitions = await _of_broker(broker, prefix, settings, limits)
    if state is not None:
        found += judge_state(read_state(state), partitions, limits)
        found += await _of_take_downs(broker, prefix, state, partitions)
    found += judge_machine(
        read_machine(settings), settings, partitions or DEFAULT_PARTITIONS, limits
    )
    return [*found, *judge_page_model(settings.page_model)]


async def _of_take_downs(
    broker: BrokerAccess, prefix: str, state: Path, partitions: int | None
) -> list[Finding]:
    """Return what is found out about take-downs, where the broker tells its topics."""
    if partitions is None:
        return []
    try:
        known = taken_down_in_state(state)
        said = await taken_down_in_topic(broker, prefix, partitions) if known else frozenset[str]()
    except WorkerError as problem:
        return list(findings_of_lines([str(problem)]))
    return list(judge_take_downs(prefix + SITE_SETTINGS, state, known - said))


async def _of_broker(
    broker: BrokerAccess, prefix: str, settings: Settings, limits: DoctorLimits
) -> tuple[list[Finding], int | None]:
    """Return what is found out about a broker, and the number of partitions of `documents`."""
    groups = [f"{prefix}templ-{role}" for role in _ROLES]
    found: list[Finding] = []
    partitions = None
    try:
        facts = await read_broker(broker, prefix)
        note = f"{broker} is reached: {facts.brokers} brokers, Kafka {facts.release}"
        found.append(Finding(severity="note", problem=note))
        if DOCUMENTS in facts.topics:
            partitions = facts.topics[DOCUMENTS].partitions
        found += judge_topics(facts.topics, settings, usable_codecs())
        found += findings_of_lines(await check_topics(broker, prefix, groups=groups))
        ahead = await records_ahead(broker, facts.topics.values(), limits.clock_ahead_max_ms)
        found += judge_clock(ahead, limits)
    except BrokerProblem as problem:
        found += findings_of_lines([str(problem)])
    return found, partitions
