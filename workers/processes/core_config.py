"""The configuration of the core that a deployment uses."""

import msgspec

from templ_core.config import CoreConfig
from workers.settings import Settings

CONFIG = CoreConfig()
"""The configuration but for what settings choose."""


def config_of(settings: Settings) -> CoreConfig:
    """Return the core's configuration with a deployment's choices about comments and the balance."""
    return msgspec.structs.replace(CONFIG, comments=settings.comments, balance=settings.balance)
