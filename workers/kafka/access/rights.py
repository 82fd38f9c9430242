"""What the user of a connection may do with topics and consumer groups (Kafka's KIP-430)."""

from collections.abc import Iterator, Mapping
from enum import IntEnum

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    GroupAuthorizationFailedError,
    GroupCoordinatorNotAvailableError,
    TopicAuthorizationFailedError,
    for_code,
)

from schemas.topics import (
    CLEANED,
    DEAD_LETTERS,
    DOCUMENTS,
    PAGES,
    SITE_MODELS,
    SITE_SETTINGS,
)
from workers.kafka.logs.requests import TopicIdsResponse, TopicRequest

_UNKNOWN = -(1 << 31)
"""What a broker answers that cannot tell the rights."""


class Right(IntEnum):
    """An operation that a broker may allow, by Kafka's number of it."""

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
FEED_RIGHTS: Rights = {PAGES: (Right.WRITE,)}
"""What `templ feed` does."""
SEED_RIGHTS: Rights = {
    DOCUMENTS: (Right.WRITE,),
    SITE_MODELS: (Right.WRITE,),
    SITE_SETTINGS: (Right.READ, Right.WRITE),
}
"""What `templ seed` does."""


async def topic_rights(admin: AIOKafkaAdminClient, topic: str) -> frozenset[Right] | None:
    """Return what this user may do with a topic; None where the broker cannot tell.

    No right at all is returned for a topic that the user may not see. A topic that does not exist is
    asked for without creating it.
    """
    response = await admin._send_request(TopicRequest(topic, with_rights=True))  # noqa: SLF001
    ((code, *details),) = response.topics
    if for_code(code) is TopicAuthorizationFailedError:
        return frozenset()
    if response.API_VERSION != TopicIdsResponse.API_VERSION:
        return None
    return _rights(details[4])


async def group_rights(admin: AIOKafkaAdminClient, group: str) -> frozenset[Right] | None:
    """Return no right for a consumer group that this user may not see; otherwise None.

    A user that may read a group may see it; the broker tells no more of it to aiokafka.
    """
    try:
        await admin.find_coordinator(group)
    except GroupAuthorizationFailedError:
        return frozenset()
    except GroupCoordinatorNotAvailableError:  # no group was ever formed on a new broker
        return None
    return None


def missing_rights(
    name: str, kind: str, needed: tuple[Right, ...], given: frozenset[Right] | None
) -> Iterator[str]:
    """Yield a line if rights are missing.

    Args:
        name: Full name of the topic or group.
        kind: `topic` or `group`.
        needed: The rights that are needed.
        given: The rights that the user has; None where that is not known.
    """
    missing = [one.label for one in needed if given is not None and one not in given]
    if missing:
        operations = " ".join(f"--operation {one}" for one in missing)
        yield (
            f"{name}: this user lacks the right to {' and '.join(missing)}; grant it: kafka-acls.sh "
            f"--add --allow-principal User:NAME {operations} --{kind} {name}"
        )


def _rights(operations: int) -> frozenset[Right] | None:
    if operations == _UNKNOWN:
        return None
    return frozenset(one for one in Right if operations >> one & 1)
