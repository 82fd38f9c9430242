"""Small pages for tests of the site level."""

from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.site_learner import SiteLearner

CONFIG = CoreConfig()
SENTENCE = "In the year {n} they went up the river with {n} boats, and came back with a few. "


def page(number, site="one"):
    """A page with a menu and a footer that the pages of its site share, and an article of four paragraphs."""
    article = "".join(f"<p>{SENTENCE.format(n=100 * number + k) * 3}</p>" for k in range(4))
    return parse_document(
        f"<title>Page {number}</title><body class={site}>"
        "<ul class=menu><li><a href=/>Home page of it</a><li><a href=/n>All the news</a></ul>"
        f"<div class={site}-body><h1>Page {number}</h1>{article}</div>"
        "<div class=foot>Copyright by those who wrote it, all rights reserved.</div>",
        "https://example.com/",
    )


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
