"""Training of a page model from pages without gold, with labels counted on the sites themselves."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from templ_core.array_types import Bools, Floats, Int64s, UInt64s
from templ_core.lab.training.fit import ReportProgress
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.labels.site_labels import (
    CorpusPage,
    ReadPage,
    ReadSite,
    count_site,
    read_sites,
    site_labels,
)
from templ_core.lab.training.pages import TrainingPage, WordBag, training_page
from templ_core.lab.training.train import TrainSettings, gather, train_unjudged
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.places.places import node_places

_TEMPLATE_PLACE_MIN = 0.6
"""If at least this share of the text in a place repeats, all of the place is template."""
_CONTENT_PLACE_MAX = 0.1
"""If at most this share of the text in a place repeats, the text that repeats gets no label."""
_PLACE_PAGES_MIN = 4
"""Places on fewer pages correct nothing."""
_WORDS_MAX = 50
"""A segment counts for its place with at most this number of words."""


def counted_labels(pages: Sequence[ReadPage]) -> list[Labels]:
    """Return the labels of the segments of all pages of a site."""
    frequency = count_site(pages)
    recurs = [site_labels(page, frequency).template_segment for page in pages]
    places = [node_places(page.document).path[page.document.segments.owner] for page in pages]
    words = [np.clip(page.words.per_segment, 1, _WORDS_MAX) for page in pages]
    found = []
    for recurring, (share, on_pages) in zip(recurs, _recurring(places, words, recurs), strict=True):
        known = on_pages >= _PLACE_PAGES_MIN
        content = ~recurring & ~(known & (share >= _TEMPLATE_PLACE_MIN))
        doubtful = recurring & known & (share <= _CONTENT_PLACE_MAX)
        found.append(Labels(content=content.astype(np.float64), counts=~doubtful))
    return found


def _recurring(
    places: Sequence[UInt64s], words: Sequence[Int64s], recurs: Sequence[Bools]
) -> list[tuple[Floats, Floats]]:
    """Return, for each segment's place, the share of its words that repeat and the pages that have it."""
    place = np.unique(np.concatenate(places), return_inverse=True)[1]
    counts = [len(some) for some in places]
    page = np.repeat(np.arange(len(counts)), counts)
    weight = np.concatenate(words).astype(np.float64)
    share = np.bincount(place, weight * np.concatenate(recurs)) / np.bincount(place, weight)
    on_pages = np.bincount(np.unique(place * len(counts) + page) // len(counts)).astype(float)
    ends = np.cumsum(counts)[:-1]
    return list(zip(np.split(share[place], ends), np.split(on_pages[place], ends), strict=True))


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
