"""Cleaned records, to be joined with the pages of a corpus."""

from collections.abc import Iterable

from schemas.cleaned import CleanedRecord
from schemas.codec import SchemaError, decode_output
from workers.errors import InputProblem
from workers.lab.evaluation.gold_page import GoldPage
from workers.lab.evaluation.judge import Given


def corpus_name(file_name: str) -> str:
    """What a corpus is called: its file without endings."""
    return file_name.partition(".")[0]


class Outputs:
    """First outputs (revision 0) by where their pages came from."""

    def __init__(self, corpora: int) -> None:
        """Begin with none.

        Args:
            corpora: Number of corpora; with one, offsets alone tell pages apart, whatever the topic.
        """
        self._by_topic = corpora > 1
        self._given: dict[tuple[str, int], Given] = {}
        self.versions: set[str] = set()

    def add(self, name: str, lines: Iterable[bytes]) -> None:
        """Take the records of a file.

        Raises:
            InputProblem: a line is no cleaned record.
        """
        for number, line in enumerate(lines, 1):
            try:
                record = decode_output(line)
            except SchemaError as error:
                raise InputProblem(
                    f"{name}, line {number}: not a cleaned record: {error}"
                ) from None
            if isinstance(record, CleanedRecord) and record.revision == 0:
                topic = corpus_name(record.source.topic) if self._by_topic else ""
                self._given[topic, record.source.offset] = Given(
                    text=record.text, confidence=record.confidence, segments=record.segments
                )
                self.versions.add(record.page_model_version)

    def __len__(self) -> int:
        return len(self._given)

    def of(self, page: GoldPage) -> Given | None:
        """What was made of a page; None where there is no record of it."""
        return self._given.get((page.corpus if self._by_topic else "", page.offset))
