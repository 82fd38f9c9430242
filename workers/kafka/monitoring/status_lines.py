"""Decides which lines of the log say how a worker is: ready, idle, the broker gone, the broker back."""

from collections.abc import Sequence

IDLE_AFTER_S = 10.0
"""Seconds for which nothing has waited before a worker is called idle.

A worker that gets a page now and then takes it within a look, and is idle all the time.
"""


class StatusLines:
    """Remembers what was said, so that each change is one line, and nothing is said twice."""

    def __init__(self, prepared: str, topic: str) -> None:
        """Have said nothing yet.

        Args:
            prepared: What is true of a worker that is ready, such as `all site models are read`.
            topic: The input topic.
        """
        self._prepared = prepared
        self._topic = topic
        self._ready: frozenset[int] | None = None
        """The partitions that the worker was last called ready with; None while it is not ready."""
        self._empty_since_s: float | None = None
        """When the present time without waiting records began; None while records wait."""
        self._is_idle = False
        self._gone_since_s: float | None = None

    def looked(
        self, waiting_for: str, partitions: frozenset[int], waiting: int, now_s: float
    ) -> Sequence[str]:
        """Return the lines to log after the broker has answered.

        Args:
            waiting_for: What the worker waits for before it does its work; empty for nothing.
            partitions: The partitions of the input topic that it has.
            waiting: Records in them that are not processed yet.
            now_s: Present time of a monotonic clock.
        """
        lines = []
        if self._gone_since_s is not None:
            lines.append(f"the broker is back after {now_s - self._gone_since_s:.0f} s")
            self._gone_since_s = None
        if waiting_for:
            self._ready, self._empty_since_s = None, None
            return lines
        if partitions != self._ready:
            self._ready, self._is_idle = partitions, False
            lines.append(f"ready: {self._prepared}; {self._assigned(partitions)}")
        if waiting or not partitions:
            self._empty_since_s, self._is_idle = None, False
        elif self._empty_since_s is None:
            self._empty_since_s = now_s
        elif now_s - self._empty_since_s >= IDLE_AFTER_S and not self._is_idle:
            self._is_idle = True
            lines.append(f"idle: nothing waits in {self._topic}")
        return lines

    def gone(self, problem: str, now_s: float) -> Sequence[str]:
        """Return the lines to log after the broker has not answered.

        Args:
            problem: What went wrong.
            now_s: Present time of a monotonic clock.
        """
        if self._gone_since_s is not None:
            return []
        self._gone_since_s, self._empty_since_s = now_s, None
        return [f"the broker does not answer, and is asked until it does: {problem}"]

    def _assigned(self, partitions: frozenset[int]) -> str:
        if not partitions:
            return f"no partition of {self._topic} is assigned, since other workers have them all"
        numbers = ", ".join(map(str, sorted(partitions)))
        noun = "partition" if len(partitions) == 1 else "partitions"
        return f"{noun} {numbers} of {self._topic} assigned"
