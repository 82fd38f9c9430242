from collections.abc import Callable

from templ_core.array_types import Int32s, Int64s

def token_spans(text: str, *, markup: bool) -> Int64s: ...

class TokenNumbers:
    def __init__(
        self, number_of: Callable[[str], int], *, border: int, remembered_max: int
    ) -> None: ...
    def read(self, texts: list[str], *, markup: bool = ...) -> tuple[Int32s, Int32s]: ...
