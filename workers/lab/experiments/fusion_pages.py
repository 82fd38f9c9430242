"""Pages in order of arrival with what is known of their sites: the training data of the fusion."""

import functools
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from schemas.source import Source
from templ_core.config import CoreConfig
from templ_core.dom.codec import content_digest, document_columns
from templ_core.dom.document import Document, read_document
from templ_core.dom.interstitials import is_error_page, is_gate
from templ_core.errors import PageError
from templ_core.lab.evaluation.words import page_words, score_template, score_text, word_counts
from templ_core.lab.training.fusion.fusion_page import (
    LINK_BOX,
    UNKNOWN,
    FusionOutcome,
    FusionPage,
    InjectedSegments,
    KnownSite,
)
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.lab.training.pages import (
    GoldRecord,
    gold_markup,
    page_labels,
    word_bag,
)
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence, read_page_evidence
from templ_core.site_level.fusion.site_inputs import site_inputs
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_evidence import place_pages
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.trees.tree_model import NO_TREES
from templ_core.site_level.window.page_summary import PageSummary, summarise_scored_page
from templ_core.site_level.window.schedule import is_due, latest_place_pages
from templ_core.site_level.window.site_learner import SiteLearner
from workers.feeds.records import page_from_json
from workers.lab.corpora import corpus_name, read_objects
from workers.lab.evaluation.judge import time_calls
from workers.lab.evaluation.page_models import PageModels
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.injected_pages import (
    CorpusRecord,
    InjectedSentences,
    with_injection,
    with_link_box,
)
from workers.lab.job_processes import map_in_processes
from workers.page import Rejected

_TAG = re.compile(rb"<[a-zA-Z][^<>]*>")
_NAMES = re.compile(rb"""(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_LETTERS = 5


def with_new_names(body: bytes, release: str) -> bytes:
    """Return a page in which other letters stand for each id and each class.

    >>> one, other = (with_new_names(b'<p class="lead big" id=a1>x', name) for name in "12")
    >>> one != other, len(one) == len(other)
    (True, True)

    Args:
        body: The page in an encoding that has ASCII as a part.
        release: The name of the release: the same name becomes the same letters on all its pages.
    """
    salt = release.encode()

    def renamed(names: re.Match[bytes]) -> bytes:
        tokens = names[2].strip(b"\"'").split()
        return names[1] + b'"' + b" ".join(_letters(salt, token) for token in tokens) + b'"'

    return _TAG.sub(lambda tag: _NAMES.sub(renamed, tag[0]), body)


def _letters(salt: bytes, token: bytes) -> bytes:
    digest = hashlib.blake2b(token, digest_size=_LETTERS, salt=salt).digest()
    return bytes(ord("a") + byte % 26 for byte in digest)


_INJECTED_WORDS_MIN = 8
"""Words of a segment that is taken for one that was put in."""
_NO_ROWS = np.empty((0, 0), np.float32)
SiteProgress = Callable[[str], None]


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """How site models are fitted while the pages of a site arrive."""

    config: CoreConfig
    peers: tuple[str, ...] = ()
    """Names of other extractors that clean the same pages."""
    injections: int = 0
    """How many times each site is taken once more, with a text in some of its pages."""
    pages_per_release: int = 0
    """Number of pages of a site after which its ids and classes are generated anew; 0 = they are as they are."""
    uses_trees: bool = True
    """Whether site models have tree templates."""
    seen_before: bool = False
    """Whether a site learns from a page before the page is scored, as if it came a second time."""


def read_fusion_pages(
    corpora: Sequence[Path],
    folds: PageModels,
    simulation: Simulation,
    progress: SiteProgress,
    jobs: int = 1,
) -> list[FusionPage]:
    """Return the pages with gold of all corpora; sites learn from all their pages.

    Pages are ordered by the field `arrival`, and by their position in the file without it.

    Args:
        corpora: JSON Lines files.
        folds: The page models.
        simulation: How site models are fitted.
        progress: Called with a message after each site.
        jobs: Number of sites to process at the same time, each in a process of its own.
    """
    records = [record for path in corpora for record in _records(path)]
    models = folds.left_out([(one.corpus, one.page.url, one.page.site) for one in records])
    sites: dict[tuple[str, str], _Site] = {}
    for record, model in zip(records, models, strict=True):
        if model is not None:
            site = sites.setdefault(
                (record.corpus, record.page.site), _Site(*model, simulation=simulation, records=[])
            )
            site.records.append(record)
    pages: list[FusionPage] = []
    read = map_in_processes(jobs, _pages_of_site, sites.values())
    for number, ((corpus, name), some) in enumerate(zip(sites, read, strict=True), 1):
        pages += some
        progress(f"site {number} of {len(sites)}: {corpus} {name}")
    return pages


class _Site(msgspec.Struct, frozen=True):
    fold: int
    page_model: PageModel
    simulation: Simulation
    records: list[CorpusRecord]


def _records(path: Path) -> Iterator[CorpusRecord]:
    for number, (line, fields) in enumerate(read_objects(path), 1):
        page = page_from_json(
            line, Source(path.name, 0, number), default_id="", event_time_ms=lambda _: 0
        )
        if not isinstance(page, Rejected) and page.body is not None:
            yield CorpusRecord(corpus_name(path), fields, page)


def _pages_of_site(site: _Site) -> list[FusionPage]:
    records = sorted(site.records, key=lambda one: str(one.fields.get("arrival") or ""))
    pages = _pages_in_order(site, records)
    seed = f"{records[0].corpus}/{records[0].page.site}"
    changed = [with_injection(records, f"{n}/{seed}") for n in range(site.simulation.injections)]
    if changed:
        changed.append(with_link_box(records, seed))
    for some in changed:
        pages += [one for one in _pages_in_order(site, some) if one.injected is not None]
    return pages


def _pages_in_order(site: _Site, records: Sequence[CorpusRecord]) -> list[FusionPage]:
    learner = _Learner(site.page_model, site.simulation)
    pages: list[FusionPage] = []
    for seen, record in enumerate(records, 1):
        body, pages_per_release = record.page.body or b"", site.simulation.pages_per_release
        if pages_per_release:
            body = with_new_names(body, str(seen // pages_per_release))
        try:
            document = read_document(body, record.page.url, charset=record.page.charset)
        except PageError:
            continue
        if not document.segments.texts:
            continue
        scores = read_page_evidence(document, site.page_model)
        words = int(scores.words.sum())
        teaches = not is_error_page(document, words) and not is_gate(document, words)
        places = document_places(document, scores.features)
        known = learner.known(document, scores, places)
        if teaches and site.simulation.seen_before:
            learner.learn(document, scores, places, known)
            known = learner.known(document, scores, places)
        if record.fields.get("gold_text"):
            pages.append(_fusion_page(record, document, scores, site, seen, known))
        if teaches and not site.simulation.seen_before:
            learner.learn(document, scores, places, known)
    return pages


class _Learner:
    """Learns a site from its pages as they arrive."""

    def __init__(self, page_model: PageModel, simulation: Simulation) -> None:
        self._simulation = simulation
        self._window: list[tuple[bytes, PageSummary]] = []
        self._learner = SiteLearner(page_model.version, simulation.config)
        self._fitted_at = 0
        self._place_pages: list[int | None] = []
        self._model: SiteModel | None = None

    def known(self, document: Document, scores: PageEvidence, places: DocumentPlaces) -> KnownSite:
        """Return what is known when a page arrives."""
        model = self._model
        if model is None:
            return UNKNOWN
        columns, _ = site_inputs(
            document, scores.features, scores.log_odds, scores.page_type, model, places
        )
        return KnownSite(documents=model.documents, columns=columns)

    def learn(
        self, document: Document, scores: PageEvidence, places: DocumentPlaces, known: KnownSite
    ) -> None:
        """Learn from one more page, of which so much was known when it arrived."""
        newest = place_pages(known.columns, scores) if known.documents else None
        self._place_pages = latest_place_pages(self._place_pages, newest)
        summary = summarise_scored_page(document, scores.features, scores.log_odds, places)
        self._window.append((content_digest(document_columns(document)), summary))
        learned = len(self._window)
        if is_due(learned, self._fitted_at, learned, self._place_pages):
            self._learner.follow(list(self._window))
            model = self._learner.model()
            if not self._simulation.uses_trees:
                model = msgspec.structs.replace(model, trees=NO_TREES)
            bytes_max = self._simulation.config.site_model_bytes
            self._model = decode_site_model(encode_site_model(model, bytes_max))
            self._fitted_at = learned


def _fusion_page(
    record: CorpusRecord,
    document: Document,
    scores: PageEvidence,
    site: _Site,
    seen: int,
    known: KnownSite,
) -> FusionPage:
    gold = _gold_page(record)
    markup = gold_markup(gold)
    labels, injected = page_labels(gold, document, markup, scores.features.text), None
    if record.injected is not None:
        injected = _injected_segments(document, record.injected)
        labels = msgspec.structs.replace(
            labels,
            content=np.where(injected.segments, 0.0, labels.content),
            counts=labels.counts | injected.segments,
        )
    return FusionPage(
        corpus=gold.corpus,
        site=gold.site,
        page_type=gold.page_type,
        fold=site.fold,
        seen=seen,
        scores=msgspec.structs.replace(
            scores, features=msgspec.structs.replace(scores.features, rows=_NO_ROWS)
        ),
        known=known,
        labels=labels,
        injected=injected,
        bag=word_bag(gold, document, markup),
        has_selector=gold.selectors is not None,
        peers=_peers(gold, markup, site.simulation.peers),
    )


def _injected_segments(document: Document, put: InjectedSentences) -> InjectedSegments:
    """Return which segments consist of what was put into the page."""
    texts = document.segments.texts
    segments = np.zeros(len(texts), np.bool_)
    if put.kind == LINK_BOX:
        lines = list(put.sentences)
        for first, one in enumerate(texts):
            if one == lines[0] and texts[first : first + len(lines)] == lines:
                segments[first : first + len(lines)] = True
    else:
        text = " ".join(put.sentences)
        segments[:] = [len(one.split()) >= _INJECTED_WORDS_MIN and one in text for one in texts]
    return InjectedSegments(segments=segments, kind=put.kind, share=put.share, taught=put.taught)


def _peers(gold: GoldRecord, markup: str, names: Sequence[str]) -> dict[str, FusionOutcome]:
    if not names:
        return {}
    page, neutral = page_words(markup, gold.selectors.neutral if gold.selectors else None)
    wanted = word_counts(gold.gold_text)
    calls = {name: functools.partial(load_peer(name), markup) for name in names}
    outcomes = {}
    for name, turn in time_calls(calls, 0).items():
        output = word_counts(turn.value or "")
        template = score_template(output, wanted, neutral, page) if gold.selectors else None
        outcomes[name] = FusionOutcome(
            f1=score_text(output, wanted, neutral).f1,
            template_f1=template.f1 if template else None,
            empty=not output,
        )
    return outcomes


def _gold_page(record: CorpusRecord) -> GoldRecord:
    return GoldRecord(
        corpus=record.corpus,
        url=record.page.url,
        site=record.page.site,
        page_type=record.fields.get("kind") or "",
        body=record.page.body or b"",
        charset=record.page.charset,
        gold_text=record.fields["gold_text"],
        selectors=GoldSelectors.of(record.fields),
    )
