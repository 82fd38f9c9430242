"""What is known of one site, from a state directory or from the topics, and what a new rule would name in it."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

import msgspec

from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from templ_core.config import CoreConfig
from templ_core.dom.codec import decode_document
from templ_core.dom.document import Document
from templ_core.errors import CodecError
from templ_core.page_details import decode_details
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model
from templ_core.site_settings.rules import ruled_segments
from templ_core.site_settings.site_settings import SiteRule, SiteSettings
from workers.errors import InputProblem
from workers.log_lines import counted
from workers.processes.options import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings
from workers.site_settings import DecidedSite, SettingsOfSites, site_settings_of_state
from workers.state.site_copy import copied_sites, copy_site
from workers.state.site_state import SiteState

_SITES_NAMED = 5
Pages = Sequence[tuple[DocumentRecord, Document]]


class CleaningVariant(msgspec.Struct, frozen=True, kw_only=True):
    """One way to clean the pages of a site."""

    page_model: PageModel
    config: CoreConfig
    site_settings: SettingsOfSites | None = None
    """What operators have decided about sites; None = what the state says."""

    @classmethod
    def of(
        cls, settings: Settings, site_settings: SettingsOfSites | None = None
    ) -> "CleaningVariant":
        """Return the way that settings ask for.

        Raises:
            SettingsProblem: The page model cannot be read.
        """
        model = page_model_of(read_model_file(settings.page_model))
        return cls(page_model=model, config=config_of(settings), site_settings=site_settings)


class SiteView(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One site as it was at one moment."""

    site: str
    record: SiteModelRecord | None
    """The published site model; None before the first."""
    state: SiteState | None
    """Numbers of the window; None when they were read from topics."""
    window: Sequence[DocumentRecord]
    """The documents of the window in order of event time."""
    settings: DecidedSite | None = None
    """What operators have decided about the site; None = nothing."""

    @cached_property
    def model(self) -> SiteModel | None:
        """The content of the published site model.

        Raises:
            InputProblem: It is damaged or of another version.
        """
        return _decoded(self.record)

    def used_model(self) -> SiteModel | None:
        """Return the model that pages are cleaned with, which may be pinned.

        Raises:
            InputProblem: It is damaged or of another version.
        """
        if self.settings is None:
            return self.model
        record = self.settings.model(self.record)
        return self.model if record is self.record else _decoded(record)

    @property
    def own_settings(self) -> SiteSettings | None:
        """What operators have decided, in the form that cleaning takes."""
        return self.settings.settings if self.settings else None

    def cleaning_of(
        self, kind: str | None, model: SiteModel | None
    ) -> tuple[SiteSettings | None, SiteModel | None]:
        """Return the settings and the model for a page whose markup calls it a kind of page."""
        own = self.own_settings
        return (None, model) if own is None else own.of_page(kind, model)

    def no_model(self) -> InputProblem:
        """Return the problem that nothing was learned of the site yet."""
        return InputProblem(
            f"{self.site} has no site model yet: its first pages have not been learned"
        )

    def pages(self) -> Pages:
        """Return the documents of the window that have text."""
        return [
            (record, document) for record, document in self.documents() if document.segments.texts
        ]

    def documents(self) -> Iterator[tuple[DocumentRecord, Document]]:
        """Yield the documents of the window that can be decoded."""
        for record in self.window:
            try:
                yield record, decode_document(record.body)
            except CodecError:
                continue


def view_site(state: Path, site: str, settings: Settings) -> SiteView:
    """Return what a state directory holds of a site, also while a worker uses it.

    Raises:
        InputProblem: The directory knows no such site.
        StateProblem: The directory or the site model cannot be read.
    """
    copy = copy_site(state, site, settings)
    record = copy.models.get(site)
    if record is None and copy.windows is None:
        raise InputProblem(
            f"{state} knows no site {site}{similar_sites(copied_sites(state), site)}"
        )
    windows = copy.windows
    return SiteView(
        site=site,
        record=record,
        state=windows.site_state(site) if windows else None,
        window=list(windows.window(site)) if windows else [],
        settings=site_settings_of_state(state).of(site),
    )


def stored_kind(record: DocumentRecord, document: Document) -> str | None:
    """Return what the markup of a page of a window called it, where that was kept."""
    try:
        return decode_details(record.details, document)[2]
    except CodecError:
        return None


def _decoded(record: SiteModelRecord | None) -> SiteModel | None:
    if record is None:
        return None
    try:
        return decode_site_model(record.body)
    except CodecError as error:
        raise InputProblem(f"the site model of {record.site} cannot be used: {error}") from None


def similar_sites(sites: Iterable[str], site: str) -> str:
    """Return the end of a message that names those of some sites that may have been meant."""
    known = sorted(sites)
    near = get_close_matches(site, known, _SITES_NAMED, 0.4) or known[:_SITES_NAMED]
    return f"; there is {', '.join(near)}" if near else ""


_SAMPLES = 3


class RulePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule names in a window."""

    rule: str
    pages: int
    """Pages on which it names a segment."""
    window_pages: int
    samples: list[dict[str, str]]
    """The `url` and the named `text` of the three newest of these pages, a line for each segment."""

    def __str__(self) -> str:
        such = f", such as {self.samples[0]['url']}" if self.samples else ""
        return f"{self.rule}: matches on {self.pages} of {counted(self.window_pages, 'page')} of the window{such}"


def preview_rules(view: SiteView, rules: Sequence[SiteRule]) -> list[RulePreview]:
    """Return what each rule selects in a window, without the others.

    Raises:
        RuleError: A rule cannot be used.
    """
    documents = list(view.documents())
    previews = []
    for rule in rules:
        ruled = []
        for record, document in reversed(documents):
            named = ruled_segments(document, (rule,)).named
            if named.any():
                texts = (document.segments.texts[number] for number in named.nonzero()[0])
                ruled.append({"url": record.url, "text": "\n".join(texts)})
        previews.append(
            RulePreview(
                rule=str(rule),
                pages=len(ruled),
                window_pages=len(documents),
                samples=ruled[:_SAMPLES],
            )
        )
    return previews
