"""Command groups that import a command's module only when the command is asked for."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

import click

from workers.errors import UsageProblem

_PACKAGES = {
    "kafka": ("faust", "aiokafka", "cramjam", "prometheus_client"),
    "lab": ("cssselect", "scipy", "sklearn"),
}
"""The packages that each extra of pyproject.toml installs, as they are imported."""


class LazyGroup(click.Group):
    """A group of commands, each imported when it is used: importing all of them takes a second."""

    def __init__(
        self,
        *,
        modules: Mapping[str, str],
        extras: Mapping[str, str] | None = None,
        **settings: object,
    ) -> None:
        """Name the commands.

        Args:
            modules: The module of each command by the command's name, in the order of the help
                page. The command is the module's function of the same name.
            extras: The extra of this package that a command needs, by the command's name.
            settings: What `click.Group` takes.
        """
        super().__init__(**settings)  # type: ignore[arg-type]
        self._modules = modules
        self._extras = extras or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands, in the order given."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command, imported now, or None where there is none of that name.

        A command whose extra is not installed still stands in the help page; used, it says what to
        install.
        """
        if cmd_name not in self._modules:
            return None
        extra = self._extras.get(cmd_name)
        if extra is not None and (package := _missing(extra)) is not None:
            return _without_extra(cmd_name, extra, package)
        module = import_module(self._modules[cmd_name])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command


def _missing(extra: str) -> str | None:
    """Return the first package of an extra that is not installed, None when all are."""
    return next((package for package in _PACKAGES[extra] if find_spec(package) is None), None)


def _without_extra(name: str, extra: str, package: str) -> click.Command:
    def refuse() -> None:
        raise UsageProblem(
            f"{name} needs {package}, which is not installed: "
            f"install templ-worker with its extra `{extra}`"
        )

    return click.Command(
        name,
        callback=refuse,
        short_help=f"Not installed: needs the extra `{extra}`.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
