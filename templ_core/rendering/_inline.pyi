from collections.abc import Callable

from templ_core.array_types import Bools
from templ_core.dom.document import Nodes
from templ_core.dom.marks import Marks
from templ_core.rendering._structure import KeptShare
from templ_core.rendering.addresses import Addresses

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
