"""The evidence for and against each segment of a page, what decided, and which pages of its window have it, too."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from templ_core.clean_document import ExaminedPage, clean_examined, examine
from templ_core.config import CoreConfig
from templ_core.decide import Decision, own_log_odds, site_weight
from templ_core.dom.document import Document
from templ_core.explain.elements import named_rules, segment_elements
from templ_core.explain.site_strings import StringHit, position, string_hits
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.page_level.smoothing import section_numbers
from templ_core.site_level.fusion.fusion import fusion_for
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS, IN_BEST_CONTAINER
from templ_core.site_level.site_evidence import SegmentEvidence, SiteEvidence, read_site_evidence
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import StringTable, read_prose
from templ_core.site_level.trees.tree_model import TreeEvidence, tree_evidence
from templ_core.site_settings.site_settings import SiteSettings


class InputWeight(msgspec.Struct, frozen=True, kw_only=True):
    """What one input of the fusion added for a segment."""

    name: str
    value: float
    """The input itself, before it is cut off."""
    log_odds: float
    """What it added to the log-odds for content, against a value that speaks for neither side."""


class SiteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of a site about a page; columns of length n_segments."""

    evidence: SiteEvidence
    segments: SegmentEvidence
    """The sources of the evidence: places, strings, containers."""
    trees: TreeEvidence | None
    """The evidence of the tree template of the page's cluster, even if it was not needed; None = no cluster fits."""
    hits: list[list[StringHit]]
    """The strings of the site that each segment is in, or that are in it."""

    def is_in_best_container(self, number: int) -> bool:
        """Return whether a segment is in the element of the page that holds the most content."""
        return bool(self.evidence.columns[IN_BEST_CONTAINER][number] > 0)

    def inputs(self, number: int) -> tuple[InputWeight, ...]:
        """Return what the inputs of the fusion added for a segment, the strongest first."""
        inputs = []
        for name, term in self.evidence.fusion.terms.items():
            value = float(self.evidence.columns[name][number])
            cut_off = min(max(value, term.low), term.high)
            added = term.weight * (cut_off - FUSION_INPUTS[name].neutral)
            inputs.append(InputWeight(name=name, value=value, log_odds=added))
        return tuple(sorted(inputs, key=lambda weight: -abs(weight.log_odds)))


class SegmentExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known about one segment."""

    number: int
    text: str
    kept: bool
    cuts: tuple[tuple[int, int], ...]
    """Parts that are cut out of a kept segment: their first characters and the ones behind them."""
    templateness: float
    reason: str
    words: int
    log_odds: float
    """Log-odds for content that the cut was made on."""
    page_log_odds: float
    """Log-odds for content by the page alone, its policies applied."""
    site_weight: float
    """Weight of the site's evidence, 0 to 1; the page's has the rest."""
    section: int
    """Number of the section of smoothing that the segment is in."""
    section_templateness: float
    """Mean templateness of the words of that section, 0 to 1."""
    roles: tuple[str, ...]
    """Text roles: comments, reviews, consent."""
    inputs: tuple[InputWeight, ...] = ()
    """Empty where nothing is known of the site."""
    strings: tuple[StringHit, ...] = ()
    """The strings of the site that it is in, or that are in it."""
    rule: str = ""
    """The rule of the site's settings that decides it; empty if none does."""
    elements: tuple[str, ...] = ()
    """Simple selectors of the block elements around it, outermost first."""


class PageExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a page was cleaned as it was."""

    title: str
    text: str
    """The clean text."""
    confidence: float
    warnings: tuple[str, ...]
    page_types: dict[str, float]
    """Probability of each page type."""
    site_documents: int
    """Documents of the site model; 0 = the page was cleaned without one."""
    used_site: bool
    segments: tuple[SegmentExplanation, ...]
    site: SiteFacts | None
    """The evidence of the site about the segments; None if nothing is known of it."""


def explain_page(
    document: Document,
    model: SiteModel | None,
    config: CoreConfig,
    page_model: PageModel,
    settings: SiteSettings | None = None,
) -> PageExplanation:
    """Return why a page is cleaned as it is, with the decision of `templ_core.clean_document.clean`.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.model.model_file import shipped_model
    >>> page = parse_document(
    ...     "<nav><a>Home</a></nav><p>Rain fell all day long.", "http://a.example/"
    ... )
    >>> found = explain_page(page, None, CoreConfig(), shipped_model())
    >>> [one.reason for one in found.segments]
    ['page-level', 'page-level']
    """
    examined = examine(document, page_model, with_places=model is not None)
    page = examined.evidence
    cleaned = clean_examined(examined, model, config, page_model, settings)
    decision = cleaned.decision
    segments: tuple[SegmentExplanation, ...] = ()
    facts = _site_facts(examined, model, page_model) if model else None
    if page is not None:
        if settings is not None:
            config = settings.config(config)
        rules = named_rules(document, settings.rules if settings else ())
        segments = _segments(document, page, decision, facts, config, rules)
    types = msgspec.structs.asdict(page.page_type) if page else {}
    return PageExplanation(
        title=document.title,
        text=cleaned.text,
        confidence=decision.confidence,
        warnings=tuple(cleaned.warnings),
        page_types={name: round(float(value), 4) for name, value in types.items()},
        site_documents=model.documents if page and model else 0,
        used_site=decision.used_site,
        segments=segments,
        site=facts,
    )


def _site_facts(
    examined: ExaminedPage, model: SiteModel, page_model: PageModel
) -> SiteFacts | None:
    """Return the evidence of a site about a page with text; None if nothing is known about the site."""
    document, page, places = examined.document, examined.evidence, examined.places
    if page is None or places is None or not model.documents:
        return None
    evidence = read_site_evidence(document, page, model, fusion_for(page_model.version), places)
    if evidence.segments is None:
        return None
    own, segments = places.segments, evidence.segments
    mass = segments.places.mass
    return SiteFacts(
        evidence=evidence,
        segments=segments,
        trees=tree_evidence(places.blocks, own.text, model.trees, own.words, mass),
        hits=string_hits(document, page.features, model.strings),
    )


def _segments(
    document: Document,
    page: PageEvidence,
    decision: Decision,
    facts: SiteFacts | None,
    config: CoreConfig,
    rules: Sequence[str],
) -> tuple[SegmentExplanation, ...]:
    templateness, words = decision.templateness, decision.words
    section = section_numbers(document, decision.kept, words, config.section_penalty)
    section_mean = np.bincount(section, templateness * words) / np.bincount(section, words)
    own, reasons = own_log_odds(page, config), decision.reasons
    weight = np.zeros(len(own))
    if facts is not None and decision.used_site:
        weight = site_weight(facts.evidence.columns, facts.evidence.documents, config)
    roles, elements = msgspec.structs.asdict(page.roles), segment_elements(document)
    return tuple(
        SegmentExplanation(
            number=number,
            text=text,
            kept=bool(decision.kept[number]),
            cuts=tuple((decision.cuts or {}).get(number, ())),
            templateness=float(templateness[number]),
            reason=reasons[number],
            words=int(words[number]),
            log_odds=float(decision.log_odds[number]),
            page_log_odds=float(own[number]),
            site_weight=float(weight[number]),
            section=int(section[number]),
            section_templateness=float(section_mean[section[number]]),
            roles=tuple(name for name, marked in roles.items() if marked[number]),
            rule=rules[number],
            elements=elements[number],
            inputs=facts.inputs(number) if facts else (),
            strings=tuple(facts.hits[number]) if facts else (),
        )
        for number, text in enumerate(document.segments.texts)
    )


# --- the window -----------------------------------------------------------------------------


class EvidencePages(msgspec.Struct, frozen=True, kw_only=True):
    """URLs of pages of the window, in its order."""

    texts: dict[str, list[str]]
    """Pages that have the text of a segment, word for word."""
    strings: dict[StringHit, list[str]]
    """Pages that have a string."""


def evidence_pages(
    explained: PageExplanation, window: Iterable[tuple[str, Document]], table: StringTable
) -> EvidencePages:
    """Return the pages of a window that have the texts and strings of a page's evidence.

    Args:
        explained: The page.
        window: URL and document of each page of the window.
        table: The strings of the site model.
    """
    wanted_texts = {segment.text for segment in explained.segments}
    wanted_strings = {hit for segment in explained.segments for hit in segment.strings}
    texts: defaultdict[str, list[str]] = defaultdict(list)
    strings: defaultdict[StringHit, list[str]] = defaultdict(list)
    for url, document in window:
        if not document.segments.texts:
            continue
        for text in wanted_texts.intersection(document.segments.texts):
            texts[text].append(url)
        if wanted_strings:
            features = read_features(document)
            words = read_prose(features).tokens.tobytes()
            segments = table.segment_tokens(features.shape).tobytes()
            for string in wanted_strings:
                if position(segments if string.is_usual else words, string.tokens) is not None:
                    strings[string].append(url)
    return EvidencePages(texts=dict(texts), strings=dict(strings))
