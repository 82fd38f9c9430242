from collections.abc import Mapping
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

class _Term(Protocol):
    @property
    def weight(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...

def weighed(columns: Mapping[str, Floats], terms: Mapping[str, _Term], bias: float) -> Floats: ...
def strongest_kinds(
    columns: Mapping[str, Floats],
    terms: Mapping[str, _Term],
    neutral: Mapping[str, float],
    kind_of_term: list[int],
    kinds: int,
    kept: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]: ...
def faded(own: Floats, fused: Floats, weight: Floats, steps: float) -> Floats: ...
def below_least(
    odds: Floats,
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
) -> npt.NDArray[np.bool_]: ...
def words_at_stake(
    own: Floats,
    words: Floats,
    constant: Floats,
    kept: npt.NDArray[np.bool_],
) -> tuple[float, float, float, float]: ...
