"""How often the language of a short text is wrong, on sites that are in one language.

    python -m tests.quality.language_of_short_texts more_sites.jsonl.xz shops.jsonl.xz references.jsonl.xz stream.jsonl.xz

Pieces of 40 to 300 characters of the gold of a page stand for its clean text; what the page removes stands around them. A site
is in one language if nine tenths of its longer texts are found to be in it, whatever it declares. Sites are left out where
that is no language but code or names (`NO_LANGUAGE`).
"""

from collections import Counter, defaultdict
from itertools import compress
from typing import NamedTuple

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.metadata.languages import detected_language, language_tag, page_language
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of

NO_LANGUAGE = frozenset(("realfirmware.net", "thesoundofvinyl.us", "unity-cn"))
"""Sites whose texts are names of devices, records or members, which the detector takes for those of some language."""
_PAGES_A_SITE = 8
_LONG_CHARS = 800
_PIECES = ((0, 60), (0, 120), (0, 250), (300, 450), (500, 790))
_CHARS = range(40, 301)
_ONE_RATIO_MIN = 0.9
_ALIKE = {"nb": "no", "nn": "no"}


class GoldText(NamedTuple):
    """The gold of a page, what the page declares, and what it removes."""

    text: str
    declared: str | None
    around: str


def main() -> None:
    """Print the share of texts whose language is wrong, of those without one, and the sites with most of the former."""
    options = read_options(__doc__, "corpora...", site=str)
    by_site: defaultdict[str, list[GoldText]] = defaultdict(list)
    for corpus in options.corpora:
        for _, record in read_objects(corpus):
            site, gold = site_of(record), record.get("gold_text")
            if not gold or len(by_site[site]) == _PAGES_A_SITE or site in NO_LANGUAGE:
                continue
            body = record_markup(record).encode("utf-8", "replace")
            try:
                document = read_document(body, record["url"], charset="utf-8")
            except PageError:
                continue
            removed = (~clean(document, None, CoreConfig()).decision.kept).tolist()
            around = "\n".join(compress(document.segments.texts, removed))
            by_site[site].append(GoldText(gold, language_tag(document.language), around))
    texts, none = 0, 0
    wrong: Counter[tuple[str, str, str | None, str | None]] = Counter()
    for site, pages in by_site.items():
        own = _language_of([page.text for page in pages])
        for page in pages if own else ():
            for begin, end in _PIECES:
                text = page.text[begin:end]
                if own is None or len(text) not in _CHARS:
                    continue
                guessed, _ = page_language(text, page.declared, page.around)
                texts += 1
                none += guessed is None
                if guessed is not None and _name(guessed) != own:
                    wrong[site, own, guessed, page.declared] += 1
    print(
        f"{texts} texts: {wrong.total() / texts:.4f} wrong, {none / texts:.4f} without a language"
    )
    for (site, own, guessed, declared), count in wrong.most_common(12):
        print(f"{site:32} {own:3} found as {guessed} ({declared} declared): {count}")


def _language_of(texts: list[str]) -> str | None:
    found = Counter(
        filter(None, (detected_language(one) for one in texts if len(one) > _LONG_CHARS))
    )
    if not found:
        return None
    name, count = found.most_common(1)[0]
    return _name(name) if count >= _ONE_RATIO_MIN * found.total() else None


def _name(language: str) -> str:
    name = language.partition("-")[0]
    return _ALIKE.get(name, name)


if __name__ == "__main__":
    main()
