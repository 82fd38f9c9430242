"""A command group that imports a command's module only when the command is used."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from workers.errors import UsageProblem

_PACKAGES = {
    "console": ("aiohttp", "tinycss2"),
    "crawl": ("feedparser", "itemadapter", "protego", "scrapy", "w3lib", "warcio"),
    "inspect": ("tinycss2",),
    "kafka": ("faust", "aiokafka", "cramjam", "prometheus_client"),
    "lab": ("scipy", "sklearn"),
    "opensearch": ("opensearchpy",),
}
"""Import names of the packages that each extra of pyproject.toml installs."""

_NOT_INSTALLED = "Not installed: needs the extra `{}`."


class LazyGroup(click.Group):
    """A group of commands that are imported when they are used.

    Importing all commands would take a second. The help page needs none of them, because the group has the line of
    each.
    """

    def __init__(
        self,
        *,
        modules: Mapping[str, str],
        extras: Mapping[str, str] | None = None,
        summaries: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        """Name the commands.

        Args:
            modules: `module:function` of each command by the command's name, in the order of the
                help page. Without a function, it is the one with the command's name.
            extras: The extra of this package that a command needs, by the command's name.
            summaries: The line of a command on the help page, by the command's name. A command without
                one is imported for its line.
            settings: Arguments of `click.Group`.
        """
        super().__init__(**settings)
        self._modules = modules
        self._extras = extras or {}
        self._summaries = summaries or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands in the given order."""
        return list(self._modules)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and their lines, without importing the commands."""
        rows = [(name, self._summary(ctx, name)) for name in self._modules]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _summary(self, ctx: click.Context, name: str) -> str:
        extra = self._extras.get(name)
        if extra is not None and _missing_package(extra) is not None:
            return _NOT_INSTALLED.format(extra)
        known = self._summaries.get(name)
        if known is not None:
            return known
        command = self.get_command(ctx, name)
        return command.get_short_help_str() if command else ""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that arguments name; the error of an unknown name suggests a similar one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            for near in get_close_matches(args[0], self._modules, n=1):
                error.message += f" Did you mean {near!r}?"
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of a name, or None when there is no such command.

        A command whose extra is not installed is still on the help page; when it is used, it says
        what to install.
        """
        if cmd_name not in self._modules:
            return None
        extra = self._extras.get(cmd_name)
        if extra is not None and (package := _missing_package(extra)) is not None:
            return _refusing_command(cmd_name, extra, package)
        path, _, function = self._modules[cmd_name].partition(":")
        module = import_module(path)
        command: click.Command = getattr(module, function or cmd_name.replace("-", "_"))
        return command


def require_extra(extra: str, user: str) -> None:
    """Check that the packages of an extra are installed.

    Raises:
        UsageProblem: A package is missing.
    """
    package = _missing_package(extra)
    if package is not None:
        raise UsageProblem(_advice(user, package, extra))


def _advice(user: str, package: str, extra: str) -> str:
    return (
        f"{user} needs {package}, which is not installed: "
        f"install templ-worker with its extra `{extra}`"
    )


def _missing_package(extra: str) -> str | None:
    return next((package for package in _PACKAGES[extra] if not _is_installed(package)), None)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # faust replaces its module by one without a specification
        return True


def _refusing_command(name: str, extra: str, package: str) -> click.Command:

    def refuse() -> None:
        raise UsageProblem(_advice(name, package, extra))

    return click.Command(
        name,
        callback=refuse,
        short_help=_NOT_INSTALLED.format(extra),
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
