import pytest


@pytest.fixture(scope="module")
def state(templ, feed, tmp_path_factory):
    """A state directory with what was learned of the sites of a feed."""
    folder = tmp_path_factory.mktemp("inspect")
    templ("run", feed, "--out", folder / "out.jsonl", "--state", folder / "state")
    return folder / "state"
