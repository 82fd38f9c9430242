from templ_core.array_types import Float32s, Floats, Int32s, Int64s
from templ_core.dom.document import Document, Segments
from templ_core.page_level.config import FeatureConfig
from templ_core.page_level.features.characters import Characters, Words

def text_columns() -> list[str]: ...
def link_columns() -> list[str]: ...
def owner_columns() -> list[str]: ...
def sentence_ends(characters: Characters) -> Int64s: ...
def link_density(characters: Characters, link_chars: Int32s) -> Floats: ...
def fill_text(
    characters: Characters,
    words: Words,
    ends: Int64s,
    config: FeatureConfig,
    rows: Float32s,
    column: int,
) -> int: ...
def fill_links(
    segments: Segments, density: Floats, config: FeatureConfig, rows: Float32s, column: int
) -> int: ...
def fill_owners(
    document: Document,
    compressed_depth: Int64s,
    tags: dict[str, int],
    config: FeatureConfig,
    rows: Float32s,
    column: int,
) -> int: ...
