"""Cutting the log files of a stopped broker, with the records that are lost by it."""

import struct
from random import Random

from workers.kafka.patches import FetchedRecords

_HEAD = struct.Struct(">qi")
LOST_BYTES_MAX = 60_000
"""Most bytes that a cut takes from the end of a partition, before the rest of its batch."""


def cut_tail(folder, rng: Random):
    """Take the newest bytes of a partition, as an unclean election of a leader does.

    The cut may lie inside a batch, which the broker removes when it starts.

    Args:
        folder: The partition's folder in the data of a broker that was killed.
        rng: Decides how much is lost.

    Returns:
        The lost records.
    """
    log = max(folder.glob("*.log"))
    content = log.read_bytes()
    spans = list(_batch_spans(content))
    if not spans:
        return []
    keep = spans[-1][1] - rng.randint(1, LOST_BYTES_MAX)
    first, end = next(span for span in spans if span[1] > keep)
    for index in (log.with_suffix(".index"), log.with_suffix(".timeindex")):
        index.unlink(missing_ok=True)
    with log.open("r+b") as file:
        file.truncate(rng.randrange(first, end))
    lost = FetchedRecords(content[first : spans[-1][1]])
    return [record for batch in iter(lost.next_batch, None) for record in batch]


def records_of(folder):
    """The records in the log files of a partition, in order of their offsets."""
    records = []
    for log in sorted(folder.glob("*.log")):
        batches = FetchedRecords(log.read_bytes())
        records += [record for batch in iter(batches.next_batch, None) for record in batch]
    return records


def _batch_spans(content):
    """Yield the first and the end byte of each batch; zeros are room for later ones."""
    at = 0
    while at + _HEAD.size <= len(content):
        _, size = _HEAD.unpack_from(content, at)
        end = at + _HEAD.size + size
        if size <= 0 or end > len(content):
            return
        yield at, end
        at = end
