"""A faust App with the settings that lose no message (and no Table, see the folder's README)."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable

import faust

from workers.kafka.broker.byte_queue import ByteQueue
from workers.kafka.config import PRODUCER_ROOM_BYTES, KafkaConfig
from workers.settings import Settings

_FATAL = 70
_MIB = 1 << 20
log = logging.getLogger("templ")

Headers = dict[str, bytes]


class App(faust.App):
    """A faust App whose streams hold a bounded number of bytes."""

    most_bytes = 0

    def FlowControlQueue(  # noqa: N802 - faust's name
        self, maxsize: int | None = None, *, clear_on_resume: bool = False
    ) -> ByteQueue:
        """What waits between the consumer and an agent."""
        return ByteQueue(
            maxsize=maxsize,
            flow_control=self.flow_control,
            clear_on_resume=clear_on_resume,
            most_bytes=self.most_bytes,
        )


def build_app(config: KafkaConfig, role: str) -> App:
    """An App of the consumer group of `role`; topics are made by `templ topics create` only."""
    settings = config.settings
    app = App(
        config.group(role),
        broker=f"kafka://{config.broker}",
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
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=config.instance,
        consumer_max_fetch_size=2 * _MIB,
        broker_max_poll_records=settings.batch_pages,
        # Before compression: a dead letter may carry a page that was compressed on its way in.
        producer_max_request_size=max_value_bytes(settings) + PRODUCER_ROOM_BYTES,
        producer_linger=0.005,
        producer_max_batch_size=_MIB,
        producer_compression_type="zstd",
        producer_acks=-1,
        broker_commit_interval=settings.commit_interval_s,
        broker_session_timeout=settings.session_timeout_s,
        broker_heartbeat_interval=settings.session_timeout_s / 5,
        broker_request_timeout=max(90.0, 2 * settings.session_timeout_s),
        worker_redirect_stdouts=False,
    )
    app.most_bytes = settings.batch_bytes
    return app


def max_value_bytes(settings: Settings) -> int:
    """Largest value that is sent, before compression."""
    return max(settings.message_limit_bytes, settings.page_limit_bytes)


def raw_topic(app: faust.App, name: str) -> faust.TopicT:
    """A topic whose keys and values are bytes, None included, both ways."""
    return app.topic(
        name, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw"
    )


def end_process(reason: str) -> None:
    """End at once, without committing: what was not acknowledged is done again by the next."""
    log.critical(reason)
    logging.shutdown()
    os._exit(_FATAL)


async def essential(app: faust.App, name: str, step: Callable[[], Awaitable[None]]) -> None:
    """Run a part of the worker; any failure ends the process instead of skipping a message.

    A worker that is being stopped loses its producer under a step: that is no failure, and nothing
    is acknowledged.
    """
    try:
        await step()
    except asyncio.CancelledError:
        raise
    except Exception as error:
        log.debug("%s", name, exc_info=True)
        if app.should_stop:
            raise asyncio.CancelledError from error
        end_process(f"{name}: {type(error).__name__}: {error}; ending, to be started again")
