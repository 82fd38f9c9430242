"""Pages with gold, as their sites teach and decide them in order of arrival and in two passes."""

import functools
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.config import CoreConfig
from templ_core.dom.codec import document_columns
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.gold_repeats import Sentence, repeated_sentences, repeats_in
from templ_core.lab.evaluation.rows import gold_rows
from templ_core.lab.evaluation.words import page_words, score_template, score_text, word_counts
from templ_core.lab.training import fusion as fitting
from templ_core.lab.training.labels.gold_labels import GoldSelectors, decoded_markup
from templ_core.lab.training.pages import GoldRecord, gold_words, page_labels, word_bag
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.interstitials import stands_for_page
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence, read_page_evidence
from templ_core.site_level.fusion._fusion import pages_with_places
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_evidence import site_inputs
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.strings.new_runs import new_runs
from templ_core.site_level.trees.tree_model import NO_TREES
from templ_core.site_level.window.page_summary import PageSummary, summarise_scored_page
from templ_core.site_level.window.site_history import SiteHistory
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.stored.compact import content_digest
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import (
    corpus_name,
    page_fields,
    read_objects,
    record_page,
)
from workers.lab.evaluation.judge import time_calls
from workers.lab.evaluation.page_models import PageModels
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.injected_pages import (
    TAUGHT_PAGES,
    CorpusRecord,
    InjectedSentences,
    with_injection,
    with_link_box,
)

_TAG = re.compile(rb"<[a-zA-Z][^<>]*>")
_NAMES = re.compile(rb"""(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_LETTERS = 5


def with_new_names(body: bytes, release: str) -> bytes:
    """Return a page in which other letters stand for each id and each class.

    >>> one, other = (with_new_names(b'<p class="lead big" id=a1>x', name) for name in "12")
    >>> one != other, len(one) == len(other)
    (True, True)
    """
    salt = release.encode()

    def renamed(names: re.Match[bytes]) -> bytes:
        tokens = names[2].strip(b"\"'").split()
        return names[1] + b'"' + b" ".join(_letters(salt, token) for token in tokens) + b'"'

    return _TAG.sub(lambda tag: _NAMES.sub(renamed, tag[0]), body)


def _letters(salt: bytes, token: bytes) -> bytes:
    digest = hashlib.blake2b(token, digest_size=_LETTERS, salt=salt).digest()
    return bytes(ord("a") + byte % 26 for byte in digest)


_CONTENT_MIN = 0.5
"""Share of a segment that is content by the gold, from which on it counts as content of a row."""
_INJECTED_WORDS_MIN = 8
"""Words of a segment that is taken for one that was put in."""
_NO_ROWS, _NO_WORDS = np.empty((0, 0), np.float32), read_words(read_characters([]))


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """How site models are fitted while the pages of a site arrive."""

    config: CoreConfig
    peers: tuple[str, ...] = ()
    """Names of other extractors that clean the same pages."""
    injections: int = 0
    """How many times each site is taken once more, in another order and with texts in some of its pages."""
    pages_per_release: int = 0
    """Number of pages of a site after which its ids and classes change; 0 = they are as they are."""
    uses_trees: bool = True
    """Whether site models have tree templates."""
    seen_before: bool = False
    """Whether a site learns from a page before the page is scored, as if it came a second time."""
    two_passes: bool = False
    """Whether each page is given once more, with a model of all pages of its site."""
    pages_per_site: int | None = None
    """Number of pages of each site that arrive; None = all."""


def read_fusion_pages(
    corpora: Sequence[Path], folds: PageModels, simulation: Simulation, jobs: int
) -> list[fitting.FusionPage]:
    """Return the pages with gold of all corpora; sites learn from all their pages.

    Pages are ordered by the field `arrival`, and by their position in the file without it.
    """
    records = [record for path in corpora for record in _records(path)]
    models = folds.left_out([(one.corpus, one.page.url, one.page.site) for one in records])
    sites: dict[tuple[str, str], _Site] = {}
    for record, model in zip(records, models, strict=True):
        if model is not None:
            site = sites.setdefault(
                (record.corpus, record.page.site), _Site(*model, simulation, [])
            )
            site.records.append(record)
    pages: list[fitting.FusionPage] = []
    read = lab.map_in_processes(jobs, _pages_of_site, sites.values())
    for number, ((corpus, name), some) in enumerate(zip(sites, read, strict=True), 1):
        pages += some
        click.echo(f"site {number} of {len(sites)}: {corpus} {name}", err=True)
    return pages


class _Site(NamedTuple):
    fold: int
    page_model: PageModel
    simulation: Simulation
    records: list[CorpusRecord]
    repeats: Collection[Sentence] = ()
    """Sentences that the gold of the site repeats."""


def _records(path: Path) -> Iterator[CorpusRecord]:
    for offset, (line, fields) in enumerate(read_objects(path)):
        with suppress(InputProblem):
            yield CorpusRecord(corpus_name(path), fields, record_page(path.name, offset, line))


def _pages_of_site(site: _Site) -> list[fitting.FusionPage]:
    records = sorted(site.records, key=lambda one: str(one.fields.get("arrival") or ""))
    records = records[: site.simulation.pages_per_site]
    golds = [text for one in records if (text := one.fields.get("gold_text"))]
    site = site._replace(repeats=repeated_sentences(golds))
    pages = _pages_in_order(site, records, two_passes=site.simulation.two_passes)
    seed = f"{records[0].corpus}/{records[0].page.site}"
    changed = [with_injection(records, f"{n}/{seed}") for n in range(site.simulation.injections)]
    if changed:
        changed.append(with_link_box(records, seed))
    for some in changed:
        pages += [one for one in _pages_in_order(site, some) if one.injected is not None]
    return pages


def _pages_in_order(
    site: _Site, records: Sequence[CorpusRecord], *, two_passes: bool = False
) -> list[fitting.FusionPage]:
    learner = _Learner(site.page_model, site.simulation)
    pages: list[fitting.FusionPage] = []
    read: list[tuple[Document, PageEvidence, DocumentPlaces]] = []
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
        teaches = stands_for_page(document, words) is None
        places = document_places(document, scores.features)
        known = learner.known(document, scores, places)
        if teaches and site.simulation.seen_before:
            learner.learn(document, scores, places, known)
            known = learner.known(document, scores, places)
        if record.fields.get("gold_text"):
            pages.append(_fusion_page(record, document, scores, site, seen, known))
            if two_passes:
                read.append((document, scores, places))
        if teaches and not site.simulation.seen_before:
            learner.learn(document, scores, places, known)
    if two_passes:
        learner.fit()
    again = [
        msgspec.structs.replace(
            page, known=learner.known(document, scores, places), whole_site=True
        )
        for page, (document, scores, places) in zip(pages, read, strict=False)
    ]
    return [*pages, *again]


class _Learner:
    """Learns a site from its pages as they arrive."""

    def __init__(self, page_model: PageModel, simulation: Simulation) -> None:
        self._simulation = simulation
        self._window: list[tuple[bytes, PageSummary]] = []
        self._learner = SiteLearner(page_model.version, simulation.config)
        self._history = SiteHistory()
        self._model: SiteModel | None = None

    def known(
        self, document: Document, scores: PageEvidence, places: DocumentPlaces
    ) -> fitting.KnownSite:
        model = self._model
        if model is None:
            return fitting.UNKNOWN
        columns, segments = site_inputs(document, scores, model, places)
        words, is_covered = scores.features.words, segments.strings.is_covered
        return fitting.KnownSite(
            documents=model.documents,
            columns=columns,
            new_runs=new_runs(words, places.prose, scores.log_odds, is_covered),
        )

    def learn(
        self,
        document: Document,
        scores: PageEvidence,
        places: DocumentPlaces,
        known: fitting.KnownSite,
    ) -> None:
        newest = pages_with_places(known.columns, scores) if known.documents else None
        self._history.note_document(newest, known.new_runs)
        summary = summarise_scored_page(document.title, scores.features, scores.log_odds, places)
        self._window.append((content_digest(document_columns(document)), summary))
        if self._history.is_due(len(self._window)):
            self.fit()

    def fit(self) -> None:
        if self._history.fitted_at == self._history.learned:
            return
        self._learner.follow(list(self._window))
        model = self._learner.model()
        if not self._simulation.uses_trees:
            model = msgspec.structs.replace(model, trees=NO_TREES)
        bytes_max = self._simulation.config.site_model_bytes
        self._model = decode_site_model(encode_site_model(model, bytes_max))
        self._history.note_fit(self._history.learned)


def _fusion_page(
    record: CorpusRecord,
    document: Document,
    scores: PageEvidence,
    site: _Site,
    seen: int,
    known: fitting.KnownSite,
) -> fitting.FusionPage:
    gold = GoldRecord(
        corpus=record.corpus,
        gold_text=record.fields["gold_text"],
        selectors=GoldSelectors.of(record.fields),
        repeats=repeats_in(record.fields["gold_text"], site.repeats),
        **{**page_fields(record.page, record.fields), "site": record.page.site},
    )
    markup = decoded_markup(gold.body, gold.charset)
    labels, injected = page_labels(gold, document, markup, scores.features.text), None
    if record.injected:
        injected = _injected_segments(document, record.injected)
        labels = msgspec.structs.replace(
            labels,
            content=np.where(injected.segments, 0.0, labels.content),
            counts=labels.counts | injected.segments,
        )
    return fitting.FusionPage(
        corpus=gold.corpus,
        site=gold.site,
        page_type=gold.page_type,
        fold=site.fold,
        seen=seen,
        scores=msgspec.structs.replace(
            scores,
            features=msgspec.structs.replace(scores.features, rows=_NO_ROWS, words=_NO_WORDS),
        ),
        known=known,
        labels=labels,
        injected=injected,
        bag=word_bag(gold, document, markup),
        has_selector=gold.selectors is not None,
        rows=gold_rows(document, labels.counts & (labels.content >= _CONTENT_MIN))
        if gold.selectors
        else (),
        peers=_peers(gold, document, markup, site.simulation.peers),
    )


def _injected_segments(
    document: Document, put: Sequence[InjectedSentences]
) -> fitting.InjectedSegments:
    """Return which segments consist of what was put into the page."""
    texts = document.segments.texts
    segments, due = np.zeros((2, len(texts)), np.bool_)
    for sentences in put:
        of_put = _segments_of(texts, sentences)
        segments |= of_put
        due |= of_put & (sentences.taught >= TAUGHT_PAGES)
    return fitting.InjectedSegments(
        segments=segments, due=due, kind=put[0].kind, share=put[0].share
    )


def _segments_of(texts: Sequence[str], put: InjectedSentences) -> Bools:
    is_put = np.zeros(len(texts), np.bool_)
    if put.kind == fitting.LINK_BOX:
        lines = list(put.sentences)
        for first, one in enumerate(texts):
            if one == lines[0] and texts[first : first + len(lines)] == lines:
                is_put[first : first + len(lines)] = True
    else:
        text = " ".join(put.sentences)
        is_put[:] = [len(one.split()) >= _INJECTED_WORDS_MIN and one in text for one in texts]
    return is_put


def _peers(
    gold: GoldRecord, document: Document, markup: str, names: Sequence[str]
) -> dict[str, fitting.FusionOutcome]:
    if not names:
        return {}
    page, neutral = page_words(markup, gold.selectors.neutral if gold.selectors else None)
    wanted, neutral, _ = gold_words(gold, document, neutral)
    calls = {name: functools.partial(load_peer(name), markup) for name in names}
    outcomes = {}
    for name, turn in time_calls(calls, 0).items():
        output = word_counts(turn.value or "")
        template = score_template(output, wanted, neutral, page) if gold.selectors else None
        score = score_text(output, wanted, neutral)
        outcomes[name] = fitting.FusionOutcome(
            f1=score.f1,
            precision=score.precision,
            template_f1=template.f1 if template else None,
            empty=not output,
        )
    return outcomes
