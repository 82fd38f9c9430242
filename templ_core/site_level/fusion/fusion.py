"""One score from the evidence of page and site: linear, with few inputs, none against its sense."""

import functools
from pkgutil import get_data
from typing import Self

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import Confidence
from templ_core.site_level.fusion import site_columns as names
from templ_core.site_level.fusion.site_columns import SiteColumns

FUSION_FORMAT = 3
_FILE_NAME = "fusion.json"
STRING_INPUT_MAX = 10.0
"""Above every value of the inputs that say what strings of the site are on a page."""


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """What one input adds to the score: weight * (input, cut off at low and high)."""

    weight: float
    low: float
    high: float


class FusionModel(msgspec.Struct, frozen=True, kw_only=True):
    """A fusion as `templ experiments site-level` fits it: plain numbers."""

    format: int
    """FUSION_FORMAT."""
    terms: dict[str, Term]
    """The terms by the name of their input."""
    bias: float
    """What is added to the sum of all terms."""
    confidence: Confidence | None
    """The confidence of pages of known sites; None = that of the page model."""
    page_model: str
    """Version of the page model that the weights were fitted for; empty if for none."""
    corpora: dict[str, str]
    """BLAKE2b-128 of the file of each training corpus, by the name of the corpus."""
    quality: dict[str, float]
    """Word F1, 0 to 1, on pages of sites that were left out of the fit, by corpus."""

    def reasons(self, columns: SiteColumns, kept: Bools) -> list[str]:
        """Return, for each segment, the reason that speaks most for its decision."""
        strengths = {reason: np.zeros(len(kept)) for reason in names.REASONS}
        side = np.where(kept, 1.0, -1.0)
        for name, term in self.terms.items():
            fusion_input = names.FUSION_INPUTS[name]
            strength = side * (term.weight * (columns[name] - fusion_input.neutral))
            if name == names.PLACE:
                strengths[names.REASON_TREE] += columns[names.BY_TREE] * strength
                strength *= 1 - columns[names.BY_TREE]
            strengths[fusion_input.reason] += strength
        strongest = np.argmax(list(strengths.values()), axis=0)
        return [names.REASONS[number] for number in strongest.tolist()]

    @classmethod
    def from_json(cls, body: bytes) -> Self:
        """Return the model in a file.

        Raises:
            CodecError: The file is no fusion model, or one of another format.
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
        names.PAGE: Term(weight=0.15, low=-4.0, high=4.0),
        names.PLACE: Term(weight=0.33, low=-6.0, high=6.0),
        names.SURROUNDINGS: Term(weight=0.27, low=-4.0, high=4.0),
        names.HEADLINE: Term(weight=3.0, low=0.0, high=1.0),
        names.USUAL_STRING: Term(weight=-0.42, low=0.0, high=STRING_INPUT_MAX),
        names.FEW_COVER: Term(weight=-3.3, low=0.0, high=STRING_INPUT_MAX),
        names.SOME_COVER: Term(weight=-2.2, low=0.0, high=STRING_INPUT_MAX),
        names.FEW_COVER_OF_RECORDS: Term(weight=-3.2, low=0.0, high=STRING_INPUT_MAX),
        names.SOME_COVER_OF_RECORDS: Term(weight=-2.1, low=0.0, high=STRING_INPUT_MAX),
        names.LINKS_AGAIN: Term(weight=-5.0, low=0.0, high=STRING_INPUT_MAX),
    },
    bias=0.0,
    confidence=None,
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
    """Return the weights that come with the package; they are read once."""
    return FusionModel.from_json(get_data(__package__, _FILE_NAME) or b"")
