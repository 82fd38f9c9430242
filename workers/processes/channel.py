"""Whole messages between a worker and a child process, over a socket.

A message is its size and then its bytes. `multiprocessing.connection` does the same, but makes a selector
for every wait and copies a message piece by piece.
"""

import select
import socket
import struct

_SIZE = struct.Struct("=Q")
_BUFFER_BYTES = 1 << 20
"""Bytes that the socket holds, so that most messages are written without waiting for the reader."""


class Channel:
    """One end of a connection; for one thread at a time.

    >>> ours, theirs = map(Channel, socket.socketpair())
    >>> ours.send(b"page")
    >>> theirs.wait(1.0), bytes(theirs.receive()), theirs.wait(0.0)
    (True, b'page', False)
    """

    def __init__(self, end: socket.socket) -> None:
        """Take over one end of a pair of connected stream sockets."""
        end.settimeout(None)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        self._socket = end
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)

    def send(self, message: bytes) -> None:
        """Send a message.

        Raises:
            OSError: The other end is closed.
        """
        size = _SIZE.pack(len(message))
        sent = self._socket.sendmsg([size, message])
        if sent < len(size) + len(message):
            self._socket.sendall(memoryview(size + message)[sent:])

    def receive(self) -> bytearray:
        """Wait for the next message, and return it.

        Raises:
            EOFError: The other end is closed.
            OSError: The other end was lost.
        """
        (size,) = _SIZE.unpack(self._exactly(_SIZE.size))
        return self._exactly(size)

    def _exactly(self, size: int) -> bytearray:
        message = bytearray(size)
        room = memoryview(message)
        while room:
            received = self._socket.recv_into(room, len(room), socket.MSG_WAITALL)
            if not received:
                raise EOFError
            room = room[received:]
        return message

    def wait(self, limit_s: float) -> bool:
        """Return whether a message has come within `limit_s` seconds, or the other end is closed."""
        return bool(self._poll.poll(1000 * limit_s))

    def close(self) -> None:
        """Close this end."""
        self._socket.close()
