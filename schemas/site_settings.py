"""The settings of one site, by which operators correct what was learned of it."""

from typing import Annotated, Literal

import msgspec

RULES_MAX = 200
_PositiveCount = Annotated[int, msgspec.Meta(ge=1)]


class SiteRuleRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that keeps or removes whole segments of a page; it has either a selector or a text."""

    action: Literal["keep", "remove"]
    selector: str | None = None
    """CSS selector of elements, classes, ids and the attributes `role` and `itemprop`. The rule is about the
    segments inside the elements that it matches."""
    text: str | None = None
    """Whole text of a segment, in which `*` stands for any characters; case and white space do not count."""


class WindowLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bounds of the site's window in place of the deployment's; null leaves a bound as it is."""

    age_ms: _PositiveCount | None = None
    """See `TEMPL_WINDOW_AGE_MS`."""
    pages_max: _PositiveCount | None = None
    """See `TEMPL_WINDOW_PAGES_MAX`."""
    bytes_max: Annotated[int, msgspec.Meta(ge=1 << 20)] | None = None
    """See `TEMPL_WINDOW_BYTES_MAX`."""


class PinnedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A site model that is used whatever is learned later."""

    version: str
    """Version of the model."""
    value: bytes
    """The record of `site-models` that holds it, in base64."""


class SiteSettingsRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What operators have decided about a site; the value of a record of `site-settings`.

    The Kafka key is the site key. A null value means that the site has no settings any more.
    """

    schema: Literal["site-settings/1"]
    site: str
    """Site key."""
    rules: Annotated[list[SiteRuleRecord], msgspec.Meta(max_length=RULES_MAX)] = []
    """Rules about segments; of several that name a segment, the last decides."""
    comments: Literal["auto", "keep", "drop"] | None = None
    """How comments and reviews are treated, see `TEMPL_COMMENTS`; null means what the deployment says."""
    listings: Literal["auto", "keep", "drop"] = "auto"
    """How pages are treated whose markup declares a listing: `keep` cleans them by the page alone, `drop`
    leaves nothing of them, `auto` treats them like other pages."""
    window: WindowLimits | None = None
    """Bounds of the site's window; null means those of the deployment."""
    pinned_model: PinnedModel | None = None
    """The site model to use; null means the newest."""
    quarantined: bool = False
    """Whether pages are cleaned as those of a new site, and nothing is learned from them."""
    forgotten: bool = False
    """Whether the site is taken down: its pages are not cleaned, and what was known of it is erased."""
    changed_at: str | None = None
    """When the record was written, an RFC 3339 time in UTC."""
