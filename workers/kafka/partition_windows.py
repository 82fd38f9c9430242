"""The windows of one partition of `documents`, and how a record of it enters them."""

import logging
import shutil

from schemas.codec import NewerFormatError, SchemaError, decode_document_record
from workers.errors import OtherFormat
from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.pipeline.refresher import Refresher
from workers.processes.pool import Pool
from workers.state.window_store import WindowStore

log = logging.getLogger("templ")


class PartitionWindows:
    """The windows of one partition, opened when first needed."""

    def __init__(self, config: KafkaConfig, pool: Pool, number: int) -> None:
        path = config.state / f"windows-{number}"
        try:
            self.store = WindowStore(path, config.settings)
        except OtherFormat:
            log.warning("windows-%s were written by another version and are made anew", number)
            shutil.rmtree(path)
            self.store = WindowStore(path, config.settings)
        self.refresher = Refresher(self.store, pool, config.settings)


def ingest(partition: PartitionWindows, site: str, message: Received) -> None:
    """Take one record of `documents` in; what cannot be read is stepped over, with a warning."""
    store = partition.store
    if message.value is None:
        source_id = (message.key or b"").partition(b"\0")[2].decode(errors="replace")
        store.remove(site, source_id, message.offset)
        return
    try:
        record = decode_document_record(message.value)
    except NewerFormatError:
        raise
    except SchemaError as error:
        log.warning("document at offset %s is left out: %s", message.offset, error)
        store.skip(message.offset)
        return
    problem = partition.refresher.process(record, message.offset)
    if problem is not None:
        log.warning("document %s is left out: %s", record.source, problem.reason)
