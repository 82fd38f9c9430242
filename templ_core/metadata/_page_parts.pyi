from collections.abc import Iterable

from templ_core.array_types import Bools
from templ_core.dom.document import Document

class PageParts:
    anchor: int
    """The segment from which it is measured how near something stands."""
    near: list[int]
    """The short texts beside the headline, without headings, and those that were given as placed, the nearest first."""
    def __init__(
        self,
        document: Document,
        headline: int | None,
        kept: Bools | None,
        placed: Iterable[int] = ...,
    ) -> None: ...
    def is_elsewhere(self, segment: int) -> bool: ...
    def is_node_elsewhere(self, node: int) -> bool: ...
    def of_page(self, names: list[str]) -> list[str]: ...
    def nearness(self, segment: int) -> tuple[bool, int]: ...

def top_headings(document: Document, tag: str = ...) -> list[str]: ...
def heading_at(document: Document, title: str) -> int | None: ...
