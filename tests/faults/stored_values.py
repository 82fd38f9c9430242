"""The stored values that `mutated_values` mutates, and what the product does with each."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import Document, parse_document
from templ_core.errors import CodecError
from templ_core.lab.papers.rtdm import is_voted_template, learn_voted_templates
from templ_core.page_level.model.model_file import encode_model, shipped_model
from templ_core.page_level.smoothing import section_numbers
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.trees.tree_model import decode_tree_model, encode_tree_model
from templ_core.site_level.window.page_summary import (
    PageSummary,
    decode_page_summary,
    encode_page_summary,
    summarise_page,
)
from templ_core.site_level.window.site_learner import SiteLearner
from workers.errors import SettingsProblem
from workers.processes.page_model import read_model_file
from workers.state.database import MemoryDatabase
from workers.state.packing import Packer, Packers, dictionary_key, plain_frame

CONFIG = CoreConfig()
_WINDOW = 6


class Codec(NamedTuple):
    """A kind of stored value."""

    refusals: tuple[type[Exception], ...]
    """What may be raised."""
    seeds: list[bytes]
    """Values to mutate."""
    use: Callable[[bytes], object]
    """Decodes a value and does with it what the product does."""


def _markup(number: int) -> str:
    words = " ".join(
        f"In the year {number + step} they went on, {step} of them." for step in range(6)
    )
    rows = "".join(f"<tr><td>{step}<td>cell {number * step}</tr>" for step in range(4))
    return (
        f"<title>Page {number}</title><body class='site wide' id=top><ul class=menu role=navigation>"
        "<li><a href=/>Home page of it</a><li><a href=//o.org/n>All the news</a><li>Über uns</ul>"
        f"<div class=body><h1>Page {number}</h1><p>{words}<b>bold <i>words</i></b> and 日本語の文章です。"
        f"<table>{rows}</table><div class=comments><p>Nice, {number}!<p hidden>secret</div></div>"
        "<div class=cookie-banner>We use cookies. <button>Accept</button></div>"
        "<footer>Copyright by those who wrote it, all rights reserved.</footer>"
    )


def _pages() -> list[Document]:
    return [parse_document(_markup(number), "https://example.com/") for number in range(_WINDOW)]


def _window() -> list[tuple[bytes, PageSummary]]:
    return [
        (bytes([number]), summarise_page(document, shipped_model()))
        for number, document in enumerate(_pages())
    ]


def _site_model_body() -> bytes:
    learner = SiteLearner("page", CONFIG)
    learner.follow(_window())
    return encode_site_model(learner.model(), CONFIG.site_model_bytes)


def _documents() -> Codec:
    site = decode_site_model(_site_model_body())
    markups = [_markup(1), "<p>One line.", "<div>" * 40 + "Deep <b>text</b>", ""]
    documents = [parse_document(markup, "https://example.com/") for markup in markups]

    def use(body: bytes) -> None:
        document = decode_document(body)
        document_columns(document)
        cleaned = clean(document, site, CONFIG)
        clean(document, None, CONFIG)
        if not document.segments.texts:
            return
        decision = cleaned.decision
        section_numbers(document, decision.kept, decision.words, CONFIG.section_penalty)
        summary = encode_page_summary(summarise_page(document, shipped_model()), "page")
        decode_page_summary(summary, body, "page")
        model = learn_voted_templates([_pages()[0], document, document])
        decode_tree_model(encode_tree_model(model))
        is_voted_template(document, model, 0.5)

    bodies = [compress_columns(document_columns(document)) for document in documents]
    return Codec((CodecError,), bodies, use)


def _summaries() -> Codec:
    window, first = _window(), compress_columns(document_columns(_pages()[0]))

    def use(body: bytes) -> None:
        summary = decode_page_summary(body, first, "page")
        learner = SiteLearner("page", CONFIG)
        mutated = (window[0][0], summary)
        learner.follow([mutated, *window[1:3]])
        learner.follow(window[1:])
        learner.follow([mutated])
        model = learner.model()
        decode_site_model(encode_site_model(model, CONFIG.site_model_bytes))

    return Codec((CodecError,), [encode_page_summary(page, "page") for _, page in window[:2]], use)


def _site_models() -> Codec:
    page = _pages()[1]

    def use(body: bytes) -> None:
        clean(page, decode_site_model(body), CONFIG)

    return Codec((CodecError,), [_site_model_body()], use)


def _tree_models() -> Codec:
    page = _pages()[1]

    def use(body: bytes) -> None:
        is_voted_template(page, decode_tree_model(body), 0.5)

    return Codec((CodecError,), [encode_tree_model(learn_voted_templates(_pages()))], use)


def _page_models() -> Codec:
    file = Path(tempfile.mkdtemp()) / "page_model.bin"

    def use(body: bytes) -> None:
        file.write_bytes(body)
        read_model_file(file)

    return Codec((SettingsProblem,), [encode_model(shipped_model())], use)


def _dictionaries() -> Codec:
    columns = [document_columns(document) for document in _pages()]
    dictionary = b"".join(columns)
    packed = Packer(dictionary).pack(columns[0])

    def use(body: bytes) -> None:
        database = MemoryDatabase(("dictionaries",))
        database.put("dictionaries", dictionary_key("site", 4), body)
        Packers(database).of("site", 4).content(packed)

    return Codec((CodecError,), [plain_frame(dictionary)], use)


def _packed_values() -> Codec:
    columns = [document_columns(document) for document in _pages()]
    packer = Packer(b"".join(columns))
    return Codec((CodecError,), [packer.pack(one) for one in columns], packer.content)


CODECS: dict[str, Callable[[], Codec]] = {
    "document": _documents,
    "page_summary": _summaries,
    "site_model": _site_models,
    "tree_model": _tree_models,
    "page_model": _page_models,
    "dictionaries": _dictionaries,
    "packed_value": _packed_values,
}
"""The codecs by name; calling one prepares it."""
