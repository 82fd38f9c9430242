"""A hundred mutations of each stored value; `python -m tests.faults.mutated_values` makes 20 000."""

import pytest

from tests.faults.mutated_values import report
from tests.faults.stored_values import CODECS


@pytest.mark.parametrize("codec", CODECS)
def test_mutated_values_are_refused_or_read_and_never_kill_the_process(codec):
    codec_report = report(codec, cases=100, seed=15)
    assert (codec_report.tally.others, codec_report.deaths) == (0, 0), codec_report.errors
    assert codec_report.tally.refused + codec_report.tally.read == 100
    assert codec_report.tally.refused
    assert codec_report.peak_mib <= 256
