"""The settings of a deployment; no other module reads the environment."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from schemas.topics import MAX_MESSAGE_BYTES
from workers.errors import UsageProblem

DAY_MS = 24 * 3600 * 1000
OffsetReset = Literal["cut", "earliest", "latest"]
"""Where reading of a log goes on that was cut after it had been read."""
TextForm = Literal["markdown", "html"]
"""A form of the text that a record has besides the plain one."""
_DEADLINE_PAGE_BYTES = 4 << 20
"""Size up to which a page has the plain deadline."""


class Settings(BaseSettings):
    """All settings; the environment variable of each is `TEMPL_` and the field's name in capitals."""

    model_config = SettingsConfigDict(env_prefix="TEMPL_", env_ignore_empty=True, frozen=True)

    page_model: Path | None = None
    """File of a page model that `templ train` wrote; None means the one that comes with templ."""
    page_deadline_s: float = Field(5.0, gt=0)
    """Longest processor time to clean a page of up to 4 MiB; larger pages get proportionally more.

    It is also the longest time for which a page's process may use no processor. A page that exceeds it
    is tried once more.
    """
    refit_deadline_s: float = Field(120.0, gt=0)
    """Longest processor time to fit a site model once."""
    child_memory_bytes: int = Field(2 << 30, ge=256 << 20)
    """Largest memory of a child process."""
    page_limit_bytes: int = Field(32 << 20, gt=0)
    """Largest page after decompression."""
    message_limit_bytes: int = Field(MAX_MESSAGE_BYTES, ge=64 << 10)
    """Largest Kafka message."""
    record_limit_bytes: int = Field(64 << 20, ge=1 << 20)
    """Largest record of a topic that is read, after decompression.

    A larger one becomes a dead letter with its first 64 KiB. The limit has room for a page of the
    largest size in base64.
    """

    comments: Literal["auto", "keep", "drop"] = "auto"
    """What becomes of readers' comments and reviews.

    `auto` drops comments on articles and keeps them on forum threads.
    """

    metadata: bool = True
    """Whether records have the title, authors, times, language and addresses that a page tells of itself."""
    text_forms: Annotated[frozenset[TextForm], NoDecode] = frozenset()
    """Forms of the text that records have besides the plain one, separated by commas: `markdown,html`."""
    links: bool = False
    """Whether records have the links of their pages."""
    segments: bool = False
    """Whether records have the text segments of their pages and what decided each."""
    compression: Literal["gzip", "none", "snappy", "lz4", "zstd"] = "gzip"
    """Compression of what a worker sends.

    Every client reads gzip and none; kafka-python and aiokafka need a further package for the others.
    """
    header_bytes_max: int = Field(4096, ge=0, le=12 << 10)
    """Most bytes of headers of a page message, names and values, that are passed on with its outputs.

    The first ones that fit are passed on; 0 means none.
    """

    window_age_ms: int = Field(14 * DAY_MS, gt=0)
    """Largest age, in event time, of the documents in a site's window."""
    window_floor_pages: int = Field(25, ge=1)
    """Number of newest documents that stay in a window beyond that age."""
    window_floor_age_ms: int = Field(180 * DAY_MS, gt=0)
    """Largest age, in event time, of those newest documents too."""
    window_newest_pages: int = Field(100, ge=1)
    """Number of newest documents of a window that are not thinned out by day."""
    window_day_pages: int = Field(64, ge=1)
    """Number of other documents that stay of each day, so that a window spreads over several days."""
    window_pages_max: int = Field(1000, ge=1)
    """Most documents in a site's window."""
    window_bytes_max: int = Field(64 << 20, ge=1 << 20)
    """Most bytes of compact documents in a site's window."""

    revisions: bool = True
    """Whether a text is published again when a better site model changes it."""
    revisions_per_s: float = Field(20.0, gt=0)
    """Most texts that a worker publishes again per second."""
    own_models: bool = False
    """Whether a cleaner keeps only the site models of its own partitions.

    `pages` must be partitioned by site like `documents`; otherwise the cleaner keeps all models.
    """
    clock_skew_ms: int = Field(3_600_000, ge=0)
    """How far the event time of a page may lie after its arrival and after the worker's clock."""
    batch_pages: int = Field(128, ge=1)
    """Most pages that a cleaner processes at once.

    A batch holds what has arrived, so it is as large as this during a backlog only.
    """
    batch_bytes: int = Field(64 << 20, ge=1 << 20)
    """Most bytes of pages that a cleaner processes at once; twice as many may wait.

    A single larger page is processed by itself.
    """
    burst_pages_min: int = Field(3, ge=0)
    """Distinct pages of a new site in one batch from which on they are cleaned together; 0 means never.

    Pages that are cleaned together are cleaned with a provisional site model, which is fitted on them. A
    site counts as new while its model rests on fewer than three documents.
    """
    burst_pages_max: int = Field(64, ge=1)
    """Most pages that are cleaned together; more pages of the batch are cleaned with the same model."""
    look_ahead_pages: int = Field(0, ge=0, le=64)
    """First pages of a new site that `templ run` holds, to clean them together; 0 means none.

    At most 64 records of the input are ahead of the output, so fewer pages are held of a site whose
    pages are far apart.
    """
    burst_bytes: int = Field(16 << 20, ge=1 << 20)
    """Size up to which pages are read to be cleaned together, in characters of HTML."""
    dead_letters_run_max: int = Field(1000, ge=0)
    """Pages in a row that become dead letters until the worker stops; 0 means any number.

    So many in a row mean that the feed is wrong, not its pages.
    """
    dead_letters_ratio_max: float = Field(0.5, gt=0, le=1)
    """Largest share of dead letters among the latest pages of a worker, beyond which it stops.

    1 means any share.
    """
    dead_letters_ratio_pages: int = Field(2000, ge=1)
    """Number of latest pages among which that share is counted; before as many have come, it is not."""
    refresher_niceness: int = Field(10, ge=0, le=19)
    """Niceness of the refresher, so that cleaning comes first when processors are busy.

    The fitting of templates has half as much in addition.
    """
    session_timeout_s: float = Field(15.0, gt=0)
    """Time without a heartbeat after which a worker's partitions go to other workers."""
    commit_interval_s: float = Field(1.0, gt=0)
    """Time between commits of offsets, which bounds the pages processed again after a crash."""
    offset_reset: OffsetReset = "cut"
    """Where a worker goes on in a partition whose log was cut, by a lost disk or an unclean election.

    `cut` is the offset at which the log stopped being the one that was read: no record is read twice
    and none is left out. `earliest` reads again whatever the log still has, `latest` leaves out what
    came since. Where the broker cannot tell the cut, `cut` means `earliest`. Windows are made anew
    from the whole log of `documents` in any case.
    """
    stall_timeout_s: float = Field(300.0, gt=0)
    """Time after which a process ends whose committed offsets do not move although records wait."""
    metrics_port: int | None = Field(None, ge=1, le=65534)
    """Port of the cleaner's metrics for Prometheus; the refresher uses the next one. None means none."""
    metrics_host: str = "127.0.0.1"
    """Address at which the metrics are served."""
    child_module: str = "workers.processes.child"
    """Module that a child process runs; fault-injection tests have one of their own."""

    @field_validator("text_forms", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """Return the parts of a list that is separated by commas."""
        if not isinstance(value, str):
            return value
        return [part.strip() for part in value.split(",") if part.strip()]

    def deadline_s(self, page_bytes: int) -> float:
        """Return the longest processor time to clean a page of this size, in seconds."""
        return self.page_deadline_s * max(1.0, page_bytes / _DEADLINE_PAGE_BYTES)


_PACKAGES = str(Path(__file__).parents[1])
"""Directory in which our packages are."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def child_environment() -> dict[str, str]:
    """Return the environment of a child process: one thread for arithmetic, and our packages first.

    A child that is started with `-P` does not look for modules in the current directory, where a folder
    `workers` may have nothing to do with templ. Work is parallel over children; a library that starts a thread for each processor in each child
    would slow down the others.
    """
    others = os.environ.get("PYTHONPATH")  # noqa: TID251
    path = os.pathsep.join([_PACKAGES, others] if others else [_PACKAGES])
    return {**os.environ, **_ONE_THREAD, "PYTHONPATH": path}  # noqa: TID251


def use_one_arithmetic_thread() -> None:
    """Have this process and children that inherit its environment use one thread for arithmetic."""
    os.environ.update(_ONE_THREAD)  # noqa: TID251


def load_settings(**overrides: Any) -> Settings:
    """Return the settings in the environment.

    Args:
        overrides: Values that replace those in the environment; None replaces nothing.

    Raises:
        UsageProblem: A value cannot be used; the message names the variable and the range.
    """
    try:
        return Settings(**{k: v for k, v in overrides.items() if v is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "TEMPL_" + "_".join(map(str, first["loc"])).upper()
        raise UsageProblem(f"{name}={first['input']!r}: {first['msg']}") from None
