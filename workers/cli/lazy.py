"""A command group that imports a command's module only when the command is used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from workers.errors import UsageProblem

_EXTRAS = {"sklearn": "lab", "scipy": "lab", "cssselect": "lab"}
"""Packages that are not part of the base install, and the extra that installs them."""


class LazyGroup(click.Group):
    """A group of commands, each of which is imported when it is used.

    Importing all commands would take a second.
    """

    def __init__(self, *, modules: Mapping[str, str], **settings: Any) -> None:
        """Name the commands.

        Args:
            modules: `module:function` of each command by the command's name, in the order
                of the help page. Without a function, it is the one with the command's name.
            settings: Arguments of `click.Group`.
        """
        super().__init__(**settings)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands in the given order."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of a name, or None when there is no such command."""
        if cmd_name not in self._modules:
            return None
        path, _, function = self._modules[cmd_name].partition(":")
        try:
            module = import_module(path)
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            raise UsageProblem(
                f"{cmd_name} needs {error.name}; install templ-worker with its extra `{extra}`"
            ) from None
        command: click.Command = getattr(module, function or cmd_name.replace("-", "_"))
        return command
