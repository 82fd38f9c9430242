"""What another page model, setting or state would change: pages of a window cleaned in two ways."""

import difflib
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from markupsafe import Markup

from templ_core.clean_document import CleanedText, clean
from templ_core.page_details import decode_details
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.revisions import changed_ratio
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.tokens import tokenise
from workers.inspect.html_templates import render
from workers.inspect.site_view import CleaningVariant, Pages, SiteView, stored_kind
from workers.log_lines import counted
from workers.site_settings import SettingsOfSites


class PageChange(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose text differs."""

    url: str
    changed_ratio: float
    """Share of the words of both texts that only one of them has, 0 to 1."""
    before: str
    after: str


class SiteShadow(msgspec.Struct, frozen=True, kw_only=True):
    """What differs on the pages of one site."""

    site: str
    pages: int
    """Pages that were cleaned in both ways."""
    words_before: int
    words_after: int
    changes: list[PageChange]
    """Pages whose texts differ, those that differ most first."""

    @property
    def changed_pages_ratio(self) -> float:
        """The share of pages whose text differs, 0 to 1."""
        return len(self.changes) / self.pages if self.pages else 0.0

    @property
    def mean_changed_ratio(self) -> float:
        """The mean over all pages of the share of words that differ, 0 to 1."""
        return (
            sum(change.changed_ratio for change in self.changes) / self.pages if self.pages else 0.0
        )


def shadow_site(
    view: SiteView, live: CleaningVariant, other: CleaningVariant, pages_max: int
) -> SiteShadow:
    """Clean the newest pages of a site in two ways, and return what differs.

    With another page model, the site model is fitted on the window again, as workers with that page
    model would fit it.
    """
    window = view.pages()
    shown = window[-pages_max:]
    live_view = _with_site_settings(view, live.site_settings)
    before = [cleaned.text for cleaned in _cleaned(live_view, view.used_model(), live, shown)]
    after_view = _with_site_settings(view, other.site_settings)
    model = after_view.used_model()
    if other.page_model.version != live.page_model.version and model is not None:
        model = _refitted(window, other)
    after = [cleaned.text for cleaned in _cleaned(after_view, model, other, shown)]
    changes = [
        page_change(record.url, a, b)
        for (record, _), a, b in zip(shown, before, after, strict=True)
        if a != b
    ]
    return SiteShadow(
        site=view.site,
        pages=len(shown),
        words_before=_words(before),
        words_after=_words(after),
        changes=sorted(changes, key=lambda change: (-change.changed_ratio, change.url)),
    )


def page_change(url: str, before: str, after: str) -> PageChange:
    """Return how two texts of a page differ."""
    ratio = changed_ratio(before, after)
    return PageChange(url=url, changed_ratio=ratio, before=before, after=after)


def window_text(
    view: SiteView, variant: CleaningVariant, url: str, form: str = "text"
) -> str | None:
    """Return the text of the newest document of a URL; None if the window has none.

    Its form is `text`, `markdown` or `html`. Links and images are there when the page was cleaned with them.
    """
    of_url = [(record, document) for record, document in view.documents() if record.url == url]
    if not of_url:
        return None
    record, document = of_url[-1]
    (cleaned,) = _cleaned(view, view.used_model(), variant, of_url[-1:])
    if form == "text":
        return cleaned.text
    document, decision = decode_details(record.details, document)[0], cleaned.decision
    outline = Outline(document, decision.kept, decision.cuts, url)
    return render_markdown(outline) if form == "markdown" else render_html(outline)


def _with_site_settings(view: SiteView, site_settings: SettingsOfSites | None) -> SiteView:
    return (
        view
        if site_settings is None
        else msgspec.structs.replace(view, settings=site_settings.of(view.site))
    )


def _cleaned(
    view: SiteView, model: SiteModel | None, variant: CleaningVariant, pages: Pages
) -> list[CleanedText]:
    cleaned = []
    for record, document in pages:
        own, used = view.cleaning_of(stored_kind(record, document), model)
        cleaned.append(clean(document, used, variant.config, variant.page_model, settings=own))
    return cleaned


def _refitted(window: Pages, variant: CleaningVariant) -> SiteModel:
    learner = SiteLearner(variant.page_model.version, variant.config)
    learner.follow(
        [
            (record.content_digest, summarise_page(document, variant.page_model))
            for record, document in window
        ]
    )
    return learner.model()


def _words(texts: Iterable[str]) -> int:
    return sum(len(tokenise(text)) for text in texts)


_WORST_PAGES = 20


def shadow_text(sites: Sequence[SiteShadow]) -> str:
    """Return a table with a line for each site, those that change most first, and a line for all."""
    lines = ["pages  changed  words changed  words before -> after  site"]
    lines += [
        f"{shadow.pages:5d}  {shadow.changed_pages_ratio:7.1%}  {shadow.mean_changed_ratio:13.1%}  "
        f"{shadow.words_before:9d} -> {shadow.words_after:<9d}  {shadow.site}"
        for shadow in _most_changed(sites)
    ]
    pages = sum(shadow.pages for shadow in sites)
    changed = sum(len(shadow.changes) for shadow in sites)
    words = sum(change.changed_ratio for shadow in sites for change in shadow.changes)
    if pages:
        lines.append(
            f"{pages:5d}  {changed / pages:7.1%}  {words / pages:13.1%}  all {counted(len(sites), 'site')}"
        )
    return "\n".join(lines)


def shadow_html(sites: Sequence[SiteShadow], before: str, after: str) -> Markup:
    """Return the report as one HTML page that runs nothing and fetches nothing."""
    changes = sorted(
        (change for site in sites for change in site.changes),
        key=lambda change: -change.changed_ratio,
    )
    return render(
        "inspect/templates/shadow.html",
        title="what would change",
        before=before,
        after=after,
        sites=_most_changed(sites),
        changes=changes[:_WORST_PAGES],
        beside=_beside,
    )


def diff_html(change: PageChange) -> Markup:
    """Return two texts of a page side by side, as one HTML page that runs nothing and fetches nothing."""
    return render("inspect/templates/diff.html", title=change.url, lines=_beside(change))


def _beside(change: PageChange) -> Iterator[tuple[str, str, bool]]:
    """Yield lines of the two texts of a page that belong beside each other, and whether they are equal."""
    before, after = change.before.split("\n"), change.after.split("\n")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        yield "\n".join(before[a:b]), "\n".join(after[c:d]), kind == "equal"


def _most_changed(sites: Sequence[SiteShadow]) -> list[SiteShadow]:
    return sorted(sites, key=lambda shadow: (-shadow.mean_changed_ratio, shadow.site))
