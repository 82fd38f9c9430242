"""What earlier versions have stored is read as before."""

import pytest

from tests.golden.formats import FIXTURES, FOLDER, as_json


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_stored_format_is_read_as_before(fixture):
    values = as_json(fixture.read(fixture.path.read_bytes()))
    assert values == fixture.values_path.read_text("utf-8")


def test_every_fixture_is_of_a_format_that_is_read():
    names = {path.stem for path in FOLDER.iterdir()}
    assert names == {fixture.name for fixture in FIXTURES}
