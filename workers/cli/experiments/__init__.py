"""`templ experiments`: the papers' experiments, a file each."""

import click

from workers.cli.lazy import LazyGroup

_COMMANDS = (
    "pagelevel-train",
    "pagelevel-templates",
    "pagelevel-segmentation",
    "pagelevel-duplicates",
    "pagelevel-classes",
    "kolcz-yih",
    "kolcz-yih-keywords",
    "automatic-train",
    "phrases-removal",
    "foschini-injected",
    "foschini-copies",
    "rtdm-templates",
    "rtdm-mining",
    "site-level",
    "windows",
    "new-site",
    "redesign",
)


@click.group(cls=LazyGroup, package="workers.cli.experiments", commands=_COMMANDS)
def experiments() -> None:
    """Repeat the papers' experiments on corpora of real pages."""
