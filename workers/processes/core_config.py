"""The configuration of the core that a deployment uses."""

import functools
from typing import Literal

import msgspec

from templ_core.config import CoreConfig

CONFIG = CoreConfig()
"""The configuration but for the choice about comments."""
CommentsChoice = Literal["auto", "keep", "drop"]
"""What becomes of readers' comments, see `Settings.comments`."""


@functools.cache
def config_with(comments: CommentsChoice) -> CoreConfig:
    """Return the core's configuration with a deployment's choice about comments."""
    return msgspec.structs.replace(CONFIG, comments=comments)
