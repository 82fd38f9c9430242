"""A transport that keeps what it is asked to send, for tests and benchmarks without a broker."""

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.pipeline.actions import Forget, NotFitted, Revise, Send
from workers.pipeline.publisher import Publisher
from workers.pipeline.refresher import Refresher


class MemoryTransport:
    """Learns documents and carries out at once what the publisher asks for."""

    def __init__(self, store, runner, settings, *, revises=False):
        self.store = store
        self.refresher = Refresher(store, runner, settings)
        self.publisher = Publisher(self.refresher, store, revises=revises)
        self.sent = []
        self.forgotten = []
        self.not_fitted = []

    def learn(self, *documents):
        """Learn documents as the workers do; the offset of each is the store's next."""
        for document in documents:
            assert self.refresher.process(document, self.store.next_offset) is None
            self.carry_out(self.publisher.publish_due(document.site))

    def fit(self, site):
        """The site's model as its window is; None if empty."""
        before = len(self.models)
        self.carry_out(self.publisher.publish_model(site))
        return self.models[-1] if len(self.models) > before else None

    def carry_out(self, actions):
        for action in actions:
            match action:
                case Send(record):
                    self.sent.append(record)
                case Revise(model):
                    self.carry_out(self.publisher.revise(model))
                case Forget(keys):
                    self.forgotten.extend(keys)
                case NotFitted():
                    self.not_fitted.append(action)

    def _of(self, *types):
        return [one for one in self.sent if isinstance(one, types)]

    @property
    def models(self):
        return self._of(SiteModelRecord)

    @property
    def texts(self):
        return self._of(CleanedRecord, DeletedRecord)

    @property
    def documents(self):
        return self._of(DocumentRecord)
