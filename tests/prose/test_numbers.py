"""Numbers in prose are those of the code."""

import re
from itertools import pairwise

import pytest
import yaml

from schemas.topics import MAX_MESSAGE_BYTES
from templ_core.fingerprint import _MATCHES_MIN, HASHES
from templ_core.metadata.authors import _NAMES_MAX
from templ_core.metadata.page_metadata import _TAGS_MAX
from templ_core.rendering.links import _LINKS_MAX
from templ_core.site_cleaner.two_passes import SampleBounds
from templ_core.site_level.config import REVISIONS_CONFIG, SCHEDULE_CONFIG
from templ_core.site_level.window.schedule import is_due
from tests.architecture.test_sizes import ARGUMENTS_MAX, LINES_MAX, METHODS_MAX, MODULES_MAX
from tests.prose.pages import ROOT
from workers.cli.console import _PORT
from workers.cli.feed import _NOTE_RECORDS
from workers.crawl.addresses import _SEGMENTS_MAX, PATH_QUERIES_MAX, URL_CHARS_MAX
from workers.crawl.config import CrawlConfig
from workers.crawl.robots import REDIRECTS_MAX
from workers.indexes.search import _NEAR_BITS
from workers.kafka.broker.plain_clients import NULLS_ARE_SAFE_MS
from workers.kafka.supervisor import RestartPolicy
from workers.setting_values import LONG_SECRET
from workers.settings import _DEADLINE_PAGE_BYTES
from workers.state.content_index import _NEAR_MAX

_HOUR_MS = 3600 * 1000


def fits(documents):
    """Return after which of a site's first documents its model is fitted."""
    fitted = [0]
    for learned in range(1, documents + 1):
        if is_due(learned, fitted[-1], learned):
            fitted.append(learned)
    return fitted[1:]


def listed(numbers):
    """Return numbers as a sentence lists them."""
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def per_cent(ratio):
    """Return a share as a sentence says it."""
    return f"{100 * ratio:g} %"


PHRASES = {
    "docs/architecture.md": [
        f"fitted after {listed(fits(27))} documents",
        f"each further one when {per_cent(SCHEDULE_CONFIG.growth_ratio)} of the window are new",
        f"the design of the last {SCHEDULE_CONFIG.design_documents} documents",
        f"first rests on {REVISIONS_CONFIG.first_mature_documents} documents",
        f"again at {REVISIONS_CONFIG.settled_documents},",
        f"at least {per_cent(REVISIONS_CONFIG.changed_ratio_min)} of the words differ",
    ],
    "docs/console.md": [
        f"at least {LONG_SECRET.min_length} random characters",
        f"TEMPL_CONSOLE_PORT={_PORT}",
    ],
    "docs/crawl-to-search.md": [
        f"at most {_NEAR_BITS} bits",
        f"at least {_MATCHES_MIN} of their {HASHES} min-hashes",
        f"at least {_MATCHES_MIN} of its `min_hashes`",
    ],
    "docs/engines.md": [f"(at most {SampleBounds().pages_max})"],
    "docs/operations.md": [f"doubles at most {_NOTE_RECORDS} pages"],
    "docs/settings.md": [f"a page of up to {_DEADLINE_PAGE_BYTES >> 20} MiB"],
    "schemas/README.md": [
        f"A message may have {MAX_MESSAGE_BYTES >> 20} MiB",
        f"differ in at most {_NEAR_BITS} bits",
        f"at most {_LINKS_MAX}:",
        f"more than {_NEAR_MAX} pages with one content",
        f"names, at most {_NAMES_MAX} |",
        f"at most {_TAGS_MAX} |",
        f"model rests on {REVISIONS_CONFIG.first_mature_documents} documents",
        f"it rests on {REVISIONS_CONFIG.settled_documents} documents",
    ],
    "workers/crawl/README.md": [
        f"at most {REDIRECTS_MAX} redirects, and again after a day",
        f"at {PATH_QUERIES_MAX} addresses of one path",
        f"more than {_SEGMENTS_MAX} segments",
        f"more than {URL_CHARS_MAX} characters",
    ],
    "deploy/README.md": [
        f"at port {_PORT}",
        f"stops within {RestartPolicy().stop_wait_s:g} s after SIGTERM",
    ],
    "CONTRIBUTING.md": [
        f"at most {MODULES_MAX} modules, a file at most {LINES_MAX} lines, a class at most {METHODS_MAX} methods, a function at most {ARGUMENTS_MAX} arguments",
    ],
}
"""Phrases by page, as the page must have them."""

ALERTS = {
    "TemplDown": [("for five minutes", "for", "5m")],
    "TemplNotReady": [("for half an hour", "for", "30m")],
    "TemplStandsStill": [("for 20 minutes", "expr", "[10m]"), ("for 20 minutes", "for", "10m")],
    "TemplWatchingStandsStill": [
        ("for 20 minutes", "expr", "[10m]"),
        ("for 20 minutes", "for", "10m"),
    ],
    "TemplWatchingLeavesOut": [("more than 2 %", "expr", "> 0.02")],
    "TemplLagGrows": [("for half an hour", "for", "30m")],
    "TemplBrokerAway": [("for two minutes", "expr", "> 120")],
    "TemplDeadLetters": [("more than 2 %", "expr", "> 0.02")],
    "TemplChildrenDie": [
        ("more than five", "expr", "[15m])) > 5"),
        ("in 15 minutes", "expr", "[15m]"),
    ],
    "TemplModelsOld": [("for six hours", "expr", "> 21600")],
    "TemplRefreshBehind": [
        ("a tenth of all sites", "expr", "> 0.1 *"),
        ("for an hour", "for", "1h"),
    ],
    "TemplSlowPages": [("one page in twenty", "expr", "0.95"), ("more than 10 s", "expr", "> 10")],
    "TemplRepeatedText": [("more than a tenth", "expr", "> 0.1")],
}
"""What the runbook says of each alert, and the part of its rule that makes it true."""


def words_of(name):
    """Return the text of a page with single spaces."""
    return " ".join((ROOT / name).read_text("utf-8").split())


@pytest.mark.parametrize(
    ("page", "phrase"), [(page, one) for page, phrases in PHRASES.items() for one in phrases]
)
def test_the_page_has_the_number_of_the_code(page, phrase):
    assert phrase in words_of(page)


def test_half_a_day_is_half_a_day():
    assert NULLS_ARE_SAFE_MS == 12 * _HOUR_MS
    assert CrawlConfig(contact="").robots_age_s * 1000 == 24 * _HOUR_MS
    for page in ("docs/failures.md", "docs/crawl-to-search.md"):
        assert "half a day" in words_of(page)


def test_the_runbook_has_the_numbers_of_the_alerts():
    (group,) = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text())["groups"]
    rules = {rule["alert"]: rule for rule in group["rules"]}
    runbook = words_of("deploy/RUNBOOK.md")
    starts = [*(found.start() for found in re.finditer("### Templ", runbook)), len(runbook)]
    sections = [runbook[start:end] for start, end in pairwise(starts)]
    assert (
        {section.split()[1]: section for section in sections}.keys()
        == ALERTS.keys()
        == rules.keys()
    )
    for section in sections:
        alert = section.split()[1]
        for phrase, part, value in ALERTS[alert]:
            assert phrase in section
            assert value in rules[alert][part]
