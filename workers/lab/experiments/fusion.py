"""`templ experiments site-level`: fits the fusion of site and page, and measures its quality."""

import functools
import hashlib
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click
import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.dom.codec import document_columns
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import SEEN_BINS, mean_interval
from templ_core.lab.evaluation.words import page_words, score_template, score_text, word_counts
from templ_core.lab.training import fusion as fitting
from templ_core.lab.training.labels.gold_labels import GoldSelectors, decoded_markup
from templ_core.lab.training.pages import GoldRecord, page_labels, word_bag
from templ_core.page_level.interstitials import stands_for_page
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence, read_page_evidence
from templ_core.site_level.fusion._fusion import pages_with_places
from templ_core.site_level.fusion.fusion import FUSION_FORMAT, FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_evidence import site_inputs
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.trees.tree_model import NO_TREES
from templ_core.site_level.window.page_summary import PageSummary, summarise_scored_page
from templ_core.site_level.window.schedule import is_due, latest_place_pages
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.stored.compact import content_digest
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import (
    corpus_name,
    file_digest,
    page_fields,
    read_objects,
    record_page,
    write_file,
)
from workers.lab.evaluation.judge import time_calls
from workers.lab.evaluation.page_models import PageModels, models_of_folds
from workers.lab.evaluation.peers import load_peer, peer_version
from workers.lab.experiments.injected_pages import (
    SHARES,
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


_INJECTED_WORDS_MIN = 8
"""Words of a segment that is taken for one that was put in."""
_NO_ROWS = np.empty((0, 0), np.float32)


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


def _records(path: Path) -> Iterator[CorpusRecord]:
    for offset, (line, fields) in enumerate(read_objects(path)):
        with suppress(InputProblem):
            yield CorpusRecord(corpus_name(path), fields, record_page(path.name, offset, line))


def _pages_of_site(site: _Site) -> list[fitting.FusionPage]:
    records = sorted(site.records, key=lambda one: str(one.fields.get("arrival") or ""))
    pages = _pages_in_order(site, records)
    seed = f"{records[0].corpus}/{records[0].page.site}"
    changed = [with_injection(records, f"{n}/{seed}") for n in range(site.simulation.injections)]
    if changed:
        changed.append(with_link_box(records, seed))
    for some in changed:
        pages += [one for one in _pages_in_order(site, some) if one.injected is not None]
    return pages


def _pages_in_order(site: _Site, records: Sequence[CorpusRecord]) -> list[fitting.FusionPage]:
    learner = _Learner(site.page_model, site.simulation)
    pages: list[fitting.FusionPage] = []
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

    def known(
        self, document: Document, scores: PageEvidence, places: DocumentPlaces
    ) -> fitting.KnownSite:
        model = self._model
        if model is None:
            return fitting.UNKNOWN
        columns, _ = site_inputs(document, scores, model, places)
        return fitting.KnownSite(documents=model.documents, columns=columns)

    def learn(
        self,
        document: Document,
        scores: PageEvidence,
        places: DocumentPlaces,
        known: fitting.KnownSite,
    ) -> None:
        newest = pages_with_places(known.columns, scores) if known.documents else None
        self._place_pages = latest_place_pages(self._place_pages, newest)
        summary = summarise_scored_page(scores.features, scores.log_odds, places)
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
    known: fitting.KnownSite,
) -> fitting.FusionPage:
    gold = GoldRecord(
        corpus=record.corpus,
        gold_text=record.fields["gold_text"],
        selectors=GoldSelectors.of(record.fields),
        **{**page_fields(record.page, record.fields), "site": record.page.site},
    )
    markup = decoded_markup(gold.body, gold.charset)
    labels, injected = page_labels(gold, document, markup, scores.features.text), None
    if record.injected is not None:
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
            scores, features=msgspec.structs.replace(scores.features, rows=_NO_ROWS)
        ),
        known=known,
        labels=labels,
        injected=injected,
        bag=word_bag(gold, document, markup),
        has_selector=gold.selectors is not None,
        peers=_peers(gold, markup, site.simulation.peers),
    )


def _injected_segments(document: Document, put: InjectedSentences) -> fitting.InjectedSegments:
    """Return which segments consist of what was put into the page."""
    texts = document.segments.texts
    segments = np.zeros(len(texts), np.bool_)
    if put.kind == fitting.LINK_BOX:
        lines = list(put.sentences)
        for first, one in enumerate(texts):
            if one == lines[0] and texts[first : first + len(lines)] == lines:
                segments[first : first + len(lines)] = True
    else:
        text = " ".join(put.sentences)
        segments[:] = [len(one.split()) >= _INJECTED_WORDS_MIN and one in text for one in texts]
    return fitting.InjectedSegments(
        segments=segments, kind=put.kind, share=put.share, taught=put.taught
    )


def _peers(gold: GoldRecord, markup: str, names: Sequence[str]) -> dict[str, fitting.FusionOutcome]:
    if not names:
        return {}
    page, neutral = page_words(markup, gold.selectors.neutral if gold.selectors else None)
    wanted = word_counts(gold.gold_text)
    calls = {name: functools.partial(load_peer(name), markup) for name in names}
    outcomes = {}
    for name, turn in time_calls(calls, 0).items():
        output = word_counts(turn.value or "")
        template = score_template(output, wanted, neutral, page) if gold.selectors else None
        outcomes[name] = fitting.FusionOutcome(
            f1=score_text(output, wanted, neutral).f1,
            template_f1=template.f1 if template else None,
            empty=not output,
        )
    return outcomes


_PAGES_TO_JUDGE_A_SITE = 20
_LOSS = 0.01
_LISTINGS = ("listing", "collection")
INPUTS = tuple(FUSION_INPUTS)


@lab.command("Fit and evaluate the fusion of site and page.")
@lab.corpora
@lab.folds(
    "Directory of `templ train --folds`: page models that were trained without some sites.",
    required=True,
)
@click.option(
    "--page-model",
    default="",
    help="Version of the page model for which the fusion is fitted; it is recorded in the file.",
)
@click.option(
    "--model", "model_file", type=lab.FILE, help="File to write the fusion to, fitted to all pages."
)
@lab.peers
@lab.several_corpora(
    "--listings",
    "Corpus whose listings and collections are scored, each as a page that its site has "
    "shown before; may be repeated.",
)
@lab.option(
    "--ablation/--no-ablation",
    default=True,
    help="Also evaluate without each sort of evidence in turn.",
)
@lab.option(
    "--injections",
    type=click.IntRange(min=0),
    default=2,
    help="How many times each site is taken once more with a text that its pages repeat.",
)
@click.option(
    "--pages-per-release",
    type=click.IntRange(min=0),
    default=0,
    help="Change all ids and classes of a site after this many of its pages; 0 = never.",
)
@lab.option(
    "--trees/--no-trees",
    "uses_trees",
    default=True,
    help="Whether the tree templates tell places whose names a site does not know.",
)
@lab.jobs
@lab.seed("Seed of the bootstrap.")
def site_level(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    folds: Path,
    page_model: str,
    model_file: Path | None,
    peers: Sequence[str],
    listings: Sequence[Path],
    ablation: bool,
    injections: int,
    pages_per_release: int,
    uses_trees: bool,
    jobs: int,
    seed: int,
) -> None:
    """Fit the fusion of site and page evidence on CORPORA, and evaluate it on unseen sites.

    Pages are taken in order of arrival. Each is decided with what the pages before it have taught
    about the site, and by page models that were trained without the site. Figures are word F1 and,
    where the gold names elements, the F1 of the removed words against the template; both are means
    over pages. CORPORA need gold text. The weights of strings are fitted to pages with injected text, too,
    and of that the share that is left is reported.
    """
    for name in peers:
        load_peer(name)
    config = CoreConfig()
    simulation = Simulation(
        config=config,
        peers=tuple(peers),
        injections=injections,
        pages_per_release=pages_per_release,
        uses_trees=uses_trees,
    )
    page_models = models_of_folds(folds)
    read = read_fusion_pages(corpora, page_models, simulation, jobs)
    pages = [page for page in read if page.injected is None]
    injected = [page for page in read if page.injected is not None]
    if len({fitting.by_site(page) for page in pages if page.known.documents}) < 2:
        raise InputProblem(
            "too few sites with gold: at least two are needed that were left out of the training "
            "of different page models"
        )
    judged = _Judged(config, names := list(dict.fromkeys(page.corpus for page in pages)), pages)
    alone = fitting.decide_all_alone(pages, config)
    models = fitting.fitted_without(read, INPUTS, fitting.by_site, config)
    fused = fitting.decide_all(pages, models, fitting.by_site, config)
    rows = [
        judged.row("page level alone", alone),
        judged.row("places only, not fitted", fitting.decide_all_unfitted(pages, config)),
        judged.row("sites left out", fused),
    ]
    if len(names) > 1:
        rows.append(
            judged.row("corpora left out", judged.refitted(read, INPUTS, fitting.by_corpus))
        )
    for name in peers:
        outcomes = [page.peers[name] for page in pages]
        rows.append(judged.row(f"{name} {peer_version(name)}", outcomes))
    report.table("Word F1 / template F1", ["", *names], rows)
    if listings:
        again = msgspec.structs.replace(simulation, seen_before=True, peers=(), injections=0)
        some = read_fusion_pages(listings, page_models, again, jobs)
        _report_listings(report, [*pages, *some], models, config)
    _report_left(report, injected, models, config)
    _report_confidence(report, pages, fused)
    judged.report_bins(report, alone, fused)
    _report_sites(report, fitting.site_changes(pages, alone, fused, seed), fused)
    if ablation:
        judged.report_ablation(report, read)
    fitted = fitting.fit_fusion(read, INPUTS, config)
    _report_weights(report, fitted)
    if model_file is not None:
        fusion = FusionModel(
            format=FUSION_FORMAT,
            terms=fitted.terms,
            bias=fitted.bias,
            confidence=fitting.confidence_of(pages, fused),
            page_model=page_model,
            corpora={corpus_name(path): file_digest(path) for path in corpora},
            quality={name: round(judged.mean_f1(fused, name), 4) for name in names},
        )
        write_file(model_file, msgspec.json.format(msgspec.json.encode(fusion)) + b"\n")


_Outcomes = Sequence[fitting.FusionOutcome]


class _Judged(NamedTuple):
    """The pages that all ways to decide are judged on, by the names of their corpora."""

    config: CoreConfig
    names: Sequence[str]
    pages: Sequence[fitting.FusionPage]

    def mean_f1(self, outcomes: _Outcomes, name: str) -> float:
        return float(np.mean([one.f1 for _, one in self._of_corpus(outcomes, name)]))

    def row(self, label: str, outcomes: _Outcomes) -> list[str]:
        cells = []
        for name in self.names:
            template = [
                one.template_f1
                for _, one in self._of_corpus(outcomes, name)
                if one.template_f1 is not None
            ]
            second = f" / {np.mean(template):.4f}" if template else ""
            cells.append(f"{self.mean_f1(outcomes, name):.4f}{second}")
        return [label, *cells]

    def refitted(
        self, read: Sequence[fitting.FusionPage], inputs: Sequence[str], group: fitting.PageGroup
    ) -> list[fitting.FusionOutcome]:
        """Return the outcomes by models of some inputs, fitted to all that was read but a page's group."""
        models = fitting.fitted_without(read, inputs, group, self.config)
        return fitting.decide_all(self.pages, models, group, self.config)

    def report_bins(self, report: lab.Report, alone: _Outcomes, fused: _Outcomes) -> None:
        last = [one for _, one in SEEN_BINS]
        rows = []
        for name in self.names:
            bins: list[list[tuple[float, float]]] = [[] for _ in last]
            both = zip(self._of_corpus(alone, name), self._of_corpus(fused, name), strict=True)
            for (page, one), (_, other) in both:
                bins[bisect_left(last, page.seen)].append((one.f1, other.f1))
            means = [np.mean(some, axis=0) if some else None for some in bins]
            cells = ["" if one is None else f"{one[1]:.4f} ({one[0]:.4f})" for one in means]
            rows.append([name, *cells])
        header = ["", *(label for label, _ in SEEN_BINS)]
        report.table("Word F1 by pages of the site so far (page level alone)", header, rows)

    def report_ablation(self, report: lab.Report, read: Sequence[fitting.FusionPage]) -> None:
        rows = []
        for reason in dict.fromkeys(one.reason for one in FUSION_INPUTS.values()):
            inputs = [name for name in INPUTS if FUSION_INPUTS[name].reason != reason]
            rows.append(self.row(f"without {reason}", self.refitted(read, inputs, fitting.by_site)))
        report.table("Without one sort of evidence, sites left out", ["", *self.names], rows)

    def _of_corpus(
        self, outcomes: _Outcomes, name: str
    ) -> list[tuple[fitting.FusionPage, fitting.FusionOutcome]]:
        pairs = zip(self.pages, outcomes, strict=True)
        return [(page, one) for page, one in pairs if page.corpus == name]


def _report_confidence(
    report: lab.Report, pages: Sequence[fitting.FusionPage], outcomes: _Outcomes
) -> None:
    report.table(
        "Confidence of known sites, sites left out",
        ["", "pages", "mean error", "confidence minus F1", "pages below 0.5 in the lowest tenth"],
        [
            [name, sum(some.pages for some in one.bins), one.mean_error, one.bias, one.low_found]
            for name, one in fitting.calibrations(pages, outcomes).items()
        ],
    )


def _report_weights(report: lab.Report, fitted: fitting.LinearModel) -> None:
    report.table(
        "Weights, fitted to all pages",
        ["input", "weight", "from", "to"],
        [
            [name, one.weight, f"{one.low:.2f}", f"{one.high:.2f}"]
            for name, one in fitted.terms.items()
        ],
    )


def _report_listings(
    report: lab.Report,
    pages: Sequence[fitting.FusionPage],
    models: dict[int | str, fitting.LinearModel],
    config: CoreConfig,
) -> None:
    by_page_type: defaultdict[tuple[str, str], list[fitting.FusionPage]] = defaultdict(list)
    for page in pages:
        if page.page_type in _LISTINGS and page.known.documents:
            by_page_type[page.corpus, page.page_type].append(page)
    rows: list[list[lab.Cell]] = []
    for (corpus, page_type), some in by_page_type.items():
        alone = [one.f1 for one in fitting.decide_all_alone(some, config)]
        fused = fitting.decide_all(some, models, fitting.by_site, config)
        gains = [one.f1 - before for before, one in zip(alone, fused, strict=True)]
        interval = mean_interval(gains, 0)
        rows.append(
            [
                f"{corpus} {page_type}",
                len(some),
                fmean(alone),
                fmean(one.f1 for one in fused),
                f"{interval.low:+.4f} to {interval.high:+.4f}",
                f"{fmean(one.empty for one in fused):.2%}",
            ]
        )
    head = ["", "pages", "page level", "fused", "difference", "empty"]
    report.table("Listings of sites that are known", head, rows, 4)


def _report_left(
    report: lab.Report,
    injected: Sequence[fitting.FusionPage],
    models: dict[int | str, fitting.LinearModel],
    config: CoreConfig,
) -> None:
    """Report the share of injected words that is left, a row for each kind of text."""
    left: defaultdict[tuple[str, float], float] = defaultdict(float)
    whole: defaultdict[tuple[str, float], float] = defaultdict(float)
    for page, kept, all_words in fitting.injected_words(injected, models, config):
        if page.taught >= TAUGHT_PAGES:
            left[page.kind, page.share] += kept
            whole[page.kind, page.share] += all_words
    report.table(
        "Injected words left on pages after the first five that had the text, sites left out",
        ["what changes", *(f"{share:.0%}" for share in SHARES)],
        [
            [
                kind or "nothing",
                *(
                    left[kind, share] / whole[kind, share] if (kind, share) in whole else None
                    for share in SHARES
                ),
            ]
            for kind in sorted({kind for kind, _ in whole})
        ],
        4,
    )


def _report_sites(
    report: lab.Report, changes: Sequence[fitting.SiteChange], fused: _Outcomes
) -> None:
    report.table(
        "Sites, the largest loss first (paired bootstrap, 95 %)",
        ["", "pages", "page level", "fused", "difference", "from", "to"],
        [
            [
                f"{one.corpus} {one.site}",
                one.pages,
                one.alone,
                one.fused,
                f"{one.fused - one.alone:+.4f}",
                f"{one.interval.low:+.4f}",
                f"{one.interval.high:+.4f}",
            ]
            for one in changes
        ],
        4,
    )
    losing = [
        one
        for one in changes
        if one.pages >= _PAGES_TO_JUDGE_A_SITE and one.fused - one.alone < -_LOSS
    ]
    sure = [one for one in losing if one.interval.high < -_LOSS]
    report.say(
        f"{len(losing)} sites with at least {_PAGES_TO_JUDGE_A_SITE} pages lose more than {_LOSS}, "
        f"{len(sure)} of them with 95 % confidence; {sum(one.empty for one in fused)} pages are empty."
    )
