"""The report of a site: figures about it, as text for a terminal and as one HTML page with plots."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
from markupsafe import Markup

from schemas.document import DocumentRecord
from templ_core.array_types import Bools
from templ_core.clean_document import clean
from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.explain.page_kinds import KeptPage, KindOfPage, kinds_of_pages
from templ_core.explain.site_names import container_names
from templ_core.explain.site_strings import read_site_strings, string_expression
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.keyed_sums import KeyedSums
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import read_prose
from templ_core.site_level.strings.suffix_array import BREAK
from templ_core.site_level.trees.tree_mapping import label_page, likeness
from workers.inspect.html_templates import render, shortened, time_text
from workers.inspect.plots import Dot, Plot, curves, timeline
from workers.inspect.site_view import CleaningVariant, Pages, SiteView
from workers.log_lines import counted
from workers.site_settings import described

_PAGES_CLEANED_MAX = 200
"""Newest pages of a window that are cleaned again."""
_ROWS_MAX = 25
_REPEATED_PAGES_MIN, _REPEATED_PAGES_RATIO = 4, 0.1
_SENTENCE_WORDS_MIN = 8


_Row = dict[str, Any]


class SiteOverview(msgspec.Struct, frozen=True, kw_only=True):
    """Figures about one site."""

    site: str
    site_model_version: str
    documents: int
    """Distinct documents that the site model rests on."""
    window_pages: int
    window_bytes: int
    """Size of the documents in compact form."""
    first_time_ms: int | None
    last_time_ms: int | None
    fit: float | None
    """Likeness of the newest page to the pages before it; None where only the topics are known."""
    redesign_time_ms: int | None
    """Event time of the first page after the last change of design."""
    settings: list[str]
    """What operators have decided about the site."""
    kinds: list[KindOfPage]
    """The kinds of page among the newest: what is template, which fields and records they have, and what is
    each page's own."""
    string_count: int
    """Strings of words, and strings of whole segments that most pages have."""
    strings: list[_Row]
    """Those on most `pages`, each with its `text` and `expression`."""
    containers: list[_Row]
    """The `path` of elements that are the best container of some `pages`, and how many pages have it
    (`present_pages`)."""
    fit_over_time: list[_Row]
    """The `time_ms` and `url` of each page, and its `likeness` to the kind of page nearest to it."""
    refreshes: list[_Row]
    """Site models as pages of the window were last published with them: `version`, which is None for the
    page model alone, `documents`, `pages`, and the event time of the first of these (`first_time_ms`)."""
    learning_curve: list[_Row]
    """How texts that were published with young models agree with the present one: least number of
    `documents` of these models, `pages`, and mean `word_f1` of their texts."""
    cleaned_pages: int
    """Newest pages that were cleaned again for the learning curve and the repeated text."""
    repeated_ratio: float | None
    """Share of the words that the present model keeps in sentences on at least 4 and 10 % of the pages."""


def site_figures(view: SiteView, variant: CleaningVariant) -> SiteOverview:
    """Return what is known of a site.

    Raises:
        InputProblem: The site has no site model yet.
    """
    model = view.model
    if model is None:
        raise view.no_model()
    pages = view.pages()
    names = container_names((document for _, document in pages), model)
    newest = pages[-_PAGES_CLEANED_MAX:]
    decisions = _decisions(view, newest, variant)
    strings = read_site_strings((document for _, document in pages), model.strings)
    times = [record.event_time_ms for record, _ in pages]
    return SiteOverview(
        site=view.site,
        site_model_version=model.version,
        documents=model.documents,
        window_pages=len(pages),
        window_bytes=sum(len(record.body) for record, _ in pages),
        first_time_ms=min(times, default=None),
        last_time_ms=max(times, default=None),
        fit=view.state.fit if view.state else None,
        redesign_time_ms=view.state.changed_at_ms if view.state else None,
        settings=described(view.settings) if view.settings else [],
        kinds=kinds_of_pages(_read_pages(newest, decisions), model),
        string_count=len(strings),
        strings=[
            {
                "pages": string.pages,
                "text": string.text,
                "expression": string_expression(string.text),
            }
            for string in strings[:_ROWS_MAX]
        ],
        containers=_containers(model.places.best_containers, names),
        fit_over_time=_fit_over_time(model, pages),
        refreshes=_refreshes(pages),
        learning_curve=_learning_curve(newest, decisions),
        cleaned_pages=len(newest),
        repeated_ratio=_repeated_ratio(newest, decisions),
    )


def repeated_ratio(view: SiteView, variant: CleaningVariant, pages_max: int) -> float | None:
    """Return the share of kept words that a site repeats; None without kept words."""
    pages = msgspec.structs.replace(view, window=view.window[-pages_max:]).pages()
    return _repeated_ratio(pages, _decisions(view, pages, variant))


def read_pages(view: SiteView, variant: CleaningVariant) -> list[KeptPage]:
    """Return the newest pages of a window, and what the present model keeps of them."""
    newest = view.pages()[-_PAGES_CLEANED_MAX:]
    decisions = _decisions(view, newest, variant)
    return _read_pages(newest, decisions)


def _read_pages(pages: Pages, decisions: Sequence[Decision]) -> list[KeptPage]:
    return [
        KeptPage(record.url, document, decision.kept)
        for (record, document), decision in zip(pages, decisions, strict=True)
    ]


def _decisions(view: SiteView, pages: Pages, variant: CleaningVariant) -> list[Decision]:
    used, own = view.used_model(), view.own_settings
    return [
        clean(document, used, variant.config, variant.page_model, settings=own).decision
        for _, document in pages
    ]


def encode_figures(figures: SiteOverview) -> bytes:
    """Return figures as JSON."""
    return msgspec.json.format(msgspec.json.encode(figures), indent=1)


def _containers(table: KeyedSums, names: Mapping[int, str]) -> list[_Row]:
    order = np.argsort(-table.sums[0], kind="stable")[:_ROWS_MAX]
    return [
        {
            "pages": int(table.sums[0][number]),
            "present_pages": int(table.sums[1][number]),
            "path": names.get(int(table.keys[number]), "(not in the window any more)"),
        }
        for number in order.tolist()
    ]


def _fit_over_time(model: SiteModel, pages: Pages) -> list[_Row]:
    rows = []
    for record, document in pages:
        paths = label_page(document).paths
        like = [likeness(cluster.reference.paths, paths) for cluster in model.trees.clusters]
        most = round(max(like, default=0.0), 4)
        rows.append({"time_ms": record.event_time_ms, "url": record.url, "likeness": most})
    return rows


def _refreshes(pages: Pages) -> list[_Row]:
    by_model: defaultdict[tuple[int, str | None], list[int]] = defaultdict(list)
    for record, _ in pages:
        by_model[record.model_documents, record.site_model_version].append(record.event_time_ms)
    rows = [
        {
            "version": version,
            "documents": documents,
            "pages": len(times),
            "first_time_ms": min(times),
        }
        for (documents, version), times in by_model.items()
    ]
    return sorted(rows, key=itemgetter("first_time_ms", "documents"))


def _learning_curve(pages: Pages, decisions: Sequence[Decision]) -> list[_Row]:
    scored = sorted(
        (record.model_documents, _published_f1(record, decision))
        for (record, _), decision in zip(pages, decisions, strict=True)
        if record.kept
    )
    rows = []
    for _, group in groupby(scored, key=lambda page: page[0].bit_length()):
        documents, f1 = zip(*group, strict=True)
        mean = round(float(np.mean(f1)), 4)
        rows.append({"documents": documents[0], "pages": len(f1), "word_f1": mean})
    return rows


def _published_f1(record: DocumentRecord, decision: Decision) -> float:
    """Return the word F1 of what was published of a page against what a decision keeps."""
    bits = np.unpackbits(np.frombuffer(record.kept, np.uint8), count=len(decision.kept))
    published, words = bits.astype(np.bool_), decision.words
    whole = words[published].sum() + words[decision.kept].sum()
    return float(2 * words[published & decision.kept].sum() / whole) if whole else 1.0


def _repeated_ratio(pages: Pages, decisions: Sequence[Decision]) -> float | None:
    """Return the share of kept words in sentences that many pages keep; None without kept words."""
    on_pages: Counter[bytes] = Counter()
    kept_sentences: list[bytes] = []
    words = 0
    for (_, document), decision in zip(pages, decisions, strict=True):
        words += int(decision.words[decision.kept].sum())
        whole = decision.kept.copy()
        whole[list(decision.cuts or ())] = False
        sentences = list(_sentences(document, whole))
        on_pages.update(set(sentences))
        kept_sentences += sentences
    least = max(_REPEATED_PAGES_MIN, _REPEATED_PAGES_RATIO * len(pages))
    repeated = sum(len(sentence) // 2 for sentence in kept_sentences if on_pages[sentence] >= least)
    return round(repeated / words, 4) if words else None


def _sentences(document: Document, chosen: Bools) -> Iterator[bytes]:
    """Yield the tokens of each sentence of some words in the prose of some segments."""
    features = read_features(document)
    words, tokens = features.words, read_prose(features).tokens
    ends = np.flatnonzero(words.ends) + 1
    starts = np.append(0, ends[:-1])
    wanted = chosen[words.segment[starts]] & (ends - starts >= _SENTENCE_WORDS_MIN)
    wanted &= tokens[starts] != BREAK
    for start, end in zip(starts[wanted].tolist(), ends[wanted].tolist(), strict=True):
        yield tokens[start:end].tobytes()


_TEXT_ROWS = 10
_LINE_CHARS = 88


def site_text(figures: SiteOverview) -> str:
    """Return the figures of a site as lines of text."""
    facts = (f"  {name.lower():<18} {text}" for name, text in _facts(figures).items())
    lines = [figures.site, *facts]
    lines += [
        line for number, kind in enumerate(figures.kinds, 1) for line in _kind_lines(number, kind)
    ]
    lines += [
        f"  container          {container['pages']} of {counted(container['present_pages'], 'page')}: {shortened(container['path'], _LINE_CHARS)}"
        for container in figures.containers[:3]
    ]
    lines.append(
        f"  strings            {figures.string_count} on {counted(figures.documents, 'page')}"
    )
    lines += [
        f"    {string['pages']:5d}  {shortened(string['text'], _LINE_CHARS)}"
        for string in figures.strings[:_TEXT_ROWS]
    ]
    lines.append(
        "  documents of the model that a text was published with, and agreement with the present model"
    )
    lines += [
        f"    {point['documents']:5d}  {counted(point['pages'], 'page')}, word F1 {point['word_f1']:.3f}"
        for point in figures.learning_curve
    ]
    return "\n".join(lines)


def _kind_lines(number: int, kind: KindOfPage) -> Iterator[str]:
    """Yield what the pages of a kind have in common, and what they leave open."""
    yield f"  kind {number:<13} {counted(kind.pages, 'page')}, such as {kind.example_url}"
    template = " · ".join(part.text for part in kind.template)
    yield f"    template         {counted(len(kind.template), 'text')}: {shortened(template, _LINE_CHARS)}"
    for field in kind.fields[:_TEXT_ROWS]:
        values = ", ".join(field.values)
        yield (
            f"    field            {field.name}: {counted(field.value_count, 'value')} on "
            f"{counted(field.pages, 'page')}, such as {shortened(values, _LINE_CHARS)}"
        )
    for record in kind.records[:_TEXT_ROWS]:
        example = " | ".join(record.example)
        yield f"    record           {record.count:g} a page, {_near(record.path)}: {shortened(example, _LINE_CHARS)}"
    for text in kind.texts[:_TEXT_ROWS]:
        yield f"    own text         {_near(text.path)}: {shortened(text.example, _LINE_CHARS)}"


def _near(path: str) -> str:
    """Return the last elements of a path."""
    return " > ".join(path.split(" > ")[-2:])


def site_report(figures: SiteOverview, navigation: Markup | None = None) -> Markup:
    """Return the report of a site as one HTML page that runs nothing and fetches nothing."""
    return render(
        "inspect/templates/site_report.html",
        title=figures.site,
        navigation=navigation,
        site=site_values(figures),
    )


def site_values(figures: SiteOverview) -> dict[str, Any]:
    """Return what the template `site_parts.html` shows of a site."""
    most = max((point["documents"] for point in figures.learning_curve), default=0) or 1
    curve = [(point["documents"] / most, point["word_f1"]) for point in figures.learning_curve]
    return {
        "facts": _facts(figures),
        "figures": figures,
        "fit_plot": _fit_plot(figures),
        "curve_plot": curves({"word F1": curve}, f"documents, of {most}", "word F1"),
    }


def _facts(figures: SiteOverview) -> dict[str, str]:
    model = f"{figures.site_model_version}, of {counted(figures.documents, 'distinct document')}"
    return {
        "Window": _window(figures),
        "Site model": model,
        "Site settings": "; ".join(figures.settings) or "none",
        "Fit": _fit(figures),
        "Repeated text left": _repeated(figures),
    }


def _window(figures: SiteOverview) -> str:
    if figures.first_time_ms is None or figures.last_time_ms is None:
        return "no documents"
    size = f"{counted(figures.window_pages, 'page')}, {figures.window_bytes / 1024:.0f} KiB"
    first, last = time_text(figures.first_time_ms), time_text(figures.last_time_ms)
    days = (figures.last_time_ms - figures.first_time_ms) / 86_400_000
    span = f"over {days:.1f} days from {first} to {last}"
    return f"{size}, of {first}" if first == last else f"{size}, {span}"


def _fit(figures: SiteOverview) -> str:
    known = "not known from topics" if figures.fit is None else f"{figures.fit:.2f}"
    if figures.redesign_time_ms is None:
        return f"{known}; no change of design in the window"
    return f"{known}; the design changed at {time_text(figures.redesign_time_ms)}"


def _repeated(figures: SiteOverview) -> str:
    if figures.repeated_ratio is None:
        return "no words are kept"
    return (
        f"{figures.repeated_ratio:.2%} of the words kept on {counted(figures.cleaned_pages, 'page')} are in sentences "
        "that many pages have"
    )


def _fit_plot(figures: SiteOverview) -> Plot | None:
    points = figures.fit_over_time
    if not points:
        return None
    first, last = points[0]["time_ms"], points[-1]["time_ms"]
    moments = [(point["time_ms"] - first) / max(1, last - first) for point in points]
    if first == last:  # a feed without times of its own
        moments = [number / len(points) for number in range(len(points))]
    dots: list[Dot] = []
    marks: dict[float, str] = {}
    for moment, fit in zip(moments, points, strict=True):
        label = f"{fit['url']}, {time_text(fit['time_ms'])}: {fit['likeness']:.2f}"
        dots.append(Dot(x=moment, y=fit["likeness"], size_px=3, label=label))
        if figures.redesign_time_ms is not None and fit["time_ms"] >= figures.redesign_time_ms:
            marks = marks or {moment: "The design changed."}
    return timeline(dots, marks, (time_text(first), time_text(last)), "similarity")
