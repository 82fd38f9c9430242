import importlib
import sys

import pytest


def test_the_steps_for_datatrove_say_which_extra_they_need(monkeypatch):
    monkeypatch.setitem(sys.modules, "datatrove", None)
    for name in [one for one in sys.modules if one.startswith("datatrove.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "workers.engines.datatrove_steps", raising=False)
    with pytest.raises(
        ModuleNotFoundError, match="install templ-worker with its extra `datatrove`"
    ):
        importlib.import_module("workers.engines.datatrove_steps")
