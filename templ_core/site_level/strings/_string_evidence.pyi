from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt16s
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import StringsConfig
from templ_core.site_level.strings.string_evidence import PageProse, StringTable

class StringFinder:
    def __init__(self, corpus: UInt16s) -> None: ...
    def matches(
        self, tokens: UInt16s, tokens_min: int, owners: Int64s | None = None
    ) -> tuple[Int32s, Int32s]: ...

def read_page(
    features: PageFeatures, prose: PageProse, table: StringTable, config: StringsConfig
) -> tuple[Int32s, Floats, Bools]: ...
def sentence_runs(
    words: Words, share: Floats, is_covered: Bools, ratio: float
) -> list[tuple[int, int, int, int]]: ...
