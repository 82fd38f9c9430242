"""A site's templates: trees and phrases, fitted on the latest documents of its window."""

import hashlib
from collections.abc import Sequence

import msgspec
import zstandard

from templ_core.config import CoreConfig
from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.site_level.phrases.learn_phrases import refit as find_phrases
from templ_core.site_level.phrases.phrase_set import PhraseSet, decode_phrase_set, encode_phrase_set
from templ_core.site_level.trees.tree_model import TreeModel, decode_tree_model, encode_tree_model
from templ_core.site_level.trees.tree_template import TreeLearner
from templ_core.site_level.window.window_dedup import latest_contents, teaching_pages
from templ_core.site_level.window.window_page import Contribution
from templ_core.source_digest import installed_digest

COMPACT_FORMAT = 1
_LEVEL = 9
_READ_AHEAD = 2
_MAX_BYTES = 64 << 20


class SiteTemplates(msgspec.Struct, frozen=True, kw_only=True):
    """Trees and phrases of one site."""

    version: str
    """Digest of the documents, the thresholds and the code."""
    trees: TreeModel
    phrases: PhraseSet


NO_TEMPLATES = SiteTemplates(
    version="", trees=TreeModel(clusters=[]), phrases=PhraseSet(pages=0, phrases=())
)


def template_pages(contents: Sequence[bytes], config: CoreConfig) -> list[int]:
    """Indexes of the pages of a window that templates may be fitted on, in order.

    Twice as many as they are fitted on: some may be copies of an article, and teach nothing.

    Args:
        contents: Content digests of the window's pages in order of (event time, page id).
        config: The core's thresholds.
    """
    return latest_contents(contents, _READ_AHEAD * config.template_pages)


def fit_templates(window: Sequence[Contribution], config: CoreConfig) -> SiteTemplates:
    """The templates of a window: they depend on its latest documents and their order alone.

    They are fitted anew, not learned and forgotten page by page: the mapping of trees depends on
    the pages before, so that what is left after forgetting differs from what a fresh start gives.

    Args:
        window: Documents in order of (event time, page id); of all but its `template_pages` the
            compact form may be None.
        config: The core's thresholds.
    """
    some = [
        window[index] for index in template_pages([one.content_digest for one in window], config)
    ]
    teaching = [some[index] for index in teaching_pages([one.page for one in some])]
    known = [(one, one.document) for one in teaching if one.document is not None]
    learner = TreeLearner(config)
    documents = []
    for one, body in known[-config.template_pages :]:
        document = decode_document(body)
        documents.append(document)
        learner.learn_one(document, one.page.places.text)
    return SiteTemplates(
        version=_version(some, config),
        trees=learner.model(),
        phrases=find_phrases(documents, config),
    )


def _version(window: Sequence[Contribution], config: CoreConfig) -> str:
    digest = hashlib.blake2b(
        f"{installed_digest()}/{COMPACT_FORMAT}/{config.digest()}".encode(), digest_size=8
    )
    for one in window:
        digest.update(one.page_id.encode() + b"\0" + one.content_digest)
    return digest.hexdigest()


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    format: int
    version: str
    trees: bytes
    phrases: bytes


def encode_templates(templates: SiteTemplates) -> bytes:
    """Compact form: MessagePack, zstd; the same bytes for equal templates."""
    compact = _Compact(
        COMPACT_FORMAT,
        templates.version,
        encode_tree_model(templates.trees),
        encode_phrase_set(templates.phrases),
    )
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(compact))


def decode_templates(body: bytes) -> SiteTemplates:
    """The templates whose compact form is `body`.

    Raises:
        CodecError: they are damaged or of another format.
    """
    try:
        data = zstandard.ZstdDecompressor().decompress(body, max_output_size=_MAX_BYTES)
        compact = msgspec.msgpack.decode(data, type=_Compact)
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise CodecError(f"not templates of a site: {error}") from None
    if compact.format != COMPACT_FORMAT:
        raise CodecError(f"templates of format {compact.format}, known is {COMPACT_FORMAT}")
    return SiteTemplates(
        version=compact.version,
        trees=decode_tree_model(compact.trees),
        phrases=decode_phrase_set(compact.phrases),
    )
