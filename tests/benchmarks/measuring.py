"""What benchmarks have in common: their command line, their pages, a bare parse and their clock."""

import argparse
import time
from itertools import islice

import lxml.html

from workers.feeds.files import read_feed
from workers.page import Page

_PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def command_line(description):
    """Return a parser whose help keeps the lines of the description."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def read_pages(paths, count=None, time_field="fetched_at"):
    """Return the first pages of files that have a body; all of them by default."""
    found = read_feed(paths, time_field=time_field)
    return list(islice((one for one in found if isinstance(one, Page) and one.body), count))


def bare_parse(body):
    """Return the tree that lxml makes of a page, to which the cost of other work is compared."""
    return lxml.html.document_fromstring(body, parser=_PARSER)


def processor_s(work):
    """Return the processor time that a call takes, in seconds."""
    began_s = time.process_time()
    work()
    return time.process_time() - began_s
