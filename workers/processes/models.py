"""The models that a child process keeps in memory from task to task."""

from schemas.site_model import SiteModelRecord
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model
from templ_core.site_level.window.page_summary import PageSummary
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_learner import LEARNED_PAGES_MAX, SiteLearner
from workers.lru_cache import LruCache
from workers.processes.messages import MODELS_IN_MEMORY
from workers.processes.options import CONFIG

_CLEANED_IN_MEMORY = 500
"""Pages that were cleaned and may not have been learned yet, about 50 kB each."""


class Models:
    """The page model and the most recently used site models of a child."""

    def __init__(self, page: PageModel) -> None:
        self.page = page
        self.sites: LruCache[tuple[str, str], SiteModel | CodecError] = LruCache(MODELS_IN_MEMORY)
        """Decoded site models by (site, version), or why one cannot be used.

        They are dropped when a task fails.
        """
        self.cleaned: LruCache[bytes, PageSummary] = LruCache(_CLEANED_IN_MEMORY)
        """The pages that were cleaned last, by content digest, where their sites are learned here."""
        self.learners = SiteCache(LEARNED_PAGES_MAX, lambda _: SiteLearner(page.version, CONFIG))

    def site_model(self, record: SiteModelRecord | None) -> SiteModel | CodecError | None:
        """Return the site model to use, or why it cannot be used; None where there is none.

        Args:
            record: The model, whose body is empty where it was sent before; None = none.
        """
        if record is None:
            return None
        key = record.site, record.version
        if record.body and self.sites.get(key) is None:
            try:
                self.sites.put(key, decode_site_model(record.body))
            except CodecError as error:
                self.sites.put(key, error)
        return self.sites.get(key)

    def clear(self) -> None:
        """Forget everything but the page model."""
        self.sites.clear()
        self.cleaned.clear()
        self.learners.clear()
