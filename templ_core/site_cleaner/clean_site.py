"""The pages of one site, each cleaned with what all of them share."""

from collections.abc import Iterable

from templ_core.errors import PageError
from templ_core.site_cleaner.cleaned_page import CleanedPage
from templ_core.site_cleaner.cleaner_options import CleanerOptions
from templ_core.site_cleaner.fetch_times import FIRST_TIME_MS, SPACING_MS
from templ_core.site_cleaner.site_cleaner import SiteCleaner
from templ_core.site_key import site_key


def clean_site(
    pages: Iterable[tuple[str, bytes | str]], options: CleanerOptions | None = None
) -> list[CleanedPage | PageError]:
    """Clean a list of pages of one site, each with what all of them share.

    Args:
        pages: Pairs of a URL and the page as fetched, or its HTML as text. They count as fetched a
            minute apart, and all belong to the site of the first.
        options: Options of the cleaner.

    Returns:
        The cleaned page for each page, in order, or why there is none.
    """
    pages = list(pages)
    cleaner = SiteCleaner(options)
    site = site_key(pages[0][0]) if pages else ""
    for number, (url, body) in enumerate(pages):
        try:
            cleaner.learn(url, body, _listed_at(number), site=site)
        except PageError:
            continue  # cleaning it says why
    cleaner.fit(site)
    found: list[CleanedPage | PageError] = []
    for number, (url, body) in enumerate(pages):
        try:
            found.append(cleaner.clean(url, body, _listed_at(number), site=site, learns=False))
        except PageError as error:
            found.append(error)
    return found


def _listed_at(number: int) -> int:
    return (FIRST_TIME_MS + number * SPACING_MS) // 1000
