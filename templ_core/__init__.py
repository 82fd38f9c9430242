"""Algorithms that separate a web page's content from its site's templates: values in, values out.

`clean` cleans one page by itself. `SiteCleaner` cleans pages and learns their sites:

>>> from templ_core import SiteCleaner, clean
>>> page = b"<nav><a href=/>Home</a></nav><p>A ferry sank in the harbour. Nobody was hurt.</p>"
>>> clean(page).text
'A ferry sank in the harbour. Nobody was hurt.'
>>> with SiteCleaner() as cleaner:
...     cleaner.clean(page, "https://example.com/ferry").text
'A ferry sank in the harbour. Nobody was hurt.'

A program that keeps windows and site models elsewhere, as the worker does, imports `read_document` from
`templ_core.dom.document`, `clean` from `templ_core.clean_document`, `cleaner_version` from
`templ_core.cleaner_version`, and `CoreConfig` from
`templ_core.config`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from templ_core.site_cleaner.cleaned_page import CleanedPage
    from templ_core.site_cleaner.site_cleaner import CleanerOptions, CrawledPage, SiteCleaner, clean
    from templ_core.site_cleaner.two_passes import SampleBounds, clean_crawl, clean_site

__version__ = "0.1.0"
__all__ = [
    "CleanedPage",
    "CleanerOptions",
    "CrawledPage",
    "SampleBounds",
    "SiteCleaner",
    "clean",
    "clean_crawl",
    "clean_site",
]
_MODULES = {
    "CleanedPage": "cleaned_page",
    "CleanerOptions": "site_cleaner",
    "CrawledPage": "site_cleaner",
    "SampleBounds": "two_passes",
    "SiteCleaner": "site_cleaner",
    "clean": "site_cleaner",
    "clean_crawl": "two_passes",
    "clean_site": "two_passes",
}


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that a child process loads only what it needs.

    Raises:
        AttributeError: There is no such name.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"templ_core.site_cleaner.{_MODULES[name]}"), name)
