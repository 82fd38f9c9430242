"""Options that several commands share, and what they name: a site to read, a file to write."""

from __future__ import annotations

import functools
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, get_args

import click

from templ_core.config import Balance
from workers.cli.lazy import require_extra
from workers.errors import InputProblem, UsageProblem
from workers.local.record_file import STDOUT, cannot_write
from workers.setting_values import MILLISECONDS, SettingType, number_of
from workers.settings import Settings, TextForm, load_settings

if TYPE_CHECKING:
    from workers.inspect.site_view import SiteView
    from workers.kafka.broker.access import BrokerAccess


Command = Callable[..., Any]
_AGO = SettingType(int, int, number_of(MILLISECONDS))


class _NamedPath(click.Path):
    """A path that has a name: an empty one would be the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("is empty; name a file or directory, `.` for the current one", param, ctx)
        return super().convert(value, param, ctx)


NAMED_PATH = _NamedPath(path_type=Path)
"""The type of options that name a file."""
STATE_PATH = _NamedPath(file_okay=False, path_type=Path)
"""The type of the option --state."""

_STATE_HELP = "State directory of `templ run` or `templ worker`. It is only read, and a worker may be using it."
state_option = click.option("--state", required=True, type=STATE_PATH, help=_STATE_HELP)
"""The option --state of commands that read what was learned."""
html_option = click.option(
    "--out", type=click.Path(path_type=Path), help="HTML file to write; - is standard output."
)
"""The option --out of commands that write a report."""

page_model_option = click.option(
    "--page-model",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="MODEL",
    help="File of a page model that `templ train` wrote.  "
    "[default: TEMPL_PAGE_MODEL, otherwise the one that comes with templ]",
)

page_site_option = click.option(
    "--site", metavar="KEY", help="Site of the page.  [default: by its URL]"
)
time_field_option = click.option(
    "--time-field",
    default="fetched_at",
    show_default=True,
    help="Field that holds the event time; `none` sets times one minute apart, from 2000-01-01 on.",
)

comments_option = click.option(
    "--comments",
    type=click.Choice(["auto", "keep", "drop"]),
    help="How to treat readers' comments and reviews; auto drops comments on articles and keeps "
    "them on forum threads.  [default: TEMPL_COMMENTS, otherwise auto]",
)

balance_option = click.option(
    "--balance",
    type=click.Choice(get_args(Balance)),
    help="Balance of the text: precision keeps less template, recall loses less content.  "
    "[default: TEMPL_BALANCE, otherwise even]",
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", *get_args(TextForm)]),
    help="Form of the clean text; Markdown and HTML have headings, lists, links and images. Without it "
    "`templ clean` prints text, and records have the text and the forms of TEMPL_TEXT_FORMS.",
)


records_option = click.option(
    "--records",
    is_flag=True,
    help="Add to each record the posts of a thread, the items of a listing, and the fields of the page.",
)


def cleaning_options(command: Command) -> Command:
    """Add the options --page-model, --comments and --balance to a command."""
    return page_model_option(comments_option(balance_option(command)))


def text_forms(form: str | None) -> str | None:
    """Return the setting `text_forms` that a value of --format asks for; None leaves it as it is."""
    return "" if form == "text" else form


prefix_option = click.option(
    "--prefix",
    envvar="TEMPL_PREFIX",
    default=lambda: load_settings().prefix,
    metavar="TEXT",
    show_envvar=True,
    help="Text before the name of each topic.",
)

rate_option = click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    help="Most pages sent per second. Default: no limit.",
)


def unsent_option(default: str) -> Callable[[Command], Command]:
    """Return the option --dead-letters of a command that sends pages, with this default."""
    return click.option(
        "--dead-letters",
        type=click.Path(path_type=Path),
        default=Path(default),
        show_default=True,
        help="JSON Lines file for records that could not be sent, with the reason and their bytes.",
    )


def _given_broker(context: click.Context, option: click.Parameter, value: str | None) -> str:
    broker = value or load_settings().broker
    if broker is None:
        raise click.MissingParameter(ctx=context, param=option)
    return broker


def optional_broker_option(text: str) -> Callable[[Command], Command]:
    """Return the option --broker of a command that can do without a broker, with this help."""
    return click.option(
        "--broker",
        envvar="TEMPL_BROKER",
        default=lambda: load_settings().broker,
        metavar="HOST:PORT",
        show_envvar=True,
        help=text,
    )


def access_to(broker: str, prefix: str = "") -> BrokerAccess:
    """Return how a broker is reached, by the settings.

    Raises:
        UsageProblem: The address is not HOST:PORT, or a package that is needed is not installed.
    """
    require_extra("kafka", "--broker")
    from workers.kafka.broker.access import BrokerAccess  # noqa: PLC0415 - not for --help

    return BrokerAccess.of(broker, load_settings(), prefix)


def broker_options(command: Command) -> Command:
    """Add the options --broker and --prefix to a command, which gets both as `access`."""

    @functools.wraps(command)
    def with_access(broker: str, prefix: str, **others: Any) -> None:
        command(access=access_to(broker, prefix), **others)

    option = click.option(
        "--broker",
        envvar="TEMPL_BROKER",
        callback=_given_broker,
        metavar="HOST:PORT",
        show_envvar=True,
        help="Kafka broker; several are separated by commas.",
    )
    return option(prefix_option(with_access))


def awaited(command: Callable[..., Coroutine[Any, Any, None]]) -> Command:
    """Make a command of a coroutine function."""

    @functools.wraps(command)
    def run(**given: Any) -> None:
        import asyncio  # noqa: PLC0415 - not for `templ clean`, nor what follows

        asyncio.run(command(**given))

    return run


async def until_signal(work: Coroutine[Any, Any, None], *numbers: int) -> bool:
    """Wait for a coroutine, and return whether one of some signals has ended it."""
    import asyncio  # noqa: PLC0415

    task, was_ended = asyncio.ensure_future(work), False

    def end() -> None:
        nonlocal was_ended
        was_ended = True
        task.cancel()

    for number in numbers:
        asyncio.get_running_loop().add_signal_handler(number, end)
    try:
        await task
    except asyncio.CancelledError:
        if not was_ended:
            raise
    return was_ended


def give_way(settings: Settings) -> None:
    """Give this process, and those that it starts, a lower priority than a worker."""
    os.nice(max(settings.refresher_niceness - os.nice(0), 0))


def refuse(is_mistaken: object, message: str) -> None:
    """End the command with a message where a mistake was made.

    Raises:
        UsageProblem: It was.
    """
    if is_mistaken:
        raise UsageProblem(message)


class TimeType(click.ParamType):
    """A time in RFC 3339, as Unix milliseconds; if allowed, also a time ago such as `2h`."""

    name = "time"

    def __init__(self, *, takes_ago: bool = False) -> None:
        self._takes_ago = takes_ago

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the time that a text means."""
        from templ_core.times import parse_time_ms  # noqa: PLC0415

        if self._takes_ago and isinstance(value, str) and re.search("[a-y]$", value):
            with suppress(ValueError):
                ago_ms: int = _AGO.read(value.removesuffix("ago").strip())
                return round(time.time() * 1000) - ago_ms
        time_ms = parse_time_ms(value)
        if time_ms is None:
            ago = ", or how long ago it is as 2h" if self._takes_ago else ""
            self.fail(f"{value} is no time; write one as 2026-01-31T00:00:00Z{ago}", param, ctx)
        return time_ms


class SiteSource(NamedTuple):
    """Where a site is read from; exactly one of `state` and `broker` is to be given."""

    state: Path | None
    broker: str | None
    prefix: str

    @property
    def is_given(self) -> bool:
        """Whether there is anything to read from."""
        return self.state is not None or self.broker is not None


def site_source_options(command: Command) -> Command:
    """Add the options --state, --broker and --prefix to a command, which it gets as `source`."""

    @functools.wraps(command)
    def with_source(state: Path | None, broker: str | None, prefix: str, **others: Any) -> None:
        command(source=SiteSource(state, broker, prefix), **others)

    broker = click.option(
        "--broker",
        metavar="HOST:PORT",
        help="Kafka broker whose topics `site-models` and `documents` are read.  [default: TEMPL_BROKER, "
        "where --state is not given]",
    )
    state = click.option("--state", type=STATE_PATH, help=_STATE_HELP)
    return state(broker(prefix_option(with_source)))


def read_site(key: str, source: SiteSource, settings: Settings) -> SiteView:
    """Return what is known of a site; from then on, this process has a lower priority than a worker.

    Without a state directory and a broker, the broker of the settings is read.

    Raises:
        UsageProblem: Both state and broker are given, or neither is known.
        InputProblem: There is no such site.
    """
    from workers.inspect.site_view import SiteView, view_site  # noqa: PLC0415 - see lazy.py

    give_way(settings)
    if source.state is not None and source.broker is None:
        return view_site(source.state, key, settings)
    broker = source.broker or settings.broker
    if broker is None or source.state is not None:
        raise UsageProblem("give either --state or --broker")
    access = access_to(broker, source.prefix)
    import asyncio  # noqa: PLC0415

    from workers.kafka.site_records import read_site_records  # noqa: PLC0415

    records = asyncio.run(read_site_records(access, key))
    if records.model is None and not records.documents:
        raise InputProblem(f"the topics of {broker} hold no site {key}")
    return SiteView(
        site=key,
        record=records.model,
        state=None,
        window=records.documents,
        settings=records.settings,
    )


@contextmanager
def site_of_url(*, is_given: bool) -> Iterator[None]:
    """Add the option --site to the message of a problem with a site that was taken from a URL."""
    try:
        yield
    except InputProblem as error:
        advice = "" if is_given else "; --site KEY names the site, which was taken from the URL"
        raise InputProblem(f"{error}{advice}") from None


def read_page_file(file: str, advice: str) -> bytes:
    """Return the content of a file; `-` is standard input.

    Raises:
        InputProblem: It cannot be read; the message ends with the advice.
    """
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InputProblem(f"{file}: {error.strerror}; {advice}") from None


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """Open `path` for writing, and name it on standard error when it is written.

    The path `-` stands for standard output.

    Raises:
        UsageProblem: The file cannot be written.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise cannot_write("--out", path, error) from None
    with file:
        yield file
    click.echo(f"written to {path}", err=True)
