from collections.abc import Callable

from templ_core.array_types import UInt64s

def known_rows(
    element_types: list[tuple[str, str]], row_of: Callable[[str, str], bytes]
) -> UInt64s: ...
