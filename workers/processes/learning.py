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
from workers.processes.core_config import CONFIG
from workers.processes.messages import (
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Stale,
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
    window: list[tuple[bytes, PageSummary]] = []
    unknown, stale = [], []
    for digest in task.window:
        page = learner.known.get(digest)
        if page is None and digest in task.pages:
            page = _summary(*task.pages[digest], page_model)
            if page is None:
                stale.append(digest)
        elif page is None:
            unknown.append(digest)
        if page is not None:
            window.append((digest, page))
    if unknown:
        learners.keep(task.site, learner)
        return Unknown(unknown)
    if stale:
        return Stale(stale)
    learner.follow(window)
    model = learner.model()
    learners.keep(task.site, learner)
    return RefitResult(
        version=model.version,
        documents=model.documents,
        body=encode_site_model(model, CONFIG.site_model_bytes),
        fit=learner.fit,
        change=learner.change,
    )


def _summary(summary: bytes, document: bytes, page_model: PageModel) -> PageSummary | None:
    """Return the summary of a page, or None where it was made with another page model."""
    try:
        return decode_page_summary(summary, document, page_model.version)
    except CodecError:
        return None
