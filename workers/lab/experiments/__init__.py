"""`templ experiments`: repeats the papers' experiments; each command has a module of its own."""

import click

from workers.cli.lazy import LazyGroup

_MODULES = {
    "pagelevel-train": "workers.lab.experiments.pagelevel.train",
    "pagelevel-templates": "workers.lab.experiments.pagelevel.templates",
    "pagelevel-segmentation": "workers.lab.experiments.pagelevel.segmentation",
    "pagelevel-duplicates": "workers.lab.experiments.pagelevel.duplicates",
    "pagelevel-classes": "workers.lab.experiments.pagelevel.classes",
    "pagelevel-specific": "workers.lab.experiments.pagelevel.page_specific",
    "kolcz-yih": "workers.lab.experiments.kolcz_yih.block_detectors",
    "kolcz-yih-keywords": "workers.lab.experiments.kolcz_yih.keywords",
    "automatic-train": "workers.lab.experiments.site_level.automatic_train",
    "phrases-removal": "workers.lab.experiments.foschini.removal",
    "foschini-injected": "workers.lab.experiments.foschini.injected",
    "foschini-copies": "workers.lab.experiments.foschini.copies",
    "rss": "workers.lab.experiments.foschini.rss",
    "rtdm-templates": "workers.lab.experiments.rtdm.templates",
    "rtdm-mining": "workers.lab.experiments.rtdm.mining",
    "metadata": "workers.lab.experiments.metadata.fields",
    "search": "workers.lab.experiments.retrieval.search",
    "site-level": "workers.lab.experiments.site_level.fusion",
    "injection": "workers.lab.experiments.site_level.injection",
    "boilerplate": "workers.lab.experiments.site_level.boilerplate",
    "windows": "workers.lab.experiments.site_level.windows",
    "new-site": "workers.lab.experiments.site_level.new_site",
    "redesign": "workers.lab.experiments.site_level.redesign",
    "two-passes": "workers.lab.experiments.site_level.two_passes",
}


@click.group(cls=LazyGroup, modules=_MODULES)
def experiments() -> None:
    """Repeat the experiments of the papers that templ follows, on corpora of real pages.

    The "class set" of some commands is made of articles on five topics inside the templates of
    other sites. workers/lab/experiments/README.md lists its sites, and workers/lab/studies the results.
    """
