"""Pages of the simulator in the forms in which the laboratory reads corpora."""

from templ_core.lab.training.fit import NetworkSettings, TreeSettings
from templ_core.lab.training.labels.site_labels import CorpusPage
from templ_core.lab.training.pages import GoldRecord
from templ_core.lab.training.train import TrainSettings

SMALL = TrainSettings(
    trees=TreeSettings(trees=8, leaves=6, rows_per_leaf=10, bins=16),
    network=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teacher=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teachers=2,
    ensembles=1,
)
"""Settings of a model that is trained within seconds."""


def corpus_pages(pages):
    """Return pages without their gold."""
    return [
        CorpusPage(corpus="synthetic", site=page.site, url=page.url, body=page.html.encode())
        for page in pages
    ]


def gold_record(page):
    """Return a page with its gold text."""
    return GoldRecord(
        corpus="synthetic", url=page.url, site=page.site, page_type=page.genre,
        body=page.html.encode(), charset="utf-8", gold_text=page.gold_text, selectors=None,
    )  # fmt: skip
