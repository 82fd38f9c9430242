"""Carries out on Kafka what the publisher asks for: sends at once, revisions in turn."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator

from schemas.cleaned import CleanedRecord
from schemas.site_model import SiteModelRecord
from workers.kafka.monitoring.metrics import RefresherMetrics
from workers.kafka.outputs import TopicOutputs, send_all
from workers.kafka.partition_windows import OwnedPartitions
from workers.pipeline.actions import (
    Action,
    Forget,
    NotFitted,
    OutputRecord,
    Pause,
    Revise,
    Send,
)
from workers.processes.pool import Pool
from workers.settings import Settings

log = logging.getLogger("templ")


class Carrier:
    """Carries out actions. Work on a site's window runs on the site's lane, never on the loop."""

    def __init__(
        self,
        outputs: TopicOutputs,
        owned: OwnedPartitions,
        pool: Pool,
        settings: Settings,
        metrics: RefresherMetrics,
    ) -> None:
        """Put the parts together.

        Args:
            outputs: Where records are sent.
            owned: The windows; an action of a partition that was taken away is not carried out.
            pool: Where models are fitted and texts revised.
            settings: The rate of revisions.
            metrics: What is counted.
        """
        self._outputs = outputs
        self._owned = owned
        self._pool = pool
        self._settings = settings
        self._metrics = metrics
        self._to_revise: dict[tuple[int, str], None] = {}
        """Partitions and sites only, in order: all their models together would take too much memory."""
        self._revisable = asyncio.Event()

    def background(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """Return the steps that are to be repeated for ever, beside the stream, by name."""
        return {"revising": self._revise_next}

    async def carry_out(self, number: int, site: str, actions: Iterator[Action]) -> None:
        """Carry out actions while holding their partition; end early where it is taken away.

        Args:
            number: The partition.
            site: On whose lane the publisher works.
            actions: What the publisher asks for.
        """
        while await self._carry_out_to_pause(number, site, actions):
            pass

    async def _carry_out_to_pause(self, number: int, site: str, actions: Iterator[Action]) -> bool:
        """Answer whether there is more to do after a pause."""
        while number in self._owned:
            started_s = time.monotonic()
            work = self._pool.submit(site, next, actions, None)
            action = await asyncio.wrap_future(work)
            if action is None:
                return False
            if isinstance(action, Pause):
                return True
            await self._perform(number, action, time.monotonic() - started_s)
        return False

    async def _perform(self, number: int, action: Action, seconds: float) -> None:
        match action:
            case Send(record, headers):
                await send_all([self._outputs.send(record, headers)])
                self._count(record, seconds)
            case Forget(keys):
                windows = self._owned.opened()[number]
                await send_all(self._outputs.forget(keys, windows.grounds()))
            case Revise(model):
                self._to_revise[number, model.site] = None
                self._revisable.set()
            case NotFitted(site, reason):
                self._metrics.not_fitted.inc()
                log.warning(
                    "the model of %s could not be fitted: %s", site, reason, extra={"site": site}
                )

    def _count(self, record: OutputRecord, seconds: float) -> None:
        if isinstance(record, SiteModelRecord):
            self._metrics.refitted(seconds)
        elif isinstance(record, CleanedRecord):
            self._metrics.revisions.labels(record.revision_reason).inc()

    async def _revise_next(self) -> None:
        """Publish the texts again that one site's model has changed, at the rate allowed."""
        while not self._to_revise:
            self._revisable.clear()
            await self._revisable.wait()
        number, site = next(iter(self._to_revise))
        del self._to_revise[number, site]
        self._metrics.revisions_waiting.set(len(self._to_revise))
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            actions = windows.publisher.revise_with_latest(site)
            goes_on = await self._carry_out_to_pause(number, site, actions)
        while goes_on:
            await asyncio.sleep(1 / self._settings.revisions_per_s)
            async with self._owned.hold(number) as now:
                if now is not windows:
                    return
                goes_on = await self._carry_out_to_pause(number, site, actions)
