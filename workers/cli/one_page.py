"""The work of `templ clean` on its page; a module of its own, so that its child starts before this is imported."""

from pathlib import Path

from schemas.cleaned import CleanedRecord
from schemas.source import Source
from templ_core.site_key import site_key
from workers.page import Page
from workers.pipeline.actions import Dead, Deleted
from workers.pipeline.site_engine import SiteEngine
from workers.processes.child_process import ChildProcess
from workers.processes.pool import Pool
from workers.settings import Settings
from workers.site_settings import SettingsBook, book_of_state


def clean_one_page(
    child: ChildProcess | None,
    settings: Settings,
    state: Path | None,
    name: str,
    body: bytes,
    url: str,
    site: str | None,
    content_type: str | None,
) -> CleanedRecord | str:
    """Return the record of a page, or why the page was refused.

    Args:
        child: A child that has been started; None = there is none.
        settings: The settings.
        state: State directory with what is known of the site; None = nothing is known.
        name: Name of the page, such as that of its file.
        body: The page as it was fetched.
        url: Its URL.
        site: Its site; None = that of its URL.
        content_type: Its Content-Type header, if it is known.
    """
    page = Page(
        source=Source(name, 0, 0),
        url=url,
        site=site or site_key(url),
        id=f"{name}:0",
        event_time_ms=0,
        fetched_at=None,
        content_type=content_type,
        body=body,
    )
    pool = Pool(settings, 1, child)
    try:
        models, book = None, SettingsBook()
        if state is not None:
            # RocksDB takes a while to import, and only this option needs it.
            from workers.state.site_copy import copy_site  # noqa: PLC0415

            models, book = copy_site(state, page.site, settings).models, book_of_state(state)
        engine = SiteEngine(pool, settings, models=models, book=book, learns=False)
        outcome = engine.clean(page)
    finally:
        pool.close()
    if isinstance(outcome, Dead):
        return f"{outcome.letter.exception}: {outcome.letter.message}"
    return "its site is taken down" if isinstance(outcome, Deleted) else outcome.record
