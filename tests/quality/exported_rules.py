"""How far the rules of `templ site export --as` come without the worker, on pages that they were not made from.

    python -m tests.quality.exported_rules stream.jsonl.xz more_sites.jsonl.xz --sites 8

Of each site every second page is learned and gives the rules. A reader that knows nothing but XPath applies them to the
others, whose words are compared with the gold.
"""

from contextlib import suppress
from statistics import fmean

from lxml import etree, html
from lxml.html import defs

from templ_core import SiteCleaner
from templ_core.errors import PageError
from templ_core.explain.site_rules import RuledPage, SiteRules, site_rules
from tests.benchmarks.measuring import read_options
from workers.lab.evaluation.corpus_files import SitePages, read_sites
from workers.lab.evaluation.scoring import TextScorer

_BLOCKS = [
    *defs.block_tags, "br", "article", "aside", "figure", "footer", "header", "main", "nav", "section",
]  # fmt: skip
_SHARE = 0.97


def read_by_rules(markup: str, rules: SiteRules) -> str:
    """Return the text of a page by the rules alone."""
    parser = html.HTMLParser(encoding="utf-8")
    root = html.document_fromstring(markup.encode("utf-8", "replace") or b"<p>", parser)
    etree.strip_elements(
        root, etree.Comment, "script", "style", "noscript", "template", with_tail=False
    )
    for xpath in rules.strip:
        for element in root.xpath(xpath):
            if element.getparent() is not None:
                element.drop_tree()
    nodes = next((some for one in rules.body if (some := root.xpath(one))), [])
    for element in root.iter(*_BLOCKS):
        element.text, element.tail = f"\n{element.text or ''}", f"\n{element.tail or ''}"
    outermost = [one for one in nodes if not set(nodes).intersection(one.iterancestors())]
    return "\n".join("".join(one.itertext()) for one in outermost)


def measure_site(site: SitePages) -> tuple[float, float, float] | None:
    """Return the agreement of a site's rules, and the word F1 of the worker and of the rules; None without gold."""
    cleaner = SiteCleaner()
    given = [
        (page.body or b"", page.url, None, {"site": site.site, "content_type": page.content_type})
        for page in site.pages
    ]
    for *page, options in given[::2]:
        with suppress(PageError):
            cleaner.learn(*page, **options)
    cleaner.fit(site.site)
    pages, scores = [], []
    for number, ((*page, options), gold) in enumerate(zip(given, site.gold, strict=True)):
        try:
            cleaned = cleaner.clean(*page, **options, learns=False)
        except PageError:
            continue
        if number % 2 == 0:
            pages.append(RuledPage(cleaned.document, cleaned.decision.kept, cleaned.metadata))
        elif gold is not None:
            scores.append((gold, cleaned.text))
    if not scores or not any(page.kept.any() for page in pages):
        return None
    rules = site_rules(pages)
    found = []
    for gold, text in scores:
        markup = gold.markup()
        scorer = TextScorer(gold, markup)
        found.append((scorer.score(text).f1, scorer.score(read_by_rules(markup, rules)).f1))
    worker, alone = (fmean(column) for column in zip(*found, strict=True))
    return rules.agreement, worker, alone


def main() -> None:
    """Print for the sites of corpora the agreement that the export states, and the word F1 against gold."""
    given = read_options(__doc__, "corpora...", sites=int)
    shares = []
    for corpus in given.corpora:
        sites = read_sites(corpus, "none")
        for site in sites[:: -(-len(sites) // (given.sites or len(sites)))]:
            if (figures := measure_site(site)) is not None:
                agreement, worker, alone = figures
                shares.append((agreement, alone / worker if worker else 1.0))
                print(
                    f"{corpus.name} {site.site}: agreement {agreement:.3f}; word F1 of the worker {worker:.3f}, "
                    f"of the rules {alone:.3f}, which is {shares[-1][1]:.1%}"
                )
    enough = sum(share >= _SHARE for _, share in shares)
    said = [share >= _SHARE for agreement, share in shares if agreement >= 0.95]
    print(
        f"{enough} of {len(shares)} sites reach {_SHARE:.0%}; of {len(said)} whose rules are said to suffice, {sum(said)} do"
    )


if __name__ == "__main__":
    main()
