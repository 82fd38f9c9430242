"""Small pages for tests of the site level."""

from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.site_templates import fit_templates
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.window_page import WindowPage

CONFIG = CoreConfig()


def window_page(name, document, digest=None):
    """A document of a window."""
    return WindowPage(
        page_id=name,
        content_digest=(digest or name).encode(),
        page=summarise_page(document, shipped_model()),
        document=compress_columns(document_columns(document)),
    )


def fit_site_model(window, page_model_version, config):
    """The site model of a window, learned at once."""
    learner = SiteLearner(page_model_version, config)
    learner.follow(window)
    return learner.model(fit_templates(window, config))


def site_model(documents):
    """The model of a window of documents, all taken as different."""
    window = [window_page(f"p{number}", document) for number, document in enumerate(documents)]
    return fit_site_model(window, "page", CONFIG)
