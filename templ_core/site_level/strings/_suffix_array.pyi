from templ_core.array_types import Int32s
from templ_core.site_level.strings.suffix_array import Tokens

def sorted_suffixes(tokens: Tokens) -> tuple[Int32s, Int32s]: ...
