"""A full-text index of cleaned records in one SQLite file, which holds the newest text of each URL.

The index notes how far it has read a topic in the transaction that holds what was read, so no record is
applied twice or lost when the process is killed.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.source import Source
from templ_core.fingerprint import min_hashes
from workers.errors import DiskProblem, OtherFormat, StateProblem
from workers.indexes.cleaned_index import (
    IndexCounts,
    LogPlace,
    LogPosition,
    Version,
    replaces,
    version_of,
)
from workers.indexes.search import separated

_APPLICATION_ID = 0x746D706C
"""Number in the header of the file that marks an index of templ among SQLite files."""
_FORMAT = 3
_BUSY_MS = 5000
"""How long to wait for another process that writes to the index."""
_SCHEMA = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    is_deleted INTEGER NOT NULL,
    time_ms INTEGER,
    source_topic TEXT NOT NULL,
    source_partition INTEGER NOT NULL,
    source_offset INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    site TEXT NOT NULL,
    fetched_at TEXT,
    published_at TEXT,
    page_type TEXT,
    language TEXT,
    authors TEXT,
    fingerprint TEXT,
    min_hashes BLOB,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    log_topic TEXT,
    log_partition INTEGER,
    log_offset INTEGER
);
CREATE INDEX pages_of_a_log ON pages (log_topic, log_partition, log_offset);
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'pages', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 2"
);
CREATE TRIGGER page_added AFTER INSERT ON pages BEGIN
    INSERT INTO words (rowid, title, text) VALUES (new.id, new.title, new.text);
END;
CREATE TRIGGER page_removed AFTER DELETE ON pages BEGIN
    INSERT INTO words (words, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
END;
CREATE TRIGGER page_changed AFTER UPDATE OF title, text ON pages BEGIN
    INSERT INTO words (words, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
    INSERT INTO words (rowid, title, text) VALUES (new.id, new.title, new.text);
END;
CREATE TABLE logs (
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    mark BLOB,
    reread_until INTEGER,
    PRIMARY KEY (topic, partition)
);
"""


class SqliteIndex:
    """An index that is open for writing. One process at a time can write to it; others may search."""

    def __init__(self, path: Path) -> None:
        """Open an index, and create it when it does not exist.

        Raises:
            StateProblem: The file is no index of this version, or another process writes to it.
        """
        self.counts = IndexCounts()
        self.name = str(path)
        self._path = path
        with _as_worker_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
            )
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        with _as_worker_errors(self._path):
            if not self._is_empty():
                check_format(self._db, self._path)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
        with self.transaction():
            if self._is_empty():
                for statement in _statements(_SCHEMA):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {_FORMAT}")

    def _is_empty(self) -> bool:
        return self._db.execute("SELECT 1 FROM sqlite_master").fetchone() is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside the block together, or none of them.

        Raises:
            StateProblem: Another process writes to the index, or the file is damaged.
            DiskProblem: The disk is full or fails.
        """
        with _as_worker_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def apply(self, record: CleanedRecord | DeletedRecord, place: LogPlace | None = None) -> None:
        """Apply a record inside a transaction; what the index knows already changes nothing.

        A deletion without a time always applies. A record of a file has no place in a log of Kafka.
        """
        new, known = version_of(record), self._known(record.url)
        if known is not None and not replaces(new, known):
            self.counts.unchanged += 1
            self._note_place(record.url, place)
        elif isinstance(record, DeletedRecord) and new.time_ms is None:
            self.counts.deleted += known is not None
            self._db.execute("DELETE FROM pages WHERE url = ?", (record.url,))
        else:
            self.counts.written += isinstance(record, CleanedRecord)
            self.counts.deleted += isinstance(record, DeletedRecord)
            self._put(_row(record, new, place))

    def _put(self, row: dict[str, object]) -> None:
        changes = ", ".join(f"{column} = excluded.{column}" for column in row)
        self._db.execute(
            f"INSERT INTO pages ({', '.join(row)}) VALUES ({', '.join(f':{column}' for column in row)}) "  # noqa: S608
            f"ON CONFLICT (url) DO UPDATE SET {changes}",
            row,
        )

    def _known(self, url: str) -> Version | None:
        row = self._db.execute(
            "SELECT time_ms, source_topic, source_partition, source_offset, revision FROM pages "
            "WHERE url = ?",
            (url,),
        ).fetchone()
        return None if row is None else Version(row[0], Source(*row[1:4]), row[4])

    def _note_place(self, url: str, place: LogPlace | None) -> None:
        """Note that a log still has a record of a URL that was read from it."""
        if place is not None:
            self._db.execute(
                "UPDATE pages SET log_offset = ? WHERE url = ? AND log_topic = ? AND log_partition = ?",
                (place.offset, url, place.topic, place.partition),
            )

    def position(self, topic: str, partition: int) -> LogPosition:
        """Return how far a partition was read."""
        row = self._db.execute(
            "SELECT next_offset, mark FROM logs WHERE topic = ? AND partition = ?",
            (topic, partition),
        ).fetchone()
        return LogPosition(*row) if row else LogPosition()

    def move(self, topic: str, partition: int, next_offset: int) -> None:
        """Note inside a transaction how far a partition was read.

        When a partition was read again up to the end that it had, the texts that it no longer
        holds are deleted: they were deleted while nobody read.
        """
        self._db.execute(
            "INSERT INTO logs (topic, partition, next_offset) VALUES (:topic, :partition, :next_offset) "
            "ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset",
            {"topic": topic, "partition": partition, "next_offset": next_offset},
        )
        ended = self._db.execute(
            "UPDATE logs SET reread_until = NULL "
            "WHERE topic = ? AND partition = ? AND reread_until <= next_offset",
            (topic, partition),
        )
        if ended.rowcount:
            gone = self._db.execute(
                "DELETE FROM pages WHERE log_topic = ? AND log_partition = ? AND log_offset < 0",
                (topic, partition),
            )
            self.counts.deleted += gone.rowcount

    def mark(self, topic: str, partition: int, mark: bytes) -> None:
        """Note inside a transaction which log a partition's offsets belong to."""
        self._db.execute(
            "UPDATE logs SET mark = ? WHERE topic = ? AND partition = ?", (mark, topic, partition)
        )

    def begin_rereading(self, topic: str, partition: int, until: int) -> None:
        """Prepare, inside a transaction, for reading a partition again from its start.

        When its end offset `until` is reached, texts without a record in the partition are deleted.
        """
        self.move(topic, partition, 0)
        self._db.execute(
            "UPDATE logs SET reread_until = ? WHERE topic = ? AND partition = ?",
            (until, topic, partition),
        )
        self._db.execute(
            "UPDATE pages SET log_offset = -1 WHERE log_topic = ? AND log_partition = ?",
            (topic, partition),
        )

    def text_count(self) -> int:
        """Return the number of URLs that have a text."""
        row = self._db.execute("SELECT count(*) FROM pages WHERE NOT is_deleted").fetchone()
        count: int = row[0]
        return count


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an index that exists, for searching only; a process may be writing to it.

    Raises:
        StateProblem: There is no index of this version at `path`.
    """
    if not path.is_file():
        raise StateProblem(
            f"there is no index {path}; make one: templ index CLEANED --index {path}"
        )
    with _as_worker_errors(path):
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_BUSY_MS / 1000
        )
        check_format(db, path)
        return db


def check_format(db: sqlite3.Connection, path: Path) -> None:
    """Check that a file is an index of this version.

    Raises:
        OtherFormat: It is not.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if application != _APPLICATION_ID:
        raise OtherFormat(f"{path} is an SQLite file, but no index of templ; name another file")
    if db.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
        raise OtherFormat(f"{path} was written by another version; delete it and index again")


@contextmanager
def _as_worker_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StateProblem(f"another process writes to {path}; stop it first") from None
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise StateProblem(
                f"{path} is no index or is damaged ({error}): name another file, or delete a damaged "
                "index and index again"
            ) from None
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            raise DiskProblem(f"{path} cannot be written: {error}") from None
        if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
            raise StateProblem(
                f"{path} cannot be opened: {error}; name a file that can be read and written"
            ) from None
        raise
    except OSError as error:
        raise StateProblem(f"{path} cannot be opened: {error.strerror}") from None


def _statements(script: str) -> Sequence[str]:
    """Return the statements of a script; no statement begins inside another."""
    statements, begun = [], ""
    for line in script.splitlines():
        begun += line + "\n"
        if sqlite3.complete_statement(begun):
            statements.append(begun)
            begun = ""
    return statements


def _row(
    record: CleanedRecord | DeletedRecord, version: Version, place: LogPlace | None
) -> dict[str, object]:
    row: dict[str, object] = {
        "url": record.url,
        "is_deleted": isinstance(record, DeletedRecord),
        "time_ms": version.time_ms,
        "source_topic": version.source.topic,
        "source_partition": version.source.partition,
        "source_offset": version.source.offset,
        "revision": version.revision,
        "site": record.site,
        "fetched_at": record.fetched_at,
        "log_topic": place and place.topic,
        "log_partition": place and place.partition,
        "log_offset": place and place.offset,
    }
    if isinstance(record, DeletedRecord):
        names = ("published_at", "page_type", "language", "authors", "fingerprint", "min_hashes")
        return row | dict.fromkeys(names) | {"title": "", "text": ""}
    metadata = record.metadata
    return row | {
        "published_at": metadata and metadata.published_at,
        "page_type": record.page_type,
        "language": metadata and metadata.language,
        "authors": metadata and "\n".join(metadata.authors),
        "fingerprint": record.fingerprint and record.fingerprint.value,
        "min_hashes": b"".join(sorted(min_hashes(record.text))),
        "title": separated((metadata and metadata.title) or record.title),
        "text": separated(record.text),
    }
