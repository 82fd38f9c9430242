"""The documents of a site's window, cleaned again with what operators have decided about the site since."""

from collections.abc import Iterator

from schemas.cleaned import CleanedRecord
from schemas.document import DocumentRecord
from workers.inspect.site_view import SiteView
from workers.processes.learning import Models
from workers.processes.messages import Cleaned, ReviseTask
from workers.processes.options import options_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import run_task
from workers.settings import Settings

_ANY_CHANGE_RATIO = 1e-9
"""Share of a text's words that must change; an equal text is not published again."""


def redone_texts(
    view: SiteView, settings: Settings
) -> Iterator[tuple[CleanedRecord, DocumentRecord]]:
    """Yield the texts of a window that its site's settings change, each with its document.

    Both have the next revision, and the reason `corrected`. A site that is taken down has none.
    """
    options = options_of(settings, fits_messages=True)
    decided = view.settings
    if decided is not None and decided.record.forgotten:
        return
    models = Models(page_model_of(read_model_file(settings.page_model)))
    for record in view.window:
        task = ReviseTask(
            document=record,
            options=options,
            model=decided.model(view.record) if decided else view.record,
            reason="corrected",
            changed_ratio_min=_ANY_CHANGE_RATIO,
            settings=decided.settings if decided else None,
        )
        result = run_task(task, models)
        if isinstance(result, Cleaned) and isinstance(result.record, CleanedRecord):
            document = result.document
            if isinstance(document, DocumentRecord):
                yield result.record, document
