from lxml.etree import _Element

from templ_core.array_types import Int32s

def flatten(
    root: _Element, host: str, aside: tuple[bytes, bytes] = (b"", b"")
) -> tuple[list[tuple[str, str]], Int32s, list[str], Int32s, int, str] | None: ...
