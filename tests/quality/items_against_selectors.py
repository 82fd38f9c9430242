"""How many items of listings are found, with their addresses.

    python -m tests.quality.items_against_selectors listings.jsonl.xz shops.jsonl.xz sites_other.jsonl.xz more_sites.jsonl.xz

Each site has selectors, written for it by hand, of the items of its listings, and of name and link of each. An item is
found if an item of the page has its name; its address is right if it leads where the link does. Pages without items by
the selectors are left out, and so are those where they find only one.
"""

import re
from collections import Counter
from typing import NamedTuple
from urllib.parse import urljoin

import lxml.html

from templ_core import CleanerOptions, clean
from templ_core.records.records import Item
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of

_ITEMS_MIN = 2


class ItemSelectors(NamedTuple):
    """Where a site has the items of its listings."""

    item: str
    name: str
    link: str = ""
    """Links to the pages of items; empty = those of the names."""


_WOOCOMMERCE = ItemSelectors(
    "li.product", ".woocommerce-loop-product__title, h3, h2", "a.woocommerce-LoopProduct-link"
)
SITES = {
    "anderbuns-recipes": ItemSelectors("article.recipe-card", "h2, h3, h4", "a"),
    "applevalleycitizens.org": ItemSelectors("article", "h2.entry-title a, h1.entry-title a"),
    "atsmanufacturing": ItemSelectors(
        "li.product, article.post", "h3, h2.entry-title", "h3 a, h2 a, a"
    ),
    "avadisplay": ItemSelectors(
        "div.e-loop-item", ".elementor-heading-title, h2, h3", "a.elementor-button-link"
    ),
    "bottleimp": ItemSelectors("div.entry-text", "h2 a, h1 a, h3 a"),
    "freshwinds.org.uk": ItemSelectors("article", "h2.entry-title", "a.meta-date-link"),
    "japanesekings.com": _WOOCOMMERCE,
    "lpinnova": _WOOCOMMERCE,
    "realfirmware.net": ItemSelectors("li.entry.has-media", "li.title a"),
    "sfimports.com.br": ItemSelectors("div.product-small.col", ".product-title a"),
    "smartika": ItemSelectors("li.product", "a.ast-loop-product__link"),
    "sproutdistro.com": ItemSelectors("article.border-b-2", "h3", "a"),
    "techworm.page": ItemSelectors("article.posts-entry", "h2.entry-title a"),
    "global-offensive.com": ItemSelectors("article", "h2.post-title a"),
}
"""Selectors of sites."""


def selected_items(markup: str, url: str, selectors: ItemSelectors) -> list[Item]:
    """Return the items that the selectors of a site find."""
    page = lxml.html.fromstring(markup)
    bases = page.xpath("//base/@href")
    base = urljoin(url, bases[0]) if bases else url
    items = []
    for item in page.cssselect(selectors.item):
        names = item.cssselect(selectors.name)
        links = item.cssselect(selectors.link) if selectors.link else names
        if names and links and (name := " ".join(names[0].text_content().split())):
            items.append(
                Item(name=name, url=urljoin(base, links[0].get("href", "").replace("\\", "/")))
            )
    return items


def _place(url: str) -> str:
    """Return an address without what leads to the same page."""
    return re.sub(r"\s+", "%20", url.partition("#")[0].rstrip("/").replace("file:///", "file:"))


def main() -> None:
    """Print the figures of each site, and of all."""
    options = read_options(__doc__, "corpora...", site=str)
    count, named, right, surplus = Counter(), Counter(), Counter(), Counter()
    pages: Counter[str] = Counter()
    for corpus in options.corpora:
        for _, record in read_objects(corpus):
            site = site_of(record)
            is_wanted = options.site in {None, site} and record.get("page_role") == "other"
            if site not in SITES or not is_wanted:
                continue
            markup = record_markup(record)
            selected = selected_items(markup, record["url"], SITES[site])
            if len(selected) < _ITEMS_MIN:
                continue
            cleaned = clean(markup, record["url"], CleanerOptions(with_records=True))
            items = {item.name: item for item in cleaned.records.items}
            pairs = [(one, items[one.name]) for one in selected if one.name in items]
            pages[site] += 1
            count[site] += len(selected)
            named[site] += len(pairs)
            right[site] += sum(_place(one.url) == _place(item.url) for one, item in pairs)
            surplus[site] += len(cleaned.records.items) - len(pairs)
            if options.site:
                print(record["url"], cleaned.page_type, len(selected), len(pairs), len(items))
                for one in selected:
                    if one.name not in items or _place(one.url) != _place(items[one.name].url):
                        print("   ", one, "\n   ", items.get(one.name) or list(items)[:3])
    print(f"{'site':28} pages items  found address surplus")
    for site in sorted(count):
        _print(site, *(of[site] for of in (pages, count, named, right, surplus)))
    _print("all", *(of.total() for of in (pages, count, named, right, surplus)))


def _print(site: str, pages: int, count: int, named: int, right: int, surplus: int) -> None:
    print(
        f"{site:28} {pages:5} {count:5}  {named / max(count, 1):.3f}   {right / max(named, 1):.3f} {surplus:7}"
    )


if __name__ == "__main__":
    main()
