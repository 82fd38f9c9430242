"""A process that must not outlive the one that started it."""

import os
import threading
import time

_CHECK_S = 0.5


def end_with_parent(parent: int) -> None:
    """End this process at once when its parent is gone, however that went.

    Args:
        parent: Process id of the parent, from the parent itself: it may be gone already.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_S)
    os._exit(0)
