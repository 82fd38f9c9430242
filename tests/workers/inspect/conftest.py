import pytest


@pytest.fixture(scope="module")
def state(cleaned):
    """A state directory with what was learned of the sites of a feed."""
    return cleaned.parent / "state"
