"""A faust App with settings under which no message is lost.

faust's Tables are not used, see workers/README.md.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

import faust
from aiokafka.errors import KafkaError
from faust.types import TP
from faust.types.auth import CredentialsT

from schemas.topics import DOCUMENTS
from workers.errors import BrokerProblem, DiskProblem, FeedProblem, WorkerError
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import PRODUCER_ROOM_BYTES
from workers.kafka.broker.received import OffsetGapFiller
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.fetched import EMPTY_TAILS, FETCHED
from workers.kafka.logs.log_reader import LogReader, ask_for_logs
from workers.kafka.logs.resume import OTHER_TOPIC, LogSnapshot, LogState, is_other_topic, resume
from workers.kafka.patches import (
    ByteQueue,
    LogConsumer,
    bound_fetches,
    compress_off_loop,
    compress_quickly,
    pause_without_broker,
)
from workers.settings import Settings

_FATAL = 70
"""Exit code of a process that ends to be started again by its supervisor, unless its error has another code."""
_REASON_WAIT_S = 5.0
"""How long a process that must end may ask for the reason."""
_STOP_WAIT_S = 25.0
"""How long a process may take to stop; the supervisor, like Kubernetes, kills it after 30 s."""
_METADATA_AGE_MS = 10_000
"""Age at which a consumer asks the broker for its topics again, in milliseconds.

A group that forms while a broker starts may learn of no partition, and be assigned none. aiokafka forms
the group again when it learns of the partitions; by default it asks only after five minutes.
"""
_MIB = 1 << 20
log = logging.getLogger("templ")
Answer = TypeVar("Answer")


class App(faust.App):
    """A faust App whose streams hold a bounded number of bytes and whose offsets suit the logs."""

    config: KafkaConfig
    gaps: OffsetGapFiller
    """Finds records that faust has skipped, and reads them."""
    snapshots: dict[int, LogSnapshot]
    """The logs of its partitions of its input topic, as they were at the last check."""
    assigned: frozenset[int]
    """The partitions of its input topic that it was assigned last; any thread may read it."""
    has_joined: bool
    """Whether the group has assigned partitions (maybe none) and not revoked them."""

    def FlowControlQueue(  # noqa: N802 - faust's name
        self, maxsize: int | None = None, *, clear_on_resume: bool = False
    ) -> ByteQueue:
        """Return the queue between the consumer and an agent."""
        return ByteQueue(
            maxsize=maxsize,
            flow_control=self.flow_control,
            clear_on_resume=clear_on_resume,
            most_bytes=self.config.settings.batch_bytes,
        )

    def _new_transport(self) -> Any:
        transport = super()._new_transport()
        transport.Consumer = LogConsumer  # type: ignore[misc]
        return transport

    async def on_missing_offset(self, tp: TP, offset: int | None) -> None:
        """End the process: the log lacks its next offset, or none (None) is committed.

        A restart finds out where a log was cut. But the broker deletes the committed offsets together with a topic,
        so that a restart cannot notice that the topic is a new one.
        """
        snapshots = {tp.partition: self.snapshots.get(tp.partition)}

        async def question(reader: LogReader) -> dict[int, LogState]:
            return await reader.logs(tp.topic, snapshots)

        problem = "no offset is committed" if offset is None else f"the log has no offset {offset}"
        with suppress(BrokerProblem, TimeoutError):
            async with asyncio.timeout(_REASON_WAIT_S):
                for log_now in (await ask_for_logs(self.config.broker, question)).values():
                    if is_other_topic(snapshots[tp.partition], log_now):
                        problem = OTHER_TOPIC
        end_process(f"{tp.topic}-{tp.partition}: {problem}; the process ends to be started again")

    async def start(self) -> None:
        """Start everything; faust would end a process whose broker is gone with exit code 1."""
        await essential(self, "starting", super().start)

    async def stop(self) -> None:
        """Stop everything, and end the process where a broker that is gone leaves that unfinished."""
        unfinished = (
            f"the broker has not taken what is left to send within {_STOP_WAIT_S:g} s; the next start "
            "repeats what is not acknowledged"
        )
        timer = threading.Timer(
            _STOP_WAIT_S, end_process, (unfinished, BrokerProblem.exit_code, logging.WARNING)
        )
        timer.daemon = True
        timer.start()
        try:
            await super().stop()
        finally:
            timer.cancel()

    def _crash(self, reason: BaseException) -> None:
        if isinstance(reason, KafkaError):
            self.on_lost_broker(reason)
        super()._crash(reason)

    def on_lost_broker(self, error: KafkaError) -> NoReturn:
        """End the process because a library has given up part of it; any thread may call this."""
        end_process(*_ending("reading and sending", error))

    def join_again(self) -> None:
        """Join the consumer group again unless this process is stopping; any thread may call this."""
        if self._consumer is not None and not self.should_stop:
            self._consumer.join_again()  # type: ignore[attr-defined]

    async def _on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """Correct committed offsets before faust goes to them."""
        self.assigned = (
            frozenset()
        )  # the watchdog checks nothing while offsets and snapshots change
        by_topic: dict[str, list[int]] = {}
        for tp in assigned:
            by_topic.setdefault(tp.topic, []).append(tp.partition)
            FETCHED.drop(tp.topic, tp.partition, FETCHED.of(tp.topic, tp.partition))
            EMPTY_TAILS.drop(tp.topic, tp.partition)
        for topic, numbers in by_topic.items():
            step = partial(self._set_offsets_right, topic, numbers)
            await essential(self, "taking over partitions", step)
        self.assigned = frozenset(tp.partition for tp in assigned)
        await super()._on_partitions_assigned(assigned, generation_id)
        self.has_joined = True

    async def _on_partitions_revoked(self, revoked: set[TP]) -> None:
        self.has_joined = False
        await super()._on_partitions_revoked(revoked)

    def event_loops(self) -> list[asyncio.AbstractEventLoop]:
        """Return the loops that must answer while the app runs: its own, and that of the consumer."""
        loops = [self.loop] if self.started else []
        if self._consumer is not None:
            loops += self._consumer.event_loops()  # type: ignore[attr-defined]
        return loops

    async def _set_offsets_right(self, topic: str, numbers: Iterable[int]) -> None:
        question = partial(self._right_offsets, topic, list(numbers))
        right, read_in = await ask_for_logs(self.config.broker, question)
        if right and not await self.consumer.go_to(right):  # type: ignore[attr-defined]
            # Until the next assignment, offsets are committed with the snapshots of the logs that they were read in: with
            # the present snapshots, nothing would show that they belong to other logs.
            for tp in right:
                self.snapshots.pop(tp.partition)
            self.snapshots |= read_in

    async def _right_offsets(
        self, topic: str, numbers: Iterable[int], reader: LogReader
    ) -> tuple[dict[TP, int], dict[int, LogSnapshot]]:
        """Return the offsets to commit in place of those that no longer suit the logs, and the logs that they belong to.

        The process ends if partitions were added since it began, because it would go on sending the
        records of sites to the partitions that they belonged to before. It also ends if it has read an earlier
        topic of this name: faust would drop the new records whose offsets are below those that it has reached.
        """
        changed = self.config.partitions_changed(
            await reader.partition_count(self.config.broker.topic(DOCUMENTS))
        )
        if changed:
            end_process(f"{changed}; the process ends to be started again", level=logging.WARNING)
        committed = await reader.committed(self.conf.id, topic)
        known = {number: committed.get(number) for number in numbers}
        snapshots = {number: place.snapshot if place else None for number, place in known.items()}
        logs = await reader.logs(topic, snapshots)
        right, read_in = {}, {}
        for number, state in logs.items():
            if is_other_topic(self.snapshots.get(number), state):
                end_process(f"{topic}: {OTHER_TOPIC}; the process ends to be started again")
            place = known[number]
            self.snapshots[number] = state.snapshot
            offset = place.offset if place else None
            goes_on = resume(offset, snapshots[number], state, self.config.settings.offset_reset)
            if goes_on.reason:
                log.warning(
                    "%s-%s: %s; reading goes on at offset %s",
                    *(topic, number, goes_on.reason, goes_on.offset),
                    extra={"topic": topic, "partition": number, "offset": goes_on.offset},
                )
            self.gaps.begin(number, goes_on.offset, is_other_log=goes_on.is_other_log)
            if goes_on.offset != offset:
                right[TP(topic, number)] = goes_on.offset
                if (snapshot := snapshots[number]) is not None:
                    read_in[number] = snapshot
        return right, read_in


def build_app(config: KafkaConfig, role: str) -> App:
    """Return an App in the consumer group of `role`.

    The App creates no topics; `templ topics create` does.
    """
    settings = config.settings
    bound_fetches(settings.record_limit_bytes)
    compress_off_loop()
    compress_quickly()
    pause_without_broker()
    app = App(
        config.broker.group(role),
        broker=[f"kafka://{host}" for host in config.broker.address.split(",")],
        broker_credentials=faust_credentials(config.broker),
        datadir=config.state / "faust",
        store="memory://",
        key_serializer="raw",
        value_serializer="raw",
        topic_allow_declare=False,
        topic_disable_leader=True,
        topic_partitions=config.partitions,
        table_standby_replicas=0,
        web_enabled=False,
        stream_wait_empty=False,
        stream_buffer_maxsize=settings.batch_pages,
        consumer_auto_offset_reset="none",  # what to do is decided when partitions are assigned
        consumer_group_instance_id=config.instance,
        consumer_max_fetch_size=2 * _MIB,
        consumer_metadata_max_age_ms=_METADATA_AGE_MS,
        broker_max_poll_records=settings.batch_pages,
        # The limit applies before compression: a dead letter may carry a page that came compressed.
        producer_max_request_size=max_value_bytes(settings) + PRODUCER_ROOM_BYTES,
        producer_linger=0,  # a batch is sent as a whole, so waiting for more only adds latency
        producer_max_batch_size=_MIB,
        producer_compression_type=None if settings.compression == "none" else settings.compression,
        producer_acks=-1,
        broker_commit_interval=settings.commit_interval_s,
        broker_session_timeout=settings.session_timeout_s,
        broker_heartbeat_interval=settings.session_timeout_s / 5,
        broker_request_timeout=max(90.0, 2 * settings.session_timeout_s),
        worker_redirect_stdouts=False,
    )
    app.config = config
    app.gaps = OffsetGapFiller(config.broker)
    app.snapshots = {}
    app.assigned = frozenset()
    app.has_joined = False
    return app


def faust_credentials(broker: BrokerAccess) -> CredentialsT | None:
    """Return what faust needs for TLS and for the login."""
    settings = broker.settings
    if broker.tokens is not None:
        return faust.OAuthCredentials(oauth_cb=broker.tokens, ssl_context=broker.tls)
    if settings.uses_sasl:
        return faust.SASLCredentials(
            username=settings.sasl_username,
            password=settings.sasl_password,
            ssl_context=broker.tls,
            mechanism=settings.sasl_mechanism,
        )
    return None if broker.tls is None else faust.SSLCredentials(broker.tls)


def max_value_bytes(settings: Settings) -> int:
    """Return the size of the largest value that is sent, before compression."""
    return max(settings.message_limit_bytes, settings.page_limit_bytes)


def raw_topic(app: faust.App, name: str) -> faust.TopicT:
    """Return a topic whose keys and values are sent and received as bytes or None."""
    return app.topic(
        name, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw"
    )


def end_process(reason: str, exit_code: int = _FATAL, level: int = logging.CRITICAL) -> NoReturn:
    """End this process at once without committing offsets, and log the reason.

    What was not acknowledged is processed again after a restart.
    """
    log.log(level, reason)
    logging.shutdown()
    os._exit(exit_code)


async def essential(app: faust.App, name: str, step: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what a step answers whose failure must end the process, so that no message is skipped.

    The traceback of an unforeseen failure is logged, but not that of a broker that is gone. A worker
    that is being stopped loses its producer during a step; that is no failure, and nothing is
    acknowledged.
    """
    try:
        return await step()
    except asyncio.CancelledError:
        raise
    except Exception as error:
        if app.should_stop:
            log.debug("%s was interrupted by the stop of the worker", name, exc_info=True)
            raise asyncio.CancelledError from error
        if isinstance(error, FeedProblem):
            end_process(str(error), error.exit_code)
        if not isinstance(error, (WorkerError, KafkaError)):
            log.exception("a fault of templ itself while %s", name)
        end_process(*_ending(name, error))


def _ending(name: str, error: Exception) -> tuple[str, int]:
    """Return the line and the exit code with which a process ends whose step has failed, to be started again."""
    reason, code = f"{type(error).__name__}: {error}", _FATAL
    if isinstance(error, KafkaError):
        reason, code = f"the broker is gone or refuses: {error}", BrokerProblem.exit_code
    elif isinstance(error, (BrokerProblem, DiskProblem)):
        code = error.exit_code
    return f"{name}: {reason}; the process ends to be started again", code
