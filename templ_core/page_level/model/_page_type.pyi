from templ_core.array_types import Float32s, Floats

def page_statistics(
    rows: Float32s,
    words: Floats,
    attribute: Floats,
    text: Floats,
    weight: float,
) -> Floats: ...
def page_type_shares(
    statistics: Floats,
    mean: Float32s,
    scale: Float32s,
    weights: Float32s,
    biases: Float32s,
    clip: float,
    decimals: int,
) -> list[float]: ...
