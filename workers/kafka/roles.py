"""One worker process on Kafka: the cleaner or the refresher, from start to stop."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import faust
from faust.types import TP

from schemas.topics import DOCUMENTS, PAGES
from workers.errors import TopicProblem
from workers.kafka.broker.admin import check_topics, partition_count
from workers.kafka.broker.log_filter import RepeatedMessageFilter
from workers.kafka.cleaner_app import CleanerApp
from workers.kafka.config import KafkaConfig
from workers.kafka.refresher_app import RefresherApp
from workers.kafka.watchdog import start_watchdog
from workers.processes.pool import Pool
from workers.settings import Settings
from workers.state.directory import StateDirectory
from workers.state.model_store import ModelStore

_REPEAT_AFTER_S = 30.0


def run_role(role: str, broker: str, prefix: str, state: Path, settings: Settings) -> None:
    """Work until a signal asks to stop; does not return otherwise.

    Args:
        role: `cleaner` or `refresher`.
        broker: HOST:PORT.
        prefix: Before each topic's name.
        state: State directory of the worker; each role has a folder in it.
        settings: Limits and bounds.

    Raises:
        BrokerProblem: the broker cannot be reached.
        TopicProblem: topics are missing or set wrong.
        StateProblem: the state directory cannot be used.
    """
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {role} %(levelname)s %(message)s")
    for noisy in ("faust", "mode", "aiokafka"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(RepeatedMessageFilter(_REPEAT_AFTER_S))
    partitions = asyncio.run(_checked_partitions(broker, prefix))
    with ExitStack() as stack:
        directory = StateDirectory.open(state / role, partitions)
        stack.callback(directory.close)
        config = KafkaConfig(
            broker=broker,
            prefix=prefix,
            partitions=partitions,
            state=directory.path,
            instance=directory.instance,
            settings=settings,
        )
        enter = _cleaner if role == "cleaner" else _refresher
        work, topic = stack.enter_context(enter(config))
        app = work.app
        if settings.metrics_port is not None:
            port = settings.metrics_port + (role == "refresher")
            work.metrics.serve(settings.metrics_host, port)
        start_watchdog(
            broker,
            config.group(role),
            topic,
            _assigned(app, topic),
            work.inner_progress,
            work.metrics.lag,
            settings.stall_timeout_s,
        )
        worker = faust.Worker(
            app, quiet=True, loglevel="WARNING", redirect_stdouts=False, override_logging=False
        )
        worker.spinner = None
        worker.execute_from_commandline()


async def _checked_partitions(broker: str, prefix: str) -> int:
    problems = await check_topics(broker, prefix)
    if problems:
        raise TopicProblem("\ntempl: ".join(problems))
    return await partition_count(broker, prefix)


@contextmanager
def _cleaner(config: KafkaConfig) -> Iterator[tuple[CleanerApp, str]]:
    models = ModelStore(config.state / "models")
    pool = Pool(config.settings, children=os.cpu_count() or 1)
    try:
        yield CleanerApp(config, pool, models), config.topic(PAGES)
    finally:
        pool.close()
        models.close()


@contextmanager
def _refresher(config: KafkaConfig) -> Iterator[tuple[RefresherApp, str]]:
    niceness = config.settings.refresher_niceness
    os.nice(niceness)
    pool = Pool(config.settings, children=1)
    templates_pool = Pool(config.settings, children=1, niceness=niceness // 2)
    refresher = RefresherApp(config, pool, templates_pool)
    try:
        yield refresher, config.topic(DOCUMENTS)
    finally:
        templates_pool.close()
        pool.close()
        refresher.close()


def _assigned(app: faust.App, topic: str) -> Callable[[], set[int]]:
    def partitions() -> set[int]:
        found: set[TP] = app.consumer.assignment() if app.consumer else set()
        return {one.partition for one in found if one.topic == topic}

    return partitions
