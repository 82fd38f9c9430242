import msgspec
import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.page_quality import KINDS, page_quality
from tests.templ_core.site_level.builders import site_model
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.without_content import without_content

CONFIG = CoreConfig(quality=True)


@pytest.fixture(scope="module")
def site():
    """A simulated site: its model, and twelve articles that it has not learned."""
    pages = list(simulate_feed(FeedSettings(genre="news", sites=1, pages=60, seed=11)))
    pages = [page for page in pages if page.page_role == "article"]
    model = site_model([parse_document(page.html, page.url) for page in pages[:-12]])
    return model, pages[-12:]


def qualities(site, kind):
    model, pages = site
    for page in pages:
        selectors = GoldSelectors(
            content=page.gold_selector, exclude=page.gold_exclude, neutral=page.gold_neutral
        )
        markup = page.html
        if kind is not None:
            body = without_content(markup, selectors, kind, page.url)
            markup = body.decode()
        cleaned = clean(parse_document(markup, page.url), model, CONFIG)
        yield page_quality(cleaned.quality_inputs)


def test_pages_with_content_have_it(site):
    assert sum(one.has_content for one in qualities(site, None)) >= 11


@pytest.mark.parametrize("kind", KINDS)
def test_pages_without_content_are_found(site, kind):
    known = [one for one in qualities(site, kind) if one is not None]
    assert len(known) >= 10
    assert sum(not one.has_content for one in known) >= 0.7 * len(known)


def test_nothing_is_judged_unless_it_is_asked_for():
    page = parse_document("<p>One word and another.", "")
    assert clean(page, None, CoreConfig()).quality_inputs == ()
    assert page_quality(()) is None
    assert clean(parse_document("", ""), None, CONFIG).quality_inputs == ()


def test_probabilities_are_at_most_one(site):
    for quality in qualities(site, "soft_404"):
        assert 0 <= sum(msgspec.structs.astuple(quality)) <= 1.001
