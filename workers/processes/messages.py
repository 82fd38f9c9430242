"""The tasks of a child process and their results, without the code that performs them.

So a process that only gives tasks to others need not import the core.
"""

import logging
from typing import Literal, Protocol

import msgspec

from schemas.cleaned import CleanedRecord, RevisionReason
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from templ_core.explain.template_parts import SiteTemplate
from templ_core.site_level.window.revisions import DesignChange
from templ_core.site_settings.site_settings import SiteSettings
from workers.page import Page
from workers.processes.options import CleanOptions

log = logging.getLogger("templ")

PAGES_AT_ONCE = 8
"""Most pages in one task: with sixteen the work is no quicker, and the first text leaves later."""
MODELS_IN_MEMORY = 256
"""Decoded site models that a child keeps in memory and that its parent need not send again."""


class ModelledTask(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """How to clean the pages of a site."""

    options: CleanOptions
    model: SiteModelRecord | None = None
    """The site model to use, whose body is empty where the child has it already; None for a site without one."""
    settings: SiteSettings | None = None
    """What operators have decided about the site; None = nothing."""


class PageTask(ModelledTask, frozen=True, array_like=True, kw_only=True):
    """Clean a page."""

    page: Page
    with_document: bool = True
    """Whether the result has what the site learns from the page."""


class CleanTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean pages, step by step; each brings its own site model."""

    pages: list[PageTask]
    is_tried_later: bool = False
    """Whether one attempt suffices, because the caller tries the pages again later, behind others."""


class ReviseTask(ModelledTask, frozen=True, tag=True, array_like=True, kw_only=True):
    """Clean a document again with a newer site model."""

    document: DocumentRecord
    reason: RevisionReason
    """Why the document is cleaned again."""
    changed_ratio_min: float
    """Share of its words, 0 to 1, that must change; otherwise the result is `Unchanged`."""


class LearnTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Summarise a document for its site's model."""

    body: bytes
    """The document in compact form."""
    content_digest: bytes
    """Digest of the document's content, which must fit."""


class RefitTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Fit a site model on a window."""

    site: str
    window: list[bytes]
    """Content digests of the documents in the order of the window."""
    pages: dict[bytes, tuple[bytes, bytes]]
    """Page summary and document, both in compact form, of digests that the child may not know."""


class TemplateTask(ModelledTask, frozen=True, tag=True, array_like=True, kw_only=True):
    """Find what a site shows on nearly every page."""

    site: str
    documents: list[DocumentRecord]
    """In order of arrival."""


Task = CleanTask | LearnTask | RefitTask | ReviseTask | TemplateTask


class Cleaned(msgspec.Struct, frozen=True, tag=True, array_like=True, kw_only=True):
    """A page that was cleaned, or a document that was cleaned again."""

    record: CleanedRecord
    document: DocumentRecord | None
    """What the site learns from; None where nothing is to be learned from the page."""
    model_problem: str | None = None
    """Why the page was cleaned without the site model that was sent; None where it was not."""


class Unchanged(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The answer that a newer site model hardly changes a text."""


class Failure(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The reason why a task has no result."""

    exception: str
    """Name of the error."""
    message: str
    failure: Literal["refused", "lost", "bug", "memory"]
    """`refused`: the page cannot be cleaned; `lost`: the child died or was late; `bug`: a fault of templ itself;
    `memory`: over the limit."""
    traceback: str = ""
    """The whole traceback of a fault of templ itself."""


class CleanResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The result of each page of a `CleanTask`, in order."""

    pages: list[Cleaned | Failure]

    @property
    def has_failed(self) -> bool:
        """Return whether one of the pages has no result."""
        return Failure in map(type, self.pages)


class LearnResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The summary of a document."""

    body: bytes
    """A page summary as `templ_core.site_level.window.page_summary` encodes it."""


class RefitResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A fitted site model."""

    version: str
    documents: int
    """Documents that the model was fitted on."""
    body: bytes
    """The model in compact form."""
    fit: float
    """Similarity of the window's newest page to the cluster of pages nearest to it, 0 to 1."""
    change: DesignChange | None
    """The last change of design; None when the window holds no page of an older design."""
    unreadable: list[bytes] = []
    """Digests of documents of another format, which were left out."""
    summaries: dict[bytes, bytes] = {}
    """New page summaries, by digest, of the documents that another page model had summarised."""


class TemplateResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The template of a site."""

    template: SiteTemplate


class Unknown(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """An answer that asks for the summaries of pages that the child does not have in memory."""

    digests: list[bytes]


Result = (
    CleanResult
    | Cleaned
    | Unchanged
    | LearnResult
    | RefitResult
    | TemplateResult
    | Unknown
    | Failure
)


class TaskRunner(Protocol):
    """Something that performs tasks."""

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:
        """Return the result of a task and the number of attempts.

        Args:
            site: Site key; tasks of one site run in order.
            task: What to do.
            deadline_s: Longest processor time that the task may take, in seconds.
        """


def log_fault(subject: str, result: Result) -> None:
    """Log the traceback of what failed because of a fault of templ itself, and not because of what a page holds."""
    if isinstance(result, Failure) and result.failure == "bug":
        log.error("a fault of templ itself while %s:\n%s", subject, result.traceback)
