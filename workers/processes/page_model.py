"""The page model in use: the one that comes with the package, or a team's own from a file."""

import logging
from pathlib import Path

from templ_core.clean import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import decode_model, shipped_model
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.fusion.fusion import UNFITTED, fusion_for
from workers.errors import UsageProblem

_log = logging.getLogger(__name__)
_TRIAL = b"<title>A title</title><h1>A title</h1><p>Some words, and <a href=/>a link</a>.</p>"


def read_model_file(path: Path | None) -> bytes:
    """Return the bytes of a page model that works with this version; none for the shipped one.

    A warning says when the shipped weights of the site level were fitted for another page model.

    Raises:
        UsageProblem: the file cannot be read, is no page model, is damaged, or does not fit.
    """
    if path is None:
        return b""
    try:
        body = path.read_bytes()
    except OSError as error:
        raise UsageProblem(
            f"page model {path}: {error.strerror}; name a file of `templ train`"
        ) from None
    try:
        model = decode_model(body)
    except CodecError as error:
        raise UsageProblem(f"page model {path}: {error}; name a file of `templ train`") from None
    _try_out(path, model)
    if fusion_for(model.version) is UNFITTED:
        _log.warning(
            "page model %s: the site level's weights were fitted for another page model; "
            "unfitted weights take their place",
            path,
        )
    return body


def page_model_of(body: bytes) -> PageModel:
    """The page model in bytes that `read_model_file` gave."""
    return decode_model(body) if body else shipped_model()


def _try_out(path: Path, model: PageModel) -> None:
    """Clean one small page: a model fitted on other features than this version's fails here."""
    try:
        clean(read_document(_TRIAL, "https://example.com/"), None, CoreConfig(), model)
    except (ValueError, IndexError, TypeError, KeyError) as error:
        raise UsageProblem(
            f"page model {path}: does not fit this version of templ ({error}); train it anew"
        ) from None
