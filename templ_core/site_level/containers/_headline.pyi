from templ_core.array_types import UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import Words
from templ_core.site_level.config import ContainersConfig

def find_headline(
    document: Document,
    words: Words,
    element_types: UInt64s,
    title: UInt64s,
    title_words: int,
    config: ContainersConfig,
) -> int: ...
