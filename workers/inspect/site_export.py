"""What a site repeats, as values to be used outside templ."""

from collections.abc import Sequence
from typing import Any

import msgspec

from templ_core.explain.site_strings import SiteString, string_expression
from templ_core.site_level.config import STRINGS_CONFIG
from templ_core.site_level.site_model import SiteModel
from templ_core.site_settings.ruled_segments import text_expression
from workers.inspect.site_view import SiteView

EXPORT_FORMAT = 3
_STRING_RULE = (
    "`strings` are strings of words inside blocks of prose that few or some pages have, and `usual` strings of "
    "whole blocks that most pages have; case, marks and numbers may differ. templ looks for strings of words in "
    "blocks of at least `prose_words_min` words that are neither headings nor code nor lines of links, and counts "
    "a gap of at most `gap_words_max` words between two strings of a block as covered. How much of a block is "
    "covered, by how long a run of text and on how many pages is weighed with its place, the containers, the trees "
    "and the page itself. So these expressions tell what the site repeats, and not by themselves what goes: "
    "text that stands with the same text beside it on most of its pages, or more than once on a page, belongs "
    "to records and stays. `remove_repeated.py` removes blocks that are covered nearly whole."
)

_SETTINGS_RULE = (
    "These rules have the last word about whole blocks; of several, the last one counts. An expression "
    "matches the whole text of a block, in which white space counts as one space, whatever its case. "
    "Selectors need the page's HTML; a program that has only its text cannot apply them."
)


def exported_expressions(
    view: SiteView, model: SiteModel, strings: Sequence[SiteString]
) -> dict[str, Any]:
    """Return the strings of a site as regular expressions of Python's `re`, and the rules of its settings.

    Args:
        view: The site.
        model: Its site model.
        strings: The strings of the model as texts.
    """
    numbers = ("prose_words_min", "gap_words_max", "sentence_ratio", "record_run_words_min")
    return {
        "format": EXPORT_FORMAT,
        "site": view.site,
        "site_model_version": model.version,
        "pages": model.documents,
        "string_rule": {
            "text": _STRING_RULE,
            **{name: getattr(STRINGS_CONFIG, name) for name in numbers},
        },
        "strings": [_exported(one) for one in strings if not one.is_usual],
        "usual": [_exported(one) for one in strings if one.is_usual],
        "site_settings": _exported_settings(view),
    }


def _exported(one: SiteString) -> dict[str, Any]:
    return {"pages": one.pages, "text": one.text, "expression": string_expression(one.text)}


def _exported_settings(view: SiteView) -> dict[str, Any]:
    """Return the rules of a site's settings, those about texts as regular expressions."""
    rules = view.settings.record.rules if view.settings else []
    return {
        "text": _SETTINGS_RULE,
        "version": view.settings.settings.version if view.settings else None,
        "rules": [
            {
                "action": rule.action,
                "selector": rule.selector,
                "text": rule.text,
                "expression": None if rule.text is None else text_expression(rule.text),
            }
            for rule in rules
        ],
    }


def encode_export(export: dict[str, Any]) -> bytes:
    """Return exported expressions as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(export), indent=1) + b"\n"
