"""Work on windows in a child process: documents to learn, models to refit, templates to fit."""

from collections import OrderedDict

import msgspec

from templ_core.config import CoreConfig
from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model_file import encode_site_model
from templ_core.site_level.site_templates import (
    NO_TEMPLATES,
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
from templ_core.site_level.window.site_learner import Change, SiteLearner
from templ_core.site_level.window.window_page import Contribution

CONFIG = CoreConfig()
_PAGES_IN_MEMORY = 2000
"""Pages of windows that a child keeps counted, of some 50 kB each."""


class LearnTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Read what a compact document contributes to its site's model."""

    body: bytes


class TaskPage(msgspec.Struct, frozen=True, array_like=True):
    """A document of a window."""

    page_id: str
    content_digest: bytes
    learned: bytes | None
    """What `LearnTask` answered; None where the child may know it."""
    document: bytes | None = None
    """Its compact form, where templates are fitted on it."""


class RefitTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Fit a site model on a window, in order of (event time, page id)."""

    site: str
    window: list[TaskPage]
    templates: bytes | None
    """The site's latest, as `TemplatesTask` answered."""


class TemplatesTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Fit a site's templates on its latest documents, in order of (event time, page id)."""

    latest: list[TaskPage]


class LearnResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """What a document adds to its site's model, see `templ_core.site_level.window.page_summary`."""

    body: bytes


class RefitResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A fitted site model in compact form."""

    version: str
    documents: int
    body: bytes
    fit: float
    """How like the window's last page is to its kind, 0 to 1."""
    change: Change | None
    """The last change of design, while the window has pages of the design before."""


class TemplatesResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Templates in compact form."""

    body: bytes


class Unknown(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Pages of a window that the child has not counted, by index: send what was learned."""

    indexes: list[int]


class Stale(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Pages of a window that were learned with another page model, by index: learn them anew."""

    indexes: list[int]


class Learners:
    """The sites that were refitted last, with all that is counted of them."""

    def __init__(self, page_model_version: str) -> None:
        self._version = page_model_version
        self._sites: OrderedDict[str, SiteLearner] = OrderedDict()
        self._pages = 0

    def take(self, site: str) -> SiteLearner:
        """The site as it was refitted last, or a fresh start; `keep` it when done."""
        learner = self._sites.pop(site, None)
        if learner is None:
            return SiteLearner(self._version, CONFIG)
        self._pages -= len(learner.window)
        return learner

    def keep(self, site: str, learner: SiteLearner) -> None:
        """Keep a site, and forget those refitted longest ago when there are too many pages."""
        self._sites[site] = learner
        self._pages += len(learner.window)
        while self._pages > _PAGES_IN_MEMORY and len(self._sites) > 1:
            _, oldest = self._sites.popitem(last=False)
            self._pages -= len(oldest.window)

    def clear(self) -> None:
        """Forget everything."""
        self._sites.clear()
        self._pages = 0


def learn_document(task: LearnTask, page_model: PageModel) -> LearnResult:
    """What a document adds to its site's model."""
    page = summarise_page(decode_document(task.body), page_model)
    return LearnResult(encode_page_summary(page, page_model.version))


def refit_site(
    task: RefitTask, page_model: PageModel, learners: Learners
) -> RefitResult | Unknown | Stale:
    """The model of a window; what the child has counted already is not read again."""
    learner = learners.take(task.site)
    known = {(one.page_id, one.content_digest): one for one in learner.window}
    window = [known.get((one.page_id, one.content_digest)) or one for one in task.window]
    unknown = [
        index
        for index, one in enumerate(window)
        if isinstance(one, TaskPage) and one.learned is None
    ]
    if unknown:
        learners.keep(task.site, learner)
        return Unknown(unknown)
    contributions, stale = [], []
    for index, one in enumerate(window):
        if isinstance(one, Contribution):
            contributions.append(one)
        elif (page := _learned(one, page_model)) is None:
            stale.append(index)
        else:
            contributions.append(_contribution(one, page))
    if stale:
        return Stale(stale)
    learner.follow(contributions)
    templates = decode_templates(task.templates) if task.templates else NO_TEMPLATES
    model = learner.model(templates)
    learners.keep(task.site, learner)
    return RefitResult(
        version=model.version,
        documents=model.documents,
        body=encode_site_model(model, CONFIG.site_model_bytes),
        fit=learner.fit,
        change=learner.change,
    )


def fit_site_templates(task: TemplatesTask, page_model: PageModel) -> TemplatesResult:
    """The templates of a site's latest documents."""
    latest = []
    for one in task.latest:
        page = _learned(one, page_model)
        if page is None:
            page = summarise_page(decode_document(one.document or b""), page_model)
        latest.append(_contribution(one, page))
    return TemplatesResult(encode_templates(fit_templates(latest, CONFIG)))


def _learned(one: TaskPage, page_model: PageModel) -> PageSummary | None:
    """The page as the page model in use has read it; None where another one did."""
    try:
        return decode_page_summary(one.learned or b"", page_model.version)
    except CodecError:
        return None


def _contribution(one: TaskPage, page: PageSummary) -> Contribution:
    return Contribution(
        page_id=one.page_id,
        content_digest=one.content_digest,
        page=page,
        document=one.document,
    )
