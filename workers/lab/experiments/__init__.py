"""`templ experiments`: repeats the papers' experiments; each paper or study has a module of its own."""

import click

from workers.cli.lazy import LazyGroup

_MODULES = {
    "pagelevel-train": "workers.lab.experiments.pagelevel",
    "pagelevel-templates": "workers.lab.experiments.pagelevel",
    "pagelevel-segmentation": "workers.lab.experiments.pagelevel",
    "pagelevel-duplicates": "workers.lab.experiments.class_set",
    "pagelevel-classes": "workers.lab.experiments.class_set",
    "pagelevel-specific": "workers.lab.experiments.pagelevel",
    "kolcz-yih": "workers.lab.experiments.kolcz_yih",
    "kolcz-yih-keywords": "workers.lab.experiments.kolcz_yih",
    "phrases-removal": "workers.lab.experiments.phrases_alone",
    "foschini-injected": "workers.lab.experiments.phrases_alone",
    "foschini-copies": "workers.lab.experiments.copies",
    "rtdm-templates": "workers.lab.experiments.rtdm",
    "rtdm-mining": "workers.lab.experiments.rtdm",
    "templates-over-time": "workers.lab.experiments.templates_over_time",
    "links-without-templates": "workers.lab.experiments.links_without_templates",
    "page-quality": "workers.lab.experiments.page_quality",
    "page-type": "workers.lab.experiments.page_type",
    "metadata": "workers.lab.experiments.metadata",
    "site-level": "workers.lab.experiments.fusion",
    "injection": "workers.lab.experiments.injection",
    "new-text": "workers.lab.experiments.new_text",
    "boilerplate": "workers.lab.experiments.injection",
    "new-site": "workers.lab.experiments.replayed_sites",
    "redesign": "workers.lab.experiments.replayed_sites",
    "two-passes": "workers.lab.experiments.replayed_sites",
}


@click.group(cls=LazyGroup, modules=_MODULES)
def experiments() -> None:
    """Repeat the experiments of the papers that templ follows, on corpora of real pages.

    The "class set" of some commands is made of articles on five topics inside the templates of
    other sites. workers/lab/experiments/class_set.py lists them, and workers/lab/studies has the results.
    """
