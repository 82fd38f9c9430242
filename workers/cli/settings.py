"""`templ settings`: list all settings of a deployment."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import click
import msgspec

from workers.setting_values import SettingType
from workers.settings import PREFIX, GivenSetting, Settings, setting_types, settings_from_outside

_WIDTH = 100
_PLAIN_BOUNDS = {"", "true, false", "more than 0", "at least 1"}
"""Bounds that the page of the settings names once for all settings."""
_PAGE = """# Settings

`templ settings --as markdown` prints this page.

A setting is given by its environment variable, or by its name in lower case without `TEMPL_` in the TOML file that
the variable `TEMPL_SETTINGS` names; the environment takes precedence. `templ settings` lists all settings with what this
environment gives, and `--as toml` prints a file with all defaults.

Sizes are bytes or texts such as `2GiB`. Times are texts such as `14d` or `90s`, or numbers of the unit at the end of the
name. A secret may be in a file that its variable with `_FILE` added names; no log and no list shows it.

An unknown `TEMPL_` variable or key, a value out of bounds, and settings that contradict each other stop the start with
exit code 78. Variables that Kubernetes sets for a service called `templ` are ignored.

Each setting is listed with its default, if it has one, and its bounds. Where there are none, a number must be more
than 0, and a switch true or false.
"""


class ListedSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting as it is listed."""

    name: str
    variable: str
    """Environment variable that gives it."""
    unit: str
    """Unit of a number; empty for what has none."""
    default: str
    bounds: str
    meaning: str
    value: str
    """The value in this environment; secrets are masked."""
    origin: str
    """Where the value is given; empty for the default."""


@click.command(name="settings")
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "json", "markdown", "toml"]),
    default="text",
    show_default=True,
    help="`toml` prints a file with all settings at their defaults, for TEMPL_SETTINGS to name.",
)
def settings_command(form: str) -> None:
    """List all settings with unit, default, bounds and meaning, and what this environment gives.

    A setting is given by its environment variable, or by its name in the TOML file that the variable
    TEMPL_SETTINGS names; the environment takes precedence. Sizes are numbers of bytes or texts such as 2GiB,
    times are numbers of the unit or texts such as 14d. The variable of a secret with _FILE added names
    a file that holds it.
    """
    listed = list(listed_settings(settings_from_outside()))
    if form == "json":
        click.echo(msgspec.json.encode(listed))
    else:
        lines = {"text": _text, "markdown": _list_item, "toml": _toml}[form]
        if form == "markdown":
            click.echo(_PAGE)
        click.echo("\n".join(line for setting in listed for line in lines(setting)))


def listed_settings(given: dict[str, GivenSetting]) -> Iterator[ListedSetting]:
    """Yield all settings in the order of their definition."""
    meanings = field_docs(Settings)
    for name, kind in setting_types().items():
        default = getattr(Settings(), name)
        own = given.get(name, GivenSetting(default, ""))
        yield ListedSetting(
            name=name,
            variable=PREFIX + name.upper(),
            unit=kind.unit.name if kind.unit else "",
            default=kind.show(default) or '""',
            bounds=kind.bounds(),
            meaning=" ".join(meanings[name].split()),
            value=kind.show(own.value),
            origin=own.origin,
        )


def field_docs(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the docstring of each field of a type as it is written, by name."""
    (definition,) = ast.parse(inspect.getsource(kind)).body
    values = {}
    body: list[Any] = definition.body  # type: ignore[attr-defined]
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            values[field.target.id] = str(text.value.value)
    return values


def _facts(setting: ListedSetting) -> str:
    facts = (setting.unit, f"default {setting.default}", setting.bounds)
    return "; ".join(filter(None, facts))


def _text(setting: ListedSetting) -> Iterator[str]:
    yield f"{setting.variable}  ({_facts(setting)})"
    yield from textwrap.wrap(
        setting.meaning, _WIDTH, initial_indent="    ", subsequent_indent="    "
    )
    if setting.origin:
        yield f"    Here: {setting.value}, by {setting.origin}"


def _list_item(setting: ListedSetting) -> Iterator[str]:
    default = "" if setting.default == "none" else f"={setting.default}"
    bounds = "" if setting.bounds in _PLAIN_BOUNDS else f" ({setting.bounds})"
    yield f"* `{setting.variable}{default}`{bounds}: {setting.meaning}"


def _toml(setting: ListedSetting) -> Iterator[str]:
    yield from textwrap.wrap(setting.meaning, _WIDTH, initial_indent="# ", subsequent_indent="# ")
    unit, bounds = setting.unit, setting.bounds
    yield f"# {unit}; {bounds}".replace("# ; ", "# ") if unit or bounds else "#"
    yield f"# {setting.name} = {_toml_value(setting, setting_types()[setting.name])}\n"


def _toml_value(setting: ListedSetting, kind: SettingType) -> str:
    default = getattr(Settings(), setting.name)
    if isinstance(default, bool) or (
        isinstance(default, int | float) and not (kind.unit and kind.unit.sizes)
    ):
        return setting.default
    return '""' if default is None or not default else f'"{setting.default}"'
