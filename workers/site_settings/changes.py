"""Changes of the settings of one site, as values."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from schemas.codec import SchemaError, decode_json, encode_json, encode_msgpack
from schemas.site_model import SiteModelRecord
from schemas.site_settings import (
    RULES_MAX,
    PinnedModel,
    SiteRuleRecord,
    SiteSettingsRecord,
    WindowLimits,
)
from templ_core.errors import CodecError
from templ_core.site_level.site_model_file import decode_site_model
from workers.errors import InputProblem, UsageProblem
from workers.settings import DAY_MS
from workers.site_settings.book import decided_site, site_rule

_WINDOW_DAYS_MAX = 36_500
"""Largest age that a window can be given, in days."""


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """What `templ site override` is asked to change; None leaves a value as it is."""

    remove: Sequence[str] = ()
    """Selectors of what is to be removed."""
    remove_text: Sequence[str] = ()
    keep: Sequence[str] = ()
    """Selectors of what is to be kept."""
    keep_text: Sequence[str] = ()
    clear_rules: bool = False
    """Whether the rules that are there are dropped first."""
    comments: Literal["auto", "keep", "drop"] | None = None
    listings: Literal["auto", "keep", "drop"] | None = None
    window_days: Annotated[float, msgspec.Meta(gt=0, le=_WINDOW_DAYS_MAX)] | None = None
    window_pages: int | None = None
    window_bytes: int | None = None
    quarantine: bool | None = None

    def is_empty(self) -> bool:
        """Return whether nothing is to be changed."""
        return self == Overrides()


def empty_settings(site: str) -> SiteSettingsRecord:
    """Return settings of a site that say nothing."""
    return SiteSettingsRecord(schema="site-settings/1", site=site)


def overridden(record: SiteSettingsRecord, change: Overrides) -> SiteSettingsRecord:
    """Return settings with a change; new rules come behind those that are there, removing ones first.

    Raises:
        UsageProblem: A rule or a bound cannot be used; the message says why.
    """
    added = [
        *(SiteRuleRecord(action="remove", selector=one) for one in change.remove),
        *(SiteRuleRecord(action="remove", text=one) for one in change.remove_text),
        *(SiteRuleRecord(action="keep", selector=one) for one in change.keep),
        *(SiteRuleRecord(action="keep", text=one) for one in change.keep_text),
    ]
    known = [] if change.clear_rules else record.rules
    rules = list(dict.fromkeys([*(one for one in known if one not in added), *added]))
    if len(rules) > RULES_MAX:
        raise UsageProblem(
            f"a site has at most {RULES_MAX} rules; --clear-rules drops the old ones"
        )
    days = change.window_days
    if days is not None and not 0 < days <= _WINDOW_DAYS_MAX:  # refuses what is not a number, too
        raise UsageProblem(
            f"the largest age of a window is more than 0 and at most {_WINDOW_DAYS_MAX} days"
        )
    window = {
        "age_ms": None if days is None else round(days * DAY_MS),
        "pages_max": change.window_pages,
        "bytes_max": change.window_bytes,
    }
    known_bounds = record.window or WindowLimits()
    bounds = {name: value for name, value in window.items() if value is not None}
    simple = {
        "comments": change.comments,
        "listings": change.listings,
        "quarantined": change.quarantine,
    }
    changed = msgspec.structs.replace(
        record,
        rules=rules,
        window=msgspec.structs.replace(known_bounds, **bounds) if bounds else record.window,
        **{name: value for name, value in simple.items() if value is not None},
    )
    _check(changed)
    return changed


def without_rule(record: SiteSettingsRecord, rule: str) -> SiteSettingsRecord:
    """Return settings without one of their rules.

    Args:
        record: The settings.
        rule: The rule as text, such as `keep selector div.corrections`.

    Raises:
        UsageProblem: There is no such rule.
    """
    rules = [one for one in record.rules if str(site_rule(one)) != rule]
    if len(rules) == len(record.rules):
        raise UsageProblem(f"the site has no rule {rule!r} any more")
    return msgspec.structs.replace(record, rules=rules)


def chosen_model(
    site: str, models: Sequence[SiteModelRecord], version: str | None
) -> SiteModelRecord:
    """Return the newest of a site's models, or the one of a version.

    Args:
        site: Site key.
        models: Its models, oldest first; there is at least one.
        version: The version; None means the newest.

    Raises:
        InputProblem: There is no such model; the message names those that there are.
    """
    chosen = [one for one in models if version in (None, one.version)]
    if not chosen:
        versions = ", ".join(dict.fromkeys(one.version for one in models))
        raise InputProblem(f"there is no model {version} of {site}; there is {versions}")
    return chosen[-1]


def pinned(record: SiteSettingsRecord, model: SiteModelRecord) -> SiteSettingsRecord:
    """Return settings that pin a site model.

    Raises:
        UsageProblem: The model cannot be used.
    """
    try:
        decode_site_model(model.body)
    except CodecError as error:
        raise UsageProblem(f"the model {model.version} cannot be used: {error}") from None
    changed = msgspec.structs.replace(
        record,
        pinned_model=PinnedModel(version=model.version, value=encode_msgpack(model)),
        quarantined=False,
    )
    _check(changed)
    return changed


def _check(record: SiteSettingsRecord) -> None:
    try:
        decided_site(decode_json(encode_json(record), SiteSettingsRecord))  # checks the bounds, too
    except SchemaError as error:
        raise UsageProblem(str(error)) from None
