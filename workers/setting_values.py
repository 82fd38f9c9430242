"""Values of settings as people write them: sizes such as `2GiB`, times such as `14d`, lists and files."""

import re
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from templ_core.patterns import pattern

_NUMBER_AND_UNIT = pattern(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)", re.IGNORECASE)
_WORDS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


class Unit(msgspec.Struct, frozen=True):
    """The unit of a number, and the larger and smaller units in which people may write it."""

    name: str
    """The unit of a number without a unit, in the plural."""
    sizes: dict[str, float]
    """How many of it each written unit is, in the order in which a value is shown."""


BYTES = Unit(
    "bytes",
    {
        "TiB": 1 << 40, "GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10,
        "TB": 10**12, "GB": 10**9, "MB": 10**6, "kB": 10**3, "B": 1,
    },
)  # fmt: skip
"""Numbers of bytes."""
SECONDS = Unit("seconds", {"d": 86400, "h": 3600, "min": 60, "s": 1, "ms": 0.001, "m": 60})
"""Times in seconds."""
MILLISECONDS = Unit("milliseconds", {name: size * 1000 for name, size in SECONDS.sizes.items()})
"""Times in milliseconds."""
PER_SECOND = Unit("per second", {})
"""Numbers per second."""
PAGES = Unit("pages", {})
"""Numbers of pages."""


def number_of(unit: Unit, **bounds: Any) -> msgspec.Meta:
    """Return the annotation of a number that has a unit and bounds."""
    return msgspec.Meta(extra={"unit": unit}, **bounds)


SECRET = msgspec.Meta(extra={"secret": True})
"""The annotation of a value that no log and no list may show."""
LONG_SECRET = msgspec.Meta(extra={"secret": True}, min_length=16)
"""The annotation of a secret that must not be guessed."""


class SettingType(msgspec.Struct, frozen=True):
    """What the type annotation of a setting says about its values."""

    annotation: Any
    base: Any
    """The type without None and without annotations, such as `int`."""
    meta: msgspec.Meta | None = None

    @classmethod
    def of(cls, annotation: Any) -> "SettingType":
        """Return what an annotation says."""
        base, meta = annotation, None
        while True:
            if get_origin(base) is Annotated:
                base, *metas = get_args(base)
                meta = metas[0]
            elif NoneType in get_args(base):
                (base,) = (kind for kind in get_args(base) if kind is not NoneType)
            else:
                return cls(annotation, base, meta)

    @property
    def unit(self) -> Unit | None:
        """The unit of a number; None for a value without one."""
        unit: Unit | None = self._extra("unit")
        return unit

    @property
    def is_secret(self) -> bool:
        """Whether the value must not be shown."""
        return bool(self._extra("secret"))

    def _extra(self, name: str) -> Any:
        return self.meta.extra.get(name) if self.meta and self.meta.extra else None

    def read(self, value: object) -> Any:
        """Return the value that a text of the environment, or a value of TOML, stands for.

        Raises:
            ValueError: It stands for no value of this setting; the message says what is needed.
        """
        try:
            plain = self._plain(value) if isinstance(value, str) else value
            if self.base is bool and isinstance(plain, int):
                plain = str(plain).lower()
            return msgspec.convert(plain, self.annotation, strict=False, dec_hook=_from_text)
        except (msgspec.ValidationError, ValueError, TypeError):
            raise ValueError(f"needs {self.needed()}") from None

    def _plain(self, text: str) -> object:
        text = text.strip()
        if self.base is bool:
            return _WORDS.get(text.lower(), text)
        if get_origin(self.base) is frozenset:
            return [part.strip() for part in text.split(",") if part.strip()]
        if self.unit is not None:
            return _in_unit(text, self.unit, whole=self.base is int)
        return text

    def show(self, value: object) -> str:
        """Return a value as people write it; a secret is masked."""
        if value is None or value == frozenset():
            return "none"
        if self.is_secret:
            return "******"
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, frozenset):
            return ",".join(sorted(value))
        if isinstance(value, int | float):
            return _written(value, self.unit)
        return str(value)

    def bounds(self) -> str:
        """Return the bounds of a number or the possible words; empty where anything goes."""
        if self.base is bool:
            return "true, false"
        choices = self._choices()
        if choices:
            return ", ".join(choices)
        if form := self._extra("form"):
            return str(form)
        words = {
            "gt": "more than {}",
            "ge": "at least {}",
            "lt": "less than {}",
            "le": "at most {}",
            "min_length": "at least {} characters",
        }
        bounds = [
            text.format(_written(bound, self.unit))
            for name, text in words.items()
            if (bound := getattr(self.meta, name, None)) is not None
        ]
        return " and ".join(bounds)

    def needed(self) -> str:
        """Return what a value has to be, for an error message."""
        kinds = {int: "a whole number", float: "a number", bool: "one of", str: "a text"}
        kind = kinds.get(self.base, "a file name" if self.base is Path else "one of")
        if get_origin(self.base) is frozenset:
            kind = "some of"
        bounds = self.bounds()
        if self.unit is not None:
            kind += f" of {self.unit.name}" if self.unit.sizes else f" ({self.unit.name})"
            examples = {"bytes": " or a size such as 64MiB"}
            kind += (examples.get(self.unit.name) or " or a time such as 90s") * bool(
                self.unit.sizes
            )
        is_list = self.base is bool or self._choices()
        return f"{kind} {bounds}" if is_list else f"{kind}, {bounds}" if bounds else kind

    def _choices(self) -> list[str]:
        words = get_args(self.base)[0] if get_origin(self.base) is frozenset else self.base
        return list(get_args(words)) if get_origin(words) is Literal else []


def _in_unit(text: str, unit: Unit, *, whole: bool) -> int | float:
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    number, written = float(match[1]), match[2]
    if not written:
        return int(match[1]) if whole else number
    sizes = {name.lower(): size for name, size in unit.sizes.items()}
    if written.lower() not in sizes:
        raise ValueError(text)
    value = number * sizes[written.lower()]
    return round(value) if whole and value == round(value) else value


def _written(value: float, unit: Unit | None) -> str:
    """Return a number in the largest unit in which it is whole."""
    for name, size in unit.sizes.items() if unit is not None and value else ():
        if size > 0 and value % size == 0:
            return f"{value / size:g}{name}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _from_text(wanted: type[Any], value: object) -> Any:
    """Make what msgspec does not know, which is a path, of its text."""
    if isinstance(value, str | wanted):
        return wanted(value)
    raise ValueError(value)
