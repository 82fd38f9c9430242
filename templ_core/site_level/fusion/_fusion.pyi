from collections.abc import Mapping
from typing import Protocol

from templ_core.array_types import Bools, Floats
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import FusionConfig
from templ_core.site_level.fusion.site_columns import SiteColumns
from templ_core.site_level.fusion.site_inputs import SegmentEvidence

class _Term(Protocol):
    @property
    def weight(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...

def combine(
    evidence: SegmentEvidence, config: FusionConfig, margin: float, doubt_pages: float
) -> SiteColumns: ...
def fused_log_odds(columns: SiteColumns, terms: Mapping[str, _Term], bias: float) -> Floats: ...
def outside_container(
    log_odds: Floats,
    columns: SiteColumns,
    words: Floats,
    page_type: PageType,
    config: FusionConfig,
) -> Bools: ...
