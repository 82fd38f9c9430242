"""A file of pages, as `templ run` and `templ feed` read it."""

from pathlib import Path

import msgspec

from schemas.codec import encode_json
from schemas.dead_letter import DeadLetter
from templ_core.dom.decode.decode_page import decompress
from templ_core.errors import PageError
from workers.feeds.records import page_record
from workers.local.record_file import RecordFile
from workers.page import Page


class PageFile:
    """A JSON Lines file that pages are appended to."""

    def __init__(self, path: Path, limit_bytes: int, *, resumes: bool) -> None:
        """Open the file, which is compressed by its suffix.

        If it `resumes`, pages are added behind those that are there; a torn line is cut off. No page has more than
        `limit_bytes` after decompression.

        Raises:
            UsageProblem: The file cannot be opened.
            DiskProblem: The disk is full.
        """
        self._limit_bytes = limit_bytes
        self._file = RecordFile("--to", path, resumes=resumes)
        for _ in self._file.lines_before() if resumes else ():
            pass
        self.close = self._file.close

    async def send(self, page: Page) -> DeadLetter | None:
        """Append a page; return a dead letter when it cannot be decompressed."""
        body, encoding = page.body, page.content_encoding or ""
        try:
            body = None if body is None else decompress(body, encoding, self._limit_bytes)
        except PageError as error:
            return DeadLetter(exception=type(error).__name__, message=str(error), stage="publish")
        whole = msgspec.structs.replace(page, body=body)
        self._file.write(encode_json(page_record(whole)) + b"\n")
        return None

    async def settle(self) -> None:
        """Write the pages that are in memory."""
        self._file.flush()
