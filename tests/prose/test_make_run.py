"""What the pages say about the feed of `make run` is in that feed."""

import re

from tests.prose.pages import ROOT
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def test_the_page_that_is_corrected_is_one_of_make_run_and_has_the_element():
    makefile = (ROOT / "Makefile").read_text()
    sites, pages, seed = re.search(
        r"simulate --readable --sites (\d+) --pages (\d+) --seed (\d+)", makefile
    ).groups()
    text = (ROOT / "docs/correct-a-site.md").read_text()
    site = re.search(r"^site=(\S+)$", text, re.MULTILINE)[1]
    path = re.search(r"^page=https://www\.\$site(\S+)$", text, re.MULTILINE)[1]
    selector = re.search(r"override \$site --keep '\.(\S+)' --state out", text)[1]
    feed = FeedSettings(readable=True, sites=int(sites), pages=int(pages), seed=int(seed))
    [page] = [one for one in simulate_feed(feed) if one.url == f"https://www.{site}{path}"]
    assert page.site == site
    assert f'<section class="{selector}"' in page.html
