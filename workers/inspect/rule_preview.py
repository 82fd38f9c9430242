"""What a new rule of a site's settings would name in its window, before it is stored."""

from collections.abc import Sequence

import msgspec

from templ_core.site_settings.ruled_segments import ruled_segments
from templ_core.site_settings.site_settings import SiteRule
from workers.inspect.site_view import SiteView
from workers.log_lines import counted

_SAMPLES = 3


class NamedText(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule names on one page."""

    url: str
    text: str
    """The segments, a line each."""


class RulePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule names in a window."""

    rule: str
    pages: int
    """Pages on which it names a segment."""
    window_pages: int
    samples: list[NamedText]
    """The three newest of these pages."""

    def __str__(self) -> str:
        such = f", such as {self.samples[0].url}" if self.samples else ""
        return f"{self.rule}: matches on {self.pages} of {counted(self.window_pages, 'page')} of the window{such}"


def preview_rules(view: SiteView, rules: Sequence[SiteRule]) -> list[RulePreview]:
    """Return what each rule names in a window, by itself.

    Raises:
        RuleError: A rule cannot be used.
    """
    documents = list(view.documents())
    previews = []
    for rule in rules:
        found = []
        for record, document in reversed(documents):
            named = ruled_segments(document, (rule,)).named
            if named.any():
                texts = (document.segments.texts[number] for number in named.nonzero()[0])
                found.append((record.url, texts))
        previews.append(
            RulePreview(
                rule=str(rule),
                pages=len(found),
                window_pages=len(documents),
                samples=[
                    NamedText(url=url, text="\n".join(texts)) for url, texts in found[:_SAMPLES]
                ],
            )
        )
    return previews
