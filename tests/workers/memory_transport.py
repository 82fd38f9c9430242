"""A transport that keeps what it is asked to send, for tests and benchmarks without a broker."""

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.pipeline.actions import Transport, carry_out_now
from workers.pipeline.site_engine import SiteEngine


class MemoryTransport(Transport):
    """Learns documents and carries out at once what the engine asks for."""

    def __init__(self, store, runner, settings, *, revises=False):
        self.store = store
        settings = msgspec.structs.replace(settings, revisions=revises)
        self.engine = SiteEngine(runner, settings, windows=store)
        super().__init__(self.engine.revision)
        self.sent = []
        self.forgotten = []
        self.sites_not_fitted = []

    def learn(self, *documents):
        """Learn documents as the workers do; the offset of each is the store's next."""
        for document in documents:
            assert self.engine.learn(document, self.store.next_offset) is None
            carry_out_now(self.engine.refresh(document.site), self)

    def fit(self, site):
        """The site's model as its window is; None if empty."""
        before = len(self.models)
        carry_out_now(self.engine.publish_model(site), self)
        return self.models[-1] if len(self.models) > before else None

    async def send(self, record, headers):
        self.sent.append(record)

    async def forget(self, keys):
        self.forgotten.extend(keys)

    def not_fitted(self, action):
        self.sites_not_fitted.append(action.site)

    def carry_out_all(self, decide):
        """Carry out what the engine asks for until it asks for nothing more."""
        while actions := decide():
            carry_out_now(actions, self)

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
