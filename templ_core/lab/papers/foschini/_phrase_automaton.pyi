from collections.abc import Iterable, Sequence

from templ_core.array_types import Bools, Int32s

UNKNOWN: int

class PhraseAutomaton:
    def __init__(self, sequences: Iterable[Sequence[int]]) -> None: ...
    def lengths(self, numbers: Int32s) -> Int32s: ...
    def covered(self, numbers: Int32s) -> Bools: ...
