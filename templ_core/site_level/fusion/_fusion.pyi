from collections.abc import Collection, Mapping

from templ_core.array_types import Bools, Floats
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.fusion import Term
from templ_core.site_level.fusion.site_columns import SiteColumns
from templ_core.site_level.site_evidence import SegmentEvidence, SiteEvidence
from templ_core.site_level.strings.string_evidence import Cover

def combine(
    evidence: SegmentEvidence,
    length_max: int,
    margin: float,
    least_words: float,
) -> SiteColumns: ...
def cover_columns(
    cover: Cover,
    alike: Floats,
    listed: Floats,
    named: Floats,
    page_type: PageType,
    least: float,
    most: float,
) -> Floats: ...
def pages_with_places(columns: SiteColumns, page: PageEvidence) -> int: ...
def weighed(
    own: Floats,
    site: SiteEvidence,
    share: float,
    long_weight: float,
    length_max: float,
    steps: float,
) -> Floats: ...
def fused_log_odds(
    columns: SiteColumns,
    terms: Mapping[str, Term],
    bias: float,
    chosen: Collection[str] | None = None,
) -> Floats: ...
def unlikely_content(
    log_odds: Floats, columns: SiteColumns, page_type: PageType, likely: float
) -> Bools: ...
