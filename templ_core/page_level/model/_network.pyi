from templ_core.array_types import Float32s, Floats

def network_log_odds(
    rows: Float32s,
    mean: Float32s,
    scale: Float32s,
    clip: float,
    weights: list[Float32s],
    biases: list[Float32s],
) -> Floats: ...
