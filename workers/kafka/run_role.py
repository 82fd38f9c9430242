"""The process of one role on Kafka, which is the cleaner, the refresher or the watcher."""

import asyncio
import gc
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import faust

from schemas.topics import CLEANED, DOCUMENTS, FINGERPRINTS, SITE_MODELS, TOPICS
from workers.errors import PLANNED_RESTART, BrokerProblem, TopicProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import (
    WATCH_RIGHTS,
    WORKER_RIGHTS,
    Rights,
    check_topics,
    read_partition_counts,
)
from workers.kafka.broker.library_logs import (
    RepeatedMessageFilter,
    is_problem,
    without_expected_traceback,
)
from workers.kafka.cleaner import Cleaner
from workers.kafka.config import KafkaConfig
from workers.kafka.probes import Health, serve_probes
from workers.kafka.refresher import Refresher
from workers.kafka.role import Role
from workers.kafka.watchdog import start_watchdog
from workers.kafka.watcher import Watcher
from workers.log_forms import LogSetUp, set_up_logging
from workers.processes.pool import Pool
from workers.processors import processor_count
from workers.settings import Settings, settings_line
from workers.state.content_index import ContentIndex
from workers.state.directory import StateDirectory, is_used
from workers.state.model_store import ModelStore
from workers.state.rebuildable import open_rebuildable
from workers.state.rocks import RocksDatabase

_REPEAT_AFTER_S = 30.0
"""Seconds until a message that a library repeats is logged again."""
log = logging.getLogger("templ")


def run_role(
    role: str, broker: BrokerAccess, state: Path, settings: Settings, *, is_alone: bool = False
) -> None:
    """Run a role, `cleaner`, `refresher` or `watcher`, until a signal asks to stop.

    Everything that blocks is opened before the role's event loop starts, and closed after it ends. Each role has a
    directory of its own in the state directory. A role that is alone has no supervisor that has logged the settings.

    Raises:
        BrokerProblem: The broker cannot be reached, or it lacks a topic with which this state directory
            has been used.
        TopicProblem: A topic is missing or has wrong settings.
        StateProblem: The state directory cannot be used.
    """
    _set_up_logging(role, settings)
    group = broker.group(role)
    has_served = is_used(state / role)
    rights = WATCH_RIGHTS if role == "watcher" else WORKER_RIGHTS
    counts = asyncio.run(_checked_counts(broker, group, rights, has_served=has_served))
    if is_alone:
        log.info("settings: %s", settings_line(settings))
    # The refresher has a store for each partition, the watcher one more, and the cleaner one.
    partitions = counts[CLEANED if role == "watcher" else DOCUMENTS]
    RocksDatabase.sharing = partitions + 1
    with ExitStack() as stack:
        directory = StateDirectory.open(state / role, partitions, is_rebuildable=True)
        stack.callback(directory.close)
        config = KafkaConfig(
            broker=broker,
            counts=counts,
            state=directory.path,
            instance=directory.instance,
            settings=settings,
        )
        work: Role = stack.enter_context(_OPENED[role](config))
        if settings.metrics_port is not None:
            port = settings.metrics_port + (role == "refresher" and settings.metrics_port > 0)
            health = Health(loops=work.app.event_loops, waiting_for=work.waiting_for)
            serve_probes(settings.metrics_host, port, work.metrics.registry, health)
        work.metrics.watch(lambda: len(work.app.assigned), work.waiting_for)
        if isinstance(work, Cleaner):
            work.warm_up()
        start_watchdog(work, settings.stall_timeout_s)
        worker = faust.Worker(
            work.app, quiet=True, loglevel="WARNING", redirect_stdouts=False, override_logging=False
        )
        worker.spinner = None
        gc.collect()
        gc.freeze()  # a full collection would look at all modules, and hold up the event loop for 60 ms
        try:
            worker.execute_from_commandline()
        except SystemExit as end:
            if work.ends_as_planned and not end.code:
                sys.exit(PLANNED_RESTART)
            raise


def _set_up_logging(role: str, settings: Settings) -> None:
    set_up_logging(LogSetUp(role, settings.log_format, settings.log_level))
    for handler in logging.getLogger().handlers:
        handler.addFilter(is_problem)
        handler.addFilter(RepeatedMessageFilter(_REPEAT_AFTER_S))
        handler.addFilter(without_expected_traceback)


async def _checked_counts(
    broker: BrokerAccess, group: str, rights: Rights, *, has_served: bool
) -> dict[str, int]:
    """Return the numbers of partitions of the topics, by names without the prefix, once all topics are usable."""
    # Counted before the check: while partitions are added later, the watchdog sees another number.
    visible = await read_partition_counts(broker)
    problems = await check_topics(broker, rights=rights, groups=[group])
    if problems:
        # A topic that existed before may have been deleted to be created again: wait for it.
        problem = BrokerProblem if has_served else TopicProblem
        raise problem("\ntempl: ".join(problems))
    counts = {name: visible[broker.topic(name)] for name in TOPICS if broker.topic(name) in visible}
    for name in (DOCUMENTS, *rights):
        if name not in counts:
            raise BrokerProblem(f"{broker.topic(name)} was created just now: start again")
    return counts


@contextmanager
def _cleaner(config: KafkaConfig) -> Iterator[Cleaner]:
    models = open_rebuildable(config.state / "models", ModelStore, config.broker.topic(SITE_MODELS))
    children = config.settings.cleaner_children or processor_count()
    pool = Pool(config.settings, children=children, has_spare=True)
    # Take-downs would miss what earlier versions kept here.
    shutil.rmtree(config.state / "contents", ignore_errors=True)
    try:
        yield Cleaner(config, pool, models)
    finally:
        pool.close()
        models.close()


@contextmanager
def _refresher(config: KafkaConfig) -> Iterator[Refresher]:
    os.nice(config.settings.refresher_niceness)
    pool = Pool(config.settings, children=1)
    refresher = Refresher(config, pool)
    try:
        yield refresher
    finally:
        pool.close()
        refresher.close()


@contextmanager
def _watcher(config: KafkaConfig) -> Iterator[Watcher]:
    contents = open_rebuildable(
        config.state / "contents",
        lambda path: ContentIndex(path, config.settings.duplicates_pages_max),
        config.broker.topic(FINGERPRINTS),
    )
    watcher = Watcher(config, contents)
    try:
        yield watcher
    finally:
        watcher.close()
        contents.close()


_OPENED: dict[str, Callable[[KafkaConfig], AbstractContextManager[Role]]] = {
    "cleaner": _cleaner,
    "refresher": _refresher,
    "watcher": _watcher,
}
"""What opens the work of a role."""
