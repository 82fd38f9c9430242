"""Small pages for tests of the site level."""

from templ_core.config import CoreConfig
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.site_learner import SiteLearner

CONFIG = CoreConfig()


def window_page(name, document, digest=None):
    """A document of a window: its content digest and its summary."""
    return (digest or name).encode(), summarise_page(document, shipped_model())


def fit_site_model(window, page_model_version, config):
    """The site model of a window, learned at once."""
    learner = SiteLearner(page_model_version, config)
    learner.follow(window)
    return learner.model()


def site_model(documents):
    """The model of a window of documents, all taken as different."""
    window = [window_page(f"p{number}", document) for number, document in enumerate(documents)]
    return fit_site_model(window, "page", CONFIG)
