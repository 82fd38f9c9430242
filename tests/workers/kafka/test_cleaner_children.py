"""How many child processes a cleaner starts."""

import os
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from workers.kafka import roles
from workers.settings import Settings


@pytest.mark.parametrize(("given", "started"), [(None, os.cpu_count()), (3, 3)])
def test_the_settings_bound_the_children_of_a_cleaner(monkeypatch, given, started):
    pool = MagicMock()
    for name in ("open_rebuildable", "CleanerApp"):
        monkeypatch.setattr(roles, name, MagicMock())
    monkeypatch.setattr(roles, "Pool", pool)
    settings = Settings(cleaner_children=given)
    config = SimpleNamespace(settings=settings, state=Path("state"), topic=str)
    with roles._cleaner(config):
        pass
    pool.assert_called_once_with(settings, children=started)
