"""Carrying out what an engine asks for: on Kafka, on files and in tests."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence

from workers.pipeline.actions import (
    Action,
    Compare,
    Forget,
    NotFitted,
    OutputRecord,
    PassedOn,
    Publish,
)
from workers.pipeline.site_engine import SiteEngine

log = logging.getLogger("templ")


class Transport(ABC):
    """Where records go. Without a broker nothing waits, and there is no topic with documents to forget."""

    def __init__(self, engine: SiteEngine) -> None:
        self.engine = engine

    @abstractmethod
    async def send(self, record: OutputRecord, headers: PassedOn) -> None:
        """Send a record, and return once it is stored."""

    async def forget(self, keys: Sequence[bytes]) -> None:  # noqa: B027 - not all have the topic
        """Send tombstones of documents, and return once they are stored."""

    async def compare(self, text: Compare) -> None:
        """Have a text compared with what a newer model makes of it."""
        revision = self.engine.revision(text)
        if revision is not None:
            await carry_out(revision, self)

    async def note(self, done: Callable[[], None]) -> None:
        """Note in the windows that records are stored."""
        done()

    def not_fitted(self, action: NotFitted) -> None:
        """Report a site without a new model."""
        said = "the model of %s could not be fitted: %s"
        log.warning(said, action.site, action.reason, extra={"site": action.site})


async def carry_out(action: Action, transport: Transport) -> None:
    """Carry an action out; the engine must not be called again before."""
    match action:
        case Publish(records, done, headers):
            for record in records:
                await transport.send(record, headers)
            await transport.note(done)
        case Forget(keys, done):
            await transport.forget(keys)
            await transport.note(done)
        case Compare():
            await transport.compare(action)
        case NotFitted():
            transport.not_fitted(action)


def carry_out_now(actions: Iterable[Action], transport: Transport) -> None:
    """Carry actions out in order, without an event loop, on a transport that never waits.

    Raises:
        RuntimeError: It has waited.
    """
    for action in actions:
        work = carry_out(action, transport)
        try:
            work.send(None)
        except StopIteration:
            continue
        work.close()
        raise RuntimeError(f"{type(transport).__name__} has waited")
