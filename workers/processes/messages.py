"""The tasks of a child process and their results: what is said, without the code that does it.

So a process that only gives tasks to others need not import the core.
"""

import logging
from typing import Literal, Protocol

import msgspec

from schemas.cleaned import Warning_
from templ_core.config import CoreConfig
from templ_core.site_level.window.design_change import DesignChange
from templ_core.site_settings.site_settings import SiteSettings
from workers.processes.record_forms import RecordFields, RecordForms

log = logging.getLogger("templ")

MODELS_IN_MEMORY = 256
"""Decoded site models that a child keeps in memory and that its parent need not send again."""


class CleanTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean one page."""

    body: bytes
    """The page as fetched."""
    url: str
    content_type: str | None
    charset: str | None
    """Charset declared outside the page."""
    content_encoding: str | None
    limit_bytes: int
    """Largest page after decompression."""
    model_key: tuple[str, str] | None
    """Site and version of the site model to use; None means no site model."""
    model_body: bytes | None
    """The site model in compact form; None where the child has it already."""
    forms: RecordForms
    """The fields that the page's record is to have."""
    with_document: bool
    """Whether the result has what the site learns from the page."""
    config: CoreConfig
    """What the deployment chooses for the core."""
    source_id: str
    """Source id of the page, for log messages."""
    settings: SiteSettings | None = None
    """What operators have decided about the site; None = nothing."""
    is_timed: bool = False
    """Whether the result is to say when the stages ended."""


class BurstPage(msgspec.Struct, frozen=True, array_like=True):
    """One page of a burst: how it is read, and how it stands in a window."""

    task: CleanTask
    page_id: str
    event_time_ms: int
    may_be_learned_from: bool
    """Whether the site may learn from the page, judging by how it was fetched."""


class BurstTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean pages of a new site together, each with a site model that is fitted on all of them."""

    pages: list[BurstPage]
    documents_min: int
    """Distinct documents without which no model is fitted, and no page is cleaned."""
    chars_max: int
    """Most characters of HTML, after decompression, that are read; pages beyond that are left out."""


class ReviseTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean a document again with a newer site model."""

    body: bytes
    """The document in compact form."""
    kept: bytes
    """One bit for each text segment: whether the text that was published last has it."""
    model_key: tuple[str, str]
    """Site and version of the site model to use."""
    model_body: bytes | None
    """The site model in compact form; None where the child has it already."""
    config: CoreConfig
    """What the deployment chooses for the core."""
    source_id: str
    """Source id of the page, for log messages."""
    url: str = ""
    forms: RecordForms = RecordForms(metadata=False)
    """The fields that the page's record is to have."""
    details: bytes = b""
    """What the page's records need besides its document, in compact form."""
    settings: SiteSettings | None = None
    """What operators have decided about the site; None = nothing."""


class LearnTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Summarise a document for its site's model."""

    body: bytes
    """The document in compact form."""
    content_digest: bytes
    """Digest of the document's content, which must fit."""
    source_id: str
    """Source id of the page, for log messages."""


class TaskPage(msgspec.Struct, frozen=True, array_like=True):
    """A document of a window as a task carries it."""

    page_id: str
    content_digest: bytes
    summary: bytes | None
    """The encoded page summary; None where the child may have the page in memory."""
    document: bytes | None = None
    """The document in compact form, which a summary cannot be read without; None where the child may have the
    page in memory, and empty where it has left the window."""


class RefitTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Fit a site model on a window."""

    site: str
    window: list[TaskPage]
    """The documents in the order of the window."""


Task = CleanTask | BurstTask | LearnTask | RefitTask | ReviseTask


class CleanedDocument(msgspec.Struct, frozen=True, array_like=True):
    """What a site learns from a page."""

    content_digest: bytes
    body: bytes
    """The document in compact form."""
    summary: bytes
    """Its page summary in compact form."""


class StageTimes(msgspec.Struct, frozen=True, array_like=True):
    """When a child process has cleaned a page, in Unix nanoseconds."""

    began_ns: int
    decoded_ns: int
    """When its bytes were a document."""
    ended_ns: int


class CleanResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A cleaned page and its compact document."""

    title: str
    text: str
    used_site: bool
    """Whether evidence from other pages of the site had weight in the decision."""
    confidence: float
    """Expected word F1 of the text, 0 to 1."""
    page_model_version: str
    warnings: list[Warning_]
    chars_in: int
    """Characters of the page's visible text."""
    blocks_kept: int
    blocks_removed: int
    simhash: int | None
    """Near-duplicate key of the text; None for an empty text."""
    document: CleanedDocument | None
    """What a site learns from; None where it may not, or where the task did not ask for it."""
    kept: bytes
    """One bit for each text segment: whether the text has it."""
    fields: RecordFields = RecordFields()
    """The fields of the record that the task asked for."""
    details: bytes = b""
    """What the page's records need besides its document, in compact form; empty without a document."""
    model_problem: str | None = None
    """Why the page was cleaned without the site model that was sent; None where it was not."""
    site_settings_version: str | None = None
    """Version of the settings of the site that were used; None = there are none."""
    place_pages: int | None = None
    """Documents of the site model that know the places of the page's content; None without a model."""
    times: StageTimes | None = None
    """When the stages ended; None where the task did not ask for it."""

    def decided_with(self, settings: SiteSettings | None) -> "CleanResult":
        """Return the result with the version of the settings that were used."""
        if settings is None:
            return self
        return msgspec.structs.replace(self, site_settings_version=settings.version)


class BurstResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The pages of a burst, and the site model that they were cleaned with."""

    pages: list[CleanResult | None]
    """The result of each page of the task; None for a page that must be cleaned by itself, because it
    could not be read or came after `chars_max`."""
    version: str
    """Version of the site model."""
    documents: int
    """Distinct documents that the model was fitted on; 0 where they were too few, and nothing was cleaned."""
    body: bytes
    """The site model in compact form."""


class ReviseResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The text of a document with a newer site model."""

    changed_ratio: float
    """Ratio of words that only one of the old and the new text has; 0 for equal texts."""
    cleaned: CleanResult


class Failure(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The reason why a task has no result."""

    exception: str
    """Name of the error."""
    message: str
    failure: Literal["refused", "bug", "memory"]
    """`refused`: the page cannot be cleaned; `bug`: a fault of templ itself; `memory`: over the limit."""
    traceback: str = ""
    """The whole traceback of a fault of templ itself."""


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


class Unknown(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """An answer that asks for the summaries of pages that the child does not have in memory."""

    indexes: list[int]
    """Indexes of these pages in the window."""


class Stale(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """An answer that asks for new summaries of pages that another page model has summarised."""

    indexes: list[int]
    """Indexes of these pages in the window."""


Result = (
    CleanResult | BurstResult | LearnResult | RefitResult | Unknown | Stale | ReviseResult | Failure
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


def log_fault(site: str, task: Task, result: Result) -> None:
    """Log the traceback of a task that failed because of a fault of templ itself.

    Nothing is logged for a page that was refused because of what it holds.

    Args:
        site: Site key of the task.
        task: What was to be done.
        result: The result of the task.
    """
    if not isinstance(result, Failure) or result.failure != "bug":
        return
    match task:
        case RefitTask():
            subject = f"fitting the site model of {site}"
        case BurstTask():
            subject = f"cleaning {len(task.pages)} pages of {site} together"
        case _:
            subject = f"working on page {task.source_id}"
    log.error("a fault of templ itself while %s:\n%s", subject, result.traceback)
