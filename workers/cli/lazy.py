"""Command groups whose commands are imported when they are asked for."""

from importlib import import_module

import click

from workers.errors import UsageProblem

_EXTRA = ("sklearn", "scipy")


class LazyGroup(click.Group):
    """A group of commands, each in a module of its name; what a command needs may take a second."""

    def __init__(self, *, package: str, commands: tuple[str, ...], **settings: object) -> None:
        super().__init__(**settings)
        self._package = package
        self._commands = commands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the commands, in the order given."""
        return list(self._commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in self._commands:
            return None
        name = cmd_name.replace("-", "_")
        try:
            module = import_module(f"{self._package}.{name}")
        except ModuleNotFoundError as error:
            if error.name not in _EXTRA:
                raise
            raise UsageProblem(
                f"{cmd_name} needs {error.name}; install templ-worker with its extra `train`"
            ) from None
        command: click.Command = getattr(module, name)
        return command
