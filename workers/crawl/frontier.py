"""The addresses of a crawl on disk: what was requested, what it answered, and what is due when.

Scrapy's own queue on disk (`JOBDIR`) loses its place when the process is killed, because it is written
when the spider closes. The frontier is an SQLite file instead. That an answer is done is one transaction,
together with the lengths of the files to which the answer was written. After a crash the files are cut
to these lengths, so the address is either done and in the files, or due and not in them.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import msgspec

from templ_core.site_key import site_key
from workers.crawl.addresses import (
    PATH_QUERIES_MAX,
    address_key,
    asked_address,
    is_askable,
    path_of_key,
    trap_reason,
)
from workers.crawl.config import DAY_S
from workers.crawl.robots import StoredRobots
from workers.errors import DiskProblem, StateProblem

NEW_LISTING, DUE_LISTING, NEW_LISTED, NEW_LINKED, DUE_PAGE = range(5)
"""Ranks of addresses, in the order in which a site is asked.

Seeds, feeds and sitemaps come first, then pages that those name, then pages found by links, then pages
that are asked again.
"""
NEW_RANKS = (NEW_LISTING, NEW_LISTED, NEW_LINKED)
"""Ranks of addresses that have not been answered yet."""
SEED_MOVES = 5
"""Redirects in a row, from a seed on, that may lead to a site of their own."""
_FORMAT = 3
_ROBOTS = """
CREATE TABLE robots (
    host TEXT PRIMARY KEY, site TEXT NOT NULL, is_reachable INTEGER NOT NULL, expires_at REAL NOT NULL,
    delay_s REAL NOT NULL, encoded_rules BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX hosts ON robots (site, expires_at, delay_s);
"""
_SCHEMA = f"""
CREATE TABLE addresses (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, site TEXT NOT NULL, path TEXT NOT NULL,
    depth INTEGER NOT NULL, rank INTEGER NOT NULL, due_at REAL,
    attempts INTEGER NOT NULL DEFAULT 0, first_at REAL, asked_at REAL, interval_s REAL,
    etag TEXT, last_modified TEXT, digest TEXT, warc_digest TEXT, warc_date TEXT,
    is_published INTEGER NOT NULL DEFAULT 0, moves INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX due ON addresses (site, rank, due_at);
CREATE INDEX paths ON addresses (path);
CREATE TABLE sites (site TEXT PRIMARY KEY, rests_until REAL NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE files (name TEXT PRIMARY KEY, length INTEGER NOT NULL) WITHOUT ROWID;
{_ROBOTS}"""
_FROM_FORMAT_2 = "ALTER TABLE sites ADD COLUMN rests_until REAL NOT NULL DEFAULT 0;"
_FROM_FORMAT_1 = f"""
DROP TABLE robots;
{_ROBOTS}
ALTER TABLE addresses ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
UPDATE addresses SET moves = {SEED_MOVES} WHERE depth = 0;
{_FROM_FORMAT_2}"""  # noqa: S608
"""The rules of robots.txt were kept as text; they are asked for again."""
_CHANGES = {0: _SCHEMA, 1: _FROM_FORMAT_1, 2: _FROM_FORMAT_2}
"""Statements that make a file one of this format, by the format that it has; 0 stands for a new file."""
_HOST_MEMORY_S = 30 * DAY_S
"""Time after which a host no longer counts if its robots.txt is not requested."""


class FoundAddress(msgspec.Struct, frozen=True, array_like=True):
    """An address that a seed file, a page, a feed or a sitemap names."""

    url: str
    key: str
    site: str
    rank: int
    """One of `NEW_RANKS`."""


def found_addresses(ranks: Mapping[str, int]) -> Iterator[FoundAddress]:
    """Yield absolute addresses of some ranks as they are requested, without those that lead into a trap."""
    for named, rank in ranks.items():
        if is_askable(named) and not trap_reason(named):
            url = asked_address(named)
            yield FoundAddress(url, address_key(url), site_key(url), rank)


class PageState(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an address from its last answer."""

    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    """Digest of the page's words, by which a change is noticed."""
    warc_digest: str | None = None
    """Digest of the answer's body in the form of WARC files."""
    warc_date: str | None = None
    """Time of the answer that has this body, in the form of WARC files."""
    is_published: bool = False
    """Whether the page was sent to the output, so that its end must be sent, too."""


class DueAddress(msgspec.Struct, frozen=True, kw_only=True):
    """An address that is to be requested now."""

    key: str
    url: str
    site: str
    depth: int
    rank: int
    attempts: int
    """Failed requests in a row."""
    interval_s: float | None
    """Time between its last two visits; None before the second one is planned."""
    state: PageState
    moves: int = 0
    """Redirects that may still lead to a site of their own; 0 where no seed leads here by redirects."""

    @property
    def is_listing(self) -> bool:
        """Whether it is a seed, a feed or a sitemap."""
        return self.rank in {NEW_LISTING, DUE_LISTING}

    @property
    def later_rank(self) -> int:
        """The rank that the address has once it was requested."""
        return DUE_LISTING if self.is_listing else DUE_PAGE


class NextVisit(msgspec.Struct, frozen=True, kw_only=True):
    """When an address is due again after a request, and with what rank."""

    url: str
    due_at: float
    """Unix time in seconds."""
    rank: int
    attempts: int = 0
    interval_s: float | None = None
    state: PageState = PageState()


_STATE = PageState.__struct_fields__
_OWN = tuple(name for name in DueAddress.__struct_fields__ if name != "state")
_VISIT = tuple(name for name in NextVisit.__struct_fields__ if name != "state")


class CrawlFrontier:
    """The file of a crawl's addresses; a context that closes it."""

    def __init__(self, path: Path) -> None:
        """Open the file, and make it when it is not there.

        Raises:
            StateProblem: The file is in use, damaged, or of another version.
        """
        self._path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version in _CHANGES:
                self._db.executescript(
                    f"BEGIN; {_CHANGES[version]} PRAGMA user_version = {_FORMAT}; COMMIT"
                )
        except sqlite3.Error as error:
            raise StateProblem(
                f"{path} cannot be used ({error}); is another `templ crawl` using its directory?"
            ) from None
        if version not in {*_CHANGES, _FORMAT}:
            raise StateProblem(
                f"{path} was written by another version of templ: name another directory"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes within it last together, or none of them.

        Raises:
            DiskProblem: The file cannot be written.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite has ended it by itself when the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise DiskProblem(f"{self._path} cannot be written: {error}") from None

    def add_site(self, site: str) -> None:
        """Allow requests to a site."""
        self._write("INSERT OR IGNORE INTO sites (site) VALUES (?)", [site])

    def sites(self) -> set[str]:
        """Return the sites whose addresses may be fetched."""
        return {site for (site,) in self._db.execute("SELECT site FROM sites")}

    def let_rest(self, site: str, until: float) -> None:
        """Store the Unix time before which a site wants no requests."""
        self._write("UPDATE sites SET rests_until = ? WHERE site = ?", [until, site])

    def rests_until(self, site: str) -> float:
        """Return the Unix time before which a site wants no requests; 0 if it has not asked for that."""
        row = self._db.execute("SELECT rests_until FROM sites WHERE site = ?", [site]).fetchone()
        return row[0] if row is not None else 0.0

    def add(
        self, addresses: Iterable[FoundAddress], now: float, *, depth: int, moves: int = 0
    ) -> set[str]:
        """Add new addresses to those that are due, and return the sites that have new ones.

        Args:
            addresses: Addresses of sites that may be crawled.
            now: Unix time in seconds.
            depth: Links from a seed, a feed or a sitemap to them.
            moves: Redirects from them that may lead to a site of their own.
        """
        sites = set()
        for address in addresses:
            if self._is_known(address.key, address.rank, now):
                continue
            path = path_of_key(address.key)
            is_listed = address.rank != NEW_LINKED
            if "?" in address.key and not is_listed:
                query = "SELECT COUNT(*) FROM addresses WHERE path = ?"
                if self._db.execute(query, [path]).fetchone()[0] >= PATH_QUERIES_MAX:
                    continue
            self._write(
                "INSERT INTO addresses (key, url, site, path, depth, rank, due_at, moves) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [address.key, address.url, address.site, path, depth, address.rank, now, moves],
            )
            sites.add(address.site)
        return sites

    def _is_known(self, key: str, rank: int, now: float) -> bool:
        """Return whether an address is known; one that waits moves up when something better names it."""
        known = self._db.execute("SELECT rank, attempts FROM addresses WHERE key = ?", [key])
        row = known.fetchone()
        if row is None:
            return False
        if row[0] in NEW_RANKS and rank < row[0] and not row[1]:
            self._write(
                "UPDATE addresses SET rank = ?, depth = MIN(depth, 1), due_at = MIN(due_at, ?) "
                "WHERE key = ?",
                [rank, now, key],
            )
        return True

    def next_address(self, site: str, latest_at: dict[int, float]) -> DueAddress | None:
        """Return the next address of a site, or None when nothing is due.

        Addresses of a rank are due up to its Unix time in `latest_at`; other ranks are left out.
        """
        for rank, latest in sorted(latest_at.items()):
            row = self._db.execute(
                f"SELECT {', '.join((*_OWN, *_STATE))} FROM addresses "  # noqa: S608 - constants only
                "WHERE site = ? AND rank = ? AND due_at <= ? ORDER BY due_at LIMIT 1",
                [site, rank, latest],
            ).fetchone()
            if row is not None:
                state = dict(zip(_STATE, row[len(_OWN) :], strict=True))
                state["is_published"] = bool(state["is_published"])
                own = dict(zip(_OWN, row[: len(_OWN)], strict=True))
                return DueAddress(**own, state=PageState(**state))
        return None

    def next_due_at(self, site: str, latest_at: dict[int, float]) -> float | None:
        """Return when the next address of a site is due, as Unix time; None when none ever is.

        Addresses of a rank count up to its Unix time in `latest_at`; other ranks do not count.
        """
        statement = "SELECT MIN(due_at) FROM addresses WHERE site = ? AND rank = ? AND due_at <= ?"
        due_times = (
            self._db.execute(statement, [site, rank, latest]).fetchone()[0]
            for rank, latest in latest_at.items()
        )
        return min((time for time in due_times if time is not None), default=None)

    def asked(self, address: DueAddress, visit: NextVisit, now: float) -> None:
        """Store the answer of an address at a Unix time, and when it is due again."""
        changed = {name: getattr(visit, name) for name in _VISIT} | msgspec.structs.asdict(
            visit.state
        )
        self._write(
            f"UPDATE addresses SET {', '.join(f'{name} = ?' for name in changed)}, "  # noqa: S608
            "first_at = COALESCE(first_at, ?), asked_at = ? WHERE key = ?",
            [*changed.values(), now, now, address.key],
        )

    def postpone(self, address: DueAddress, due_at: float, rank: int) -> None:
        """Let an address be due at another time, without a request."""
        self._write(
            "UPDATE addresses SET due_at = ?, rank = ? WHERE key = ?", [due_at, rank, address.key]
        )

    def new_pages_since(self, since: float) -> dict[str, int]:
        """Return by site how many addresses were requested for the first time since a Unix time."""
        rows = self._db.execute(
            "SELECT site, COUNT(*) FROM addresses WHERE first_at >= ? GROUP BY site", [since]
        )
        return dict(rows.fetchall())

    def robots(self, host: str) -> StoredRobots | None:
        """Return what is known of a host's robots.txt, or None if it was never requested."""
        names = StoredRobots.__struct_fields__
        row = self._db.execute(
            f"SELECT {', '.join(names)} FROM robots WHERE host = ?",  # noqa: S608
            [host],
        ).fetchone()
        return row and msgspec.convert(
            dict(zip(names, row, strict=True)), StoredRobots, strict=False
        )

    def keep_robots(self, robots: StoredRobots, now: float) -> None:
        """Store what is known of a host's robots.txt, and drop hosts of its site that no longer count."""
        self._write(
            "DELETE FROM robots WHERE site = ? AND expires_at < ?",
            [robots.site, now - _HOST_MEMORY_S],
        )
        kept = msgspec.structs.asdict(robots)
        self._write(
            f"INSERT OR REPLACE INTO robots ({', '.join(kept)}) "  # noqa: S608 - constants only
            f"VALUES ({', '.join('?' * len(kept))})",
            list(kept.values()),
        )

    def site_hosts(self, site: str) -> tuple[int, float]:
        """Return how many hosts of a site are known, and the longest delay that they want in seconds."""
        counted = self._db.execute(
            "SELECT COUNT(*), COALESCE(MAX(delay_s), 0) FROM robots WHERE site = ?", [site]
        )
        hosts, delay_s = counted.fetchone()
        return hosts, delay_s

    def file_lengths(self) -> dict[str, int]:
        """Return the length of each file of the crawl at its last transaction, in bytes."""
        return dict(self._db.execute("SELECT name, length FROM files").fetchall())

    def keep_file_lengths(self, lengths: dict[str, int]) -> None:
        """Keep the lengths of files of the crawl, in bytes."""
        for name, length in lengths.items():
            self._write("INSERT OR REPLACE INTO files VALUES (?, ?)", [name, length])

    def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise DiskProblem(f"{self._path} cannot be written: {error}") from None
