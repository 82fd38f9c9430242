"""Settings as the environment and a TOML file give them."""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workers.errors import SettingsProblem
from workers.setting_values import SettingType

PREFIX = "TEMPL_"
"""Text before the name of each environment variable."""
SETTINGS_FILE = "TEMPL_SETTINGS"
"""Environment variable that names a TOML file of settings."""
_FILE = "_file"
"""Text after the name of a secret, for the name of the file that holds it."""
_LIKENESS = 0.5
"""Least likeness of a name to a setting's, as difflib measures it, at which that setting is proposed."""
_SERVICE_LINK = re.compile(r"(?:.*_)?(?:service_host|service_port(?:_.*)?|port(?:_\d+_.*)?)")
"""Names of variables that Kubernetes makes of services, such as one that is called `templ`."""


class GivenSetting(NamedTuple):
    """A setting that is not left at its default."""

    value: Any
    origin: str
    """Where it is given: the environment variable, or the file and its key."""


def given_settings(
    environment: Mapping[str, str], types: Mapping[str, SettingType]
) -> dict[str, GivenSetting]:
    """Return the settings that are given by the environment, or by the TOML file that it names.

    The environment goes before the file, and an empty variable is none.

    Args:
        environment: The environment variables.
        types: What the values of each setting are, by name.

    Raises:
        SettingsProblem: A value cannot be used, or a name is unknown. The message has a line for each.
    """
    problems: list[str] = []
    found: dict[str, GivenSetting] = {}
    for source in (_of_file(environment), _of_variables(environment, types)):
        given: dict[str, GivenSetting] = {}
        for name, origin, value in source:
            if value == "":
                continue
            try:
                key, read = _read(name, origin, value, types)
            except ValueError as error:
                problems.append(f"{origin}{_shown(name, value, types)}: {error}")
                continue
            if key in given:
                problems.append(f"{origin} and {given[key].origin} are both given; give one only")
            given[key] = GivenSetting(read, origin)
        found |= given
    refuse_settings(problems)
    return found


def refuse_settings(problems: list[str]) -> None:
    """Raise `SettingsProblem` if there are problems; its message has a line for each."""
    if problems:
        raise SettingsProblem("\ntempl: ".join(problems))


def _of_file(environment: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    """Yield name, origin and value of each setting in the TOML file, if there is one."""
    path = environment.get(SETTINGS_FILE)
    if not path:
        return
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsProblem(f"{SETTINGS_FILE}={path}: {error.strerror}") from None
    except ValueError as error:
        raise SettingsProblem(f"{path} is not TOML: {error}") from None
    for name, value in content.items():
        yield name, f"{path}: {name}", value


def _of_variables(
    environment: Mapping[str, str], types: Mapping[str, SettingType]
) -> Iterator[tuple[str, str, object]]:
    """Yield name, origin and value of each setting in the environment."""
    in_kubernetes = "KUBERNETES_SERVICE_HOST" in environment
    for variable, text in sorted(environment.items()):
        if not variable.startswith(PREFIX) or variable == SETTINGS_FILE:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if in_kubernetes and _SERVICE_LINK.fullmatch(name) and _setting_of(name, types) is None:
            continue
        yield name, variable, text


def _setting_of(name: str, types: Mapping[str, SettingType]) -> str | None:
    """Return the setting that a name gives, be it as a value or as the file of a secret."""
    if name in types:
        return name
    secret = name.removesuffix(_FILE)
    return secret if secret != name and secret in types and types[secret].is_secret else None


def _read(
    name: str, origin: str, value: object, types: Mapping[str, SettingType]
) -> tuple[str, Any]:
    """Return the setting that a name gives, and its value.

    Raises:
        ValueError: There is no such setting, or the value cannot be used; the message says which.
    """
    key = _setting_of(name, types)
    if key is None:
        names = [*types, *(one + _FILE for one, kind in types.items() if kind.is_secret)]
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=_LIKENESS)
        proposed = PREFIX + near[0].upper() if near and origin.startswith(PREFIX) else near[:1]
        hint = f"do you mean {''.join(proposed)}? " if near else ""
        raise ValueError(f"there is no such setting; {hint}`templ settings` lists all")
    if key != name:
        try:
            value = Path(str(value)).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ValueError(error.strerror) from None
    return key, types[key].read(value)


def _shown(name: str, value: object, types: Mapping[str, SettingType]) -> str:
    """Return the value for a message; that of an unknown name may be a secret and is left out."""
    key = _setting_of(name, types)
    if key is None or (name == key and types[key].is_secret):
        return ""
    return f"={value!r}"
