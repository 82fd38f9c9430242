"""Whether a tombstone of `documents` was decided from the log that holds it.

A refresher sends a tombstone because of records that it has read. If the log loses these records while
the tombstone is under way, or before the refresher has noticed, the tombstone comes into a log that
lacks the reason for it, where it would remove a document for good. No check before sending can exclude
that. So every tombstone names the log that it was decided from, and whoever reads one asks whether
that log is the one that holds it. One that does not count removes nothing: its document stays in the
window and is sent again. If it was right after all, the window drops the document again.
"""

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.received import Received
from workers.kafka.logs.log_reader import ask_for_logs
from workers.kafka.logs.resume import LogSnapshot, LogState, decode_snapshot, is_other_topic, resume

DECIDED_FROM_HEADER = "templ.grounds"
"""Header of a tombstone with the snapshot of the log that it was decided from, whose `end` is the offset of
the first record that had not been read."""


class TombstoneCheck:
    """Judges tombstones of one topic, and remembers where the records of each leader end."""

    def __init__(self, broker: BrokerAccess, topic: str) -> None:
        self._broker = broker
        self._topic = topic
        self._logs: dict[tuple[int, str, int], LogState] = {}

    async def counts(self, record: Received) -> bool:
        """Return whether the records that a tombstone was decided from are in its log.

        A tombstone that names no log, which another program has sent, counts.

        Raises:
            BrokerProblem: The broker did not answer for a minute.
        """
        snapshot = decode_snapshot(dict(record.headers).get(DECIDED_FROM_HEADER))
        if snapshot is None:
            return True
        if snapshot.end > record.offset:
            return False
        state = await self._log_of(record.partition, snapshot)
        if is_other_topic(snapshot, state):
            return False
        is_present_leader = state.leader_epoch == snapshot.leader_epoch
        return is_present_leader or not resume(snapshot.end, snapshot, state).is_other_log

    async def _log_of(self, number: int, snapshot: LogSnapshot) -> LogState:
        """Return the log as it was when the leader of the snapshot was asked for first."""
        key = number, snapshot.topic_id, snapshot.leader_epoch
        if key not in self._logs:
            logs = await ask_for_logs(
                self._broker, lambda reader: reader.logs(self._topic, {number: snapshot})
            )
            self._logs[key] = logs[number]
        return self._logs[key]
