from templ_core.array_types import Float32s, Floats
from templ_core.page_level.model.network import Network

def network_log_odds(rows: Float32s, network: Network, clip: float) -> Floats: ...
def mixed_log_odds(
    of_trees: Floats, of_networks: list[Floats], trees_share: float, steps: float
) -> Floats: ...
