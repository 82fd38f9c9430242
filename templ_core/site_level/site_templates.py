"""A site's templates: its trees, fitted on the latest documents of its window."""

import hashlib
from collections.abc import Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.dom.codec import decode_document
from templ_core.dom.document import Document
from templ_core.errors import CodecError
from templ_core.site_level.config import SCHEDULE
from templ_core.site_level.trees.tree_model import TreeModel, decode_tree_model, encode_tree_model
from templ_core.site_level.trees.tree_template import TreeLearner
from templ_core.site_level.window.window_dedup import distinct_pages, latest_contents
from templ_core.site_level.window.window_page import WindowPage
from templ_core.source_digest import installed_digest
from templ_core.stored.compact import CompactColumns, CompactForm


class SiteTemplates(msgspec.Struct, frozen=True, kw_only=True):
    """The tree templates of one site."""

    version: str
    """Digest of the documents, of the thresholds and of the version of the code."""
    trees: TreeModel


NO_TEMPLATES = SiteTemplates(version="", trees=TreeModel(clusters=[]))
"""The templates of a site before the first fit."""


def template_pages(contents: Sequence[bytes], config: CoreConfig) -> list[int]:
    """Return the indexes of a window's pages that templates may be fitted on, in order.

    They are more than the fit uses, because near-duplicates among them do not count.

    Args:
        contents: Content digests of the window's pages in order of (event time, page id).
        config: The core's thresholds.
    """
    return latest_contents(contents, SCHEDULE.templates_ahead * config.template_pages)


def fit_templates(window: Sequence[WindowPage], config: CoreConfig) -> SiteTemplates:
    """Return the templates of a window; they depend on its latest documents and their order alone.

    They are fitted anew each time: the mapping of trees depends on the pages before, so that what were
    left after forgetting a page would differ from what a fresh start gives.

    Args:
        window: Documents in order of (event time, page id). The compact form may be None in all
            documents but those that `template_pages` names.
        config: The core's thresholds.

    Raises:
        CodecError: A document is damaged, or is not the one that its page summary was made of.
    """
    latest = _latest(window, config)
    learner = TreeLearner(config)
    for one, document in _distinct_documents(latest, config):
        learner.learn_one(document, one.page.places.text)
    return SiteTemplates(
        version=_version(latest, config),
        trees=learner.model(),
    )


def template_documents(window: Sequence[WindowPage], config: CoreConfig) -> list[Document]:
    """Return the documents that `fit_templates` learns from, in order."""
    return [document for _, document in _distinct_documents(_latest(window, config), config)]


def _latest(window: Sequence[WindowPage], config: CoreConfig) -> list[WindowPage]:
    indexes = template_pages([one.content_digest for one in window], config)
    return [window[index] for index in indexes]


def _distinct_documents(
    latest: Sequence[WindowPage], config: CoreConfig
) -> list[tuple[WindowPage, Document]]:
    distinct = [latest[index] for index in distinct_pages([one.page for one in latest])]
    known = [(one, one.document) for one in distinct if one.document is not None]
    return [(one, _document(one, body)) for one, body in known[-config.template_pages :]]


def _document(one: WindowPage, body: bytes) -> Document:
    """Return the document of a page, or refuse it where the page's summary is of another one."""
    document = decode_document(body)
    if len(document.segments.texts) != len(one.page.places.text):
        raise CodecError(f"the summary of page {one.page_id} is that of another document")
    return document


def _version(window: Sequence[WindowPage], config: CoreConfig) -> str:
    digest = hashlib.blake2b(
        f"{installed_digest()}/{_FORM.format}/{config.digest()}".encode(), digest_size=8
    )
    for one in window:
        digest.update(one.page_id.encode() + b"\0" + one.content_digest)
    return digest.hexdigest()


class _Compact(CompactColumns, frozen=True, array_like=True):
    version: str
    trees: bytes


class _Compact1(_Compact, frozen=True, array_like=True):
    """The columns of format 1, whose phrases are not read."""


_FORM: CompactForm[_Compact] = CompactForm(
    "site templates", 2, _Compact, level=9, earlier={1: _Compact1}
)


def encode_templates(templates: SiteTemplates) -> bytes:
    """Return templates in compact form, MessagePack and zstd; equal ones give equal bytes."""
    compact = _Compact(
        _FORM.format,
        templates.version,
        encode_tree_model(templates.trees),
    )
    return _FORM.encode(compact)


def decode_templates(body: bytes) -> SiteTemplates:
    """Return the templates whose compact form is `body`.

    Raises:
        CodecError: They are damaged or of another format.
    """
    compact = _FORM.decode(body)
    return SiteTemplates(
        version=compact.version,
        trees=decode_tree_model(compact.trees),
    )
