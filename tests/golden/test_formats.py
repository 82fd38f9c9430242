"""What earlier versions have stored is read as before."""

import json

import pytest

from tests.golden.formats import FIXTURES, FOLDER, plain


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_stored_format_is_read_as_before(fixture):
    values = plain(fixture.read(fixture.path.read_bytes()))
    assert values == json.loads(fixture.values_path.read_text("utf-8"))


def test_every_fixture_is_of_a_format_that_is_read():
    names = {path.stem for path in FOLDER.iterdir()}
    assert names == {fixture.name for fixture in FIXTURES}
