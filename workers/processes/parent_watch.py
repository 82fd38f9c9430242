"""A watch that ends a process when the process that started it has ended."""

import os
import threading
import time

_CHECK_S = 0.5
"""Time between two looks at the parent."""


def end_with_parent(parent: int) -> None:
    """Have this process end at once when its parent has ended, for whatever reason.

    Args:
        parent: Process id of the parent. The parent itself passes it on, since it may have ended
            before this call.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_S)
    os._exit(0)
