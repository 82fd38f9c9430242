"""How long computations tell their caller what they have done."""

from collections.abc import Callable

ReportProgress = Callable[[str], None]
"""Called with one line about the step that was just finished."""
