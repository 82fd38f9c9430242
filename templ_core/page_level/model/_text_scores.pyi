from templ_core.array_types import Floats, Int64s, UInt8s, UInt64s
from templ_core.page_level.features.characters import Words
from templ_core.page_level.model.hashed_scores import HashedTable

def table_size() -> int: ...
def text_log_odds(
    page_words: Words, heading_column: Int64s, table: HashedTable, limit: float
) -> Floats: ...
def token_places(
    hashes: UInt64s, per_segment: Int64s, chosen: UInt8s, as_heading: bool
) -> tuple[Int64s, Int64s]: ...
