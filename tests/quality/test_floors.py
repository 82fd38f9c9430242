"""Quality on a corpus of the project's own may not fall; floors lie 0.003 below what was measured.

Raise them when quality rises: `python -m tests.quality.small_corpus` prints today's values.
"""

from functools import partial

import msgspec
import pytest

from templ_core.config import CoreConfig
from templ_core.site_level.fusion.fusion import shipped_fusion
from tests.quality.small_corpus import measure

WORD_F1_MIN = 0.9929
TEMPLATE_F_MIN = 0.9852
REPEATED_TEXT_MAX = 0.003


def slipped(quality):
    found = {
        "word F1": quality.word_f1 < WORD_F1_MIN,
        "template F": quality.template_f < TEMPLATE_F_MIN,
        "repeated text": quality.repeated_text > REPEATED_TEXT_MAX,
    }
    return {name for name, is_so in found.items() if is_so}


def test_quality_has_not_slipped():
    quality = measure()
    assert not slipped(quality), quality


def without_site_evidence(fusion):
    terms = {name: msgspec.structs.replace(term, weight=0.0) for name, term in fusion.terms.items()}
    return msgspec.structs.replace(fusion, terms=terms)


def with_template(fusion):
    return msgspec.structs.replace(fusion, bias=20.0)


@pytest.mark.parametrize(
    ("worsened", "finds"),
    [
        (without_site_evidence, {"word F1", "template F", "repeated text"}),
        (with_template, {"word F1", "template F", "repeated text"}),
    ],
)
def test_worse_weights_are_found(monkeypatch, worsened, finds):
    fusion = worsened(shipped_fusion())
    monkeypatch.setattr("templ_core.clean_document.fusion_for", lambda version: fusion)
    assert slipped(measure()) == finds


def test_a_worse_threshold_is_found(monkeypatch):
    worse = partial(CoreConfig, f1_recall_share=0.2)
    monkeypatch.setattr("templ_core.site_cleaner.site_cleaner.CoreConfig", worse)
    assert "word F1" in slipped(measure())
