"""Pages of corpora as the fusion of site and page is fitted on them: in order of arrival."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from schemas.source import Source
from templ_core.config import CoreConfig
from templ_core.decide import PageScores, score_page
from templ_core.dom.codec import compress_columns, content_digest, document_columns
from templ_core.dom.document import Document, read_document
from templ_core.dom.served_instead import is_error_page, is_gate
from templ_core.errors import CodecError, PageError
from templ_core.page_level.model_file import decode_model
from templ_core.page_level.page_model import PageModel
from templ_core.site_level.contribution import Contribution
from templ_core.site_level.learned_page import learned_page
from templ_core.site_level.refresh import is_due, templates_overdue
from templ_core.site_level.site_inputs import site_inputs
from templ_core.site_level.site_learner import SiteLearner
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.site_templates import NO_TEMPLATES, fit_templates
from templ_core.training.fit_fusion import FusionPage
from templ_core.training.labels import GoldSelectors
from templ_core.training.pages import (
    GoldPage,
    gold_markup,
    owner_of_each,
    page_labels,
    word_bag,
)
from workers.cli.jsonl import read_objects
from workers.errors import InputProblem
from workers.feeds.records import page_from_json
from workers.page import Page, Rejected

_NO_ROWS = np.empty((0, 0), np.float32)
Progress = Callable[[str], None]


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """How the sites are learned while their pages come."""

    config: CoreConfig
    limits_bytes: tuple[int, ...]
    """Bounds on the size of site models; inputs are read with each of them."""
    after_each_page: bool
    """Whether site models follow at once, instead of by the schedule."""


class FoldModels:
    """Page models that leave a part of the sites out, as written by `templ train --folds`."""

    def __init__(self, directory: Path) -> None:
        """Read the models.

        Raises:
            InputProblem: they are not there.
        """
        try:
            self._folds: dict[str, dict[str, int]] = json.loads(
                (directory / "folds.json").read_bytes()
            )
            numbers = {fold for sites in self._folds.values() for fold in sites.values()}
            self._models = {
                fold: decode_model((directory / f"fold-{fold}.bin").read_bytes())
                for fold in numbers
            }
        except (OSError, CodecError) as error:
            raise InputProblem(f"{directory}: {error}; make it with templ train --folds") from None

    def folds(self, pages: Sequence[tuple[str, str, str]]) -> list[tuple[int, PageModel] | None]:
        """For each page the number and the page model that has not seen its site's owner.

        Args:
            pages: Corpus, address and site of each.

        Returns:
            None for sites that no page model was trained on, which have no gold.
        """
        owners = owner_of_each([(url, site) for _, url, site in pages])
        known: dict[str, int] = {}
        for (corpus, _, site), owner in zip(pages, owners, strict=True):
            fold = self._folds.get(corpus, {}).get(site)
            if fold is not None:
                known.setdefault(owner, fold)
        return [
            (known[owner], self._models[known[owner]]) if owner in known else None
            for owner in owners
        ]


class _Record(msgspec.Struct, frozen=True):
    corpus: str
    fields: dict[str, Any]
    page: Page


def read_fusion_pages(
    corpora: Sequence[Path],
    folds: FoldModels,
    simulation: Simulation,
    progress: Progress,
    jobs: int = 1,
) -> list[FusionPage]:
    """The pages with gold of all corpora; every page teaches its site.

    Pages come in the order of `arrival`, where they have it, else in that of the file.

    Args:
        corpora: Files of JSON Lines.
        folds: The page models.
        simulation: How sites are learned.
        progress: Told of each site that is done.
        jobs: Sites that are read at the same time, each in a process.
    """
    records = [record for path in corpora for record in _records(path)]
    models = folds.folds([(one.corpus, one.page.url, one.page.site) for one in records])
    sites: dict[tuple[str, str], _Site] = {}
    for record, model in zip(records, models, strict=True):
        if model is not None:
            site = sites.setdefault(
                (record.corpus, record.page.site), _Site(*model, simulation=simulation, records=[])
            )
            site.records.append(record)
    pages: list[FusionPage] = []
    with ProcessPoolExecutor(jobs) as pool:
        read = pool.map(_pages_of_site, sites.values())
        for number, ((corpus, name), some) in enumerate(zip(sites, read, strict=True), 1):
            pages += some
            progress(f"site {number} of {len(sites)}: {corpus} {name}")
    return pages


class _Site(msgspec.Struct, frozen=True):
    fold: int
    page_model: PageModel
    simulation: Simulation
    records: list[_Record]


def _records(path: Path) -> Iterator[_Record]:
    for number, (line, fields) in enumerate(read_objects(path), 1):
        page = page_from_json(
            line, Source(path.name, 0, number), default_id="", event_time_ms=lambda _: 0
        )
        if not isinstance(page, Rejected) and page.body is not None:
            yield _Record(path.name.partition(".")[0], fields, page)


def _pages_of_site(site: _Site) -> list[FusionPage]:
    simulation, page_model = site.simulation, site.page_model
    records = sorted(site.records, key=lambda one: str(one.fields.get("arrival") or ""))
    pages: list[FusionPage] = []
    window: list[Contribution] = []
    models: list[SiteModel] = []
    config = simulation.config
    learner, templates = SiteLearner(page_model.version, config), NO_TEMPLATES
    learned = fitted_at = templates_at = 0
    for seen, record in enumerate(records, 1):
        try:
            document = read_document(
                record.page.body or b"", record.page.url, charset=record.page.charset
            )
        except PageError:
            continue
        if not document.segments.texts:
            continue
        scores = score_page(document, page_model)
        if record.fields.get("gold_text"):
            pages.append(_fusion_page(record, document, scores, site.fold, seen, models, config))
        words = int(scores.words.sum())
        if is_error_page(document, words) or is_gate(document, words):
            continue
        columns = document_columns(document)
        window.append(
            Contribution(
                page_id=str(seen),
                content_digest=content_digest(columns),
                page=learned_page(document, scores.features, scores.odds),
                document=compress_columns(columns),
            )
        )
        learned += 1
        if simulation.after_each_page or is_due(learned, fitted_at, learned):
            if templates_overdue(learned, templates_at, learned, config.template_pages) >= 1:
                templates, templates_at = fit_templates(window, config), learned
            learner.follow(window)
            model = learner.model(templates)
            models = [
                decode_site_model(encode_site_model(model, limit))
                for limit in simulation.limits_bytes
            ]
            fitted_at = learned
    return pages


def _fusion_page(
    record: _Record,
    document: Document,
    scores: PageScores,
    fold: int,
    seen: int,
    models: Sequence[SiteModel],
    config: CoreConfig,
) -> FusionPage:
    gold = _gold_page(record)
    markup = gold_markup(gold)
    return FusionPage(
        corpus=gold.corpus,
        site=gold.site,
        fold=fold,
        seen=seen,
        scores=msgspec.structs.replace(
            scores, features=msgspec.structs.replace(scores.features, rows=_NO_ROWS)
        ),
        documents=models[0].documents if models else 0,
        columns=[
            site_inputs(document, scores.features, scores.odds, scores.page_kind, model, config)
            for model in models
        ],
        labels=page_labels(gold, document, markup, scores.features.text),
        bag=word_bag(gold, document, markup),
        has_selector=gold.selectors is not None,
    )


def _gold_page(record: _Record) -> GoldPage:
    return GoldPage(
        corpus=record.corpus,
        url=record.page.url,
        site=record.page.site,
        kind=record.fields.get("kind") or "",
        body=record.page.body or b"",
        charset=record.page.charset,
        gold_text=record.fields["gold_text"],
        selectors=GoldSelectors.of(record.fields),
    )
