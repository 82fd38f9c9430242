"""What the processes of the console do: reading a site and making a report of it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from workers.errors import WorkerError
from workers.inspect.page_view import PageRequest, view_page
from workers.inspect.site_figures import repeated_ratio, site_figures
from workers.inspect.site_report import site_report
from workers.inspect.site_view import view_site
from workers.processes.core_config import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings


class SiteLook(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a site is wanted."""

    site: str
    navigation: str
    """HTML before the report."""


class PageLook(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a page of a window is wanted."""

    site: str
    url: str
    navigation: str
    """HTML before the report."""


class WindowLook(msgspec.Struct, frozen=True, kw_only=True):
    """The URLs of the pages of a window are wanted, as the JSON of a list of `WindowPageRow`."""

    site: str


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """The repeated text of some sites is wanted, as a JSON object of shares by site."""

    sites: Sequence[str]
    pages_max: int
    """Newest pages of each site on which it is measured."""


Look = SiteLook | PageLook | WindowLook | Survey


class WindowPageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a window."""

    url: str
    time_ms: int
    """Event time."""
    size_bytes: int
    """Size of the compact document."""


def look_at(look: Look, state: Path, settings: Settings) -> bytes:
    """Return what is wanted.

    Args:
        look: What is wanted.
        state: State directory of `templ run` or `templ worker`, which is only read.
        settings: Page model, limits and the choice about comments.

    Raises:
        InputProblem: There is no such site or page.
        StateProblem: The state directory cannot be read.
    """
    if isinstance(look, Survey):
        return msgspec.json.encode(_survey(look, state, settings))
    view = view_site(state, look.site, settings)
    if isinstance(look, WindowLook):
        rows = [
            WindowPageRow(url=one.url, time_ms=one.event_time_ms, size_bytes=len(one.body))
            for one in reversed(view.window)
        ]
        return msgspec.json.encode(rows)
    if isinstance(look, PageLook):
        request = PageRequest(url=look.url, site=look.site, body=None, content_type=None)
        return view_page(request, view, settings, look.navigation).encode()
    model = page_model_of(read_model_file(settings.page_model))
    found = site_figures(view, model, config_of(settings))
    return site_report(found, look.navigation).encode()


def _survey(look: Survey, state: Path, settings: Settings) -> dict[str, float | None]:
    """Return the share of kept words that sites repeat; None where it cannot be told."""
    model = page_model_of(read_model_file(settings.page_model))
    config = config_of(settings)
    found: dict[str, float | None] = {}
    for site in look.sites:
        try:
            view = view_site(state, site, settings)
            found[site] = repeated_ratio(view, model, config, look.pages_max)
        except WorkerError:  # such as a site that is gone by now
            found[site] = None
    return found
