from templ_core.array_types import Bools, Int32s, Int64s

def numbers_of_types(element_types: list[tuple[str, str]], values: dict[str, int]) -> Int32s: ...
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
