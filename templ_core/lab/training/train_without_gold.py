"""Training of a page model from pages without gold, with labels counted on the sites themselves."""

from collections.abc import Iterable, Iterator

import numpy as np

from templ_core.lab.progress import ReportProgress
from templ_core.lab.training.labels.counted_labels import counted_labels
from templ_core.lab.training.labels.site_pages import CorpusPage, ReadSite, read_sites
from templ_core.lab.training.pages import TrainingPage, WordBag, training_page
from templ_core.lab.training.train import TrainSettings, gather, train_unjudged
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_model import PageModel

_NO_GOLD = WordBag(
    word=np.empty(0, np.int32),
    segment=np.empty(0, np.int32),
    gold=np.empty(0, np.int32),
    neutral=np.empty(0, np.int32),
    gold_words=0,
)


def train_without_gold(
    pages: Iterable[CorpusPage],
    pages_per_site: int,
    settings: TrainSettings,
    progress: ReportProgress,
) -> PageModel:
    """Train a page model on pages without gold.

    The model's `about` is empty, and it does not classify page types.

    Args:
        pages: Several pages of each of several sites. Labels are counted over all pages of a site.
        pages_per_site: Number of different pages of each site that are trained on.
        settings: How models are fitted.
        progress: Called after each step.

    Raises:
        TooFewPages: Labels cannot be counted; the message says what is missing.
        TooFewSites: The sites have too few different owners.
    """
    used: list[TrainingPage] = []
    for site in read_sites(pages):
        found = list(_training_pages(site, pages_per_site))
        used += found
        progress(f"{site.name}: labels counted on {len(site.pages)} pages, {len(found)} used")
    return train_unjudged(gather(used, {}), settings, progress)


def _training_pages(site: ReadSite, most: int) -> Iterator[TrainingPage]:
    for page, labels in zip(site.pages[:most], counted_labels(site.pages)[:most], strict=True):
        if labels.counts.any():
            features = read_features(page.document)
            yield training_page(
                page.page,
                page.document,
                features,
                labels=labels,
                page_type="",
                language="",
                bag=_NO_GOLD,
            )
