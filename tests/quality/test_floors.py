"""Quality on a corpus of the project's own may not fall; floors lie 0.003 below what was measured.

Raise them when quality rises: `python -m tests.quality.small_corpus` prints today's values.
"""

from tests.quality.small_corpus import measure

WORD_F1_MIN = 0.9929
TEMPLATE_F_MIN = 0.9852
REPEATED_TEXT_MAX = 0.003


def test_quality_has_not_slipped():
    quality = measure()
    assert quality.word_f1 >= WORD_F1_MIN
    assert quality.template_f >= TEMPLATE_F_MIN
    assert quality.repeated_text <= REPEATED_TEXT_MAX
