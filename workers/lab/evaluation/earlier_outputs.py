"""Outputs of an earlier `templ run`, to be joined with the pages of a corpus."""

from collections.abc import Iterable
from pathlib import Path

from schemas.cleaned import CleanedRecord
from schemas.codec import SchemaError, decode_output
from workers.errors import InputProblem
from workers.lab.evaluation.evaluation_page import EvaluationPage
from workers.lab.evaluation.judge import PageOutput
from workers.lab.jsonl import corpus_name


class EarlierOutputs:
    """The first texts (revision 0) of an earlier run, by the source of their pages."""

    def __init__(self, corpora: int) -> None:
        """Begin without outputs.

        Args:
            corpora: Number of corpora. With a single one, the offset alone identifies a page.
        """
        self._by_topic = corpora > 1
        self._outputs: dict[tuple[str, int], PageOutput] = {}
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
                topic = corpus_name(Path(record.source.topic)) if self._by_topic else ""
                self._outputs[topic, record.source.offset] = PageOutput(
                    text=record.text, confidence=record.confidence, segments=record.segments
                )
                self.versions.add(record.page_model_version)

    def __len__(self) -> int:
        return len(self._outputs)

    def for_page(self, page: EvaluationPage) -> PageOutput | None:
        """Return the output for a page, or None if there is no record of it."""
        return self._outputs.get((page.corpus if self._by_topic else "", page.offset))
