"""Changes of a site's settings, as forms of the console ask for them."""

import logging
from collections.abc import Mapping
from typing import Protocol

import msgspec

from schemas.site_model import SiteModelRecord
from schemas.site_settings import SiteSettingsRecord
from workers.errors import UsageProblem
from workers.site_settings import (
    Overrides,
    chosen_model,
    overridden,
    pinned,
    settings_version,
    without_rule,
)

_LISTS = {"remove", "remove_text", "keep", "keep_text"}
"""Fields with one rule a line."""
log = logging.getLogger("templ")


class SettingsStore(Protocol):
    """Where settings of sites are kept; all calls block."""

    def read(self, site: str) -> SiteSettingsRecord:
        """Return the settings of a site; they say nothing where it has none."""

    def write(self, site: str, record: SiteSettingsRecord | None) -> None:
        """Store the settings of a site; None removes them."""

    def models(self, site: str) -> list[SiteModelRecord]:
        """Return the models of a site that can be pinned, oldest first."""

    def forget(self, site: str) -> str:
        """Take a site down, and return what was erased and what was not as sentences."""


class SettingsChanged(Exception):
    """The error that somebody else has changed the settings since the form was shown."""


def apply_form(store: SettingsStore, site: str, form: Mapping[str, str]) -> str:
    """Change the settings of a site as a form says, and return what was done as sentences.

    Args:
        store: Where the settings are kept.
        site: Site key.
        form: Fields of the form by name; `action` says which form it is, and `version` which settings it
            was made for.

    Raises:
        SettingsChanged: The settings are not those that the form was made for.
        UsageProblem: A field cannot be used; the message says why.
        WorkerError: The settings cannot be read or stored.
    """
    known = store.read(site)
    if form.get("version") != settings_version(known):
        raise SettingsChanged
    action = form.get("action")
    if action == "override":
        wanted = overrides_of(form)
        if wanted.is_empty():
            raise UsageProblem("the form asks for no change")
        store.write(site, overridden(known, wanted))
        done = "The settings are stored; workers follow within seconds. A rule can be taken back below."
    elif action == "drop":
        store.write(site, without_rule(known, form.get("rule", "")))
        done = "The rule is taken back; workers follow within seconds."
    elif action == "pin":
        model = chosen_model(site, store.models(site), form.get("model") or None)
        store.write(site, pinned(known, model))
        done = "The model is pinned; workers follow within seconds."
    elif action == "reset":
        store.write(site, None)
        done = "The site has no settings any more."
    elif action == "forget":
        if form.get("confirm") != site:
            raise UsageProblem(
                "to take the site down, write its key into the field beside the button"
            )
        done = store.forget(site)
    else:
        raise UsageProblem("there is no such form")
    log.info("%s of the site %s by a form", action, site, extra={"site": site})
    return done


def overrides_of(form: Mapping[str, str]) -> Overrides:
    r"""Return the change that the form of overrides asks for; empty fields leave a value as it is.

    Raises:
        UsageProblem: A field cannot be used.

    >>> overrides_of({"remove": "aside.promo\r\n", "quarantine": "false"}).remove
    ['aside.promo']
    """
    given: dict[str, object] = {}
    for name in Overrides.__struct_fields__:
        lines = [line.strip() for line in form.get(name, "").splitlines() if line.strip()]
        if lines:
            given[name] = lines if name in _LISTS else lines[0]
    try:
        return msgspec.convert(given, Overrides, strict=False)
    except msgspec.ValidationError as error:
        raise UsageProblem(str(error)) from None
