"""The tasks on windows in a child process: summarise documents, fit site models and templates."""

from collections import OrderedDict

import msgspec

from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model_file import encode_site_model
from templ_core.site_level.site_templates import (
    NO_TEMPLATES,
    SiteTemplates,
    decode_templates,
    encode_templates,
    fit_templates,
)
from templ_core.site_level.window.page_summary import (
    PageSummary,
    decode_page_summary,
    encode_page_summary,
    summarise_page,
)
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.window_dedup import distinct_pages
from templ_core.site_level.window.window_page import WindowPage
from workers.lru_cache import LruCache
from workers.processes.core_config import CONFIG
from workers.processes.messages import (
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Stale,
    TaskPage,
    TemplatesResult,
    TemplatesTask,
    Unknown,
)

_PAGES_IN_MEMORY = 2000
"""Pages of windows whose counts a child keeps in memory, about 50 kB each."""
_TEMPLATES_IN_MEMORY = 64
"""Sites whose templates a child keeps decoded in memory."""


class Learners:
    """The learners of the sites that were fitted most recently."""

    def __init__(self, page_model_version: str) -> None:
        self._version = page_model_version
        self._sites: OrderedDict[str, SiteLearner] = OrderedDict()
        self._templates: LruCache[str, tuple[bytes, SiteTemplates]] = LruCache(_TEMPLATES_IN_MEMORY)
        self._pages = 0

    def take(self, site: str) -> SiteLearner:
        """Remove and return the learner of a site, or return a new one; hand it to `keep` when done."""
        learner = self._sites.pop(site, None)
        if learner is None:
            return SiteLearner(self._version, CONFIG)
        self._pages -= len(learner.known)
        return learner

    def keep(self, site: str, learner: SiteLearner) -> None:
        """Keep a learner, and drop those unused for longest when they hold too many pages."""
        self._sites[site] = learner
        self._pages += len(learner.known)
        while self._pages > _PAGES_IN_MEMORY and len(self._sites) > 1:
            _, oldest = self._sites.popitem(last=False)
            self._pages -= len(oldest.known)

    def templates(self, site: str, body: bytes | None) -> SiteTemplates:
        """Return a site's templates, which are decoded once while they stay the same.

        Args:
            site: Site key.
            body: The encoded templates; None = there are none yet.
        """
        if body is None:
            return NO_TEMPLATES
        kept = self._templates.get(site)
        if kept is None or kept[0] != body:
            kept = body, decode_templates(body)
            self._templates.put(site, kept)
        return kept[1]

    def clear(self) -> None:
        """Drop all learners."""
        self._sites.clear()
        self._templates.clear()
        self._pages = 0


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
    task: RefitTask, page_model: PageModel, learners: Learners
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
            pages.append(_counted_page(one, page))
    if stale:
        return Stale(stale)
    learner.follow(pages)
    model = learner.model(learners.templates(task.site, task.templates))
    learners.keep(task.site, learner)
    return RefitResult(
        version=model.version,
        documents=model.documents,
        body=encode_site_model(model, CONFIG.site_model_bytes),
        fit=learner.fit,
        change=learner.change,
    )


def fit_site_templates(
    task: TemplatesTask, page_model: PageModel, learners: Learners
) -> TemplatesResult | Unknown:
    """Fit the templates of a site's latest documents.

    Returns:
        The templates, or the pages whose summaries and documents are needed first.
    """
    learner = learners.take(task.site)
    latest: list[WindowPage] = []
    unknown: list[int] = []
    for index, one in enumerate(task.latest):
        page = learner.known.get((one.page_id, one.content_digest))
        if page is None and one.summary is not None:
            summary = _summary(one, page_model) or summarise_page(
                decode_document(one.document or b""), page_model
            )
            page = learner.remember(_counted_page(one, summary))
        if page is None:
            unknown.append(index)
        else:
            latest.append(msgspec.structs.replace(page, document=one.document or None))
    learners.keep(task.site, learner)
    if not unknown:
        used = distinct_pages([one.page for one in latest])[-CONFIG.template_pages :]
        unknown = [index for index in used if task.latest[index].document is None]
    if unknown:
        return Unknown(unknown)
    return TemplatesResult(encode_templates(fit_templates(latest, CONFIG)))


def _summary(one: TaskPage, page_model: PageModel) -> PageSummary | None:
    """Return the summary of a page, or None where it was made with another page model."""
    try:
        return decode_page_summary(one.summary or b"", one.document or b"", page_model.version)
    except CodecError:
        return None


def _counted_page(one: TaskPage, page: PageSummary) -> WindowPage:
    return WindowPage(
        page_id=one.page_id,
        content_digest=one.content_digest,
        page=page,
        document=None,
    )
