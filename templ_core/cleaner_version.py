"""The version of everything that decides a text, without loading the code that cleans."""

import hashlib

from templ_core import __version__
from templ_core.config import CoreConfig
from templ_core.source_digest import installed_digest

_VERSION_BYTES = 6


def cleaner_version(config: CoreConfig) -> str:
    """Return the version of everything that decides a text besides the page and site models.

    Equal versions, page models and site models give equal text. It is the version of the package
    with a digest of the sources, the data files and the config.

    >>> cleaner_version(CoreConfig()) == cleaner_version(CoreConfig(comments="keep"))
    False
    """
    decides = f"{installed_digest()}/{config.digest()}".encode()
    return f"{__version__}+{hashlib.blake2b(decides, digest_size=_VERSION_BYTES).hexdigest()}"
