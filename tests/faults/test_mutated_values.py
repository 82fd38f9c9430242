"""A hundred mutations of each stored value; `python -m tests.faults.mutated_values` makes 20 000."""

import pytest

from tests.faults.mutated_values import report
from tests.faults.stored_values import CODECS


@pytest.mark.parametrize("codec", CODECS)
def test_mutated_values_are_refused_or_read_and_never_kill_the_process(codec):
    found = report(codec, cases=100, seed=15)
    assert (found.tally.others, found.deaths) == (0, 0), found.errors
    assert found.tally.refused + found.tally.read == 100
    assert found.tally.refused
    assert found.peak_mib <= 256
