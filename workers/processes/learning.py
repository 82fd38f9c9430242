"""The tasks on windows in a child process: summarise documents, fit site models."""

from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model_file import encode_site_model
from templ_core.site_level.window.page_summary import (
    PageSummary,
    decode_page_summary,
    encode_page_summary,
    summarise_page,
)
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.window_page import WindowPage
from workers.processes.core_config import CONFIG
from workers.processes.messages import (
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Stale,
    TaskPage,
    Unknown,
)


def learn_document(task: LearnTask, page_model: PageModel) -> LearnResult:
    """Return the summary of a document.

    Raises:
        CodecError: The document is damaged, or has no text to learn from.
    """
    document = decode_document(task.body, task.content_digest)
    if not document.segments.texts:
        raise CodecError("the document has no text")
    page = summarise_page(document, page_model)
    return LearnResult(encode_page_summary(page, page_model.version))


def refit_site(
    task: RefitTask, page_model: PageModel, learners: SiteCache[SiteLearner]
) -> RefitResult | Unknown | Stale:
    """Fit the model of a window, counting only pages that are not counted yet.

    Returns:
        The model, or the pages whose summaries are needed first.
    """
    learner = learners.take(task.site)
    known = learner.known
    window = [known.get((one.page_id, one.content_digest)) or one for one in task.window]
    unknown = [
        index
        for index, one in enumerate(window)
        if isinstance(one, TaskPage) and one.summary is None
    ]
    if unknown:
        learners.keep(task.site, learner)
        return Unknown(unknown)
    pages: list[WindowPage] = []
    stale: list[int] = []
    for index, one in enumerate(window):
        if isinstance(one, WindowPage):
            pages.append(one)
        elif (page := _summary(one, page_model)) is None:
            stale.append(index)
        else:
            pages.append(
                WindowPage(page_id=one.page_id, content_digest=one.content_digest, page=page)
            )
    if stale:
        return Stale(stale)
    learner.follow(pages)
    model = learner.model()
    learners.keep(task.site, learner)
    return RefitResult(
        version=model.version,
        documents=model.documents,
        body=encode_site_model(model, CONFIG.site_model_bytes),
        fit=learner.fit,
        change=learner.change,
    )


def _summary(one: TaskPage, page_model: PageModel) -> PageSummary | None:
    """Return the summary of a page, or None where it was made with another page model."""
    try:
        return decode_page_summary(one.summary or b"", one.document or b"", page_model.version)
    except CodecError:
        return None
