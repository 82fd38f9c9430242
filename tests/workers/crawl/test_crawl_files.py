import gzip

import pytest

from workers.crawl.config import CrawlConfig
from workers.crawl.crawl_files import PageLines, WarcFiles
from workers.crawl.run import crawl
from workers.crawl.store import StoreKinds
from workers.errors import StateProblem


def test_a_file_that_was_moved_away_begins_anew(tmp_path):
    lines = PageLines(tmp_path / "pages.jsonl", {"pages.jsonl": 1000})
    lines.close()
    assert lines.lengths() == {"pages.jsonl": 0}
    assert (tmp_path / "pages.jsonl").read_bytes() == b""
    files = WarcFiles(tmp_path, "crawl", {"crawl-00001.warc.gz": 1000}, "a@b.example")
    files.close()
    (begun,) = tmp_path.glob("crawl-*")  # the first one must not be overwritten if it comes back
    assert begun.name == "crawl-00002.warc.gz"
    assert gzip.decompress(begun.read_bytes()).startswith(b"WARC/")


def test_a_file_that_has_lost_its_end_is_told(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"{}\n")
    with pytest.raises(StateProblem, match="shorter"):
        PageLines(path, {path.name: 4})
    assert path.read_bytes() == b"{}\n"


@pytest.mark.parametrize("name", ["pages.jsonl", "crawl-00001.warc.gz"])
def test_files_of_a_crawl_whose_frontier_is_lost_are_not_overwritten(tmp_path, name):
    (tmp_path / name).write_bytes(b"pages")
    config, kinds = CrawlConfig(contact="a@b.example"), StoreKinds(pages=True, archive=True)
    with pytest.raises(StateProblem, match="frontier.db"):
        crawl(tmp_path, ["http://a.example/"], config, kinds)
    assert (tmp_path / name).read_bytes() == b"pages"
