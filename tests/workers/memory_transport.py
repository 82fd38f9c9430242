"""A transport that keeps what it is asked to send, for tests and benchmarks without a broker."""

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.pipeline.actions import Compare, Forget, NotFitted, Publish
from workers.pipeline.site_engine import SiteEngine


class MemoryTransport:
    """Learns documents and carries out at once what the engine asks for."""

    def __init__(self, store, runner, settings, *, revises=False):
        self.store = store
        settings = msgspec.structs.replace(settings, revisions=revises)
        self.engine = SiteEngine(runner, settings, windows=store)
        self.sent = []
        self.forgotten = []
        self.not_fitted = []

    def learn(self, *documents):
        """Learn documents as the workers do; the offset of each is the store's next."""
        for document in documents:
            assert self.engine.learn(document, self.store.next_offset) is None
            self.carry_out(self.engine.refresh(document.site))

    def fit(self, site):
        """The site's model as its window is; None if empty."""
        before = len(self.models)
        self.carry_out(self.engine.publish_model(site))
        return self.models[-1] if len(self.models) > before else None

    def carry_out(self, actions):
        for action in actions:
            match action:
                case Publish(records, done):
                    self.sent.extend(records)
                    done()
                case Compare():
                    revision = self.engine.revision(action)
                    self.carry_out([] if revision is None else [revision])
                case Forget(keys, done):
                    self.forgotten.extend(keys)
                    done()
                case NotFitted():
                    self.not_fitted.append(action)

    def carry_out_all(self, decide):
        """Carry out what the engine asks for until it asks for nothing more."""
        while actions := decide():
            self.carry_out(actions)

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
