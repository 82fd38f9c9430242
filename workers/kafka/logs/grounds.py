"""Whether a null value of `documents` was decided from the log that it is in.

A refresher sends a null value because of records that it has read. If the log loses these records while
the null value is under way, or before the refresher has noticed, the null value comes into a log that
lacks the reason for it, where it would remove a document for good. No check before sending can exclude
that. So every null value names the log that it was decided from, and whoever reads one asks whether
that log is the one that holds it. One that does not count removes nothing: its document stays in the
window and is sent again. If it was right after all, the window leaves the document out once more.
"""

from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.received import Received
from workers.kafka.logs.log_reader import ask_for_logs
from workers.kafka.logs.resume import LogMark, LogState, decode_mark, is_other_topic, resume

GROUNDS_HEADER = "templ.grounds"
"""Header of a null value with the mark of the log that it was decided from, whose `end` is the offset of
the first record that had not been read."""


class Grounds:
    """Judges null values of one topic, and remembers where the records of each leader end."""

    def __init__(self, broker: BrokerAccess, topic: str) -> None:
        self._broker = broker
        self._topic = topic
        self._logs: dict[tuple[int, str, int], LogState] = {}

    async def hold(self, record: Received) -> bool:
        """Return whether the records that a null value was decided from are in its log.

        A null value without grounds, which another program has sent, counts.

        Raises:
            BrokerProblem: The broker did not answer for a minute.
        """
        mark = decode_mark(dict(record.headers).get(GROUNDS_HEADER))
        if mark is None:
            return True
        if mark.end > record.offset:
            return False
        state = await self._log_of(record.partition, mark)
        if is_other_topic(mark, state):
            return False
        is_present_leader = state.leader_epoch == mark.leader_epoch
        return is_present_leader or not resume(mark.end, mark, state).is_other_log

    async def _log_of(self, number: int, mark: LogMark) -> LogState:
        """Return the log as it was when the leader of the mark was asked for first."""
        key = number, mark.topic_id, mark.leader_epoch
        if key not in self._logs:
            found = await ask_for_logs(
                self._broker, lambda reader: reader.logs(self._topic, {number: mark})
            )
            self._logs[key] = found[number]
        return self._logs[key]
