"""The inputs of a command, and a progress bar that shows how far they have been read."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from templ_core.patterns import pattern
from templ_core.site_key import LOCAL
from workers.errors import InputProblem, UsageProblem
from workers.feeds.files import read_feed, total_bytes
from workers.feeds.reading import Reading
from workers.feeds.streams import STDIN
from workers.local.record_file import STDOUT
from workers.lru_cache import LruCache
from workers.page import Page, Rejected
from workers.settings import Settings

Bar = Callable[[int, str], None]
"""Shows the number of bytes done and a short note on a progress bar."""


@contextmanager
def progress(total: int | None) -> Iterator[Bar]:
    """Show a bar over this number of bytes, if it is known, on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _note: None
        return
    from rich import console  # noqa: PLC0415 - takes long to import
    from rich import progress as bars  # noqa: PLC0415

    with bars.Progress(
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.DownloadColumn(),
        bars.TimeRemainingColumn(),
        bars.TextColumn("{task.fields[note]}"),
        console=console.Console(stderr=True),
    ) as display:
        task = display.add_task("", total=total, note="")
        yield lambda done, note: display.update(task, completed=done, note=note)


_PAGES_REMEMBERED = 1_000_000
"""Latest pages among which a repeated one is noticed."""
_JSON = pattern(rb"(?:\xef\xbb\xbf)?\s*[{\[]\s*[\"{\[]")
"""The beginning of a body that is JSON."""


def refuse_overwriting(inputs: Sequence[Path], **outputs: Path | None) -> None:
    """Check that no output, given by the name of its option, would overwrite an input or another output.

    Raises:
        UsageProblem: An output would; the message names its option.
    """
    taken = {_place(path): f"the input {path}" for path in inputs if path != STDIN}
    for name, path in outputs.items():
        if path is None or path == STDOUT:
            continue
        option = f"--{name.replace('_', '-')}"
        place = _place(path)
        if place in taken:
            raise UsageProblem(f"{option} {path} is {taken[place]} too; give another file")
        if path.is_file() or not path.exists():
            taken[place] = option


def _place(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError:
        raise UsageProblem(
            f"{path} is a loop of symbolic links; give a file or a directory"
        ) from None


def refuse_filled(**outputs: Path) -> None:
    """Check that no output, given by the name of its option, replaces a file that is not empty.

    Raises:
        UsageProblem: An output would; the message names its option.
    """
    for name, path in outputs.items():
        if path != STDOUT and path.is_file() and path.stat().st_size:
            raise UsageProblem(
                f"--{name.replace('_', '-')} {path} is there already: give --resume to go on with it, "
                "--force to replace it, or another file"
            )


def raise_problems(problems: Sequence[InputProblem]) -> None:
    """Raise what was wrong with inputs, after everything else was read.

    Raises:
        InputProblem: Something was; the message has a line for each problem.
    """
    if problems:
        raise InputProblem("\ntempl: ".join(map(str, problems)))


class FeedReader:
    """Reads the pages of the inputs in order, and counts the bytes read."""

    def __init__(self, paths: Sequence[Path], *, time_field: str, settings: Settings) -> None:
        """Check the inputs.

        Raises:
            InputProblem: An input is of an unknown type or cannot be read.
        """
        self._paths = paths
        self.bytes_total = total_bytes(paths)
        self.bytes_read = 0
        self.problems: list[InputProblem] = []
        """Why inputs could not be read, or not to their end; the inputs behind them were read."""
        self._reading = Reading(
            time_field=time_field,
            latest_ms=round(time.time() * 1000) + settings.clock_skew_ms,
            limit_bytes=settings.page_limit_bytes,
            on_progress=self._count,
            on_problem=self.problems.append,
        )
        self.left_out, self.guessed = self._reading.left_out, self._reading.guessed
        """See the fields of `Reading`; pages that are unusual are counted among those that were guessed."""
        self._seen: LruCache[int, bool] = LruCache(_PAGES_REMEMBERED)

    def __iter__(self) -> Iterator[Page | Rejected]:
        for record in read_feed(self._paths, self._reading):
            if isinstance(record, Page):
                self._guess(record)
            yield record

    def _guess(self, page: Page) -> None:
        """Count what is unusual about a page, and was not refused."""
        key = hash((page.url, page.body))
        lines = {
            f"of the site `{LOCAL}`, for want of a host in the URL": page.site == LOCAL,
            "with JSON in place of HTML: it was cleaned as text": bool(page.body)
            and _JSON.match(page.body or b"") is not None,
            "that came before with the same URL and the same bytes": self._seen.get(key)
            is not None,
        }
        self._seen.put(key, value=True)
        self.guessed.update(what for what, is_so in lines.items() if is_so)

    def _count(self, size_bytes: int) -> None:
        self.bytes_read += size_bytes
