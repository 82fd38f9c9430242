"""Searching an index: ranked pages, with near-duplicates as one hit.

Texts and queries are brought into the form that SQLite's tokeniser splits into the tokens of `templ_core.tokens`.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from templ_core.fingerprint import HASH_BYTES, are_near_duplicates
from templ_core.patterns import pattern
from templ_core.tokens import UNSPACED, tokenise
from workers.errors import UsageProblem

_BEST_MAX = 1000
"""Pages of the best rank among which hits are formed."""
_NEAR_BITS = 3
"""Most bits in which the fingerprints of near-duplicates differ (Manku, Jain, Das Sarma, WWW 2007)."""
TITLE_WEIGHT = 4.0
"""How much more a word of the title counts than one of the text, in BM25."""
_SNIPPET_WORDS = 24
_FIND = f"""
SELECT url, site, fetched_at, published_at, page_type, pages.title, fingerprint, min_hashes, bm25(words, {TITLE_WEIGHT}, 1.0)
    AS distance, snippet(words, 1, :open, :close, ' … ', {_SNIPPET_WORDS})
FROM words JOIN pages ON pages.id = words.rowid
WHERE words MATCH :match AND NOT is_deleted AND (:site IS NULL OR site = :site)
    AND (:since IS NULL OR coalesce(published_at, fetched_at) >= :since)
    AND (:until IS NULL OR substr(coalesce(published_at, fetched_at), 1, length(:until)) <= :until)
    AND (:language IS NULL OR language = :language COLLATE NOCASE OR language LIKE :language || '-%')
    AND (:author IS NULL OR authors LIKE '%' || :author || '%')
ORDER BY distance, url LIMIT {_BEST_MAX}
"""  # noqa: S608 - constants only


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was found."""

    url: str
    site: str
    title: str
    fetched_at: str | None
    published_at: str | None
    page_type: str | None
    score: float
    """BM25 of the query; higher is better, and only the order of one query's hits has a meaning."""
    snippet: str
    """The part of the text that matches best."""
    near_duplicates: list[str] = []
    """URLs of worse hits whose texts are near-duplicates of this one."""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched for."""

    words: str
    """Words, and phrases between quotation marks."""
    any_word: bool = False
    """Whether one word or phrase is enough."""
    site: str | None = None
    """Site key of the pages; None means all sites."""
    since: str | None = None
    """First day of the publication, or else of the fetch, such as `2026-01-31`."""
    until: str | None = None
    """Last day."""
    language: str | None = None
    """Language tag; `en` finds `en-GB` too."""
    author: str | None = None
    """Part of an author's name; case does not count."""
    limit: int = 10
    """Most hits."""
    with_copies: bool = False
    """Whether near-duplicates are hits of their own."""
    highlight: tuple[str, str] = ("", "")
    """Text before and after each word that matches in a snippet."""


def search(db: sqlite3.Connection, query: Query) -> list[Hit]:
    """Return the best hits of a query, the best one first.

    Near-duplicates are pages whose fingerprints differ in at most 3 bits, or that share at least 4 of their
    8 min-hashes. The best one of them is the hit and names the others that are among the best 1000 pages.

    Raises:
        UsageProblem: The query has no word.
    """
    match = match_expression(query.words, any_word=query.any_word)
    begin, end = query.highlight
    asked = msgspec.structs.asdict(query) | {"match": match, "open": begin, "close": end}
    rows = db.execute(_FIND, asked)
    if query.with_copies:
        return [_hit(row) for row in rows.fetchmany(query.limit)]
    return _collapse(rows, query.limit)


class _Signature(NamedTuple):
    fingerprint: int | None
    min_hashes: frozenset[bytes]

    def is_near(self, other: "_Signature") -> bool:
        if self.fingerprint is None or other.fingerprint is None:
            return False
        distance = (self.fingerprint ^ other.fingerprint).bit_count()
        return distance <= _NEAR_BITS or are_near_duplicates(self.min_hashes, other.min_hashes)


def _collapse(rows: Iterable[tuple[Any, ...]], limit: int) -> list[Hit]:
    """Return the first `limit` hits, each with its near-duplicates among the rows after it."""
    hits: list[Hit] = []
    signatures: list[_Signature] = []
    for row in rows:
        signature = _signature(row[6], row[7])
        original = next(
            (at for at, other in enumerate(signatures) if signature.is_near(other)), None
        )
        if original is not None:
            hits[original].near_duplicates.append(str(row[0]))
        elif len(hits) < limit:
            hits.append(_hit(row))
            signatures.append(signature)
    return hits


def _signature(fingerprint: object, hashes: object) -> _Signature:
    stored = hashes if isinstance(hashes, bytes) else b""
    return _Signature(
        None if fingerprint is None else int(str(fingerprint), 16),
        frozenset(stored[at : at + HASH_BYTES] for at in range(0, len(stored), HASH_BYTES)),
    )


def _hit(row: tuple[Any, ...]) -> Hit:
    names = ("url", "site", "fetched_at", "published_at", "page_type", "title")
    return Hit(
        **dict(zip(names, row[:6], strict=True))
        | {"title": joined(row[5]), "score": -row[8], "snippet": joined(row[9])}
    )


_SEPARATOR = "\u200b"
"""Zero-width space, which SQLite's tokeniser takes for a border and a reader does not see."""
_UNSPACED = pattern(UNSPACED)
_PHRASE_OR_WORD = pattern(r'"([^"]*)"?|([^\s"]+)')


def separated(text: str) -> str:
    """Return a text with a border before each character that is a token by itself.

    >>> separated("x86 中文").split("\u200b")
    ['x86 ', '中', '文']
    """
    return text if text.isascii() else _UNSPACED.sub(_SEPARATOR + r"\g<0>", text)


def joined(text: str) -> str:
    """Return a text without the borders that `separated` puts into it."""
    return text.replace(_SEPARATOR, "")


def match_expression(query: str, *, any_word: bool = False) -> str:
    """Return a user's query as an expression of SQLite's full-text search.

    It has words, and phrases between quotation marks; no character has another meaning. All are required, unless one
    is enough (`any_word`).

    Raises:
        UsageProblem: The query has no word.

    >>> match_expression('council "new bridge"')
    '"council" AND "new bridge"'
    """
    parts = [phrase or word for phrase, word in _PHRASE_OR_WORD.findall(query)]
    phrases = [" ".join(tokens) for part in parts if (tokens := tokenise(part))]
    if not phrases:
        raise UsageProblem(f"the query {query!r} has no word to search for")
    return (" OR " if any_word else " AND ").join(f'"{phrase}"' for phrase in phrases)
