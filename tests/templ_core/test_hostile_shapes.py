"""Pages of each hostile shape are read and cleaned in bounded time; tests/benchmarks measures it."""

import time

import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import HostilePage
from tests.hostile_shapes import SHAPES

SIZE = 600_000
LONGEST_S = 5.0
"""Ten times what the slowest shape takes; the quadratic ones took more."""


@pytest.mark.parametrize("name", SHAPES)
def test_a_hostile_shape_is_cleaned_in_bounded_processor_time(name):
    page = SHAPES[name](SIZE)
    body = page if isinstance(page, bytes) else page.encode()
    began_s = time.process_time()
    try:
        text = clean(read_document(body, "https://example.com/"), None, CoreConfig()).text
    except HostilePage as refusal:
        text = str(refusal)
    assert time.process_time() - began_s < LONGEST_S
    assert text
