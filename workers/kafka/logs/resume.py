"""Where reading of a partition resumes, decided from what was read and the present log.

A committed offset means something only together with the log that it was read from. A topic that was
deleted and created again, a disk that was lost and an election of a replica that lagged behind all
leave a log whose offsets are those of other records. `resume` is the one place that decides what to
do then; everything else carries it out.
"""

import msgspec

from workers.settings import OffsetReset

OTHER_TOPIC = "the topic was deleted and created again"


class LogSnapshot(msgspec.Struct, frozen=True, array_like=True):
    """What distinguishes a log from a later one that has the same name; stored beside every offset."""

    topic_id: str
    """Identifier that the broker gave the topic when it was created; empty where it has none."""
    leader_epoch: int
    """How many leaders the partition had had; -1 where the broker does not say."""
    end: int
    """End offset of the log under this leader."""
    start: int = 0
    """Offset of the first record that was still there."""

    def encode(self) -> bytes:
        """Return the snapshot as it is stored, for instance in the metadata of a committed offset."""
        return msgspec.json.encode(self)


class LogState(msgspec.Struct, frozen=True):
    """What the broker says of a partition's log now."""

    start: int
    """Offset of the first record that is still there."""
    end: int
    """Offset up to which records can be read: no transaction before it is still open."""
    topic_id: str = ""
    leader_epoch: int = -1
    kept: int | None = None
    """Offset up to which the log is the one of the reader's snapshot; None if that is not known."""

    @property
    def snapshot(self) -> LogSnapshot:
        """Return the snapshot of the log as it is now."""
        return LogSnapshot(self.topic_id, self.leader_epoch, self.end, self.start)


class Resume(msgspec.Struct, frozen=True):
    """The offset at which reading resumes, and why it is not the next one."""

    offset: int
    reason: str = ""
    """Why records are skipped or read again, as a clause; empty where reading just goes on."""
    is_other_log: bool = False
    """Whether the log no longer holds what was read before."""
    is_sure: bool = True
    """Whether that is certain.

    It is not when what was read since the snapshot may be the records of a leader that was elected since.
    Reading them again loses nothing.
    """


def has_lost_records(snapshot: LogSnapshot, log: LogState) -> bool:
    """Return whether records that were there at the snapshot are gone for another reason than compaction."""
    return (
        log.start > snapshot.start
        or is_other_topic(snapshot, log)
        or resume(snapshot.end, snapshot, log).is_other_log
    )


def decode_snapshot(text: str | bytes | None) -> LogSnapshot | None:
    """Return a snapshot that was stored, or None where there is none or another program wrote it."""
    try:
        return msgspec.json.decode(text or b"", type=LogSnapshot)
    except msgspec.DecodeError:
        return None


def resume(
    position: int | None, snapshot: LogSnapshot | None, log: LogState, reset: OffsetReset = "cut"
) -> Resume:
    """Decide where reading of a partition goes on.

    The rule for a truncated log is that of Kafka's KIP-320: the broker knows at which offset the
    records of each leader end, so a reader that knows under which leader it last saw the log learns
    where the log stopped being the same, even when new records have taken the lost offsets since.

    Args:
        position: Offset of the next record to read; None where nothing was read yet.
        snapshot: The log as it was at the reader's last check; what it read since may lie beyond.
        log: The log as it is now.
        reset: Where to resume in a log that was truncated.

    Example:
        >>> resume(7, LogSnapshot("a", 1, 7), LogState(0, 9, "a", 1, kept=9))
        Resume(offset=7, reason='', is_other_log=False, is_sure=True)
        >>> resume(7, LogSnapshot("a", 1, 7), LogState(0, 9, "a", 2, kept=4)).offset
        4
        >>> resume(7, LogSnapshot("a", 1, 7), LogState(0, 9, "b", 0)).offset
        0
    """
    if position is None:
        return Resume(log.start)
    if position and is_other_topic(snapshot, log):
        return Resume(log.start, OTHER_TOPIC, is_other_log=True)
    kept = log.end if log.kept is None else min(log.end, log.kept)
    if position > min(kept, log.end):
        return _cut(position, snapshot, log, reset, kept)
    if position < log.start:
        reason = f"records {position} to {log.start - 1} were deleted before they were read"
        return Resume(log.start, reason)
    return Resume(position)


def _cut(
    position: int, snapshot: LogSnapshot | None, log: LogState, reset: OffsetReset, kept: int
) -> Resume:
    # Without an election in between, the records below the end may be other ones, too.
    is_known = snapshot and log.kept is not None and log.leader_epoch != snapshot.leader_epoch
    cut = max(kept, log.start) if is_known else log.start
    is_sure = position > log.end or (snapshot is not None and kept < snapshot.end)
    if is_sure:
        offset = {"cut": cut, "earliest": log.start, "latest": log.end}[reset]
    else:
        offset = position if reset == "latest" else cut
    was = "was" if is_sure else "may have been"
    reason = f"the log of this topic {was} cut at offset {cut}; it had been read up to {position}"
    return Resume(offset, reason, is_other_log=True, is_sure=is_sure)


def is_other_topic(snapshot: LogSnapshot | None, log: LogState) -> bool:
    """Return whether a snapshot is of an earlier topic of the same name."""
    return bool(snapshot and snapshot.topic_id and log.topic_id not in ("", snapshot.topic_id))
