from collections.abc import Callable

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom.document import Marks, Nodes
from templ_core.rendering.addresses import Addresses

def structure_of(
    element_types: list[tuple[str, str]],
    traits: dict[str, int],
    element_type: Int32s,
    parent: Int32s,
) -> Int32s: ...

class KeptShare:
    def __init__(
        self,
        parent: Int32s,
        end: Int32s,
        inline_from: Int32s,
        owner: Int32s,
        chars: Int64s,
        kept: Bools,
    ) -> None: ...
    def around(self, node: int) -> float: ...

class InlineWriter:
    def __init__(
        self,
        texts: list[str],
        nodes: Nodes,
        marks: Marks | None,
        addresses: Addresses,
        share: Callable[[], KeptShare],
        is_html: bool,
    ) -> None: ...
    def begin(self) -> None: ...
    def images_before(self, segment: int) -> list[tuple[int, int]]: ...
    def links(self, kept: Bools, most: int, chars_max: int) -> dict[int, tuple[str, str, bool]]: ...
    def image(self, row: int) -> str: ...
    def write(
        self, segment: int, cuts: list[tuple[int, int]] | None, is_verbatim: bool = False
    ) -> str: ...
