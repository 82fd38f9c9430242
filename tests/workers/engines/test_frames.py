"""The function for data frames: alone, in Ray Data and in PySpark."""

import sys

import pytest

from templ_core.site_key import site_key
from tests.workers.engines.crawl import crawled_pages, library_texts
from workers.engines.frames import SPARK_SCHEMA, clean_site_frame

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray and PySpark are not ours
pandas = pytest.importorskip("pandas", reason="no engine is installed; see `make engines`")


@pytest.fixture(scope="module")
def pages():
    return crawled_pages()


@pytest.fixture(scope="module")
def frame(pages):
    rows = [{"url": page.url, "html": page.body, "site": page.site} for page in pages]
    return pandas.DataFrame(rows)


def check(rows, pages):
    texts = {row["url"]: row["text"] for row in rows if pandas.isna(row["error"])}
    assert texts == library_texts(pages)
    (bad,) = (row for row in rows if not pandas.isna(row["error"]))
    assert bad["url"] == pages[7].url
    assert bad["error"].startswith("UnsupportedContent: ")


def test_a_row_for_each_page_in_order(frame, pages):
    ordered = frame.sort_values("site", kind="stable")
    cleaned = clean_site_frame(ordered)
    assert list(cleaned.columns) == [field.split()[0] for field in SPARK_SCHEMA.split(", ")]
    assert list(cleaned.url) == list(ordered.url)
    check(cleaned.to_dict("records"), pages)


def test_columns_that_are_optional_may_be_missing_or_null():
    html = "<p>" + "A sentence of some words, and then some more of them. " * 5
    rows = [
        {"url": "https://a.example/1", "html": html, "status": None},
        {"url": "https://a.example/2", "html": html.encode(), "status": 404},
    ]
    cleaned = clean_site_frame(pandas.DataFrame(rows))
    assert list(cleaned.site) == [site_key("https://a.example/")] * 2
    assert cleaned.text[0].startswith("A sentence")
    assert cleaned.error[1].startswith("PageGone: ")
    assert clean_site_frame(pandas.DataFrame({"url": [], "html": []})).empty


def test_names_with_lone_surrogates_cost_no_page():
    html = "<p>" + "A sentence of some words, and then some more of them. " * 5
    urls = ["https://a.example/\ud800", "https://a.example/2", "https://\ud800.example/"]
    cleaned = clean_site_frame(pandas.DataFrame({"url": urls, "html": [html, html, b"\0\1\2"]}))
    assert cleaned.to_json(orient="records").encode()
    assert list(cleaned.url) == ["https://a.example/?", urls[1], "https://?.example/"]
    assert list(cleaned.error.isna()) == [True, True, False]
    keys = clean_site_frame(pandas.DataFrame({"url": urls, "html": html, "site": [7, 7, 8]}))
    assert list(keys.site) == ["7", "7", "8"]


def test_ray_data(frame, pages):
    ray = pytest.importorskip("ray", reason="the extra `ray` is not installed; see `make engines`")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        crawl = ray.data.from_pandas(frame)
        cleaned = crawl.groupby("site").map_groups(clean_site_frame, batch_format="pandas")
        check(cleaned.take_all(), pages)
    finally:
        ray.shutdown()


def test_nemo_curator(frame, pages):
    pytest.importorskip("nemo_curator", reason="nemo-curator is not installed; see docs/engines.md")
    from nemo_curator.backends.ray_data import RayDataExecutor
    from nemo_curator.pipeline import Pipeline
    from nemo_curator.tasks import DocumentBatch

    from workers.engines.nemo_curator_stages import TemplStage

    batch = DocumentBatch(dataset_name="crawl", data=frame)
    (alone,) = TemplStage().process_batch([batch])
    check(alone.to_pandas().to_dict("records"), pages)
    pipeline = Pipeline(name="crawl", stages=[TemplStage()])
    (cleaned,) = pipeline.run(RayDataExecutor(), initial_tasks=[batch])
    check(cleaned.to_pandas().to_dict("records"), pages)


def test_pyspark(frame, pages, monkeypatch):
    sql = pytest.importorskip(
        "pyspark.sql", reason="the extra `pyspark` is not installed; see `make engines`"
    )
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = session.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        crawl = spark.createDataFrame(frame)
        cleaned = crawl.groupBy("site").applyInPandas(clean_site_frame, SPARK_SCHEMA)
        check([row.asDict() for row in cleaned.collect()], pages)
    finally:
        spark.stop()
