"""A stream of workers on a broker of its own."""

from contextlib import contextmanager

from tests.kafka.broker import own_broker
from tests.kafka.stream import Stream


@contextmanager
def stream_on_a_broker(directory, prefix=""):
    """Yield a stream whose workers and broker are stopped at the end."""
    with own_broker(directory) as broker:
        stream = Stream(broker, prefix, directory)
        try:
            yield stream
        finally:
            stream.stop_all()
