"""What a child process learns: the models it keeps in memory, and the tasks that summarise documents and fit models."""

import msgspec

from schemas.site_model import SiteModelRecord
from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.config import REVISIONS_CONFIG
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, fitting_part
from templ_core.site_level.window.page_summary import (
    PageSummary,
    decode_page_summary,
    encode_page_summary,
    summarise_page,
)
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_learner import LEARNED_PAGES_MAX, SiteLearner
from workers.lru_cache import LruCache
from workers.processes.messages import (
    MODELS_IN_MEMORY,
    Failure,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Unknown,
)
from workers.processes.options import CONFIG

_FITS_IN_MEMORY = 32
"""Sites whose last fit a child keeps, some 50 kB each."""
_CLEANED_IN_MEMORY = 500
"""Pages that were cleaned and may not have been learned yet, about 50 kB each."""


class Models:
    """The page model and the most recently used site models of a child."""

    def __init__(self, page: PageModel) -> None:
        self.page = page
        self.sites: LruCache[tuple[str, str], SiteModel | CodecError] = LruCache(MODELS_IN_MEMORY)
        """Decoded site models by (site, version), or why one cannot be used.

        They are dropped when a task fails.
        """
        self.cleaned: LruCache[bytes, PageSummary] = LruCache(_CLEANED_IN_MEMORY)
        """The pages that were cleaned last, by content digest, where their sites are learned here."""
        self.fits: LruCache[str, tuple[list[bytes], RefitResult]] = LruCache(_FITS_IN_MEMORY)
        """The last fits by site, each with the window that it is of: texts are compared with a model once it was published."""
        self.learners = SiteCache(
            lambda: LEARNED_PAGES_MAX, lambda _: SiteLearner(page.version, CONFIG)
        )

    def site_model(self, record: SiteModelRecord | None) -> SiteModel | CodecError | None:
        """Return the site model to use, or why it cannot be used, or None.

        The body of its record is empty where it was sent before.

        Raises:
            LookupError: The model was not sent before.
        """
        if record is None:
            return None
        key = record.site, record.version
        if record.body and self.sites.get(key) is None:
            try:
                self.sites.put(key, decode_site_model(record.body))
            except CodecError as error:
                self.sites.put(key, error)
        known = self.sites.get(key)
        if known is None:
            raise LookupError(f"the model {record.version} of {record.site} was not sent")
        return known

    def clear(self) -> None:
        """Forget everything but the page model."""
        self.sites.clear()
        self.cleaned.clear()
        self.fits.clear()
        self.learners.clear()


def learn_document(task: LearnTask, page_model: PageModel) -> LearnResult:
    """Return the summary of a document.

    Raises:
        CodecError: The document is damaged, or has no text to learn from.
    """
    page = _summarised(task.body, task.content_digest, page_model)
    return LearnResult(encode_page_summary(page, page_model.version))


def _summarised(body: bytes, digest: bytes, page_model: PageModel) -> PageSummary:
    document = decode_document(body, digest)
    if not document.segments.texts:
        raise CodecError("the document has no text")
    return summarise_page(document, page_model)


def refit_site(task: RefitTask, models: Models) -> RefitResult | Unknown | Failure:
    """Fit the model of a window, counting only pages that are not counted yet, or return which pages are needed first.

    Documents of another format that were summarised with another page model are left out of the fit, once there are as
    many others, or enough for a settled model.
    """
    last = models.fits.get(task.site)
    if (
        last is not None
        and last[0] == task.window
        and models.sites.get((task.site, last[1].version))
    ):
        return last[1]
    learner = models.learners.of(task.site)
    window: list[tuple[bytes, PageSummary]] = []
    new, unknown, unreadable = [], [], []
    summaries: dict[bytes, bytes] = {}
    for digest in task.window:
        page = learner.known.get(digest)
        if page is None:
            new.append(digest)
            page = models.cleaned.get(digest)
        if page is None and digest not in task.pages:
            unknown.append(digest)
            continue
        try:
            page = page or _stored_page(digest, *task.pages[digest], models.page, summaries)
            window.append((digest, page))
        except CodecError:
            unreadable.append(digest)
    if unknown:
        return Unknown(unknown)
    if len(window) < min(len(unreadable), REVISIONS_CONFIG.settled_documents):
        said = f"{len(unreadable)} documents of its window cannot be read any more"
        return Failure("CodecError", said, "refused")
    learner.follow(window)
    models.learners.keep(task.site, learner)  # which has another number of pages now
    model, body = fitting_part(learner.model(), CONFIG.site_model_bytes)
    for digest in new:
        models.cleaned.drop(digest)
    models.sites.put((task.site, model.version), model)
    result = RefitResult(
        version=model.version,
        documents=model.documents,
        body=body,
        fit=learner.fit,
        change=learner.change,
        unreadable=unreadable,
    )
    models.fits.put(task.site, (task.window, result))
    return msgspec.structs.replace(result, summaries=summaries)


def _stored_page(
    digest: bytes,
    summary: bytes,
    document: bytes,
    page_model: PageModel,
    summaries: dict[bytes, bytes],
) -> PageSummary:
    """Return the summary of a document; one that another page model has made is made again, and added to `summaries`."""
    try:
        return decode_page_summary(summary, document, page_model.version)
    except CodecError:
        page = _summarised(document, digest, page_model)
        summaries[digest] = encode_page_summary(page, page_model.version)
        return page
