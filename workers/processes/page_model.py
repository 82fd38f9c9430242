"""The page model in use, which comes with the package or from a user's own file."""

import logging
from pathlib import Path

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import decode_model, shipped_model
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.fusion.fusion import UNFITTED, fusion_for
from workers.errors import SettingsProblem

log = logging.getLogger("templ")

_TRIAL = b"<title>A title</title><h1>A title</h1><p>Some words, and <a href=/>a link</a>.</p>"


def read_model_file(path: Path | None) -> bytes:
    """Return the bytes of a page model file that works with this version; empty for the shipped one, which is None.

    A warning is logged when the shipped weights of the site level were fitted for another page model.

    Raises:
        SettingsProblem: The file cannot be used, see `usable_model_file`.
    """
    if path is None:
        return b""
    body = usable_model_file(path)
    if not has_fitted_weights(body):
        log.warning(
            "page model %s: the site level's weights were fitted for another page model; "
            "unfitted weights take their place",
            path,
        )
    return body


def usable_model_file(path: Path) -> bytes:
    """Return the bytes of a page model file.

    Raises:
        SettingsProblem: The file cannot be read, is not a page model, is damaged, or was trained for
            another version of templ.
    """
    try:
        body = path.read_bytes()
        model = decode_model(body)
    except (OSError, CodecError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SettingsProblem(
            f"page model {path}: {reason}; give a file that `templ train` wrote"
        ) from None
    try:  # a model that was fitted on other features than this version's fails
        clean(read_document(_TRIAL, "https://example.com/"), None, CoreConfig(), model)
    except (ValueError, IndexError, TypeError, KeyError) as error:
        raise SettingsProblem(
            f"page model {path}: does not fit this version of templ ({error}); train it again"
        ) from None
    return body


def has_fitted_weights(body: bytes) -> bool:
    """Return whether the shipped weights of the site level were fitted for a page model."""
    return fusion_for(page_model_of(body).version) is not UNFITTED


def page_model_of(body: bytes) -> PageModel:
    """Return the page model in the bytes that `read_model_file` returned."""
    return decode_model(body) if body else shipped_model()
