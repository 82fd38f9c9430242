from collections.abc import Mapping
from typing import Protocol

from templ_core.array_types import Bools, Floats, Int64s

class _Term(Protocol):
    @property
    def weight(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...

def weighed(columns: Mapping[str, Floats], terms: Mapping[str, _Term], bias: float) -> Floats: ...
def strongest_evidence(
    columns: Mapping[str, Floats],
    terms: Mapping[str, _Term],
    neutral: Mapping[str, float],
    evidence_of_term: list[int],
    sources: int,
    kept: Bools,
) -> Int64s: ...
def faded(own: Floats, fused: Floats, weight: Floats, steps: float) -> Floats: ...
def below_least(
    log_odds: Floats,
    words: Floats,
    in_best_box: Floats,
    usual_best_box: Floats,
    trust: Floats,
    recurs: Floats,
    is_article: bool,
    is_documentation: bool,
    usual: float,
    trusted: float,
    sure: float,
    some_words: float,
) -> Bools: ...
def words_at_stake(
    own: Floats,
    words: Floats,
    constant: Floats,
    kept: Bools,
) -> tuple[float, float, float, float]: ...
