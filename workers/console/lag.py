"""How far workers are behind, for the list of sites."""

import asyncio

import msgspec

from workers.errors import WorkerError
from workers.kafka.access.broker_access import BrokerAccess


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How many records wait for each role, as the broker told at one moment."""

    pages: int
    """Records of `pages` that no cleaner has committed."""
    documents: tuple[int, ...]
    """Records of each partition of `documents` that no refresher has committed."""

    def of_site(self, site: str) -> int:
        """Return how many records wait in the partition of a site."""
        from workers.kafka.broker.partitioning import partition_of  # noqa: PLC0415 - brings aiokafka

        return self.documents[partition_of(site, len(self.documents))]


async def read_lag(access: BrokerAccess, prefix: str, wait_s: float) -> Lag | None:
    """Return how far workers are behind; None where the broker does not tell it in time.

    Args:
        access: How the broker is reached.
        prefix: Text before the name of each topic and group.
        wait_s: Longest time to wait for the broker, in seconds.
    """
    from workers.kafka.operate.status import read_status  # noqa: PLC0415 - brings aiokafka

    try:
        async with asyncio.timeout(wait_s):
            status = await read_status(access, prefix, models_max=0)
    except (WorkerError, TimeoutError):
        return None
    cleaner, refresher = status.roles
    return Lag(pages=cleaner.lag, documents=tuple(one.lag for one in refresher.partitions))
