"""Carries out on Kafka what the publisher asks for: sends at once, fits and revisions in turn."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator

from schemas.cleaned import CleanedRecord
from schemas.site_model import SiteModelRecord
from workers.kafka.monitoring.metrics import RefresherMetrics
from workers.kafka.outputs import TopicOutputs, send_all
from workers.kafka.partition_windows import OwnedPartitions
from workers.kafka.template_backlog import Site, TemplateBacklog
from workers.pipeline.actions import (
    Action,
    Fit,
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
        templates_pool: Pool,
        settings: Settings,
        metrics: RefresherMetrics,
    ) -> None:
        """Put the parts together.

        Args:
            outputs: Where records are sent.
            owned: The windows; an action of a partition that was taken away is not carried out.
            pool: Where models are fitted and texts revised.
            templates_pool: Where trees are fitted.
            settings: The deadline of a fit and the rate of revisions.
            metrics: What is counted.
        """
        self._outputs = outputs
        self._owned = owned
        self._pool = pool
        self._templates_pool = templates_pool
        self._settings = settings
        self._metrics = metrics
        self._backlog = TemplateBacklog()
        self._to_revise: dict[Site, None] = {}
        """Sites only, in order: all their models together would take too much memory."""
        self._revisable = asyncio.Event()

    def background(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """Return the steps that are to be repeated for ever, beside the stream, by name."""
        return {"fitting templates": self._fit_next, "revising": self._revise_next}

    def fit_later(self, number: int, site: str, overdue: float) -> None:
        """Put a site on the list of those whose trees are fitted, if they are due.

        Args:
            number: The site's partition.
            site: Site key.
            overdue: How overdue they are, see `workers.state.site_state.templates_overdue_by`.
        """
        self._backlog.add((number, site), overdue)

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
            case Fit(site, overdue):
                self.fit_later(number, site, overdue)
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

    async def _fit_next(self) -> None:
        """Fit the trees that are most overdue, and publish them with a model."""
        number, site = await self._backlog.take()
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            asked = self._pool.submit(site, windows.refresher.templates_task, site)
            task, learned = await asyncio.wrap_future(asked)
        started_s = time.monotonic()
        pool, deadline_s = self._templates_pool, self._settings.refit_deadline_s
        result, _ = await asyncio.wrap_future(pool.submit(site, pool.run, site, task, deadline_s))
        async with self._owned.hold(number) as now:
            if now is None or now is not windows:
                return
            kept = self._pool.submit(site, now.refresher.keep_templates, site, result, learned)
            problem = await asyncio.wrap_future(kept)
            if problem is not None:
                self._metrics.not_fitted.inc()
                log.warning(
                    "templates of %s could not be fitted: %s",
                    site,
                    problem.reason,
                    extra={"site": site},
                )
                return
            self._metrics.templates_seconds.observe(time.monotonic() - started_s)
            await self.carry_out(number, site, now.publisher.publish_model(site))

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
