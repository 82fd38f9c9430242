"""Decodes damaged and hostile stored values, and does with each what the product does with it.

`python -m tests.faults.mutated_values --cases 20000` prints, for each codec, how many values were
refused, how many could be read, how many of either led to another error than a refusal, how often the
process died, and its peak memory. Each codec runs in a process of its own, which is started again at
the next value when it dies. Equal seeds give equal values.
"""

import argparse
import logging
import random
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.benchmarks.measuring import peak_kib
from tests.faults.mutations import mutated
from tests.faults.stored_values import CODECS

_STATE = struct.Struct("<4q")


class Tally(NamedTuple):
    """What became of the values of one codec."""

    done: int = 0
    refused: int = 0
    read: int = 0
    others: int = 0
    """Values that led to another error than a refusal."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the values of one codec, and of the process that read them."""

    tally: Tally
    deaths: int
    peak_mib: int
    """Largest resident memory of the process, all imports and models included."""
    errors: list[str]
    """What the process wrote about errors, and the number of each value at which it died."""


def report(
    codec: str, cases: int, seed: int, python: tuple[str, ...] = (sys.executable,)
) -> Report:
    """Return what became of so many mutated values of a codec.

    Args:
        codec: One of `CODECS`.
        cases: Number of values.
        seed: Decides the values.
        python: The command that starts Python.
    """
    deaths, errors, tally, peak_mib = 0, [], Tally(), 0
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        while tally.done < cases:
            state.write_bytes(_STATE.pack(*tally))
            options = f"--child {state} --codec {codec} --cases {cases} --seed {seed}"
            ended = subprocess.run(
                [*python, "-m", "tests.faults.mutated_values", *options.split()],
                capture_output=True,
                text=True,
                check=False,
            )
            tally = Tally(*_STATE.unpack(state.read_bytes()))
            errors += [line for line in ended.stderr.splitlines() if line.strip()]
            if ended.returncode:
                deaths += 1
                errors.append(f"value {tally.done}: the process ended with {ended.returncode}")
                tally = tally._replace(done=tally.done + 1)
            else:
                peak_mib = max(peak_mib, int(ended.stdout.split()[-1]))
    return Report(tally=tally, deaths=deaths, peak_mib=peak_mib, errors=errors)


def _child(state: Path, codec: str, cases: int, seed: int) -> None:
    """Read values from the first that is not done, and write down how far it has come."""
    logging.disable()
    refusals, seeds, use = CODECS[codec]()
    with state.open("r+b", buffering=0) as file:
        tally = Tally(*_STATE.unpack(file.read()))
        while tally.done < cases:
            case = random.Random(f"{codec} {seed} {tally.done}")
            value = mutated(case.choice(seeds), case)
            try:
                use(value)
                tally = tally._replace(read=tally.read + 1)
            except refusals:
                tally = tally._replace(refused=tally.refused + 1)
            except Exception as error:
                tally = tally._replace(others=tally.others + 1)
                last = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(last.filename).name}:{last.lineno}"
                print(
                    f"value {tally.done}: {type(error).__name__} at {place}: {error}",
                    file=sys.stderr,
                )
            tally = tally._replace(done=tally.done + 1)
            file.seek(0)
            file.write(_STATE.pack(*tally))
    print(peak_kib() // 1024)


def reports(
    codecs: list[str], cases: int, seed: int, say: Callable[[str], None]
) -> Iterator[tuple[str, Report]]:
    """Yield the report of each codec, and say it in a line."""
    say("codec            values refused    read  other  deaths  peak MiB")
    for codec in codecs:
        codec_report = report(codec, cases, seed)
        tally = codec_report.tally
        say(
            f"{codec:15} {tally.done:7} {tally.refused:7} {tally.read:7}"
            f" {tally.others:6} {codec_report.deaths:7} {codec_report.peak_mib:9}"
        )
        yield codec, codec_report


def main() -> int:
    """Print the reports, and return 1 if any value led to an error or a death."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="values of each codec")
    parser.add_argument("--seed", type=int, default=0, help="decides the values")
    parser.add_argument("--codec", choices=sorted(CODECS), help="one codec instead of all")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _child(options.child, options.codec, options.cases, options.seed)
        return 0
    failed = False
    codecs = [options.codec] if options.codec else list(CODECS)
    for _, codec_report in reports(codecs, options.cases, options.seed, print):
        failed |= bool(codec_report.tally.others or codec_report.deaths)
        for line in codec_report.errors[:20]:
            print("  ", line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
