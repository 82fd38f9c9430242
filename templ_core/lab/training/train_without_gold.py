"""A page model from pages without gold: labels counted on the sites themselves."""

from collections.abc import Iterable, Iterator

import numpy as np

from templ_core.lab.training.labels.counted_labels import counted_labels
from templ_core.lab.training.labels.site_pages import Site, SitePage, read_sites
from templ_core.lab.training.nested import Progress
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
    pages: Iterable[SitePage], pages_per_site: int, settings: TrainSettings, progress: Progress
) -> PageModel:
    """The page model, without `about`; it knows no kinds of pages.

    Args:
        pages: Several pages of each of several sites. Labels are counted over all of a site's.
        pages_per_site: The first so many different pages of each site are learned from.
        settings: How models are fitted.
        progress: Told what was just done.

    Raises:
        TooFewPages: labels cannot be counted; the message says what is missing.
        TooFewSites: the sites have too few different owners.
    """
    used: list[TrainingPage] = []
    for site in read_sites(pages):
        found = list(_training_pages(site, pages_per_site))
        used += found
        progress(f"{site.name}: labels counted on {len(site.pages)} pages, {len(found)} used")
    return train_unjudged(gather(used, {}), settings, progress)


def _training_pages(site: Site, most: int) -> Iterator[TrainingPage]:
    for page, labels in zip(site.pages[:most], counted_labels(site.pages)[:most], strict=True):
        if labels.counts.any():
            features = read_features(page.document)
            yield training_page(
                page.page, page.document, features, labels=labels, kind="", bag=_NO_GOLD
            )
