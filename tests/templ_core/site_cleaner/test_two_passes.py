"""Whole crawls, cleaned site by site."""

import itertools

import pytest

from templ_core import CrawledPage, SampleBounds, SiteCleaner, clean_crawl, clean_site
from templ_core.dom.document import read_document
from templ_core.errors import EmptyPage, PageError, PageGone
from templ_core.site_cleaner import site_cleaner
from workers.lab.simulate.feed import FeedSettings, simulate_feed


@pytest.fixture(scope="module")
def crawl():
    """36 pages of two sites, one site after the other."""
    feed = simulate_feed(FeedSettings(genre="news", sites=2, pages=36, seed=3))
    pages = [CrawledPage(made.url, made.html.encode(), made.site) for made in feed]
    return sorted(pages, key=lambda page: page.site)


def texts(outcomes):
    return [outcome.cleaned.text for outcome in outcomes]


def test_the_pages_of_a_site_are_cleaned_with_what_all_of_them_share(crawl):
    outcomes = list(clean_crawl(crawl))
    assert [outcome.page for outcome in outcomes] == crawl
    for _, pages in itertools.groupby(crawl, lambda page: page.site):
        some = list(pages)
        together = clean_site([(page.url, page.body) for page in some])
        found = [one.cleaned for one in outcomes if one.page.site == some[0].site]
        assert [one.text for one in found] == [one.text for one in together]
    first = outcomes[0].cleaned
    assert first.site_model_version is not None
    assert SiteCleaner().clean(crawl[0].url, crawl[0].body).site_model_version is None


def test_pages_behind_the_sample_are_learned_from_as_they_come(crawl):
    read = []

    def reading():
        for page in crawl:
            read.append(page.url)
            yield page

    outcomes = clean_crawl(reading(), sample=SampleBounds(pages_max=4))
    first = next(outcomes)
    assert len(read) == 4
    versions = {one.cleaned.site_model_version for one in [first, *outcomes]}
    assert len(read) == len(crawl)
    assert len(versions) > 2


def test_held_pages_are_bounded_in_bytes_too(crawl):
    read = itertools.count()
    outcomes = clean_crawl(
        (page for page in crawl if next(read) >= 0), sample=SampleBounds(bytes_max=1)
    )
    next(outcomes)
    assert next(read) == 1


def test_a_page_of_the_sample_is_read_once(crawl, monkeypatch):
    read = []

    def reading(*arguments, **options):
        read.append(arguments[1])
        return read_document(*arguments, **options)

    monkeypatch.setattr(site_cleaner, "read_document", reading)
    list(clean_crawl(crawl))
    assert read == [page.url for page in crawl]


def test_a_site_does_not_depend_on_the_sites_beside_it(crawl):
    of_site = [page for page in crawl if page.site == crawl[-1].site]
    assert texts(clean_crawl(of_site)) == texts(clean_crawl(crawl))[-len(of_site) :]


def test_a_page_that_cannot_be_cleaned_costs_no_other_page(crawl):
    bad = crawl[0]._replace(url=crawl[0].url + "/bad", body=b"")
    gone = crawl[0]._replace(url=crawl[0].url + "/gone", status=410)
    for sample in (SampleBounds(), SampleBounds(pages_max=1)):
        outcomes = list(clean_crawl([crawl[0], bad, gone, *crawl[1:]], sample=sample))
        assert isinstance(outcomes[1].cleaned, EmptyPage)
        assert isinstance(outcomes[2].cleaned, PageGone)
        others = [one for one in outcomes if not isinstance(one.cleaned, PageError)]
        assert len(others) == len(crawl)
    assert list(clean_crawl([])) == []


def test_a_site_that_comes_back_is_refused(crawl):
    mixed = [crawl[0], crawl[-1], crawl[1]]
    outcomes = clean_crawl(mixed)
    assert [next(outcomes).page, next(outcomes).page] == mixed[:2]
    with pytest.raises(ValueError, match=f"pages of the site {crawl[0].site} come again"):
        next(outcomes)
