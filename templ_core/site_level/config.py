"""The tunable numbers of the site level, one frozen struct for each stage.

What a paper fixes is not here: it stands beside the code that follows the paper.
"""

import math

import msgspec


class TreesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.trees`."""

    run_cells_max: int = 1024
    """Pairs of siblings in a run that is aligned exactly; a longer run is mapped through anchors and
    by label in linear time."""

    cells_max: int = 1 << 22
    """Pairs of siblings that are aligned exactly in two trees; after them every run is mapped in
    linear time, so that no page takes more than some tenths of a second."""

    place_texts_max: int = 8
    """Texts of a place that a model keeps: those on most pages."""


class ScheduleConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.schedule`."""

    first_fits: tuple[int, ...] = (1, 2, 3, 5, 8, 12, 16, 24)
    """Documents learned at which the model of a new site is fitted, ascending: the fewer a model
    rests on, the more each further document improves it."""

    growth_ratio: float = 0.10
    """After `first_fits` a model is fitted anew when this share of the window is new, 0 to 1."""

    first_templates: int = 2
    """New documents after which the templates of a new site are fitted first, and then each time
    that the documents have doubled."""

    templates_growth_ratio: float = 0.25
    """Share of the window, 0 to 1, that is new at most before templates are fitted anew, unless the
    documents they are fitted on are more."""

    templates_ahead: int = 2
    """Documents that are offered to a fit of templates, in multiples of those it uses: some are
    near-duplicates and count for nothing."""


class RevisionsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.revisions`."""

    first_mature_documents: int = 8
    """Documents of a site model from which on texts of younger models are looked at again."""

    settled_documents: int = 24
    """Documents of a site model from which on texts of younger models are looked at once more."""

    revisions_max: int = 2
    """Revisions of one page's text that are published at most."""

    changed_ratio_min: float = 0.05
    """Share of its words that must change before a text is published again, 0 to 1."""


class DriftConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.drift`."""

    fallen_ratio: float = 0.1
    """What is left of the share of a cluster that has gone, 0 to 1, in the hypothesis that is tested
    against an unchanged share."""

    share_max: float = 0.8
    """Highest share of a site's pages that a cluster is taken to have, 0 to 1; with a higher one
    fewer than six pages of another design would raise the alarm."""

    alarm: float = math.log(10_000)
    """Log-likelihood ratio above which a cluster has gone: without a change of design that happens
    at most once in 10 000 pages of new clusters."""

    cluster_pages_min: int = 3
    """Pages of the smallest cluster that is watched."""

    clusters_compared: int = 16
    """Clusters that a page is compared with: those seen last."""


class WindowDedupConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.window_dedup`."""

    words_min: int = 50
    """Words of content of the shortest page that can be a near-duplicate; shorter pages cannot be
    told apart and are all kept."""

    near_ratio: float = 0.8
    """Share of the longer page's words, 0 to 1, that near-duplicates have in common, text by text."""

    probes: int = 4
    """Longest texts of a page by which earlier pages that may be near-duplicates are looked up."""


TREES = TreesConfig()
"""The numbers in use for tree templates."""
SCHEDULE = ScheduleConfig()
"""The numbers in use for the schedule."""
REVISIONS = RevisionsConfig()
"""The numbers in use for revisions."""
DRIFT = DriftConfig()
"""The numbers in use for the detection of changed designs."""
WINDOW_DEDUP = WindowDedupConfig()
"""The numbers in use for near-duplicates in a window."""
