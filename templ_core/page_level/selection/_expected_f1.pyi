from templ_core.array_types import Bools, Floats

def best_cut(
    log_odds: Floats, left_out: Bools, words: Floats, recall_share: float
) -> tuple[Bools, float]: ...
