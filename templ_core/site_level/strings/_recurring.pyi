from collections.abc import Collection, Sequence

from templ_core.array_types import Int32s, Int64s, UInt16s, UInt32s, UInt64s

class RunCounts:
    def add(self, keys: UInt32s, by: int) -> None: ...
    def of(self, keys: UInt32s) -> UInt32s: ...

def run_keys(tokens: UInt16s, lengths: Int32s, size: int) -> UInt32s: ...
def columns_with(columns: Sequence[UInt32s], wanted: UInt32s) -> list[int]: ...
def recurring_parts(
    tokens: UInt16s, lengths: Int32s, size: int, counts: RunCounts, least: int
) -> list[bytes]: ...
def usual_parts(
    columns: Sequence[UInt64s], ascending: UInt64s, names: UInt16s
) -> list[list[bytes]]: ...
def neighbours(
    columns: Sequence[UInt64s], places: Sequence[Int32s], ascending: UInt64s
) -> tuple[Int64s, UInt64s, UInt64s]: ...
def recurring_corpus(
    pages: Collection[list[bytes]],
    size: int,
    every: int = 1,
    counts: RunCounts | None = None,
    least: int = 0,
    others: RunCounts | None = None,
    below: int = 0,
) -> tuple[UInt16s, Int32s, UInt64s]: ...
