"""The pages of one site as a pandas data frame, for PySpark and Ray Data.

PySpark, with `pages` that have the columns `url` and `html`:

    site = udf(site_key)("url")
    pages.withColumn("site", site).groupBy("site").applyInPandas(clean_site_frame, SPARK_SCHEMA)

Ray Data, with the same columns and `site`:

    pages.groupby("site").map_groups(clean_site_frame, batch_format="pandas")
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from templ_core import CleanedPage, CleanerOptions, CrawledPage, clean_crawl
from templ_core.errors import PageError

if TYPE_CHECKING:
    from pandas import DataFrame

SPARK_SCHEMA = (
    "url string, site string, text string, title string, method string, confidence double, "
    "page_type string, language string, published_at string, markdown string, has_content boolean, "
    "fingerprint string, error string"
)
"""The columns of what `clean_site_frame` returns, with their types for PySpark."""
FRAME_COLUMNS = [field.split()[0] for field in SPARK_SCHEMA.split(", ")]
"""The names of these columns."""
_OPTIONS = CleanerOptions(with_links=True, with_quality=True)
_INPUT = ("url", "html", "site", "content_type", "status")


def clean_site_frame(frame: "DataFrame") -> "DataFrame":
    """Clean the pages of one site, each with what all of them share.

    Args:
        frame: One row for each page, with the columns `url` and `html` (text, or the bytes as fetched), and
            optionally `site`, `content_type` and `status`. Rows of several sites may follow each other, if
            those of a site follow each other.

    Returns:
        One row for each page in the same order, with the columns of `SPARK_SCHEMA`. A page that cannot be
        cleaned has the reason in `error` and nulls in the other columns behind `site`.
    """
    import pandas as pd  # noqa: PLC0415 - an engine brings it

    rows = [_row(page, cleaned) for page, cleaned in clean_crawl(_pages(frame), _OPTIONS)]
    columns = {name: [row.get(name) for row in rows] for name in FRAME_COLUMNS}
    return pd.DataFrame(columns, columns=FRAME_COLUMNS)


def _pages(frame: "DataFrame") -> Iterator[CrawledPage]:
    columns = [name for name in _INPUT if name in frame.columns]
    for values in frame[columns].itertuples(index=False, name=None):
        row: dict[str, Any] = {
            name: value
            for name, value in zip(columns, values, strict=True)
            if isinstance(value, (str, bytes)) or value == value  # noqa: PLR0124 - NaN stands for null
        }
        yield CrawledPage(
            url=row["url"],
            body=row.get("html") or b"",
            site=str(row["site"]) if "site" in row else None,
            content_type=row.get("content_type"),
            status=int(row.get("status") or 200),
        )


def _row(page: CrawledPage, cleaned: CleanedPage | PageError) -> dict[str, Any]:
    if isinstance(cleaned, PageError):
        reason = f"{type(cleaned).__name__}: {cleaned}"
        return {"url": page.encodable().url, "site": page.site_key, "error": reason}
    return {
        "url": cleaned.url,
        "site": page.site_key,
        "text": cleaned.text,
        "title": cleaned.title,
        "method": cleaned.method,
        "confidence": cleaned.confidence,
        "page_type": cleaned.page_type,
        "language": cleaned.metadata.language,
        "markdown": cleaned.markdown(),
        "has_content": cleaned.quality.has_content if cleaned.quality else False,
        "published_at": cleaned.metadata.published_at,
        "fingerprint": cleaned.fingerprint,
    }
