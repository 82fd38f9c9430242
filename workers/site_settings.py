"""What operators have decided about sites: the settings of all sites that have some, and changes of them."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from schemas.codec import (
    SchemaError,
    decode_json,
    decode_site_model_record,
    encode_json,
    encode_msgpack,
)
from schemas.site_model import SiteModelRecord
from schemas.site_settings import (
    RULES_MAX,
    PinnedModel,
    SiteRuleRecord,
    SiteSettingsRecord,
    WindowLimits,
)
from templ_core.config import WindowBounds
from templ_core.errors import CodecError, RuleError
from templ_core.site_settings.site_settings import SiteRule, SiteSettings
from workers.errors import InputProblem, UsageProblem
from workers.settings import DAY_MS
from workers.whole_file import write_whole

SITE_SETTINGS_FILE = "site-settings.jsonl"
"""Name of the file of settings in a state directory."""
_VERSION_BYTES = 6


class DecidedSite(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one site, checked and ready to be used."""

    record: SiteSettingsRecord
    settings: SiteSettings
    """The part that decides texts."""
    pinned: SiteModelRecord | None
    """The site model to use; None = the newest."""

    @property
    def is_learned_from(self) -> bool:
        """Whether the site's window takes in its pages."""
        return not (self.record.quarantined or self.record.forgotten)

    @property
    def uses_newest_model(self) -> bool:
        """Whether pages are cleaned with what is learned of the site."""
        return self.is_learned_from and self.pinned is None

    def model(self, newest: SiteModelRecord | None) -> SiteModelRecord | None:
        """Return the model that pages are cleaned with."""
        if not self.is_learned_from:
            return None
        return self.pinned or newest


def settings_version(record: SiteSettingsRecord) -> str:
    """Return a digest that is equal for equal settings, whenever they were written."""
    content = encode_json(msgspec.structs.replace(record, changed_at=None))
    return hashlib.blake2b(content, digest_size=_VERSION_BYTES).hexdigest()


def site_rule(record: SiteRuleRecord) -> SiteRule:
    """Return the rule of a record as the core takes it."""
    return SiteRule(record.action, record.selector, record.text)


def decided_site(record: SiteSettingsRecord) -> DecidedSite:
    """Return the settings of a record.

    Raises:
        SchemaError: A rule or the pinned model cannot be used.
    """
    from templ_core.site_settings.rules import check_rule  # noqa: PLC0415 - brings the core

    rules = tuple(map(site_rule, record.rules))
    try:
        for rule in rules:
            check_rule(rule)
    except RuleError as error:
        raise SchemaError(str(error)) from None
    pinned = None
    if record.pinned_model is not None:
        pinned = decode_site_model_record(record.pinned_model.value)
        if (pinned.site, pinned.version) != (record.site, record.pinned_model.version):
            raise SchemaError("the pinned model is of another site or version than the record says")
    return DecidedSite(
        record=record,
        settings=SiteSettings(settings_version(record), rules, record.comments, record.listings),
        pinned=pinned,
    )


def described(known: DecidedSite) -> list[str]:
    """Return what the settings of a site say as short lines."""
    record = known.record
    bounds = msgspec.structs.asdict(record.window) if record.window else {}
    said = {
        f"comments {record.comments}": record.comments is not None,
        f"listings {record.listings}": record.listings != "auto",
        f"model {record.pinned_model.version if record.pinned_model else ''} pinned": known.pinned,
        "quarantined": record.quarantined,
        "taken down": record.forgotten,
    }
    return [
        f"version {known.settings.version}",
        *map(str, known.settings.rules),
        *(text for text, is_so in said.items() if is_so),
        *(f"window {name} {value}" for name, value in bounds.items() if value is not None),
    ]


class SettingsOfSites:
    """The settings of all sites that have some; it is safe to use from several threads."""

    def __init__(self, sites: Iterable[DecidedSite] = ()) -> None:
        self._sites = {site.record.site: site for site in sites}
        self._lock = threading.Lock()

    def of(self, site: str) -> DecidedSite | None:
        """Return the settings of a site; None where it has none."""
        return self._sites.get(site)

    def core_settings(self, site: str) -> SiteSettings | None:
        """Return the part of a site's settings that decides its texts; None where it has none."""
        known = self._sites.get(site)
        return known.settings if known else None

    def is_forgotten(self, site: str) -> bool:
        """Return whether a site is taken down."""
        known = self._sites.get(site)
        return known is not None and known.record.forgotten

    def forgotten(self) -> list[str]:
        """Return the sites that are taken down."""
        return [site.record.site for site in list(self._sites.values()) if site.record.forgotten]

    def put(self, site: str, value: bytes | None) -> None:
        """Take in a record of `site-settings` as JSON; None = the site has no settings any more.

        Raises:
            SchemaError: The record cannot be used, and nothing changes; the message says why.
        """
        known = None
        if value is not None:
            known = decided_site(decode_json(value, SiteSettingsRecord))
            if known.record.site != site:
                raise SchemaError(f"it is of the site {known.record.site!r}, its key is {site!r}")
        with self._lock:
            sites = dict(self._sites)  # readers in other threads go on with the one before
            sites.pop(site, None)
            if known is not None:
                sites[site] = known
            self._sites = sites

    def become(self, other: "SettingsOfSites") -> None:
        """Take over those of another in place of all that are in this one."""
        with self._lock:
            self._sites = other._sites  # noqa: SLF001 - of the same class

    def records(self) -> list[SiteSettingsRecord]:
        """Return the records of all sites, in order of their keys."""
        return [site.record for _, site in sorted(self._sites.items())]

    def bounds(self, site: str, default: WindowBounds) -> WindowBounds:
        """Return the bounds of a site's window, given those of the deployment."""
        known = self._sites.get(site)
        if known is None or known.record.window is None:
            return default
        bounds = msgspec.structs.asdict(known.record.window)
        changed = {name: value for name, value in bounds.items() if value is not None}
        return msgspec.structs.replace(default, **changed)


def read_site_settings(path: Path) -> SettingsOfSites:
    """Return the settings in a file of JSON Lines, one record a site; without a file there are none.

    Raises:
        InputProblem: The file cannot be read, or a record cannot be used.
    """
    return SettingsOfSites(decided_site(record) for record in read_records(path))


def site_settings_of_state(state: Path) -> SettingsOfSites:
    """Return the settings that a state directory of `templ run` or `templ worker` was last used with.

    Raises:
        InputProblem: They cannot be read.
    """
    places = (state, state / "cleaner", state / "refresher")
    return next(
        (
            read_site_settings(place / SITE_SETTINGS_FILE)
            for place in places
            if (place / SITE_SETTINGS_FILE).is_file()
        ),
        SettingsOfSites(),
    )


def read_records(path: Path) -> list[SiteSettingsRecord]:
    """Return the records in a file of settings if all are usable.

    Raises:
        InputProblem: The file cannot be read, or a record cannot be used.
    """
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; give a file of site settings") from None
    records: dict[str, SiteSettingsRecord] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = decode_json(line, SiteSettingsRecord)
            decided_site(record)
        except SchemaError as error:
            raise InputProblem(f"{path}, line {number}: {error}") from None
        records[record.site] = record
    return list(records.values())


def write_records(path: Path, records: Iterable[SiteSettingsRecord]) -> None:
    """Replace a file of settings so that readers see the old one or the new one.

    Raises:
        OSError: The file cannot be written.
    """
    write_whole(path, b"".join(encode_json(record) + b"\n" for record in records))


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
    """Return settings with a change; new rules come after the present ones, those that remove first.

    Raises:
        UsageProblem: A rule or a bound cannot be used; the message says why.
    """
    added = [
        *(SiteRuleRecord(action="remove", selector=selector) for selector in change.remove),
        *(SiteRuleRecord(action="remove", text=text) for text in change.remove_text),
        *(SiteRuleRecord(action="keep", selector=selector) for selector in change.keep),
        *(SiteRuleRecord(action="keep", text=text) for text in change.keep_text),
    ]
    known = [] if change.clear_rules else record.rules
    rules = list(dict.fromkeys([*(rule for rule in known if rule not in added), *added]))
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
    """Return settings without one of their rules, such as `keep selector div.corrections`.

    Raises:
        UsageProblem: There is no such rule.
    """
    rules = [own for own in record.rules if str(site_rule(own)) != rule]
    if len(rules) == len(record.rules):
        raise UsageProblem(f"the site has no rule {rule!r} any more")
    return msgspec.structs.replace(record, rules=rules)


def chosen_model(
    site: str, models: Sequence[SiteModelRecord], version: str | None
) -> SiteModelRecord:
    """Return the newest of a site's models, which are given oldest first, or the one of a version.

    Raises:
        InputProblem: There is no such model; the message names the existing ones.
    """
    chosen = [model for model in models if version in (None, model.version)]
    if not chosen:
        versions = ", ".join(dict.fromkeys(model.version for model in models))
        raise InputProblem(f"there is no model {version} of {site}; there is {versions}")
    return chosen[-1]


def pinned(record: SiteSettingsRecord, model: SiteModelRecord) -> SiteSettingsRecord:
    """Return settings that pin a site model.

    Raises:
        UsageProblem: The model cannot be used.
    """
    from templ_core.site_level.site_model_file import decode_site_model  # noqa: PLC0415 - brings the core

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
