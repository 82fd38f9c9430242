"""One page, cleaned by itself."""

from templ_core.site_cleaner.cleaned_page import CleanedPage
from templ_core.site_cleaner.cleaner_options import CleanerOptions
from templ_core.site_cleaner.site_cleaner import SiteCleaner


def clean(
    html: bytes | str, url: str | None = None, options: CleanerOptions | None = None
) -> CleanedPage:
    """Clean a page without knowing anything about its site.

    Args:
        html: The page as fetched, or its HTML as text.
        url: The address of the page, by which links within the site are told from others and relative
            links are completed. None means that it is not known.
        options: Options of the cleaner; `with_links=True` keeps links for `markdown()` and `html()`.

    Raises:
        PageError: The page cannot be cleaned.

    >>> clean(
    ...     "<nav><a href=/>Home</a></nav><p>A ferry sank in the harbour. Nobody was hurt.</p>"
    ... ).text
    'A ferry sank in the harbour. Nobody was hurt.'
    """
    return SiteCleaner(options).clean(url or "", html, learns=False)
