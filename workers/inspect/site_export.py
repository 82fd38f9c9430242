"""What a site repeats, as values to be used outside templ."""

from collections.abc import Sequence
from typing import Any

import msgspec

from templ_core.config import CoreConfig
from templ_core.explain.site_names import SiteNames
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.phrases.expressions import expressions
from templ_core.site_level.phrases.learn_phrases import PhraseCutoff, phrase_cutoff
from templ_core.site_level.phrases.phrase_corpus import page_text
from templ_core.site_level.sentences.repeated_sentences import MARKS_BEHIND
from templ_core.site_level.sentences.sentence_expressions import (
    sentence_expression,
    shingle_expression,
    word_expression,
)
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG, VARIED_TEXT_CONFIG
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_templates import template_documents
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.window_page import WindowPage
from templ_core.site_settings.ruled_segments import text_expression
from workers.inspect.site_view import SiteView

EXPORT_FORMAT = 2
_PHRASE_RULE = (
    "An occurrence of any phrase is covered. templ weighs the share of a segment's tokens that phrases "
    "cover with its other evidence."
)
_SHINGLE_RULE = (
    "Shingles are runs of `shingle_words` words; they show text that the site repeats with some words "
    "changed. Looked at are blocks of at least `words_min` words that are neither headings nor code nor "
    "lines of links. A shingle that these have more than once on the page does not count, nor does one that "
    "begins in a sentence of `sentences`. Two shingles of a block cover the words between them, too, if "
    "these are `gap_words_max` or fewer. A block goes if it has at least `shingles_min` shingles, and these "
    "cover at least `covered_ratio_min` of its words. If such blocks are not all neighbours, those stay whose "
    "shingles are on fewer than max(`certain_pages_min`, `certain_ratio` * pages) pages on average. Nothing "
    "goes by this rule on documentation and in forums (a probability above `record_probability`), or where "
    "that would be nearly all content of the page."
)
_SENTENCE_RULE = (
    "A sentence goes if enough pages of the site have it. Sentences in headings, in code and in lines of "
    "links (at least `link_density_max` of the characters) never go. "
    "Sentences of neighbouring blocks make a run. A run stays if the same text stands before it or "
    "behind it on at least `constant_ratio` of its pages, and if one of its sentences is on fewer than "
    "max(`certain_pages_min`, `certain_ratio` * pages) pages: it belongs to a series or a teaser. On "
    "documentation and in forums such a run stays on any number of pages, because it belongs to a record "
    "or a post, and so does every run of fewer than `record_words_min` words. A page is one of these if "
    "templ gives documentation or forum a probability above `record_probability`. A block of which at "
    "least `whole_ratio` of the words go, goes as a whole; in others each sentence goes with the marks "
    "and the space behind it (`marks_behind`), and with a gap of at most `gap_words_max` words to the one "
    "before it. templ removes nothing by this rule where that would be nearly all content of the page "
    "(more than `all_content_ratio` of it), or while the site has fewer than `documents_min` documents."
)

_SETTINGS_RULE = (
    "These rules have the last word about whole blocks; of several, the last one counts. An expression "
    "matches the whole text of a block, in which white space counts as one space, whatever its case. "
    "Selectors need the page's HTML; a program that has only its text cannot apply them."
)


def exported_expressions(view: SiteView, model: SiteModel, names: SiteNames) -> dict[str, Any]:
    """Return the phrases and sentences of a site as regular expressions of Python's `re`.

    Args:
        view: The site.
        model: Its site model.
        names: What the hashes of the model stand for.
    """
    sentences = []
    for key, sums in zip(
        model.sentences.keys.tolist(), model.sentences.sums.T.tolist(), strict=True
    ):
        text = names.sentences.get(key)
        if text is not None:
            sentences.append(
                {
                    "pages": sums[0],
                    "pages_behind_one_text": sums[1],
                    "pages_before_one_text": sums[2],
                    "text": text,
                    "expression": sentence_expression(text),
                }
            )
    sentences.sort(key=lambda one: (-one["pages"], one["text"]))
    return {
        "format": EXPORT_FORMAT,
        "site": view.site,
        "site_model_version": model.version,
        "pages": model.documents,
        "phrase_pages": model.phrases.pages,
        "phrase_rule": {"text": _PHRASE_RULE},
        "phrases": [
            {
                "pages": phrase.pages,
                "text": " ".join(phrase.keys).strip(),
                "expression": one,
            }
            for phrase, one in zip(model.phrases.phrases, expressions(model.phrases), strict=True)
        ],
        "sentence_rule": {
            "text": _SENTENCE_RULE,
            **_sentence_numbers(),
            "word": word_expression(),
            "marks_behind": MARKS_BEHIND,
        },
        "sentences": sentences,
        "sentences_without_text": len(model.sentences.keys) - len(sentences),
        "shingle_rule": {"text": _SHINGLE_RULE, **msgspec.structs.asdict(VARIED_TEXT_CONFIG)},
        "shingles": _exported_shingles(model, names),
        "shingles_without_text": len(model.shingles.keys) - len(names.shingles),
        "site_settings": _exported_settings(view),
    }


def _exported_shingles(model: SiteModel, names: SiteNames) -> list[dict[str, Any]]:
    """Return the shingles of a site as regular expressions, those of most pages first."""
    on_pages = dict(zip(model.shingles.keys.tolist(), model.shingles.sums[0].tolist(), strict=True))
    shingles = [
        {"pages": on_pages[key], "text": text, "expression": shingle_expression(text)}
        for key, text in names.shingles.items()
    ]
    return sorted(shingles, key=lambda one: (-one["pages"], one["text"]))


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


def _sentence_numbers() -> dict[str, float]:
    config = CoreConfig()
    shown = (
        "pages_min", "pages_ratio_min", "certain_ratio", "certain_pages_min", "constant_ratio",
        "record_probability", "record_words_min", "link_density_max", "whole_ratio", "gap_words_max",
    )  # fmt: skip
    return {
        **{name: getattr(SENTENCES_CONFIG, name) for name in shown},
        "all_content_ratio": config.recurring_content_max,
        "documents_min": config.page_rules_pages,
    }


def current_cutoff(
    view: SiteView, page_model: PageModel, config: CoreConfig
) -> PhraseCutoff | None:
    """Return the cut-off of the phrases of a window as it is now; None without documents.

    Args:
        view: The site.
        page_model: The site-independent classifier, which finds near-duplicates.
        config: The core's thresholds.
    """
    window: list[WindowPage] = []
    for record, document in view.documents():
        if document.segments.texts:
            window.append(
                WindowPage(
                    page_id=record.id,
                    content_digest=record.content_digest,
                    page=summarise_page(document, page_model),
                    document=record.body,
                )
            )
    pages = [page_text(document) for document in template_documents(window, config)]
    return phrase_cutoff(pages, config) if pages else None


def histogram_text(cutoff: PhraseCutoff) -> str:
    """Return the histogram of a cut-off as lines of text, one for each bin that holds strings."""
    counts: Sequence[int] = cutoff.histogram.tolist()
    lines = [
        f"Strings that recur on the {cutoff.pages} latest distinct pages, by the share of pages with them.",
        f"The cut-off is {cutoff.bin} %: strings of several words inside blocks must be on as many.",
        "",
    ]
    most = max(counts)
    for number, count in enumerate(counts):
        if count:
            side = "template" if number >= cutoff.bin else ""
            bar = "#" * max(1, round(50 * count / most))
            lines.append(f"{number:3d} %  {count:6d}  {bar}  {side}".rstrip())
    return "\n".join(lines) + "\n"


def encode_export(export: dict[str, Any]) -> bytes:
    """Return exported expressions as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(export), indent=1) + b"\n"
