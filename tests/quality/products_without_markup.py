"""How many prices, currencies, availabilities and SKUs of products are found on pages whose markup was taken out.

    python -m tests.quality.products_without_markup shops.jsonl.xz more_sites.jsonl.xz sites_other.jsonl.xz wcxb_dev.jsonl.xz

Gold is what JSON-LD, microdata or OpenGraph state of the product of a page; all three are taken out before the page is
cleaned. A price is right if it is that of the product or of one of its offers. Pages that state no price are left out, and so are
listings; on pages that are said to be something else than products and listings, products that are found are counted, too.
"""

from collections import Counter
from decimal import Decimal
from typing import Any, NamedTuple

from templ_core import clean
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.metadata.fields import Product
from templ_core.metadata.markup import PageMarkup
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of
from workers.lab.evaluation.judge import without_statements

_PAGES_A_SITE = 15
_FIELDS = ("price", "currency", "availability", "sku")
_NO_PRODUCTS = ("article", "blog", "news", "forum", "documentation", "docs", "wiki", "service")


class Judged(NamedTuple):
    """What is right of a field of a page, reported of it, and stated of it."""

    right: bool
    reported: bool
    stated: bool


def stated_product(markup: str, url: str) -> Product | None:
    """Return the product of a page whose markup states a price; else None."""
    document = read_document(markup.encode("utf-8", "replace"), url, charset="utf-8")
    product = PageMarkup(document).product
    return product if product is not None and product.price is not None else None


def compared(stated: Product, shown: Product | None) -> dict[str, Judged]:
    """Return for each field whether it is right, reported and stated."""
    shown = shown or Product()
    prices = {
        one for offer in stated.offers for one in (offer.price, offer.low_price, offer.high_price)
    }
    numbers = {Decimal(one) for one in (*prices, stated.price) if one is not None}
    skus = {one for one in (stated.sku, *(offer.sku for offer in stated.offers)) if one}
    is_priced = shown.price is not None and Decimal(shown.price) in numbers
    return {
        "price": Judged(is_priced, shown.price is not None, True),
        "currency": _judged({stated.price_currency} - {None}, shown.price_currency),
        "availability": _judged({stated.availability} - {None}, shown.availability),
        "sku": _judged(skus, shown.sku),
    }


def _judged(stated: set[str | None] | set[str], shown: str | None) -> Judged:
    return Judged(shown in stated, shown is not None and bool(stated), bool(stated))


def main() -> None:
    """Print the figures of all pages, and the mean of the sites."""
    options = read_options(__doc__, "corpora...", site=str)
    pages: Counter[str] = Counter()
    counts: dict[str, dict[str, Counter[str]]] = {}
    others = surplus = 0
    for corpus in options.corpora:
        for _, record in read_objects(corpus):
            site = site_of(record)
            if options.site not in {None, site} or record.get("page_role") == "other":
                continue
            markup = record_markup(record)
            try:
                stated = stated_product(markup, record["url"])
                is_other = stated is None and record.get("kind") in _NO_PRODUCTS
                is_product = stated is not None and record.get("kind") not in {
                    "listing",
                    "collection",
                }
                if not (is_other or is_product) or pages[site] >= _PAGES_A_SITE:
                    continue
                product = clean(without_statements(markup), record["url"]).metadata.product
            except PageError:
                continue
            pages[site] += 1
            if stated is None:
                others += 1
                surplus += isinstance(product, Product)
                if options.site and isinstance(product, Product):
                    print(record["url"], product)
                continue
            reported = compared(stated, product if isinstance(product, Product) else None)
            of_site = counts.setdefault(site, {name: Counter() for name in _FIELDS})
            for name, judged in reported.items():
                of_site[name].update(
                    right=judged.right, reported=judged.reported, stated=judged.stated
                )
            if options.site:
                print(record["url"], reported, stated, product, sep="\n   ")
    _print(counts)
    print(f"Of {others} pages that are said to be no products, {surplus} are given one.")


def _print(counts: dict[str, dict[str, Counter[str]]]) -> None:
    print(f"{'':12} pages precision recall  mean of {len(counts)} sites: precision recall")
    for name in _FIELDS:
        of_sites = [one[name] for one in counts.values() if one[name]["stated"]]
        total: Counter[str] = sum(of_sites, Counter[str]())
        precisions = [one["right"] / one["reported"] for one in of_sites if one["reported"]]
        recalls = [one["right"] / one["stated"] for one in of_sites]
        print(
            f"{name:12} {total['stated']:5}     {_share(total, 'reported'):.3f}  {_share(total, 'stated'):.3f}"
            f"               {_mean(precisions):.3f}  {_mean(recalls):.3f}"
        )


def _share(total: Counter[str], of: str) -> float:
    return total["right"] / max(total[of], 1)


def _mean(values: list[Any]) -> float:
    return sum(values) / max(len(values), 1)


if __name__ == "__main__":
    main()
