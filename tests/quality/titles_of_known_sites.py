"""How often the title of a page is its headline, with its site unknown and known, where no heading tells it.

    python -m tests.quality.titles_of_known_sites more_sites.jsonl.xz sites_other.jsonl.xz shops.jsonl.xz stream.jsonl.xz

The first half of a site's pages, at most twenty, teach what its titles share; others are judged. Gold is the only `h1` of a
page if the title holds it; it is made a `div`, and the markup is taken out, before the title is read. The last line judges
the same pages with heading and markup.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.metadata._page_parts import top_headings
from templ_core.metadata._scans import letters_of
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.places.places import NO_PAGES, document_places, tabulate
from templ_core.site_level.titles import NO_ENDS, TitleEnds, shared_ends, title_ends
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of

_LEARNED_PAGES = 20
_PAGES_A_SITE = 45
_LETTERS_MIN = 4
_NOTHING = tabulate(NO_PAGES)


def main() -> None:
    """Print the share of right titles, and how many the site made right and wrong, by corpus and heading."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for corpus in read_options(__doc__, "corpora...").corpora:
        by_site: defaultdict[str, list[tuple[str, Document]]] = defaultdict(list)
        for _, record in read_objects(corpus):
            pages = by_site[site_of(record)]
            if len(pages) < _PAGES_A_SITE:
                body = record_markup(record).encode("utf-8", "replace")
                try:
                    document = read_document(body, record["url"], charset="utf-8")
                except PageError:
                    continue
                pages.append((record["url"], document))
        for pages in by_site.values():
            _judge(pages, counts, corpus.name)
    for (heading, name), found in sorted(counts.items()):
        right = [found[known] / found["pages"] for known in ("unknown", "known")]
        print(
            f"{name:24} {heading:14} {found['pages']:5} pages, right {right[0]:.3f}, with the site {right[1]:.3f};"
            f" made right {found['better']}, made wrong {found['worse']}"
        )


def _judge(
    pages: Sequence[tuple[str, Document]],
    counts: defaultdict[tuple[str, str], Counter[str]],
    name: str,
) -> None:
    learned = min(_LEARNED_PAGES, len(pages) // 2)
    ends = shared_ends([(one.title, title_ends(one.title)) for _, one in pages[:learned]])
    for url, document in pages[learned:]:
        headings = top_headings(document)
        gold = letters_of(headings[0]) if len(headings) == 1 else ""
        if len(gold) < _LETTERS_MIN or gold not in letters_of(document.title):
            continue
        for heading, page in (("without h1", _silent(document)), ("with h1", document)):
            alone, known = (letters_of(_title(page, url, one)) == gold for one in (NO_ENDS, ends))
            for key in ((heading, name), (heading, "all")):
                counts[key] += Counter(
                    pages=1, unknown=alone, known=known,
                    better=known and not alone, worse=alone and not known,
                )  # fmt: skip


def _title(document: Document, url: str, ends: TitleEnds) -> str:
    places = document_places(document, read_features(document)).segments
    known = SitePlaces(places, _NOTHING, ends)
    return read_metadata(document, url, PageMarkup(document), "", known).title or ""


def _silent(document: Document) -> Document:
    """Return a page without its markup, and with its headings of the first level as blocks without names."""
    types = [
        ("div", "") if tag == "h1" else (tag, name) for tag, name in document.nodes.element_types
    ]
    nodes = msgspec.structs.replace(document.nodes, element_types=types)
    return msgspec.structs.replace(document, nodes=nodes, claims=b"")


if __name__ == "__main__":
    main()
