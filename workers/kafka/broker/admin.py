"""Creating topics on a broker, and finding what is wrong with existing ones and with a user's rights.

Whatever asks a broker raises `BrokerProblem` where it cannot be reached, or refuses.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from enum import IntEnum
from typing import Any

import msgspec
from aiokafka.admin import NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    GroupAuthorizationFailedError,
    GroupCoordinatorNotAvailableError,
    InvalidReplicationFactorError,
    KafkaError,
    NoError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)

from schemas.topics import (
    CLEANED,
    DEAD_LETTER_ROOM_BYTES,
    DEAD_LETTERS,
    DEFAULT_PARTITIONS,
    DOCUMENTS,
    FINGERPRINTS,
    PAGE_CHANGES,
    PAGE_COPIES,
    PAGES,
    SITE_EVENTS,
    SITE_MODELS,
    SITE_SETTINGS,
    TOPICS,
    TopicSpec,
)
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.broker_client import BrokerClient, TopicIdsResponse, TopicRequest
from workers.kafka.broker.library_logs import IS_SILENT

TIME_LIMIT_SECONDS = 25.0
"""Longest time of a whole call, since a person waits for it."""
REQUEST_TIMEOUT_MS = 12_000
"""Longest time of one request to the broker."""
APPEAR_POLL_SECONDS = 0.05
"""Time between two checks for a topic that was just created."""
BROKER_DEFAULT = -1
"""Kafka's value for the broker's own replication factor."""
UNLIMITED = -1
"""Kafka's value for a retention without end."""
TOPIC_SETTINGS = ("cleanup.policy", "max.message.bytes", "retention.ms")


_UNKNOWN_RIGHTS = -(1 << 31)
"""The answer of a broker that does not know the rights."""


class Right(IntEnum):
    """An operation on a topic or group that a broker may allow, with Kafka's number (KIP-430)."""

    READ = 3
    WRITE = 4
    DESCRIBE = 8
    DESCRIBE_CONFIGS = 10

    @property
    def label(self) -> str:
        """The name by which Kafka's tools know it."""
        return self.name.title().replace("_", "")


Rights = Mapping[str, tuple[Right, ...]]
"""The needed rights by topic, without the prefix."""

WORKER_RIGHTS: Rights = {
    PAGES: (Right.READ,),
    CLEANED: (Right.WRITE,),
    DOCUMENTS: (Right.READ, Right.WRITE),
    SITE_MODELS: (Right.READ, Right.WRITE),
    SITE_SETTINGS: (Right.READ,),
    DEAD_LETTERS: (Right.WRITE,),
}
"""What a worker does with each topic."""
WATCH_RIGHTS: Rights = {
    CLEANED: (Right.READ,),
    SITE_SETTINGS: (Right.READ,),
    PAGE_CHANGES: (Right.WRITE,),
    PAGE_COPIES: (Right.READ, Right.WRITE),
    SITE_EVENTS: (Right.WRITE,),
    FINGERPRINTS: (Right.READ, Right.WRITE),
}
"""What `templ watch` does."""
FEED_RIGHTS: Rights = {PAGES: (Right.WRITE,)}
"""What `templ feed` does."""
SEED_RIGHTS: Rights = {
    DOCUMENTS: (Right.WRITE,),
    SITE_MODELS: (Right.WRITE,),
    SITE_SETTINGS: (Right.READ, Right.WRITE),
}
"""What `templ seed` does."""


class TopicState(msgspec.Struct, frozen=True):
    """The number of partitions and the settings of a topic on the broker."""

    partitions: int
    config: dict[str, str]


async def create_topics(
    broker: BrokerAccess, partitions: int | None = None, *, replication_factor: int | None = None
) -> list[str]:
    """Create the topics that do not exist, and return their names; existing ones are not changed.

    Every new topic has as many partitions as `documents` has, or the default, and the broker's number of copies,
    unless others are given.

    Raises:
        TopicProblem: An existing topic has wrong settings; nothing was created.
    """
    async with connected_admin(broker) as admin:
        states = await _states(admin, broker)
        existing = [spec for spec in TOPICS.values() if spec.name in states]
        _refuse(_problems(existing, states, broker, partitions), "nothing created: ")
        partitions = partitions or _shared_count(states) or DEFAULT_PARTITIONS
        missing = [_needed(spec, states) for spec in TOPICS.values() if spec.name not in states]
        if not missing:
            return []
        created = await create_specified(admin, missing, broker, partitions, replication_factor)
        await wait_until_there(admin, [broker.topic(spec.name) for spec in missing])
        if len(created) < len(
            missing
        ):  # others created some meanwhile, perhaps with other settings
            states = await _states(admin, broker)
            _refuse(_problems(TOPICS.values(), states, broker, partitions))
        return created


async def check_topics(
    broker: BrokerAccess,
    partitions: int | None = None,
    rights: Rights = WORKER_RIGHTS,
    groups: Iterable[str] = (),
) -> list[str]:
    """Return the problems with the topics, each as a line that says what is wrong and what to do.

    The topics are those that this user needs rights for; they may have any number of partitions if none is
    given. The user also has to be allowed to join the groups.
    """
    async with connected_admin(broker) as admin:
        if denied := await _denied(admin, broker, rights, groups):
            return denied
        states = await _states(admin, broker)
    specs = [TOPICS[name] for name in rights]
    return _problems(specs, states, broker, partitions)


async def require_topics(broker: BrokerAccess, rights: Rights = WORKER_RIGHTS) -> None:
    """Check the topics that rights name.

    Raises:
        TopicProblem: A topic is missing or has wrong settings, or a right is missing.
    """
    if problems := await check_topics(broker, rights=rights):
        raise TopicProblem("\ntempl: ".join(problems))


async def read_partition_counts(broker: BrokerAccess) -> dict[str, int]:
    """Return the numbers of partitions of all topics on a broker, by full name."""
    async with connected_admin(broker) as admin:
        return await partition_counts(admin)


async def partition_count(broker: BrokerAccess) -> int:
    """Return the number of partitions of `documents`, which `site-models` and `site-settings` share.

    Raises:
        TopicProblem: There is no topic `documents`.
    """
    counts = await read_partition_counts(broker)
    name = broker.topic(DOCUMENTS)
    if name not in counts:
        raise TopicProblem(f"{name}: no such topic; create it: {_create_command(broker)}")
    return counts[name]


async def topic_partitions(broker: BrokerAccess, topic: str) -> int:
    """Return the number of partitions of a topic, given by its full name.

    Raises:
        TopicProblem: There is no such topic.
    """
    counts = await read_partition_counts(broker)
    if topic not in counts:
        raise TopicProblem(
            f"{topic}: no such topic, or this user may not see it; `templ topics check` says what is wrong"
        )
    return counts[topic]


@asynccontextmanager
async def connected_admin(
    broker: BrokerAccess, client: type[BrokerClient] = BrokerClient
) -> AsyncIterator[BrokerClient]:
    """Connect a client; every failure inside the context becomes one `BrokerProblem`.

    The client itself logs nothing, because the error says the same.
    """
    IS_SILENT.set(True)
    admin = client(**broker.client_options(), request_timeout_ms=REQUEST_TIMEOUT_MS)
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            await admin.start()
            yield admin
    except (KafkaError, OSError) as error:  # a TimeoutError is an OSError
        raise await _broker_problem(broker, error) from error
    finally:
        await admin.close()
        IS_SILENT.set(False)


async def _broker_problem(broker: BrokerAccess, error: KafkaError | OSError) -> BrokerProblem:
    if isinstance(error, OSError) or error.retriable:
        reason = await broker.problem() or f"answers no more ({type(error).__name__}); try again"
        return BrokerProblem(f"cannot reach Kafka at {broker}: {reason}")
    return BrokerProblem(f"Kafka at {broker} refuses: {error}")


async def partition_counts(admin: BrokerClient) -> dict[str, int]:
    """Return the numbers of partitions of all topics, by full name, over an open connection."""
    return {topic: len(partitions) for topic, partitions in (await _described(admin)).items()}


async def _described(admin: BrokerClient) -> dict[str, list[dict[str, Any]]]:
    # All topics are asked for, because some brokers create a topic that is asked for by name.
    return {
        description["topic"]: description["partitions"]
        for description in await admin.describe_topics()
    }


async def _states(admin: BrokerClient, broker: BrokerAccess) -> dict[str, TopicState]:
    """Return the states of templ's existing topics by their names without the prefix."""
    states = await read_topics(admin, broker, TOPIC_SETTINGS)
    return {name: TopicState(len(some), config) for name, (some, config) in states.items()}


async def read_topics(
    admin: BrokerClient,
    broker: BrokerAccess,
    settings: Iterable[str],
    left_out: type[KafkaError] = UnknownTopicOrPartitionError,
) -> dict[str, tuple[list[dict[str, Any]], dict[str, str]]]:
    """Return the partitions and settings of templ's existing topics by their names without the prefix.

    Topics with a certain error are left out.
    """
    described, wanted = await _described(admin), dict.fromkeys(settings)
    names = {full: name for name in TOPICS if (full := broker.topic(name)) in described}
    asked = [ConfigResource(ConfigResourceType.TOPIC, name, wanted) for name in names]
    configs: dict[str, dict[str, str]] = {}
    for response in await admin.describe_configs(asked) if asked else ():
        for code, message, _type, topic, entries in response.resources:
            error = for_code(code)
            if error is NoError:
                configs[topic] = {name: value for name, value, *_ in entries if value is not None}
            elif not issubclass(error, left_out):
                raise error(message)
    return {names[full]: (described[full], configs[full]) for full in names if full in configs}


async def create_specified(
    admin: BrokerClient,
    specs: list[TopicSpec],
    broker: BrokerAccess,
    partitions: int,
    replication_factor: int | None,
) -> list[str]:
    """Create topics, and return the names of those that did not exist before."""
    copies = replication_factor or BROKER_DEFAULT
    # The client accepts BROKER_DEFAULT only together with assignments, which may be empty.
    assigned: dict[int, list[int]] | None = None if replication_factor else {}
    new = [
        NewTopic(broker.topic(spec.name), partitions, copies, assigned, spec.config())
        for spec in specs
    ]
    response = await admin.create_topics(new, timeout_ms=REQUEST_TIMEOUT_MS)
    created = []
    for topic, code, message in response.topic_errors:
        error_type = for_code(code)
        if error_type is InvalidReplicationFactorError:
            raise BrokerProblem(f"cannot create {topic}: {message}; give --replication-factor")
        if error_type not in {NoError, TopicAlreadyExistsError}:
            raise BrokerProblem(f"cannot create {topic}: {message or error_type.description}")
        if error_type is NoError:
            created.append(topic)
    return [topic.name for topic in new if topic.name in created]


def _refuse(problems: list[str], begin: str = "") -> None:
    if problems:
        more = f" (and {len(problems) - 1} more: templ topics check)" if problems[1:] else ""
        raise TopicProblem(f"{begin}{problems[0]}{more}")


async def wait_until_there(admin: BrokerClient, names: list[str], partitions: int = 1) -> None:
    """Wait until topics have this number of partitions, all with leaders; clients see errors before."""
    while True:
        topics_there = await _described(admin)
        there = [topics_there.get(name, ()) for name in names]
        if all(len(some) >= partitions for some in there) and all(
            partition["leader"] >= 0 for some in there for partition in some
        ):
            return
        await asyncio.sleep(APPEAR_POLL_SECONDS)


def _problems(
    specs: Iterable[TopicSpec],
    states: dict[str, TopicState],
    broker: BrokerAccess,
    partitions: int | None,
) -> list[str]:
    create = _create_command(broker)
    problems = []
    for spec in specs:
        topic, state = broker.topic(spec.name), states.get(spec.name)
        if state is None:
            problems.append(f"{topic}: no such topic; create it: {create}")
            continue
        wrong = _partition_problem(spec, state.partitions, wanted=partitions, states=states)
        if wrong:
            need, number = wrong
            remedy = _partition_remedy(spec, topic, number, broker)
            problems.append(f"{topic}: has {state.partitions} partitions, {need}; {remedy}")
        for setting, value, why in _setting_problems(_needed(spec, states), state.config):
            change = (
                f"kafka-configs.sh --bootstrap-server {broker} --alter --topic {topic} "
                f"--add-config {setting}={value}"
            )
            problems.append(f"{topic}: {setting} is {state.config[setting]}, {why}; {change}")
    return problems


def _create_command(broker: BrokerAccess) -> str:
    options = f" --prefix {broker.prefix}" if broker.prefix else ""
    return f"templ topics create --broker {broker}{options}"


def _shared_count(states: dict[str, TopicState]) -> int | None:
    """Return the number of partitions of `documents`, or else of a topic that shares its keys."""
    shared = [name for name, spec in TOPICS.items() if spec.same_partitions and name in states]
    return states[DOCUMENTS if DOCUMENTS in shared else shared[0]].partitions if shared else None


def _partition_problem(
    spec: TopicSpec, has: int, *, wanted: int | None, states: dict[str, TopicState]
) -> tuple[str, int] | None:
    """Return what is needed and the right number of partitions, or None when `has` is right."""
    needed = wanted or _shared_count(states)
    if spec.same_partitions and needed is not None and has != needed:
        return f"needs {needed}", needed
    if spec.name == PAGES and wanted is not None and has < wanted:
        return f"needs {wanted} or more", wanted
    return None


def _partition_remedy(spec: TopicSpec, topic: str, needed: int, broker: BrokerAccess) -> str:
    """Return how to correct a number of partitions; records of sites are in the partitions of their sites."""
    if spec.same_partitions:
        return "copy the topics to others: templ seed --from-prefix (docs/operations.md)"
    return (
        f"kafka-topics.sh --bootstrap-server {broker} --topic {topic} --alter --partitions {needed}"
    )


def _needed(spec: TopicSpec, states: dict[str, TopicState]) -> TopicSpec:
    """Return the specification; dead letters need room for the largest message of `pages` here."""
    if spec.name != DEAD_LETTERS or PAGES not in states:
        return spec
    pages_bytes = int(states[PAGES].config["max.message.bytes"])
    room_bytes = max(spec.max_message_bytes, pages_bytes + DEAD_LETTER_ROOM_BYTES)
    return msgspec.structs.replace(spec, max_message_bytes=room_bytes)


def _setting_problems(spec: TopicSpec, config: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield each wrong setting, the value that it needs, and why."""
    if set(config["cleanup.policy"].split(",")) != set(spec.cleanup_policy.split(",")):
        yield "cleanup.policy", spec.cleanup_policy, f"must be {spec.cleanup_policy}"
    if int(config["max.message.bytes"]) < spec.max_message_bytes:
        least = str(spec.max_message_bytes)
        yield "max.message.bytes", least, f"needs {least} or more"
    if spec.retention_ms is not None:
        retention = int(config["retention.ms"])
        if retention != UNLIMITED and retention < spec.retention_ms:
            least = str(spec.retention_ms)
            yield "retention.ms", least, f"needs {least} or more"


async def _denied(
    admin: BrokerClient, broker: BrokerAccess, rights: Rights, groups: Iterable[str]
) -> list[str]:
    """Return a line for each topic and group for which rights are missing, as far as the broker says."""
    missing: list[tuple[str, str, list[Right]]] = []
    for name, needed in rights.items():
        given = await _topic_rights(admin, broker.topic(name))
        wanted = (Right.DESCRIBE, Right.DESCRIBE_CONFIGS, *needed)
        missing.append(
            (broker.topic(name), "topic", [right for right in wanted if right not in given])
        )
    for group in groups:
        # READ on a group implies DESCRIBE; aiokafka learns no more.
        with suppress(GroupCoordinatorNotAvailableError):  # a new broker has formed no group yet
            try:
                await admin.find_coordinator(group)
            except GroupAuthorizationFailedError:
                missing.append((group, "group", [Right.READ]))
    lines = []
    for name, kind, some in missing:
        if labels := [right.label for right in some]:
            operations = " ".join(f"--operation {label}" for label in labels)
            lines.append(
                f"{name}: this user lacks the right to {' and '.join(labels)}; grant it: "
                f"kafka-acls.sh --add --allow-principal User:NAME {operations} --{kind} {name}"
            )
    return lines


async def _topic_rights(admin: BrokerClient, topic: str) -> frozenset[Right]:
    """Return what this user may do with a topic, which is not created; all where the broker does not know."""
    response = await admin.ask(TopicRequest(topic, with_rights=True))
    ((code, *details),) = response.topics
    if for_code(code) is TopicAuthorizationFailedError:
        return frozenset()
    is_told = response.API_VERSION == TopicIdsResponse.API_VERSION
    if not is_told or details[4] == _UNKNOWN_RIGHTS:
        return frozenset(Right)
    return frozenset(right for right in Right if details[4] >> right & 1)
