"""The page type by the page model alone, against what markup states and what corpora say."""

import re

from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.metadata.markup import PageMarkup
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.site_cleaner.cleaned_page import page_kind

_SCRIPT = re.compile(r"<script\b[^>]*ld\+json.*?</script\s*>", re.IGNORECASE | re.DOTALL)
_META = re.compile(
    r"<meta\b[^>]*[\"'\s=](?:og:type|og:price:|product:|article:)[^>]*>", re.IGNORECASE
)
_TAG = re.compile(r"<(?!meta\b)[a-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\s(?:item(?:scope|type|prop|id|ref)|typeof|vocab|property)\b(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?",
    re.IGNORECASE,
)


def without_statements(markup: str) -> str:
    """Return markup without what states the type of the page: JSON-LD, OpenGraph, microdata and RDFa.

    >>> without_statements(
    ...     '<meta property="og:type" content="product"><p itemprop="name" class=x>Tea'
    ... )
    '<p class=x>Tea'
    """
    markup = _META.sub("", _SCRIPT.sub("", markup))
    return _TAG.sub(lambda tag: _ATTRIBUTE.sub("", tag[0]), markup)


def stated_and_found(
    document: Document, markup: str, url: str, model: PageModel
) -> tuple[str | None, str | None]:
    """Return the page type that markup states, and the one that the page model finds without that.

    Args:
        document: The page.
        markup: Its markup.
        url: Its address.
        model: The page model.

    Returns:
        None for a type that nothing states, and for one of a page that has no text without its statements.
    """
    try:
        hidden = read_document(without_statements(markup).encode(), url, charset="utf-8")
    except PageError:
        hidden = None
    found = None
    if hidden is not None and hidden.segments.texts:
        found = page_kind(read_page_evidence(hidden, model).page_type, None)
    return PageMarkup(document).kind, found
