"""The settings of a deployment, from the environment and a TOML file; only this module reads settings there.

The fields of `Settings` and their docstrings are the only place where settings are described:
`templ settings` and docs/settings.md are made from them.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from schemas.topics import MAX_MESSAGE_BYTES
from templ_core.config import Balance, WindowBounds
from templ_core.patterns import pattern
from workers.child_program import CLEANING
from workers.errors import SettingsProblem
from workers.log_forms import LogFormat, LogLevels
from workers.setting_values import (
    BYTES,
    LONG_SECRET,
    MILLISECONDS,
    PAGES,
    PER_SECOND,
    SECONDS,
    SECRET,
    SettingType,
    number_of,
)

PREFIX = "TEMPL_"
"""Text before the name of each environment variable."""
SITE_SETTINGS_FILE = "TEMPL_SETTINGS"
"""Environment variable that names a TOML file of settings."""
_FILE = "_file"
"""Text after the name of a secret, for the name of the file that holds it."""
_LIKENESS = 0.5
"""Least likeness of a name to a setting's, as difflib measures it, at which that setting is proposed."""
_SERVICE_LINK = pattern(r"(?:.*_)?(?:service_host|service_port(?:_.*)?|port(?:_\d+_.*)?)")
"""Names of variables that Kubernetes sets for services, such as one that is called `templ`."""


class GivenSetting(NamedTuple):
    """A setting that is not left at its default."""

    value: Any
    origin: str
    """Where it is given: the environment variable, or the file and its key."""


def given_settings(
    environment: Mapping[str, str], types: Mapping[str, SettingType]
) -> dict[str, GivenSetting]:
    """Return the settings that are given by the environment, or by the TOML file that it names.

    The environment takes precedence over the file, and an empty variable counts as missing.

    Raises:
        SettingsProblem: A value cannot be used, or a name is unknown. The message has a line for each.
    """
    problems: list[str] = []
    settings: dict[str, GivenSetting] = {}
    for source in (_of_file(environment), _of_variables(environment, types)):
        given: dict[str, GivenSetting] = {}
        for name, origin, value in source:
            if value == "":
                continue
            try:
                key, read = _read(name, origin, value, types)
            except ValueError as error:
                problems.append(f"{origin}{_shown(name, value, types)}: {error}")
                continue
            if key in given:
                problems.append(f"{origin} and {given[key].origin} are both given; give one only")
            given[key] = GivenSetting(read, origin)
        settings |= given
    refuse_settings(problems)
    return settings


def refuse_settings(problems: list[str]) -> None:
    """Raise `SettingsProblem` if there are problems; its message has a line for each."""
    if problems:
        raise SettingsProblem("\ntempl: ".join(problems))


def _of_file(environment: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    """Yield name, origin and value of each setting in the TOML file, if there is one."""
    path = environment.get(SITE_SETTINGS_FILE)
    if not path:
        return
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsProblem(f"{SITE_SETTINGS_FILE}={path}: {error.strerror}") from None
    except ValueError as error:
        raise SettingsProblem(f"{path} is not TOML: {error}") from None
    for name, value in content.items():
        yield name, f"{path}: {name}", value


def _of_variables(
    environment: Mapping[str, str], types: Mapping[str, SettingType]
) -> Iterator[tuple[str, str, object]]:
    in_kubernetes = "KUBERNETES_SERVICE_HOST" in environment
    for variable, text in sorted(environment.items()):
        if not variable.startswith(PREFIX) or variable == SITE_SETTINGS_FILE:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if in_kubernetes and _SERVICE_LINK.fullmatch(name) and _setting_of(name, types) is None:
            continue
        yield name, variable, text


def _setting_of(name: str, types: Mapping[str, SettingType]) -> str | None:
    """Return the setting that a name gives, as a value or as the file of a secret."""
    if name in types:
        return name
    secret = name.removesuffix(_FILE)
    return secret if secret != name and secret in types and types[secret].is_secret else None


def _read(
    name: str, origin: str, value: object, types: Mapping[str, SettingType]
) -> tuple[str, Any]:
    """Return the setting that a name gives, and its value."""
    key = _setting_of(name, types)
    if key is None:
        names = [*types, *(name + _FILE for name, kind in types.items() if kind.is_secret)]
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=_LIKENESS)
        proposed = PREFIX + near[0].upper() if near and origin.startswith(PREFIX) else near[:1]
        hint = f"do you mean {''.join(proposed)}? " if near else ""
        raise ValueError(f"there is no such setting; {hint}`templ settings` lists all")
    if key != name:
        try:
            value = Path(str(value)).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ValueError(error.strerror) from None
    return key, types[key].read(value)


def _shown(name: str, value: object, types: Mapping[str, SettingType]) -> str:
    """Return the value for a message; that of an unknown name may be a secret and is left out."""
    key = _setting_of(name, types)
    if key is None or (name == key and types[key].is_secret):
        return ""
    return f"={value!r}"


DAY_MS = 24 * 3600 * 1000
OffsetReset = Literal["cut", "earliest", "latest"]
"""Where to resume in a log that was truncated after it had been read."""
TextForm = Literal["markdown", "html"]
"""A form of the text that a record has besides the plain one."""
_DEADLINE_PAGE_BYTES = 4 << 20
"""Size up to which a page has the plain deadline."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings.

    The environment variable of each is `TEMPL_` and the field's name in capitals; its key in the TOML
    file is the field's name.
    """

    broker: str | None = None
    """HOST:PORT of the Kafka broker; several are separated by commas."""
    prefix: str = ""
    """Text before the name of each topic and consumer group."""
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    """Whether connections to the broker are encrypted (SSL) and log in (SASL)."""
    ssl_ca_file: Path | None = None
    """PEM file of the authorities that may sign the broker's certificate; default: the system's."""
    ssl_certificate_file: Path | None = None
    """PEM file of the certificate by which the broker knows this client (mTLS)."""
    ssl_key_file: Path | None = None
    """PEM file of that certificate's private key; default: the certificate file."""
    ssl_key_password: Annotated[str, SECRET] | None = None
    """Password of the private key."""
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] | None = None
    """How this client logs in to the broker."""
    sasl_username: str | None = None
    """User name for PLAIN and SCRAM."""
    sasl_password: Annotated[str, SECRET] | None = None
    """Password for PLAIN and SCRAM."""
    sasl_token_file: Path | None = None
    """File with the token for OAUTHBEARER, read for each connection; it takes precedence over `sasl_token_url`."""
    sasl_token_url: str | None = None
    """Address of tokens for OAUTHBEARER, by the client-credentials flow of OAuth 2."""
    sasl_client_id: str | None = None
    """Name of this client at that address."""
    sasl_client_secret: Annotated[str, SECRET] | None = None
    """Secret of this client at that address."""
    sasl_scope: str | None = None
    """Scope to ask for at that address."""

    opensearch_username: str | None = None
    """User name for an OpenSearch or Elasticsearch server."""
    opensearch_password: Annotated[str, SECRET] | None = None
    """Password of that user."""
    opensearch_ca_file: Path | None = None
    """PEM file of the authorities that may sign its certificate; default: certifi's."""

    page_model: Path | None = None
    """File of a page model that `templ train` wrote; default: the shipped one."""
    page_deadline_s: Annotated[float, number_of(SECONDS, gt=0)] = 5.0
    """Longest processor time to clean a page of up to 4 MiB; larger pages get proportionally more.

    The process of a page may not be idle for longer either.
    """
    refit_deadline_s: Annotated[float, number_of(SECONDS, gt=0)] = 120.0
    """Longest processor time to fit a site model once."""
    child_memory_bytes: Annotated[int, number_of(BYTES, ge=256 << 20)] = 2 << 30
    """Largest memory of a child process."""
    cleaner_children: Annotated[int, Meta(ge=1)] | None = None
    """Child processes of a cleaner; default: one for each processor of the machine.

    Set it where a container or a service may use fewer.
    """
    page_limit_bytes: Annotated[int, number_of(BYTES, gt=0)] = 32 << 20
    """Largest page after decompression."""
    message_limit_bytes: Annotated[int, number_of(BYTES, ge=64 << 10)] = MAX_MESSAGE_BYTES
    """Largest Kafka message."""
    record_limit_bytes: Annotated[int, number_of(BYTES, ge=1 << 20)] = 64 << 20
    """Largest record that is read from a topic, after decompression.

    A larger one becomes a dead letter with its beginning.
    """

    comments: Literal["auto", "keep", "drop"] = "auto"
    """Readers' comments and reviews: `auto` drops those on articles and keeps those of forum threads."""
    balance: Balance = "even"
    """`precision` keeps less template, `recall` misses less content, `even` gives the best word F1."""

    metadata: bool = True
    """Whether records have the metadata that a page states."""
    text_forms: frozenset[TextForm] = frozenset()
    """Further forms of the text in records, separated by commas."""
    links: bool = False
    """Whether records have the links of their pages."""
    segments: bool = False
    """Whether records have the text segments of their pages, with reasons."""
    records: bool = False
    """Whether records have the posts of threads, the items of listings and the fields of pages."""
    chunks: bool = False
    """Whether records have the Markdown of their pages in sections by headings, with ids that depend on their text alone."""
    quality: bool = False
    """Whether records say how probably their pages are error pages, walls or empty."""
    observed: bool = False
    """Whether records have what `templ watch` needs of their pages; they are about twice as large with it."""
    duplicates_pages_max: Annotated[int, number_of(PAGES, ge=1, le=1 << 28)] = 1_000_000
    """Most pages with which `templ watch` compares others to find copies; a million takes 140 MiB of its memory."""
    compression: Literal["gzip", "none", "snappy", "lz4", "zstd"] = "gzip"
    """Compression of what a worker sends.

    Every client reads gzip and none; kafka-python and aiokafka need a package for the others.
    """
    header_bytes_max: Annotated[int, number_of(BYTES, ge=0, le=12 << 10)] = 4096
    """Most bytes of names and values of a page message's headers that are copied to its outputs, from the first header on."""

    window_age_ms: Annotated[int, number_of(MILLISECONDS, gt=0)] = 14 * DAY_MS
    """Largest age, in event time, of the documents in a site's window."""
    window_floor_pages: Annotated[int, number_of(PAGES, ge=1)] = 25
    """Newest documents that stay beyond that age."""
    window_floor_age_ms: Annotated[int, number_of(MILLISECONDS, gt=0)] = 180 * DAY_MS
    """Largest age, in event time, of those newest documents."""
    window_newest_pages: Annotated[int, number_of(PAGES, ge=1)] = 100
    """Newest documents that are not thinned out by day."""
    window_day_pages: Annotated[int, number_of(PAGES, ge=1)] = 64
    """Most other documents that are kept of each day."""
    window_pages_max: Annotated[int, number_of(PAGES, ge=1)] = 1000
    """Most documents in a site's window."""
    window_bytes_max: Annotated[int, number_of(BYTES, ge=1 << 20)] = 64 << 20
    """Most bytes of compact documents in a site's window."""

    revisions: bool = True
    """Whether a text is published again when a better site model changes it."""
    revisions_per_s: Annotated[float, number_of(PER_SECOND, gt=0)] = 20.0
    """Most texts that a worker publishes again per second."""
    site_templates: bool = False
    """Whether records of `site-models` have the template of their site: header, menu, footer and notices as text.

    For each model of eight documents and more the refresher cleans the newest 20 pages of the site once more.
    """
    own_models: bool = False
    """Whether a cleaner keeps only the site models of its own partitions.

    `pages` must be partitioned by site like `documents`; otherwise the cleaner keeps all models.
    """
    clock_skew_ms: Annotated[int, number_of(MILLISECONDS, ge=0)] = 3_600_000
    """How far a page's event time may be after its arrival and the worker's clock."""
    batch_pages: Annotated[int, number_of(PAGES, ge=1)] = 128
    """Most pages that a cleaner processes at once; batches reach this size during a backlog only."""
    batch_bytes: Annotated[int, number_of(BYTES, ge=1 << 20)] = 64 << 20
    """Most bytes of pages that a cleaner cleans at once; as many again may be in storing, and twice as many may wait."""
    dead_letters_run_max: Annotated[int, number_of(PAGES, ge=0)] = 1000
    """Dead letters in a row after which the worker stops; 0 means never. Those of the one site that has most of them do not
    count while pages of other sites are cleaned."""
    dead_letters_ratio_max: Annotated[float, Meta(gt=0, le=1)] = 0.5
    """Share of dead letters among the latest pages of a worker above which it stops, counted in the same way; 1 means never."""
    dead_letters_ratio_pages: Annotated[int, number_of(PAGES, ge=1)] = 2000
    """Number of the latest pages in which that share is counted; nothing is counted before that many have come."""
    refresher_niceness: Annotated[int, Meta(ge=0, le=19)] = 10
    """Niceness of the refresher, the console and `templ inspect`."""
    session_timeout_s: Annotated[float, number_of(SECONDS, gt=0)] = 15.0
    """Time without a heartbeat after which a worker's partitions go to other workers."""
    commit_interval_s: Annotated[float, number_of(SECONDS, gt=0)] = 1.0
    """Time between commits of offsets, which bounds the pages processed again after a crash."""
    offset_reset: OffsetReset = "cut"
    """Offset at which a worker resumes in a truncated log.

    `cut` is the offset of the truncation: no record is read twice, and none is skipped. `earliest` reads again all
    records that the log still has, `latest` skips the records since the truncation. If the broker does not know the
    offset of the truncation, `cut` means `earliest`. Windows are always rebuilt from the whole log of `documents`.
    """
    stall_timeout_s: Annotated[float, number_of(SECONDS, gt=0)] = 300.0
    """Time after which a process ends if its committed offsets do not move although records wait."""
    metrics_port: Annotated[int, Meta(ge=1, le=65534)] | None = None
    """Port of the metrics of the cleaner or the watcher for Prometheus; the refresher uses the next one."""
    metrics_host: str = "127.0.0.1"
    """Address at which the metrics are served."""
    log_format: LogFormat = "auto"
    """Form of the log: `auto` is `console`, for people, on a terminal, and `json` elsewhere."""
    log_level: LogLevels = "info"
    """Lowest level that is logged, then levels of single loggers, separated by commas.

    Client libraries log from `warning` on unless they are named. Levels are `debug`, `info`, `warning`,
    `error` and `critical`.
    """
    console_port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    """Port of the console."""
    console_host: str = "127.0.0.1"
    """Address at which the console listens; readers need no login, and there is no TLS."""
    console_names: frozenset[str] = frozenset()
    """Further hosts, with their ports, by which browsers may reach the console, separated by commas."""
    console_token: Annotated[str, LONG_SECRET] | None = None
    """Secret that is needed for changes in the console; without it the console is read-only."""
    child_module: str = CLEANING
    """Module that a child process runs; tests replace it to cause faults."""

    def __repr__(self) -> str:
        """Return all values in one line; secrets are masked, since errors and logs may show this."""
        shown = (
            f"{name}={kind.show(getattr(self, name))}" for name, kind in setting_types().items()
        )
        return f"Settings({', '.join(shown)})"

    @property
    def uses_tls(self) -> bool:
        """Whether connections to the broker are encrypted."""
        return self.security_protocol in {"SSL", "SASL_SSL"}

    @property
    def uses_sasl(self) -> bool:
        """Whether connections to the broker log in by SASL."""
        return self.security_protocol.startswith("SASL")

    @property
    def window(self) -> WindowBounds:
        """The bounds of a site's window."""
        names = WindowBounds.__struct_fields__
        return WindowBounds(**{name: getattr(self, f"window_{name}") for name in names})

    def deadline_s(self, page_bytes: int) -> float:
        """Return the longest processor time to clean a page of this size, in seconds."""
        return self.page_deadline_s * max(1.0, page_bytes / _DEADLINE_PAGE_BYTES)


_SMALLER = (
    ("message_limit_bytes", "record_limit_bytes", "a message that is sent must be readable"),
    ("page_limit_bytes", "child_memory_bytes", "a page must fit into its process"),
)
"""Pairs of settings whose first must not exceed the second, and why."""
_SMALLER_IF_BOTH_GIVEN = (
    ("window_newest_pages", "window_pages_max", "a window holds no more pages"),
    ("window_floor_pages", "window_pages_max", "a window holds no more pages"),
    ("window_age_ms", "window_floor_age_ms", "the floor is for older pages"),
    ("commit_interval_s", "session_timeout_s", "offsets must be committed within a session"),
)
"""Pairs of settings whose first may exceed the second only where one of them is a default."""


@cache
def setting_types() -> dict[str, SettingType]:
    """Return what the values of each setting are, by name."""
    return {field.name: SettingType.of(field.type) for field in msgspec.structs.fields(Settings)}


def settings_from_outside() -> dict[str, GivenSetting]:
    """Return the settings that the environment and the TOML file give.

    Raises:
        SettingsProblem: A value cannot be used, or a name is unknown. The message has a line for each.
    """
    return given_settings(os.environ, setting_types())  # noqa: TID251


def load_settings(**overrides: Any) -> Settings:
    """Return the settings that the environment and the TOML file give, unless other values than None replace them.

    Raises:
        SettingsProblem: A value cannot be used, a name is unknown, or settings contradict each other.
            The message has a line for each.
    """
    given = settings_from_outside()
    for name, value in overrides.items():
        if value is not None:
            origin = PREFIX + name.upper()
            try:
                given[name] = GivenSetting(setting_types()[name].read(value), origin)
            except ValueError as error:
                raise SettingsProblem(f"{origin}={value!r}: {error}") from None
    settings = Settings(**{name: given_value.value for name, given_value in given.items()})
    refuse_settings([*_too_large(settings, given), *_security_problems(settings, given)])
    return settings


def settings_line(settings: Settings) -> str:
    """Return the settings that are no defaults in one line, with their origin; secrets are masked."""
    given, defaults = settings_from_outside(), Settings()
    shown = []
    for name, kind in setting_types().items():
        value = getattr(settings, name)
        origin = f" ({given[name].origin})" if name in given else ""
        if origin or value != getattr(defaults, name):
            shown.append(f"{name}={kind.show(value)}{origin}")
    return ", ".join([*shown, "all others are defaults (`templ settings` prints them)"])


def _too_large(settings: Settings, given: Mapping[str, GivenSetting]) -> Iterator[str]:
    """Yield a line for each pair of settings whose first exceeds the second."""
    pairs = [*_SMALLER, *(pair for pair in _SMALLER_IF_BOTH_GIVEN if given.keys() >= {*pair[:2]})]
    for small, large, reason in pairs:
        values = [getattr(settings, name) for name in (small, large)]
        if values[0] > values[1]:
            shown = [
                f"{given[name].origin if name in given else f'{name} (default)'}="
                f"{setting_types()[name].show(value)}"
                for name, value in zip((small, large), values, strict=True)
            ]
            yield f"{shown[0]} exceeds {shown[1]}; {reason}"


def _security_problems(settings: Settings, given: Mapping[str, GivenSetting]) -> Iterator[str]:
    """Yield a line for each setting of the connection that is missing or has no effect."""
    used = {"ssl": settings.uses_tls, "sasl": settings.uses_sasl}
    right = {"ssl": "SSL or SASL_SSL", "sasl": "SASL_SSL"}
    for name, setting in given.items():
        kind = name.partition("_")[0]
        if not used.get(kind, True):
            protocol = settings.security_protocol
            yield (
                f"{setting.origin} has no effect while security_protocol={protocol}; "
                f"set TEMPL_SECURITY_PROTOCOL to {right[kind]}"
            )
    for needing, name in _needed(settings):
        if getattr(settings, name) is None:
            variable = PREFIX + name.upper()
            file = f" or {variable}_FILE" if setting_types()[name].is_secret else ""
            yield f"{needing} needs {variable}{file}"


def _needed(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.ssl_key_file is not None:
        yield "ssl_key_file", "ssl_certificate_file"
    if not settings.uses_sasl:
        return
    names = ["sasl_username", "sasl_password"]
    if settings.sasl_mechanism is None:
        names = ["sasl_mechanism"]
    elif settings.sasl_mechanism == "OAUTHBEARER":
        from_url = settings.sasl_token_url is not None
        names = ["sasl_client_id", "sasl_client_secret"] if from_url else ["sasl_token_file"]
    for name in names:
        yield settings.sasl_mechanism or settings.security_protocol, name
