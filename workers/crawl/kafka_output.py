"""The topic `pages` as the output of a crawl."""

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.feeder import Feeder
from workers.page import Page


class KafkaOutput:
    """The topic `pages` of a broker, keyed by site."""

    def __init__(self, broker: BrokerAccess, prefix: str, limit_bytes: int) -> None:
        self._feeder = Feeder(broker, prefix, limit_bytes)
        self._is_open = False

    async def open(self) -> None:
        """Connect to the broker, inside the event loop.

        Raises:
            BrokerProblem: The broker cannot be reached.
            TopicProblem: A topic is missing or has wrong settings.
        """
        await self._feeder.__aenter__()
        self._is_open = True

    async def send(self, page: Page) -> str | None:
        """Send a page, and return once the broker has acknowledged it.

        Returns:
            Why the page cannot be sent, such as its size; None when it was sent.

        Raises:
            BrokerProblem: The broker refused the page.
        """
        letter = await self._feeder.send(page)
        if letter is not None:
            return letter.message
        await self._feeder.settle()
        return None

    async def close(self) -> None:
        """Disconnect."""
        if self._is_open:
            self._is_open = False
            await self._feeder.__aexit__()
