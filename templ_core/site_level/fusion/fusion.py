"""Evidence of the site and of the page in one score: linear, few inputs, no sign against sense."""

import functools
import math
from importlib import resources
from typing import Self

import msgspec

from templ_core.array_types import Bools, Floats
from templ_core.errors import CodecError
from templ_core.site_level.fusion._fusion import strongest_evidence, weighed
from templ_core.site_level.fusion.site_inputs import LENGTH, LONG_WORDS, Columns

FUSION_FORMAT = 2
SHIPPED = "fusion.json"
DECIMALS = 3
"""Log-odds are rounded, so that every machine gives the same text."""

REASON_OF = {
    "page": "page-level",
    "place": "site-place",
    "surroundings": "site-place",
    "usual content box": "site-container",
    "usual best box": "site-container",
    "in the best box": "site-container",
    "steps to the best box": "site-container",
    "headline": "headline",
    "same shape": "site-constant",
    "long same shape": "site-constant",
    "tree constant": "site-tree",
    "phrases": "site-phrases",
}
"""The name under which an input decides."""
REASONS = tuple(dict.fromkeys(REASON_OF.values()))
NEUTRAL = dict.fromkeys(REASON_OF, 0.0) | {
    "usual content box": 0.5,
    "usual best box": -0.5,
    "steps to the best box": 1.0,
}
"""What an input is when it speaks for neither side."""


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """What one input adds: weight * (input within low .. high)."""

    weight: float
    low: float
    high: float


def fused_log_odds(columns: Columns, terms: dict[str, Term], bias: float) -> Floats:
    """Log-odds for content of each segment; length n_segments."""
    return weighed(columns, terms, bias)


_SHORT, _LONG = 0.5, 2.0
"""What the log-odds of a segment of one word count, and those of one of LONG_WORDS or more; between
them it rises with the logarithm."""
_PER_LENGTH = (_LONG - _SHORT) / math.log(LONG_WORDS)


def surer_by_length(log_odds: Floats, columns: Columns) -> Floats:
    """Log-odds as they count in a cut: of the same evidence a paragraph is surer than a label.

    They are fitted without: with it, the fit trades short text of one corpus for long text of
    another.
    """
    result: Floats = log_odds * (_SHORT + _PER_LENGTH * columns[LENGTH])
    return result


class FusionModel(msgspec.Struct, frozen=True, kw_only=True):
    """Plain numbers, fitted by `templ experiments site-level`."""

    format: int
    terms: dict[str, Term]
    bias: float
    page_model: str
    """Version of the page model that the weights were fitted for; empty = for none."""
    corpora: dict[str, str]
    """Name of each training corpus, and the BLAKE2b-128 of its file."""
    quality: dict[str, float]
    """Word F1 of pages of sites left out in fitting, by corpus; 0 to 1."""

    def log_odds(self, columns: Columns) -> Floats:
        """Log-odds for content of each segment; length n_segments."""
        return fused_log_odds(columns, self.terms, self.bias)

    def reasons(self, columns: Columns, kept: Bools) -> list[str]:
        """The source of evidence that speaks most for what became of each segment."""
        sources = [REASONS.index(REASON_OF[name]) for name in self.terms]
        strongest = strongest_evidence(columns, self.terms, NEUTRAL, sources, len(REASONS), kept)
        return [REASONS[source] for source in strongest.tolist()]

    @classmethod
    def from_json(cls, body: bytes) -> Self:
        """The model in a file.

        Raises:
            CodecError: not a fusion model, or of another format.
        """
        try:
            model = msgspec.json.decode(body, type=cls)
        except msgspec.DecodeError as error:
            raise CodecError(f"not a fusion model: {error}") from None
        if model.format != FUSION_FORMAT:
            raise CodecError(f"fusion model of format {model.format}, known is {FUSION_FORMAT}")
        return model


UNFITTED = FusionModel(
    format=FUSION_FORMAT,
    terms={
        "page": Term(weight=0.15, low=-4.0, high=4.0),
        "place": Term(weight=0.33, low=-6.0, high=6.0),
        "surroundings": Term(weight=0.27, low=-4.0, high=4.0),
        "headline": Term(weight=3.0, low=0.0, high=1.0),
    },
    bias=0.0,
    page_model="",
    corpora={},
    quality={},
)
"""The weights that need no fitting, which a fit starts from and is drawn to.

The log-odds of the page, of the place and of its surroundings are three views of one thing, so they
count three quarters together, those of the page least. A headline is content unless much speaks
against it. On stream and more_sites, with the shipped page model, these weights give a word F1
within 0.005 of the fitted ones.
"""


def fusion_for(page_model_version: str) -> FusionModel:
    """Return the weights for the log-odds of a page model.

    The shipped weights are used only with the page model that they were fitted for; every other
    page model gets the unfitted ones.

    >>> fusion_for("a page model of my own") is UNFITTED
    True
    """
    shipped = shipped_fusion()
    return shipped if shipped.page_model == page_model_version else UNFITTED


@functools.cache
def shipped_fusion() -> FusionModel:
    """Return the weights that come with the package; read once."""
    return FusionModel.from_json(resources.files(__package__).joinpath(SHIPPED).read_bytes())
