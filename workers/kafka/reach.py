"""Whether a broker can be reached, before the processes of a worker are started."""

import socket
import time
from collections.abc import Callable

from workers.errors import BrokerProblem

_WAIT_S = 60.0
"""How long a worker waits at its start for a broker that may be starting too."""
_TRY_S = 5.0
_PAUSE_S = 1.0
_PORT = 9092


def wait_for_broker(brokers: str, tell: Callable[[str], None], wait_s: float = _WAIT_S) -> None:
    """Wait until one of the brokers accepts a connection.

    Args:
        brokers: `HOST:PORT`, several separated by commas.
        tell: Called with one line when the first attempt has failed.
        wait_s: How long to wait, in seconds.

    Raises:
        BrokerProblem: None of them has accepted a connection in that time.
    """
    until = time.monotonic() + wait_s
    has_told = False
    while True:
        reason = _reason(brokers)
        if reason is None:
            return
        if time.monotonic() >= until:
            raise BrokerProblem(
                f"cannot reach the broker {brokers} ({reason}): check the address, and that it runs"
            )
        if not has_told:
            tell(f"waiting up to {wait_s:g} s for the broker {brokers} ({reason})")
            has_told = True
        time.sleep(_PAUSE_S)


def _reason(brokers: str) -> str | None:
    """Return why no broker accepts a connection, or None where one does."""
    reason = "no address"
    for broker in brokers.split(","):
        host, _, port = broker.strip().rpartition(":")
        try:
            number = int(port) if host else _PORT
            socket.create_connection((host.strip("[]") or port, number), _TRY_S).close()
        except (OSError, ValueError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return None
    return reason
