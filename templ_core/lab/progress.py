"""The callback by which long computations report what they have finished."""

from collections.abc import Callable

ReportProgress = Callable[[str], None]
"""Called with one line about the step that was just finished."""
