"""The steps for datatrove in pipelines that datatrove runs itself."""

import gzip
import json

import pytest

from tests.workers.engines.crawl import crawled_pages, library_texts

pytest.importorskip(
    "datatrove", reason="the extra `datatrove` is not installed; see `make engines`"
)

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from workers.engines.datatrove_steps import SiteBuckets, TemplCleaner, TemplExtractor


def documents(pages):
    return [
        Document(text=page.body, id=page.url, metadata={"url": page.url, "site": page.site})
        for page in pages
    ]


def run(path, *steps, tasks=1):
    LocalPipelineExecutor(list(steps), tasks=tasks, workers=1, logging_dir=str(path)).run()


def written(folder):
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.gz"))
        for line in gzip.open(path, "rt", encoding="utf-8")
    ]


def test_a_crawl_in_buckets_has_the_texts_of_the_library(tmp_path):
    pages = crawled_pages()
    buckets, cleaned, dropped = (tmp_path / name for name in ("buckets", "cleaned", "dropped"))
    run(
        tmp_path / "log1",
        documents(pages),
        SiteBuckets(4),
        JsonlWriter(str(buckets), output_filename="${bucket}.jsonl.gz"),
    )
    assert len(list(buckets.glob("*.gz"))) > 1
    run(
        tmp_path / "log2",
        JsonlReader(str(buckets)),
        TemplCleaner(exclusion_writer=JsonlWriter(str(dropped))),
        JsonlWriter(str(cleaned)),
        tasks=len(list(buckets.glob("*.gz"))),
    )
    expected = library_texts(pages)
    assert {one["id"]: one["text"] for one in written(cleaned)} == expected
    assert {one["metadata"]["templ_method"] for one in written(cleaned)} <= {"site", "page"}
    (bad,) = written(dropped)
    assert bad["id"] == pages[7].url
    assert bad["metadata"]["templ_error"].startswith("UnsupportedContent: ")


def test_the_extractor_cleans_single_pages():
    pages = crawled_pages()[:3]
    cleaned = list(TemplExtractor().run(iter(documents(pages))))
    assert [one.id for one in cleaned] == [page.url for page in pages]
    assert all(len(one.text) < len(page.body) for one, page in zip(cleaned, pages, strict=True))
    assert TemplExtractor().extract("") == ""


def test_the_texts_are_the_same_however_much_html_is_held_compressed():
    pages = crawled_pages()
    expected = library_texts(pages)
    for plain_bytes_max in (0, 300_000):
        step = TemplCleaner(plain_bytes_max=plain_bytes_max)
        assert {one.id: one.text for one in step.run(iter(documents(pages)))} == expected


def test_names_with_lone_surrogates_cost_no_document(tmp_path):
    html = "<p>" + "A sentence of some words, and then some more of them. " * 5
    urls = ["https://a.example/\ud800", "https://a.example/2", "https://\ud800.example/"]
    texts = [html, html, "\0\ud800"]
    made = [
        Document(text=text, id=str(number), metadata={"url": url})
        for number, (url, text) in enumerate(zip(urls, texts, strict=True))
    ]
    cleaned, dropped = tmp_path / "cleaned", tmp_path / "dropped"
    run(
        tmp_path / "log",
        made,
        SiteBuckets(1),
        TemplCleaner(exclusion_writer=JsonlWriter(str(dropped)), plain_bytes_max=1),
        JsonlWriter(str(cleaned)),
    )
    assert [one["metadata"]["url"] for one in written(cleaned)] == ["https://a.example/?", urls[1]]
    assert [one["metadata"]["url"] for one in written(dropped)] == ["https://?.example/"]
