"""Command groups that import a command's module only when the command is asked for."""

from collections.abc import Mapping
from importlib import import_module

import click

from workers.errors import UsageProblem

_EXTRAS = {"sklearn": "lab", "scipy": "lab", "cssselect": "lab"}


class LazyGroup(click.Group):
    """A group of commands, each imported when it is used: importing all of them takes a second."""

    def __init__(self, *, modules: Mapping[str, str], **settings: object) -> None:
        """Name the commands.

        Args:
            modules: The module of each command by the command's name, in the order of the help
                page. The command is the module's function of the same name.
            settings: What `click.Group` takes.
        """
        super().__init__(**settings)  # type: ignore[arg-type]
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands, in the order given."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command, imported now, or None where there is none of that name."""
        if cmd_name not in self._modules:
            return None
        try:
            module = import_module(self._modules[cmd_name])
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            raise UsageProblem(
                f"{cmd_name} needs {error.name}; install templ-worker with its extra `{extra}`"
            ) from None
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command
