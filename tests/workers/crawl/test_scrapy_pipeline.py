"""The item pipeline inside a Scrapy project, which has a crawler of its own."""

import asyncio
import subprocess
import sys

import pytest
from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from tests.workers.crawl.crawler import lines
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.child_program import child_environment
from workers.crawl.scrapy_pipeline import TemplPipeline, page_of_item

SPIDER = """
import scrapy


class Stories(scrapy.Spider):
    name = "stories"

    async def start(self):
        yield scrapy.Request(self.start_url)

    def parse(self, response):
        yield {"response": response, "shelf": "news"}
        yield {"headline": "no page"}
"""


def test_a_spider_of_another_project_writes_pages(tmp_path):
    (tmp_path / "stories.py").write_text(SPIDER)
    with SimulatedWeb(1, articles=4) as web:
        settings = (
            'ITEM_PIPELINES={"workers.crawl.scrapy_pipeline.TemplPipeline": 300}',
            "TEMPL_PAGES=pages.jsonl",
        )
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "runspider", "stories.py",
             "-a", f"start_url={web.articles[0]}", *(one for pair in settings for one in ("-s", pair))],
            cwd=tmp_path,
            env={**child_environment(), "http_proxy": web.proxy},
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    (record,) = lines(tmp_path / "pages.jsonl")
    assert (record["url"], record["site"]) == (web.articles[0], "site-000.home.arpa")


def test_items_of_other_forms_are_pages():
    text = page_of_item(ItemAdapter({"url": "http://a.example/1", "body": "<p>é", "site": "mine"}))
    assert (text.body, text.charset, text.site) == ("<p>é".encode(), "utf-8", "mine")
    raw = {"url": "http://a.example/1", "body": b"\xe9", "fetched_at": "2026-01-02T03:04:05Z"}
    assert page_of_item(ItemAdapter(raw)).fetched_at == "2026-01-02T03:04:05Z"
    response = HtmlResponse(
        "http://a.example/2", body=b"<p>", headers={"Content-Type": "text/html"}
    )
    assert page_of_item(ItemAdapter({"response": response})).content_type == "text/html"
    assert page_of_item(ItemAdapter({"url": "http://a.example/"})) is None


def test_a_project_without_the_setting_is_told():
    class Project:
        settings = Settings()

    with pytest.raises(NotConfigured, match="TEMPL_PAGES"):
        TemplPipeline.from_crawler(Project)


def test_a_file_grows_from_run_to_run(tmp_path):
    class Project:
        settings = Settings({"TEMPL_PAGES": str(tmp_path / "pages.jsonl")})

    async def run():
        pipeline = TemplPipeline.from_crawler(Project)
        await pipeline.open_spider()
        item = {"url": "http://a.example/", "body": b"<p>"}
        assert await pipeline.process_item(item) is item
        await pipeline.close_spider()

    asyncio.run(run())
    asyncio.run(run())
    assert len(lines(tmp_path / "pages.jsonl")) == 2
