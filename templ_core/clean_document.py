"""Clean text from a document and what is known about its site; pure and deterministic."""

from collections.abc import Iterable, Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.decide import NOTHING, Decision, decide, with_rules
from templ_core.dom.document import Document
from templ_core.dom.kept_text import render_text
from templ_core.metadata.fields import Metadata
from templ_core.metadata.markup import PageMarkup, StatedType
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_kind import page_kind
from templ_core.page_level._selection import kept_words
from templ_core.page_level.interstitials import GATES, INTERSTITIALS, missing_name, stands_for_page
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence, read_page_evidence
from templ_core.records.records import PageRecords
from templ_core.site_level.fusion.fusion import fusion_for
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_evidence import read_site_evidence
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import PageSummary, summarise_scored_page
from templ_core.site_settings.site_settings import SiteSettings

_SCRIPT_RENDERED_WORDS = 30
_SCRIPT_RENDERED_HTML_CHARS = 5_000


class CleanedText(msgspec.Struct, frozen=True, kw_only=True):
    """The clean text of a page, and how it was decided."""

    text: str
    """The kept segments, a line each."""
    decision: Decision
    warnings: list[str]
    """Names of warnings about the text, see schemas/README.md."""
    chars_in: int
    """Characters of all segments, a line each."""
    metadata: Metadata | None = None
    """The page's title, authors, times and the like; None if it was not asked for."""
    kind: StatedType | None = None
    """The kind of page that the markup states; None if it states none or was not asked for."""
    page_type: str | None = None
    """The type of the page, see `templ_core.page_kind`; None for a page without text."""
    records: PageRecords | None = None
    """The records of the page; None where they were not asked for."""
    quality_inputs: Sequence[float] = ()
    """The inputs of `templ_core.page_quality`; empty where it was not asked for."""


class ExaminedPage(msgspec.Struct, frozen=True):
    """What was read of a page, and what the page says about itself."""

    document: Document
    evidence: PageEvidence | None
    """None for a page without text."""
    places: DocumentPlaces | None = None
    """None where nothing is known of the page's site, and nothing is to be learned."""

    def summary(self, warnings: Iterable[str] = INTERSTITIALS) -> PageSummary | None:
        """Return what a site learns from the page; None where it may not be learned from, or has no places.

        Args:
            warnings: The warnings of its clean text. Without them, the page itself is checked for whether it is an
                interstitial.
        """
        document, evidence = self.document, self.evidence
        if evidence is None or self.places is None or not document.is_storable:
            return None
        may_be_another = not INTERSTITIALS.isdisjoint(warnings)
        if may_be_another and stands_for_page(document, int(evidence.words.sum())):
            return None
        scores = evidence.features, evidence.log_odds
        return summarise_scored_page(document.title, *scores, self.places)


def examine(document: Document, page_model: PageModel, *, with_places: bool = True) -> ExaminedPage:
    """Return a page with what it says about itself.

    Args:
        document: The page.
        page_model: The site-independent classifier.
        with_places: Whether something is known of its site, or is to be learned.
    """
    if not document.segments.texts:
        return ExaminedPage(document, None)
    evidence = read_page_evidence(document, page_model)
    places = document_places(document, evidence.features) if with_places else None
    return ExaminedPage(document, evidence, places)


def clean(
    document: Document,
    site_model: SiteModel | None,
    config: CoreConfig,
    page_model: PageModel | None = None,
    settings: SiteSettings | None = None,
) -> CleanedText:
    """Clean a page for the first time, without its metadata.

    Args:
        document: The page.
        site_model: What is known about its site; None = nothing.
        config: The core's thresholds.
        page_model: The site-independent classifier; None = the one that comes with the package.
        settings: What operators have decided about the site; None = nothing.

    >>> from templ_core.dom.document import parse_document
    >>> story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    >>> page = parse_document(f"<nav><a>Home</a></nav><p>{story}</p>", "https://example.com/")
    >>> clean(page, None, CoreConfig()).text == story.strip()
    True
    """
    page_model = page_model or shipped_model()
    page = examine(document, page_model, with_places=site_model is not None)
    return clean_examined(page, site_model, config, page_model, settings)


def clean_page(
    page: ExaminedPage,
    url: str,
    site_model: SiteModel | None,
    config: CoreConfig,
    page_model: PageModel,
    settings: SiteSettings | None = None,
    *,
    with_metadata: bool = True,
    fetched_at: str | None = None,
) -> CleanedText:
    """Clean a page that was examined, see `clean`, and read its metadata, which may use when it was fetched (RFC 3339)."""
    document, places = page.document, page.places
    markup = PageMarkup(document) if with_metadata or settings or config.records else None
    if markup and settings:
        settings, site_model = settings.of_page(markup.kind, site_model)
    cleaned = clean_examined(page, site_model, config, page_model, settings)
    decision, stated = cleaned.decision, markup.kind if markup and with_metadata else None
    page_type = page_kind(document, url, decision, stated)
    metadata = None
    if markup and with_metadata:
        known = None
        if places and site_model:
            known = SitePlaces(places.segments, site_model.places, site_model.titles)
        metadata = read_metadata(
            document, url, markup, cleaned.text, known, decision.kept, fetched_at, page_type
        )
    cleaned = msgspec.structs.replace(cleaned, metadata=metadata, kind=stated, page_type=page_type)
    return with_records(cleaned, document, url, markup) if config.records else cleaned


def with_records(
    cleaned: CleanedText, document: Document, url: str, markup: PageMarkup | None = None
) -> CleanedText:
    """Return a clean text with the records of its page.

    Args:
        cleaned: The text, with its metadata where that is known.
        document: The page, with its marks.
        url: Its address.
        markup: What its markup states; None where it was stored and read back.
    """
    from templ_core.records.read_records import read_records  # noqa: PLC0415 - few ask for it

    decision, metadata = cleaned.decision, cleaned.metadata
    product = metadata.product if metadata else markup and markup.product
    records = read_records(
        document,
        decision.kept,
        url,
        times=markup.claims.times if markup else (),
        language=(metadata and metadata.language) or document.language,
        kind=cleaned.page_type or "other",
        is_of_one=cleaned.kind == "article" or bool(product and product.name),
    )
    warnings = [*cleaned.warnings, *(["records-cut"] if records.is_cut else [])]
    if metadata and product and records.records.fields:
        product = msgspec.structs.replace(product, additional_properties=records.records.fields)
        metadata = msgspec.structs.replace(metadata, product=product)
    return msgspec.structs.replace(
        cleaned, records=records.records, metadata=metadata, warnings=warnings
    )


def clean_examined(
    page: ExaminedPage,
    site_model: SiteModel | None,
    config: CoreConfig,
    page_model: PageModel,
    settings: SiteSettings | None = None,
) -> CleanedText:
    """Clean a page that was examined with this page model, see `clean`; with its places where its site is known."""
    document, evidence, places = page.document, page.evidence, page.places
    decision, site = NOTHING, None
    if evidence is not None:
        if settings is not None:
            config = settings.config(config)
        if places is not None and site_model is not None and site_model.documents:
            fusion = fusion_for(page_model.version)
            site = read_site_evidence(document, evidence, site_model, fusion, places)
        decision = decide(evidence, site, config)
        if settings is not None and settings.rules:
            # It brings a parser of selectors, and few sites have rules.
            from templ_core.site_settings.rules import ruled_segments  # noqa: PLC0415

            decision = with_rules(decision, ruled_segments(document, settings.rules))
    text = render_text(document, decision.kept, decision.cuts)
    of_kept, words = kept_words(decision.kept, decision.words)
    missing = missing_name(document, decision.kept, int(words), int(of_kept))
    inputs: Sequence[float] = ()
    if config.quality and evidence is not None:
        from templ_core.quality_inputs import quality_inputs  # noqa: PLC0415 - few ask for it

        inputs = quality_inputs(document, evidence, decision, site, site_model, missing)
    return CleanedText(
        text=text,
        decision=decision,
        warnings=_warnings(document, text, missing, words),
        quality_inputs=inputs,
        chars_in=sum(map(len, document.segments.texts)) + max(len(document.segments.texts) - 1, 0),
    )


def _warnings(document: Document, text: str, missing: str | None, words: float) -> list[str]:
    problems = {
        "empty": not text,
        "script-rendered": words < _SCRIPT_RENDERED_WORDS
        and document.scripts > 0
        and document.html_chars > _SCRIPT_RENDERED_HTML_CHARS,
        "gate": missing in GATES,
        "declared-text": document.is_declared,
    }
    names = [name for name, is_so in problems.items() if is_so]
    return names if missing is None else [*names, missing]
