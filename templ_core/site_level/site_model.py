"""All that has been learned about one site, as one value that can be made smaller."""

import msgspec
import numpy as np

from templ_core.array_types import UInt16s
from templ_core.site_level.keyed_sums import KeyedSums
from templ_core.site_level.places.places import PlaceTable
from templ_core.site_level.strings.string_evidence import StringTable
from templ_core.site_level.strings.suffix_array import BREAK
from templ_core.site_level.titles import NO_ENDS, TitleEnds
from templ_core.site_level.trees.tree_model import TreeModel, bounded_trees

PLACE_TABLES = {"paths": 3, "cells": 3, "anchors": 3, "texts": 1, "shapes": 1, "best_containers": 2}
"""The fields of `PlaceTable` that are keyed sums, in the order in which they are stored, and how many
sums each has."""
WORD_TABLES = ("cells", "anchors")
"""The tables whose first sum counts words; that of the others counts pages."""


class SiteModel(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the templates of a site."""

    version: str
    """A digest that is equal for models that were learned alike from equal windows."""
    places: PlaceTable
    """What is known about the places of the site."""
    trees: TreeModel
    """The tree templates of the site's clusters."""
    strings: StringTable
    """The strings that recur on the site."""
    titles: TitleEnds = NO_ENDS
    """What its titles begin and end with."""

    @property
    def documents(self) -> int:
        """Distinct documents that the model rests on."""
        return self.places.pages


def best_supported(model: SiteModel, share: float) -> SiteModel:
    """Return the best supported part of a model.

    Of each table of places the keys with the highest first sum stay (pages; words of cells and
    anchors), of equal ones those with the smallest keys; of trees those nodes that most pages have; of
    strings those that stand first. What titles begin and end with is little, and stays.

    Args:
        model: The whole model.
        share: How much of each table, of the trees and of the strings stays, 0 to 1.
    """
    tables = {name: _first(getattr(model.places, name), share) for name in PLACE_TABLES}
    few, some, many = (_begin(level, share) for level in model.strings.words)
    return SiteModel(
        version=model.version,
        places=msgspec.structs.replace(model.places, **tables),
        trees=bounded_trees(model.trees, share),
        strings=msgspec.structs.replace(
            model.strings, usual=_begin(model.strings.usual, share), words=(few, some, many)
        ),
        titles=model.titles,
    )


def _first(counts: KeyedSums, share: float) -> KeyedSums:
    """Return this share of the keys, those with the highest first sum."""
    kept = np.zeros(counts.keys.size, np.bool_)
    order = np.argsort(-counts.sums[0], kind="stable")
    kept[order[: int(share * counts.keys.size)]] = True
    return counts.where(kept)


def _begin(strings: UInt16s, share: float) -> UInt16s:
    """Return the first part of some strings, with a break behind it."""
    return np.append(strings[: int(share * len(strings))], BREAK).astype(np.uint16)
