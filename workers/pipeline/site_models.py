"""Which model of a site is the better one: what was published last, or what a burst of pages gave."""

import threading

from schemas.site_model import SiteModelRecord
from templ_core.site_level.config import REVISIONS
from workers.lru_cache import LruCache

_MODELS_IN_MEMORY = 256
"""Provisional models that are kept, at most 1 MiB each and seldom above 100 kB."""


class ProvisionalModels:
    """The latest provisional model of each site; it is safe to use from several threads.

    A provisional model was fitted on pages that reached the cleaner together, see
    `workers.processes.learning`. It is kept in memory only: after a restart its site is new again.
    """

    def __init__(self) -> None:
        self._models: LruCache[str, SiteModelRecord] = LruCache(_MODELS_IN_MEMORY)
        self._lock = threading.Lock()

    def keep(self, model: SiteModelRecord) -> None:
        """Keep a model for the next pages of its site."""
        with self._lock:
            self._models.put(model.site, model)

    def best(self, site: str, published: SiteModelRecord | None) -> SiteModelRecord | None:
        """Return the model to clean a site's next page with; None where there is none.

        The provisional model is dropped once the model that was published last rests on as many documents, or on
        enough of them to be mature.
        """
        with self._lock:
            provisional = self._models.get(site)
            if provisional is None or published is None:
                return provisional or published
            enough = min(provisional.documents, REVISIONS.first_mature_documents)
            if published.documents < enough:
                return provisional
            self._models.drop(site)
            return published

    def drop(self, site: str) -> None:
        """Drop the model of a site."""
        with self._lock:
            self._models.drop(site)
