"""Writing a file atomically: a kill or a loss of power leaves the old content or the new one."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Put a content in place of that of a file; readers see one of the two.

    Raises:
        OSError: The file cannot be written.
    """
    draft = path.with_name(path.name + ".new")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
