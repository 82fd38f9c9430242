"""Outputs of an earlier `templ run`, to be joined with the pages of a corpus."""

from collections import defaultdict
from collections.abc import Iterable

from schemas.cleaned import CleanedRecord
from schemas.codec import SchemaError, decode_output
from workers.errors import InputProblem
from workers.lab.evaluation.evaluation_page import EvaluationPage
from workers.lab.evaluation.judge import PageOutput


class EarlierOutputs:
    """The first texts (revision 0) of an earlier run, by the record that each was made of.

    A record of a file is known by its checksum and its number. Outputs of a run on Kafka, or of an
    older version, are known by their URL, and by their number where several have the same.
    """

    def __init__(self) -> None:
        """Begin without outputs."""
        self._by_record: dict[tuple[int, int], PageOutput] = {}
        self._by_url: defaultdict[str, dict[int, PageOutput]] = defaultdict(dict)
        self._count = 0
        self.versions: set[str] = set()

    def add(self, name: str, lines: Iterable[bytes]) -> None:
        """Add the records of a file.

        Raises:
            InputProblem: A line is not a cleaned record.
        """
        for number, line in enumerate(lines, 1):
            try:
                record = decode_output(line)
            except SchemaError as error:
                raise InputProblem(
                    f"{name}, line {number}: not a cleaned record: {error}"
                ) from None
            if isinstance(record, CleanedRecord) and record.revision == 0:
                source = record.source
                output = PageOutput(
                    text=record.text, confidence=record.confidence, segments=record.segments
                )
                self._by_record[source.partition, source.offset] = output
                self._by_url[record.url][source.offset] = output
                self._count += 1
                self.versions.add(record.page_model_version)

    def __len__(self) -> int:
        return self._count

    def for_page(self, page: EvaluationPage) -> PageOutput | None:
        """Return the output for a page, or None if there is no record of it."""
        exact = self._by_record.get((page.checksum, page.offset)) if page.checksum else None
        if exact is not None:
            return exact
        same_url = self._by_url.get(page.url, {})
        if len(same_url) == 1:
            return next(iter(same_url.values()))
        return same_url.get(page.offset)
