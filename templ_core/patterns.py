"""Regular expressions that are compiled when they are first used.

A process needs few of the hundred that its modules name, and to compile all of them takes as long as to
import NumPy. The library's own cache does not help: it compiles what it is given.
"""

import re
from typing import Any, AnyStr, cast


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    r"""Return what `re.compile` returns, in all but its type.

    Raises:
        re.error: The source is no regular expression; raised by the first use.

    >>> pattern(r"\d+").findall("3 of 14")
    ['3', '14']
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


class _Pattern:
    """Behaves like a `re.Pattern`; each attribute is taken from a compiled one at its first use."""

    def __init__(self, source: Any, flags: int) -> None:
        self._given = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._given)
        self.__dict__.update(
            {name: getattr(compiled, name) for name in dir(compiled) if name[0] != "_"}
        )
        return getattr(compiled, name)
