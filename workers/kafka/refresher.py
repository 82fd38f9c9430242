"""The refresher on Kafka: `documents` in; models, revisions and tombstones out."""

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from schemas.cleaned import CleanedRecord
from schemas.document import site_of_key
from schemas.site_model import SiteModelRecord
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.errors import DamagedStore, OtherFormat
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.tombstones import TombstoneCheck
from workers.kafka.metrics import RefresherMetrics
from workers.kafka.outputs import send_all
from workers.kafka.partition_windows import LostModels, PartitionWindows
from workers.kafka.store_role import StoreRole
from workers.pipeline.actions import (
    Action,
    Compare,
    NotFitted,
    OutputRecord,
    PassedOn,
    Transport,
    carry_out,
)
from workers.processes.pool import Pool
from workers.settings import Settings
from workers.state.rebuildable import remove_set_aside
from workers.state.site_state import WindowTotals, model_is_due
from workers.state.window_store import WindowStore

log = logging.getLogger("templ")


T = TypeVar("T")


class Refresher(StoreRole[PartitionWindows]):
    """Keeps the windows of its partitions, and publishes models, revisions and tombstones."""

    name, input_topic, doing = "refresher", DOCUMENTS, "refreshing"
    prepared = "the windows are up to date"
    metrics: RefresherMetrics

    def __init__(self, config: KafkaConfig, pool: Pool) -> None:
        super().__init__(config)
        self._pool = pool
        self.metrics = RefresherMetrics(self._totals, {"refresh": pool})
        self._tombstones = TombstoneCheck(config.broker, self.topic)
        self._to_revise: dict[tuple[int, str], None] = {}
        """Partitions and sites only, in order: all their models together would take too much memory."""
        self._revisable = asyncio.Event()
        lost_models = LostModels(
            config.broker, config.broker.topic(SITE_MODELS), self._owned, self._publish_model
        )
        self._keep_doing("revising", self._revise_next)
        self._keep_doing("watching site models", lost_models.watch)

    def _open(self, number: int) -> PartitionWindows:
        return PartitionWindows(self.config, self._pool, number, self._site_settings)

    def inner_progress(self) -> dict[int, int]:
        """Return how far each window store has read, rebuilds included."""
        return {number: work.store.next_offset for number, work in self._owned.opened().items()}

    def _missing(self) -> str:
        missing = self._owned.not_ready()
        return f"windows of partitions {missing} are being rebuilt" if missing else ""

    def _totals(self) -> WindowTotals:
        """Return the totals of all open windows; the thread that answers a scrape calls this."""
        return sum(
            (windows.store.totals() for windows in self._owned.opened().values()), WindowTotals()
        )

    async def _process(
        self, number: int, windows: PartitionWindows, messages: Sequence[Received]
    ) -> None:
        await self._publish(number, windows, await self._learn(number, windows, messages))

    async def _take_over(self, number: int) -> None:
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            sites = await asyncio.to_thread(list, windows.store.sites())
            due = [site for site, state in sites if model_is_due(state)]
            await self._publish(number, windows, due)

    async def _learn(
        self, number: int, windows: PartitionWindows, messages: Sequence[Received]
    ) -> list[str]:
        """Learn from records of `documents`, at least the first; returns the sites that may have something to publish.

        It ends early when the partition is revoked. All are learned in one step on one lane, because a step takes
        longer than most records; while the partition is held, nothing else uses its windows.
        """
        await self._known()
        counts = [
            message.value is not None or await self._tombstones.counts(message)
            for message in messages
        ]

        def learn() -> list[str]:
            sites: set[str] = set()
            for message, is_counted in zip(messages, counts, strict=True):
                if sites and number not in self._owned:
                    break
                site = site_of_key(message.key or b"")
                is_learned = is_counted and windows.learn(site, message)
                if not is_counted:
                    windows.keep(message)
                (self.metrics.documents if is_learned else self.metrics.left_out).inc()
                sites.add(site)
            return sorted(site for site in sites if model_is_due(windows.store.site_state(site)))

        return await self.on_lane(site_of_key(messages[0].key or b""), learn)

    async def _take_down(self, site: str) -> bool:
        was_there = False  # the site's partition may be this worker's or not
        number = partition_of(site, self.config.partitions)
        async with self._owned.hold(number) as windows:
            if windows is not None:
                was_there = await self.on_lane(site, partial(windows.store.erase, site))
            elif (path := self.config.state / f"windows-{number}").exists():
                was_there = await asyncio.to_thread(_erase_closed, path, site, self.config.settings)
        remove_set_aside(self.config.state)
        await self.on_lane(site, partial(self._pool.forget, site))
        return was_there

    async def _publish_model(self, number: int, site: str, windows: PartitionWindows) -> None:
        await self._carry_out(number, windows, site, partial(windows.engine.publish_model, site))

    async def _publish(self, number: int, windows: PartitionWindows, sites: Iterable[str]) -> None:
        """Publish what follows from the windows of a partition, while holding it."""
        engine = windows.engine
        for site in sites:
            await self._carry_out(number, windows, site, partial(engine.refresh, site))
        while await self._carry_out(number, windows, "", engine.next_due):
            pass

    async def _carry_out(
        self,
        number: int,
        windows: PartitionWindows,
        site: str,
        decide: Callable[[], list[Action]],
    ) -> bool:
        """Have the engine decide, carry its actions out, and return whether there were any.

        It ends early when the partition is revoked.
        """
        if number not in self._owned:
            return False
        started_s = time.monotonic()
        actions = await self.on_lane(site, decide)
        topics = _Topics(self, number, windows, time.monotonic() - started_s)
        for action in actions:
            if number not in self._owned:
                return False
            await carry_out(action, topics)
        return bool(actions)

    def revise_later(self, number: int, site: str) -> None:
        """Have the texts of a site compared with its model when it is the site's turn."""
        self._to_revise[number, site] = None
        self._revisable.set()

    async def on_lane(self, site: str, work: Callable[[], T]) -> T:
        """Do work on a site's window on the site's lane, never on the loop."""
        return await asyncio.wrap_future(self._pool.submit(site, work))

    async def _revise_next(self) -> None:
        """Publish the texts of one site that its model has changed, at the rate allowed."""
        while not self._to_revise:
            self._revisable.clear()
            await self._revisable.wait()
        number, site = next(iter(self._to_revise))
        del self._to_revise[number, site]
        self.metrics.revisions_waiting.set(len(self._to_revise))
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            started_s = time.monotonic()
            actions = await self.on_lane(site, partial(windows.engine.compare_texts, site))
            topics = _Topics(self, number, windows, time.monotonic() - started_s)
        for action in actions:
            async with self._owned.hold(number) as now:
                if now is not windows:
                    return
                revision: Action | None = action
                if isinstance(action, Compare):
                    revision = await self.on_lane(site, partial(windows.engine.revision, action))
                if revision is not None:
                    await carry_out(revision, topics)
            if revision is not None:
                await asyncio.sleep(1 / self.config.settings.revisions_per_s)


class _Topics(Transport):
    """Sends what follows from the windows of a partition, and has texts compared later, which is not urgent."""

    def __init__(
        self, role: Refresher, number: int, windows: PartitionWindows, fit_s: float
    ) -> None:
        """Send for a partition; `fit_s` is how long the engine took to decide, in seconds."""
        super().__init__(windows.engine.revision)
        self._role, self._number, self._windows, self._fit_s = role, number, windows, fit_s

    async def send(self, record: OutputRecord, headers: PassedOn) -> None:
        await send_all([self._role.outputs.send(record, headers)])
        if isinstance(record, SiteModelRecord):
            self._role.metrics.refitted(self._fit_s)
        elif isinstance(record, CleanedRecord):
            self._role.metrics.revisions.labels(record.revision_reason).inc()

    async def forget(self, keys: Sequence[bytes]) -> None:
        await send_all(self._role.outputs.forget(keys, self._windows.decided_from()))

    async def compare(self, text: Compare) -> None:
        self._role.revise_later(self._number, text.model.site)

    async def note(self, done: Callable[[], None]) -> None:
        await self._role.on_lane("", done)

    def not_fitted(self, action: NotFitted) -> None:
        super().not_fitted(action)
        self._role.metrics.not_fitted.inc()


def _erase_closed(path: Path, site: str, settings: Settings) -> bool:
    """Erase a site from a store that is not open, and return whether it held anything of the site.

    A store that cannot be read is removed with all it holds.
    """
    try:
        store = WindowStore(path, settings)
    except (DamagedStore, OtherFormat):
        shutil.rmtree(path)
        return True
    was_there = store.erase(site)
    store.close()
    return was_there
