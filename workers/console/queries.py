"""What the console asks about sites, each query answered from the state directory."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from templ_core.errors import RuleError
from templ_core.site_settings.site_settings import SiteRule
from workers.errors import UsageProblem, WorkerError
from workers.inspect.html_templates import render
from workers.inspect.page_report import PageRequest, page_report
from workers.inspect.rule_preview import preview_rules
from workers.inspect.site_figures import repeated_ratio, site_figures
from workers.inspect.site_report import site_report
from workers.inspect.site_view import view_site
from workers.processes.options import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings


class SiteReportQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the report of a site."""

    site: str


class PageReportQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the report of a page of a window."""

    site: str
    url: str


class WindowQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the URLs of the pages of a window, as the JSON of a list of `WindowPageRow`."""

    site: str


class RuleQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks what a rule would name in a window, as the JSON of a `RulePreview`."""

    site: str
    rule: SiteRule


class RepeatedTextQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks how much text some sites repeat, as a JSON object of shares by site."""

    sites: Sequence[str]
    pages_max: int
    """Newest pages of each site on which it is measured."""


Query = SiteReportQuery | PageReportQuery | WindowQuery | RuleQuery | RepeatedTextQuery


class WindowPageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a window."""

    url: str
    time_ms: int
    """Event time."""
    size_bytes: int
    """Size of the compact document."""


def answer_query(query: Query, state: Path, settings: Settings) -> bytes:
    """Return the answer to a query.

    Args:
        query: What is asked.
        state: State directory of `templ run` or `templ worker`, which is only read.
        settings: Page model, limits and the choice about comments.

    Raises:
        InputProblem: There is no such site or page.
        UsageProblem: A rule cannot be used.
        StateProblem: The state directory cannot be read.
    """
    if isinstance(query, RepeatedTextQuery):
        return msgspec.json.encode(_repeated_ratios(query, state, settings))
    view = view_site(state, query.site, settings)
    if isinstance(query, WindowQuery):
        rows = [
            WindowPageRow(url=one.url, time_ms=one.event_time_ms, size_bytes=len(one.body))
            for one in reversed(view.window)
        ]
        return msgspec.json.encode(rows)
    if isinstance(query, RuleQuery):
        try:
            return msgspec.json.encode(preview_rules(view, [query.rule])[0])
        except RuleError as error:
            raise UsageProblem(str(error)) from None
    navigation = render("console/templates/navigation.html", key=query.site)
    if isinstance(query, PageReportQuery):
        request = PageRequest(url=query.url, site=query.site, body=None, content_type=None)
        return page_report(request, view, settings, navigation).encode()
    model = page_model_of(read_model_file(settings.page_model))
    found = site_figures(view, model, config_of(settings))
    return site_report(found, navigation).encode()


def _repeated_ratios(
    query: RepeatedTextQuery, state: Path, settings: Settings
) -> dict[str, float | None]:
    """Return the share of kept words that sites repeat; None where it cannot be told."""
    model = page_model_of(read_model_file(settings.page_model))
    config = config_of(settings)
    found: dict[str, float | None] = {}
    for site in query.sites:
        try:
            view = view_site(state, site, settings)
            found[site] = repeated_ratio(view, model, config, query.pages_max)
        except WorkerError:  # such as a site that is gone by now
            found[site] = None
    return found
