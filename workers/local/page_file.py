"""Pages as a JSON Lines file that `templ run` and `templ feed` read."""

from pathlib import Path

import msgspec

from schemas.codec import encode_json
from schemas.dead_letter import DeadLetter
from templ_core.dom.decode.content_encoding import decompress
from templ_core.errors import PageError
from workers.feeds.records import page_record
from workers.local.record_file import RecordFile
from workers.page import Page


class PageFile:
    """A file that pages are appended to."""

    def __init__(self, option: str, path: Path, limit_bytes: int, *, resumes: bool) -> None:
        """Open the file.

        Args:
            option: Option that names the file, for messages.
            path: The file, compressed by its suffix.
            limit_bytes: Largest page after decompression.
            resumes: Whether pages are added behind those that are there; a torn line is cut off.

        Raises:
            UsageProblem: The file cannot be opened.
            DiskProblem: The disk is full.
        """
        self._limit_bytes = limit_bytes
        self._file = RecordFile(option, path, resumes=resumes)
        if resumes:
            for _ in self._file.lines_before():
                pass

    def write(self, page: Page) -> DeadLetter | None:
        """Append a page.

        Returns:
            A dead letter when the page cannot be decompressed; otherwise None.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        try:
            page = self._decompressed(page)
        except PageError as error:
            return DeadLetter(exception=type(error).__name__, message=str(error), stage="publish")
        self._file.write(encode_json(page_record(page)) + b"\n")
        return None

    def flush(self) -> None:
        """Write the pages that are in memory.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        self._file.flush()

    def close(self) -> None:
        """Write the pages that are in memory, and close the file.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        self._file.close()

    def _decompressed(self, page: Page) -> Page:
        if page.body is None:
            return page
        body = decompress(page.body, page.content_encoding or "", self._limit_bytes)
        return msgspec.structs.replace(page, body=body)
