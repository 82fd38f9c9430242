"""What benchmarks have in common: their command line and their clock."""

import argparse
import time


def command_line(description):
    """Return a parser whose help keeps the lines of the description."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def processor_s(work):
    """Return the processor time that a call takes, in seconds."""
    began_s = time.process_time()
    work()
    return time.process_time() - began_s
