"""The file of PAGELEVEL's classifier: JSON with a format version."""

from typing import Any

import msgspec
import numpy as np

from templ_core.errors import CodecError
from templ_core.lab.papers.pagelevel.smoothed_classifier import SmoothedClassifier

_FORMAT = "templ-smoothed-classifier-1"
_DIGITS = 12
"""Significant digits of the numbers in a file."""


class _File(msgspec.Struct, frozen=True):
    format: str
    classifier: SmoothedClassifier


def encode_classifier(classifier: SmoothedClassifier) -> bytes:
    """Return the file of a classifier."""
    return msgspec.json.encode(_File(_FORMAT, classifier), enc_hook=_numbers)


def decode_classifier(body: bytes) -> SmoothedClassifier:
    """Read a classifier from its file.

    Raises:
        CodecError: This is no such file, or it has another format version.
    """
    try:
        file = msgspec.json.decode(body, type=_File, dec_hook=_array)
    except (msgspec.DecodeError, ValueError) as error:
        raise CodecError(f"not a PAGELEVEL classifier: {error}") from None
    if file.format != _FORMAT:
        raise CodecError(f"format {file.format!r}; this version reads {_FORMAT!r}")
    return file.classifier


def _numbers(value: Any) -> list[float]:
    return [float(f"{number:.{_DIGITS}g}") for number in value.tolist()]


def _array(_: type, value: Any) -> Any:
    return np.asarray(value, np.float64)
