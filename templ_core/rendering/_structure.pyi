from templ_core.array_types import Int32s
from templ_core.dom.document import Nodes

def structure_of(nodes: Nodes, traits: dict[str, int]) -> Int32s: ...
