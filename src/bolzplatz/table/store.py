"""Where tables live: `Store`, and `SqliteStore` on one machine.

A table's truth is its entries; everything else is rebuilt by folding them. Appending is optimistic: who appends says
how many entries there are already, and meets `ConflictError` where somebody else was quicker. What a store has accepted
survives a crash of the process or the machine; what it refused has left no trace. Every row carries a digest over
itself and the row before it, so that a damaged table is never taken for a sound one.
"""

import asyncio
import hashlib
import json
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol, Self

from bolzplatz.core.errors import BolzplatzError

APPLICATION_ID: Final = int.from_bytes(b"Bolz")
SCHEMA_VERSION: Final = 2
_BATCH: Final = 256

_CODES: Final = """
CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    table_id TEXT NOT NULL UNIQUE REFERENCES tables (id)
) WITHOUT ROWID;
"""
_SCHEMA: Final = f"""
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    setup TEXT NOT NULL,
    secrets TEXT NOT NULL,
    digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE entries (
    table_id TEXT NOT NULL REFERENCES tables (id),
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at REAL NOT NULL,
    command TEXT,
    digest TEXT NOT NULL,
    PRIMARY KEY (table_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX applied ON entries (table_id, command) WHERE command IS NOT NULL;
{_CODES}"""
_MIGRATIONS: Final = {1: _CODES}
"""What leads from an older version of the schema to the next one."""


class StoreError(BolzplatzError):
    """A store that cannot be opened, read or written; one clear line."""


class StoreFullError(StoreError):
    """No room left: what was to be stored is refused and nothing of it is there."""


class ConflictError(Exception):
    """Somebody else appended first, or the id is taken; the caller's picture of the table is out of date."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a table's log.

    Attributes:
        seq: its number, from 1; after it the table has version `seq`.
        kind: what happened, one of the kinds of `table.table`.
        body: JSON-able details.
        at: when, in seconds since 1970.
        command: id of the command that led to it, on the last entry of the command.
    """

    seq: int
    kind: str
    body: dict[str, Any]
    at: float
    command: str | None = None


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table as it is created: `setup` and `secrets` are JSON-able, `created` in seconds since 1970.

    `code` is a short name by which it can be found (`Store.find_code`), unique among all tables.
    """

    id: str
    created: float
    setup: dict[str, Any]
    secrets: dict[str, Any]
    entries: tuple[Entry, ...] = ()
    code: str | None = None


class Store(Protocol):
    """What the table service needs of a store. All methods raise StoreError where the store itself fails."""

    async def create(self, table: NewTable) -> None:
        """Add a table with its first entries; ConflictError if its id or its code is taken."""

    async def append(
        self, table_id: str, expected: int, entries: Sequence[Entry], beside: NewTable | None = None
    ) -> None:
        """Add entries to a table that has `expected` of them, and a new table `beside`; all or nothing.

        The new table may have the code of the old one, which then has none. Raises ConflictError if the table has
        another number of entries, or has seen the command before.
        """

    async def load(self, table_id: str) -> NewTable | None:
        """Return a table with all its entries, or None if there is no such table."""

    async def room(self, table_id: str, most: int) -> list[str]:
        """Return the tables of a table's room as rematches followed: itself, up to `most` before it, all after it.

        Empty where there is no such table. No table is read in full for it.
        """

    async def claim_code(self, table_id: str, code: str) -> None:
        """Give a code to a table that has none; ConflictError if the code is taken or the table has one."""

    async def find_code(self, code: str) -> str | None:
        """Return the id of the table with a code, or None if there is none."""

    async def expire(self, before: float, keep: Collection[str] = ()) -> list[str]:
        """Delete all tables without an entry since `before` (seconds since 1970), but those to keep.

        Returns the ids of the deleted ones.
        """

    def close(self) -> None:
        """Finish what was asked for and let go of the store."""


@dataclass(slots=True)
class _Job:
    work: Callable[[sqlite3.Connection], Any]
    done: "Future[Any]"


class SqliteStore:
    """A store in one SQLite file, with its write-ahead log beside it.

    One thread of its own does all the work; what waits for it is committed together, so that many tables share the cost
    of one flush to the disk. Several processes may open the same file.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._closed = False
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="bolzplatz-store", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: Path | str, factory: type[sqlite3.Connection] = sqlite3.Connection) -> Self:
        """Open a store, or make a new one where there is no file; raises StoreError.

        Args:
            path: the file; its directory is made if need be.
            factory: the class of the connection, for tests of faults.
        """
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                path, timeout=5.0, isolation_level=None, check_same_thread=False, factory=factory
            )
        except (OSError, sqlite3.Error) as fault:
            raise StoreError(f"the store {path} cannot be opened: {_reason(fault)}") from None
        try:
            _prepare(connection, path)
        except OSError as fault:
            connection.close()
            raise StoreError(f"the store {path} cannot be brought to the present version: {_reason(fault)}") from None
        except (StoreError, sqlite3.Error) as fault:
            connection.close()
            raise _as_store_error(fault, path) from None
        return cls(path, connection)

    async def create(self, table: NewTable) -> None:
        """See Store."""
        await self._ask(lambda connection: _insert_table(connection, table))

    async def append(
        self, table_id: str, expected: int, entries: Sequence[Entry], beside: NewTable | None = None
    ) -> None:
        """See Store."""

        def work(connection: sqlite3.Connection) -> None:
            count, digest = _last_row(connection, table_id)
            if count != expected:
                raise ConflictError(f"table {table_id} has {count} entries, not {expected}")
            if beside is not None:
                if beside.code is not None:
                    connection.execute("DELETE FROM codes WHERE table_id = ?", (table_id,))
                _insert_table(connection, beside)
            _insert_entries(connection, table_id, digest, entries)

        await self._ask(work)

    async def load(self, table_id: str) -> NewTable | None:
        """See Store."""

        def work(connection: sqlite3.Connection) -> tuple[Any, list[Any], Any]:
            query = "SELECT id, created, setup, secrets, digest FROM tables WHERE id = ?"
            table = connection.execute(query, (table_id,)).fetchone()
            query = "SELECT seq, kind, body, at, command, digest FROM entries WHERE table_id = ? ORDER BY seq"
            entries = connection.execute(query, (table_id,)).fetchall()
            code = connection.execute("SELECT code FROM codes WHERE table_id = ?", (table_id,)).fetchone()
            return table, entries, code

        row, rows, code = await self._ask(work)
        if row is None:
            return None
        try:
            return replace(_read_table(row, rows), code=None if code is None else code[0])
        except (ValueError, TypeError) as fault:
            raise StoreError(f"the store {self.path} is damaged: table {table_id}: {fault}") from None

    async def room(self, table_id: str, most: int) -> list[str]:
        """See Store."""
        try:
            found: list[str] = await self._ask(lambda connection: _room_of(connection, table_id, most))
        except (ValueError, TypeError, KeyError) as fault:
            raise StoreError(f"the store {self.path} is damaged: the room of table {table_id}: {fault}") from None
        return found

    async def claim_code(self, table_id: str, code: str) -> None:
        """See Store."""
        query = "INSERT INTO codes (code, table_id) VALUES (?, ?)"
        await self._ask(lambda connection: connection.execute(query, (code, table_id)) and None)

    async def find_code(self, code: str) -> str | None:
        """See Store."""
        query = "SELECT table_id FROM codes WHERE code = ?"
        found = await self._ask(lambda connection: connection.execute(query, (code,)).fetchone())
        return None if found is None else str(found[0])

    async def expire(self, before: float, keep: Collection[str] = ()) -> list[str]:
        """See Store."""

        def work(connection: sqlite3.Connection) -> list[str]:
            last = "SELECT at FROM entries WHERE table_id = tables.id ORDER BY seq DESC LIMIT 1"
            query = f"SELECT id FROM tables WHERE created < ? AND COALESCE(({last}), created) < ?"
            old = [str(found) for (found,) in connection.execute(query, (before, before)) if found not in keep]
            for table, column in (("codes", "table_id"), ("entries", "table_id"), ("tables", "id")):
                connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(each,) for each in old])
            return old

        found: list[str] = await self._ask(work)
        return found

    def close(self) -> None:
        """See Store."""
        self._closed = True
        self._jobs.put(None)
        self._thread.join()
        self._connection.close()

    async def _ask(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        if self._closed:
            raise StoreError(f"the store {self.path} is closed")
        job = _Job(work, Future())
        self._jobs.put(job)
        return await asyncio.wrap_future(job.done)

    def _work(self) -> None:
        open_for_more = True
        while open_for_more:
            batch = [self._jobs.get()]
            while len(batch) < _BATCH and not self._jobs.empty():
                batch.append(self._jobs.get())
            open_for_more = None not in batch
            # A waiting caller that was cancelled before its turn is skipped; afterwards it can no longer be.
            jobs = [job for job in batch if job is not None and job.done.set_running_or_notify_cancel()]
            if jobs and not self._commit(jobs):
                for job in jobs:
                    self._commit([job])

    def _commit(self, jobs: list[_Job]) -> bool:
        """Do jobs in one transaction. Return False, with nothing done, if one of several failed: each must go alone."""
        connection = self._connection
        results: list[Any] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            results = [job.work(connection) for job in jobs]
            connection.execute("COMMIT")
        except Exception as fault:
            _roll_back(connection)
            if len(jobs) > 1:
                return False
            jobs[0].done.set_exception(_as_store_error(fault, self.path))
            return True
        for job, result in zip(jobs, results, strict=True):
            job.done.set_result(result)
        return True


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is a store of this version, or make it one if it is empty or of an older version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (things,) = connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    if things and application != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program, not a Bolzplatz store")
    if things and version != SCHEMA_VERSION and version not in _MIGRATIONS:
        age = "newer" if version > SCHEMA_VERSION else "older"
        raise StoreError(
            f"the store {path} is of a {age} kind (version {version}; this Bolzplatz reads version {SCHEMA_VERSION})"
        )
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"the store {path} is damaged: {' '.join(str(verdict).split())}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # names are gone with their table, not only out of sight
    if not things:
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
            f"{_SCHEMA} COMMIT;"
        )
    elif version != SCHEMA_VERSION:
        _migrate(connection, path, version)


def _migrate(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Bring a store to the present version, all or nothing; the old one is copied beside it first."""
    backup = path.with_name(f"{path.name}.version-{version}")
    half = backup.with_name(f"{backup.name}.half")
    copy = sqlite3.connect(half)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    half.replace(backup)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been quicker.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version, SCHEMA_VERSION):
            for statement in filter(str.strip, _MIGRATIONS[step].split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _insert_table(connection: sqlite3.Connection, table: NewTable) -> None:
    row = (table.id, table.created, canonical(table.setup), canonical(table.secrets))
    digest = _digest("", *row)
    connection.execute(
        "INSERT INTO tables (id, created, setup, secrets, digest) VALUES (?, ?, ?, ?, ?)", (*row, digest)
    )
    _insert_entries(connection, table.id, digest, table.entries)
    if table.code is not None:
        connection.execute("INSERT INTO codes (code, table_id) VALUES (?, ?)", (table.code, table.id))


def _insert_entries(connection: sqlite3.Connection, table_id: str, digest: str, entries: Iterable[Entry]) -> None:
    rows = []
    for entry in entries:
        row = (entry.seq, entry.kind, canonical(entry.body), entry.at, entry.command)
        digest = _digest(digest, *row)
        rows.append((table_id, *row, digest))
    query = "INSERT INTO entries (table_id, seq, kind, body, at, command, digest) VALUES (?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(query, rows)


def _last_row(connection: sqlite3.Connection, table_id: str) -> tuple[int, str]:
    """Return number and digest of a table's last entry; 0 and the table's own where it has none; 0 and "": no table."""
    query = "SELECT seq, digest FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1"
    last = connection.execute(query, (table_id,)).fetchone()
    if last is None:
        last = connection.execute("SELECT 0, digest FROM tables WHERE id = ?", (table_id,)).fetchone()
    return last or (0, "")


def _room_of(connection: sqlite3.Connection, table_id: str, most: int) -> list[str]:
    """Follow the rematches of a room both ways, as far as its tables are still there."""

    def secrets_of(table: str) -> Any:
        return connection.execute("SELECT secrets FROM tables WHERE id = ?", (table,)).fetchone()

    # It is among a table's last entries, if it is there.
    rematch = "SELECT body FROM entries WHERE table_id = ? AND kind = 'rematch' ORDER BY seq DESC LIMIT 1"
    before: list[str] = []
    at: str | None = table_id
    while at is not None and len(before) <= most and at not in before and (row := secrets_of(at)) is not None:
        before.append(at)
        at = json.loads(row[0]).get("follows")
    room = before[::-1]
    while room and (row := connection.execute(rematch, (room[-1],)).fetchone()) is not None:
        at = json.loads(row[0])["table"]
        if at in room or secrets_of(at) is None:
            break
        room.append(at)
    return room


def _read_table(row: Sequence[Any], rows: Iterable[Sequence[Any]]) -> NewTable:
    """Return a table from its rows; raises ValueError or TypeError where one is damaged or missing."""
    *fields, digest = row
    if _digest("", *fields) != digest:
        raise ValueError("its setup has changed")
    entries = []
    for number, (*values, claimed) in enumerate(rows, 1):
        digest = _digest(digest, *values)
        if digest != claimed or values[0] != number:
            raise ValueError(f"entry {number} has changed or is missing")
        seq, kind, body, at, command = values
        entries.append(Entry(seq, kind, json.loads(body), at, command))
    table_id, created, setup, secrets = fields
    return NewTable(table_id, created, json.loads(setup), json.loads(secrets), tuple(entries))


def _digest(previous: str, *values: Any) -> str:
    """Return the digest of a row that follows the row with the digest `previous`."""
    return hashlib.sha256(canonical([previous, *values]).encode()).hexdigest()[:32]


def canonical(value: Any) -> str:
    """Write JSON in the one form that is stored."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _roll_back(connection: sqlite3.Connection) -> None:
    # A full disk or a failed commit may have ended the transaction already.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _reason(fault: Exception) -> str:
    return " ".join(str(getattr(fault, "strerror", None) or fault).split())


def _as_store_error(fault: Exception, path: Path) -> Exception:
    """Say in one line what went wrong with the store; what is no fault of the store stays as it is."""
    if isinstance(fault, sqlite3.IntegrityError):
        return ConflictError(_reason(fault))
    if not isinstance(fault, sqlite3.Error):
        return fault
    code = getattr(fault, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary == sqlite3.SQLITE_FULL or "disk is full" in str(fault):
        return StoreFullError(f"the store {path} is full: nothing more can be written until there is room on the disk")
    if primary == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not a Bolzplatz store, or it is damaged")
    if primary == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"the store {path} is damaged: {_reason(fault)}")
    if primary == sqlite3.SQLITE_BUSY:
        return StoreError(f"the store {path} is in use by another program")
    return StoreError(f"the store {path} failed: {_reason(fault)}")
