"""A stage of NeMo Curator: batches of pages in, batches of clean texts out.

NeMo Curator has no stage that groups documents by a column. So the batches have to be made of whole sites, as by
reading files that each have all pages of their sites (`SiteBuckets` for datatrove and a PySpark
`repartition("site")` write such files):

    Pipeline(
        name="crawl",
        stages=[JsonlReader("pages/", files_per_partition=1), TemplStage(), JsonlWriter("cleaned/")],
    )
"""

from templ_core.site_key import site_key
from workers.engines.frames import FRAME_COLUMNS, clean_site_frame

try:
    from nemo_curator.stages.base import ProcessingStage
    from nemo_curator.tasks import DocumentBatch
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"the stage for NeMo Curator needs {error.name}, which is not installed: install nemo-curator",
        name=error.name,
    ) from None


class TemplStage(ProcessingStage[DocumentBatch, DocumentBatch]):  # type: ignore[misc]
    """Replaces the pages of a batch by their clean texts, each with what the pages of its site share.

    Batches have the columns that `clean_site_frame` reads, in any order of rows, and get its columns.
    """

    name = "templ"

    def inputs(self) -> tuple[list[str], list[str]]:
        """Return the attributes and columns that are read."""
        return ["data"], ["url", "html"]

    def outputs(self) -> tuple[list[str], list[str]]:
        """Return the attributes and columns that are written."""
        return ["data"], FRAME_COLUMNS

    def process(self, batch: DocumentBatch) -> DocumentBatch:
        """Return the batch with the clean texts, site by site."""
        frame = batch.to_pandas()
        if "site" not in frame.columns:
            frame = frame.assign(site=frame["url"].map(site_key))
        frame = frame.sort_values("site", kind="stable", ignore_index=True)
        return DocumentBatch(
            dataset_name=batch.dataset_name,
            data=clean_site_frame(frame),
            _metadata=batch._metadata,  # noqa: SLF001 - as every stage of NeMo Curator passes it on
            _stage_perf=batch._stage_perf,  # noqa: SLF001
        )
