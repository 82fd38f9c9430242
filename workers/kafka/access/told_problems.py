"""Failures of Kafka told to users in one line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiokafka.errors import KafkaError

from workers.errors import BrokerProblem


@contextmanager
def kafka_problems_told(tell: Callable[[KafkaError], str]) -> Iterator[None]:
    """Raise what Kafka raises inside the context as a `BrokerProblem`.

    Args:
        tell: Returns the line for a failure.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses.
    """
    try:
        yield
    except KafkaError as error:
        raise BrokerProblem(tell(error)) from None
