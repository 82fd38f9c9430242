"""What differs between deployments; the only reader of the environment."""

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.topics import MAX_MESSAGE_BYTES
from workers.errors import UsageProblem

DAY_MS = 24 * 3600 * 1000
_DEADLINE_PAGE_BYTES = 4 << 20


class Settings(BaseSettings):
    """Every setting, as `TEMPL_` and the field's name in capitals in the environment."""

    model_config = SettingsConfigDict(env_prefix="TEMPL_", env_ignore_empty=True, frozen=True)

    page_model: Path | None = None
    """File of a page model, as `templ train` writes it; None = the one that comes with templ."""
    page_deadline_s: float = Field(5.0, gt=0)
    """Longest time a page of up to 4 MiB may take to clean; larger ones get it in proportion."""
    refit_deadline_s: float = Field(120.0, gt=0)
    """Longest time one refit of a site model may take."""
    child_memory_bytes: int = Field(2 << 30, ge=256 << 20)
    """Memory of one child process."""
    page_limit_bytes: int = Field(32 << 20, gt=0)
    """Largest page, after decompression."""
    message_limit_bytes: int = Field(MAX_MESSAGE_BYTES, ge=64 << 10)
    """Largest Kafka message."""

    comments: Literal["auto", "keep", "drop"] = "auto"
    """What becomes of readers' comments and reviews; `auto`: comments are out on articles and in on
    forum threads."""

    window_age_ms: int = Field(14 * DAY_MS, gt=0)
    """Documents older than this, in event time, leave their site's window ..."""
    window_floor_pages: int = Field(25, ge=1)
    """... but for the newest few, ..."""
    window_floor_age_ms: int = Field(180 * DAY_MS, gt=0)
    """... which stay up to this age."""
    window_newest_pages: int = Field(100, ge=1)
    """Of documents beyond so many newest, ..."""
    window_day_pages: int = Field(64, ge=1)
    """... so many of each day stay, drawn by hash: a prolific site keeps a spread over its days."""
    window_pages_max: int = Field(1000, ge=1)
    window_bytes_max: int = Field(64 << 20, ge=1 << 20)
    """Most bytes of compact documents a site."""

    revisions: bool = True
    """Whether texts are published again that a better site model has changed."""
    revisions_per_s: float = Field(20.0, gt=0)
    """Most of them that a worker publishes."""
    own_models: bool = False
    """Whether a cleaner keeps only the site models of its own partitions: `pages` must be partitioned
    by site as `documents` is, else it keeps all."""
    clock_skew_ms: int = Field(3_600_000, ge=0)
    """How far a page's time may lie after its arrival."""
    batch_pages: int = Field(32, ge=1)
    """Most pages that a cleaner has in work at once, ..."""
    batch_bytes: int = Field(64 << 20, ge=1 << 20)
    """... and most bytes of them, a single larger page aside; twice as many may wait."""
    refresher_niceness: int = Field(10, ge=0, le=19)
    """How far the refresher stands back behind cleaning when there is not enough processor time; the
    fitting of templates half as far again."""
    session_timeout_s: float = Field(15.0, gt=0)
    """After this long without a sign of life a worker's partitions go to the others."""
    commit_interval_s: float = Field(1.0, gt=0)
    """How often offsets are committed; bounds the repeats after a crash."""
    stall_timeout_s: float = Field(300.0, gt=0)
    """A process whose committed offsets stand still this long, with work waiting, ends itself."""
    metrics_port: int | None = Field(None, ge=1, le=65534)
    """Port at which the cleaner answers Prometheus, the refresher one above; None = not at all."""
    metrics_host: str = "127.0.0.1"
    """Address that they listen at."""
    child_module: str = "workers.processes.child"
    """Module that a child process runs; fault-injection tests name their own."""

    def deadline_s(self, page_bytes: int) -> float:
        """Longest time a page of this size may take to clean."""
        return self.page_deadline_s * max(1.0, page_bytes / _DEADLINE_PAGE_BYTES)


_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def child_environment() -> dict[str, str]:
    """Environment of a child process: this one's, with one thread for arithmetic.

    A child is one unit of parallel work; libraries that start a thread for each processor on top
    take time from its siblings.
    """
    return {**os.environ, **_ONE_THREAD}  # noqa: TID251


def use_one_arithmetic_thread() -> None:
    """The same for children that take over the environment of this process."""
    os.environ.update(_ONE_THREAD)  # noqa: TID251


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment, with those `overrides` on top that are not None.

    Raises:
        UsageProblem: a value that cannot be used; the message names the variable and the range.
    """
    try:
        return Settings(**{k: v for k, v in overrides.items() if v is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "TEMPL_" + "_".join(map(str, first["loc"])).upper()
        raise UsageProblem(f"{name}={first['input']!r}: {first['msg']}") from None
