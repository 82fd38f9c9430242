from templ_core.lab.training.pages import GoldRecord, owner_of_each, thin


def gold_page(url, site="s"):
    return GoldRecord(
        corpus="c", url=url, site=site, page_type="", body=b"", charset=None, gold_text="x",
        selectors=None,
    )  # fmt: skip


def test_pages_of_a_domain_or_a_site_have_one_owner():
    owners = owner_of_each(
        [
            ("https://a.example.com/1", "first"),
            ("https://b.example.com/2", "second"),
            ("https://other.org/", "second"),
            ("https://third.net/", "third"),
            ("file:x.html", "third.net"),
        ]
    )
    assert owners[0] == owners[1] == owners[2]
    assert owners[3] == owners[4]
    assert owners[0] != owners[3]


def test_large_sites_are_thinned_by_the_hashes_of_addresses():
    pages = [gold_page(f"https://a.org/{n}") for n in range(9)]
    few = thin(pages, 3)
    assert len(few) == 3
    assert {page.url for page in thin(reversed(pages), 3)} == {page.url for page in few}
