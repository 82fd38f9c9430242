from templ_core.array_types import Bools, Floats, Int64s, UInt64s

def agreed(
    first: Int64s,
    last: Int64s,
    words: Floats,
    log_odds: Floats,
    spread_max: float,
    steps: float,
) -> Floats: ...
def best_cut(
    log_odds: Floats, left_out: Bools, words: Floats, recall_share: float
) -> tuple[Bools, float]: ...
def plain_f1(log_odds: Floats, kept: Bools, left_out: Bools, words: Floats) -> float: ...
def surest_copies(text: UInt64s, log_odds: Floats) -> Int64s: ...
