"""What a process gives its children as environment, and what others than templ read from it."""

import os
from collections.abc import Mapping
from pathlib import Path


def otel_variables() -> Mapping[str, str]:
    """Return the variables of OpenTelemetry that the environment gives, by name."""
    given = os.environ  # noqa: TID251
    return {name: value for name, value in given.items() if name.startswith("OTEL_")}


_PACKAGES = str(Path(__file__).parents[1])
"""Directory in which our packages are."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def child_environment() -> dict[str, str]:
    """Return the environment of a child process: one thread for arithmetic, and our packages first.

    A child that is started with `-P` does not look for modules in the current directory, where a folder
    `workers` may have nothing to do with templ. Work is parallel over children; a library that starts a
    thread for each processor in each child would slow down the others.
    """
    others = os.environ.get("PYTHONPATH")  # noqa: TID251
    path = os.pathsep.join([_PACKAGES, others] if others else [_PACKAGES])
    return {**os.environ, **_ONE_THREAD, "PYTHONPATH": path}  # noqa: TID251


def use_one_arithmetic_thread() -> None:
    """Have this process and children that inherit its environment use one thread for arithmetic."""
    os.environ.update(_ONE_THREAD)  # noqa: TID251
