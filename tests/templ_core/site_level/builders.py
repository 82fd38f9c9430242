"""Small pages for tests of the site level."""

from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.site_learner import fit_site_model
from templ_core.site_level.window.window_page import Contribution

CONFIG = CoreConfig()


def contribution(name, document, digest=None):
    """What a document adds to its site's model."""
    return Contribution(
        page_id=name,
        content_digest=(digest or name).encode(),
        page=summarise_page(document, shipped_model()),
        document=compress_columns(document_columns(document)),
    )


def site_model(documents):
    """The model of a window of documents, all taken as different."""
    window = [contribution(f"p{number}", document) for number, document in enumerate(documents)]
    return fit_site_model(window, "page", CONFIG)
