"""The models that a child process keeps in memory from task to task."""

from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_learner import LEARNED_PAGES_MAX, SiteLearner
from workers.lru_cache import LruCache
from workers.processes.core_config import CONFIG
from workers.processes.messages import MODELS_IN_MEMORY


class Models:
    """The page model and the most recently used site models of a child."""

    def __init__(self, page: PageModel) -> None:
        self.page = page
        self.sites: LruCache[tuple[str, str], SiteModel | CodecError] = LruCache(MODELS_IN_MEMORY)
        """Decoded site models by (site, version), or why one cannot be used.

        They are dropped when a task fails.
        """
        self.learners = SiteCache(LEARNED_PAGES_MAX, lambda _: SiteLearner(page.version, CONFIG))

    def site_model(
        self, key: tuple[str, str] | None, body: bytes | None
    ) -> SiteModel | CodecError | None:
        """Return the site model to use, or why it cannot be used; None where there is none.

        Args:
            key: Site and version of the model; None = none.
            body: The model in compact form; None where it was sent before.
        """
        if key is None:
            return None
        if body is not None and self.sites.get(key) is None:
            try:
                self.sites.put(key, decode_site_model(body))
            except CodecError as error:
                self.sites.put(key, error)
        return self.sites.get(key)

    def clear(self) -> None:
        """Forget everything but the page model."""
        self.sites.clear()
        self.learners.clear()
