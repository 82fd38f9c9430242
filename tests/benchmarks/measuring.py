"""What benchmarks have in common: their command line, their pages, a bare parse, their clock and their charts."""

import argparse
import time
from itertools import islice
from pathlib import Path

import lxml.html

from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.lab.plots import line_chart, svg_file
from workers.page import Page

_PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def read_options(description, *files, given=None, **defaults):
    """Return the files and options of a command line; its help is the description, and the defaults.

    Args:
        description: What `--help` prints.
        files: Names of files or directories; one that ends in `...` stands for several.
        given: The command line; that of the process by default.
        defaults: Options with their defaults. A type stands for an option without a default, a tuple for a choice
            whose first value is the default.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in files:
        several = "+" if name.endswith("...") else None
        parser.add_argument(name.removesuffix("..."), type=Path, nargs=several)
    for name, default in defaults.items():
        option = f"--{name.replace('_', '-')}"
        if default is False:
            parser.add_argument(option, action="store_true")
        elif isinstance(default, tuple):
            parser.add_argument(option, choices=default, default=default[0])
        elif isinstance(default, type):
            parser.add_argument(option, type=default)
        else:
            parser.add_argument(option, type=type(default), default=default, help=f"[{default}]")
    return parser.parse_args(given)


def read_pages(paths, count=None, time_field="fetched_at"):
    """Return the first pages of files that have a body; all of them by default."""
    records = read_feed(paths, Reading(time_field=time_field))
    return list(islice((one for one in records if isinstance(one, Page) and one.body), count))


def bare_parse(body):
    """Return the tree that lxml makes of a page, to which the cost of other work is compared."""
    return lxml.html.document_fromstring(body, parser=_PARSER)


def processor_s(work):
    """Return the processor time that a call takes, in seconds."""
    began_s = time.process_time()
    work()
    return time.process_time() - began_s


def peak_kib():
    """Return the most memory that this process has had, in KiB; Linux gives it as `VmHWM`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def write_chart(directory, name, title, x, y, lines):
    """Write a chart to a file of a directory, if there is one; an axis that is to begin at 0 needs a point there."""
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        chart = svg_file(line_chart(title, x, y, lines))
        (directory / f"{name}.svg").write_text(chart, encoding="utf-8")
