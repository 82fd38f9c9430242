from templ_core.array_types import Bools
from templ_core.site_level.config import FusionConfig
from templ_core.site_level.fusion.site_columns import SiteColumns
from templ_core.site_level.fusion.site_inputs import SegmentEvidence

def combine(evidence: SegmentEvidence, config: FusionConfig) -> tuple[SiteColumns, Bools]: ...
