"""The store: what it accepts stays, what it refuses leaves no trace, and every fault is one clear line."""

import asyncio
import random
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bolzplatz.table.store import (
    ConflictError,
    Entry,
    NewTable,
    SqliteStore,
    StoreError,
    StoreFullError,
)


def table(table_id: str = "t1", entries: int = 0) -> NewTable:
    setup = {"game": "5050", "name": "Jürgen „Kiste“ 🎲"}
    return NewTable(table_id, 17.5, setup, {"chain": "00"}, tuple(entry(i + 1) for i in range(entries)))


def entry(seq: int, command: str | None = None, text: str = "keep 1 5") -> Entry:
    return Entry(seq, "action", {"seat": 0, "move": text, "nested": [1, None, True]}, 1000.25 + seq, command)


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 120))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "down" / "tables.sqlite3"


@pytest.fixture
def store(path: Path) -> Any:
    opened = SqliteStore.open(path)
    yield opened
    opened.close()


def test_a_table_comes_back_as_it_was_stored(store: SqliteStore, path: Path) -> None:
    async def work() -> None:
        await store.create(table(entries=2))
        await store.append("t1", 2, [entry(3, "a"), entry(4, "b")])
        entries = (entry(1), entry(2), entry(3, "a"), entry(4, "b"))
        expected = NewTable("t1", 17.5, table().setup, table().secrets, entries)
        assert await store.load("t1") == expected
        assert await store.load("t2") is None
        # Nothing is closed or flushed by hand: what was acknowledged is there for whoever opens the file next.
        other = SqliteStore.open(path)
        assert await other.load("t1") == expected
        other.close()

    run(work())


def test_what_is_acknowledged_is_on_the_disk(store: SqliteStore) -> None:
    """No test can pull the plug; what SQLite promises then hangs on these two settings (https://sqlite.org/pragma.html)."""
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL: flushed at every commit


def test_whoever_is_behind_meets_a_conflict_and_changes_nothing(store: SqliteStore) -> None:
    async def work() -> None:
        await store.create(table(entries=2))
        before = await store.load("t1")
        for expected, entries in ((1, [entry(2)]), (3, [entry(4)]), (0, [entry(1)])):
            with pytest.raises(ConflictError):
                await store.append("t1", expected, entries, beside=table("t2"))
        with pytest.raises(ConflictError):
            await store.create(table())
        assert await store.load("t1") == before
        assert await store.load("t2") is None

    run(work())


def test_a_command_is_never_stored_twice(store: SqliteStore) -> None:
    async def work() -> None:
        await store.create(table())
        await store.append("t1", 0, [entry(1), entry(2, "tap")])
        with pytest.raises(ConflictError):
            await store.append("t1", 2, [entry(3), entry(4, "tap")])
        stored = await store.load("t1")
        assert stored is not None
        assert [e.seq for e in stored.entries] == [1, 2]
        await store.create(table("t2"))
        await store.append("t2", 0, [entry(1, "tap")])  # ids belong to their table

    run(work())


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteStore.open(path)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        run(store.load("t1"))


def test_an_append_for_a_table_that_is_not_there_is_refused(store: SqliteStore) -> None:
    with pytest.raises(ConflictError):
        run(store.append("nowhere", 0, [entry(1)]))


def test_a_new_table_beside_an_append_comes_with_it_or_not_at_all(store: SqliteStore) -> None:
    async def work() -> None:
        await store.create(table())
        await store.create(table("taken"))
        with pytest.raises(ConflictError):
            await store.append("t1", 0, [entry(1)], beside=table("taken"))
        assert (await store.load("t1")).entries == ()  # type: ignore[union-attr]
        await store.append("t1", 0, [entry(1)], beside=table("next", entries=1))
        assert (await store.load("next")).entries == (entry(1),)  # type: ignore[union-attr]

    run(work())


class Watched(sqlite3.Connection):
    """A connection that can be held up, counts commits, and fails on demand."""

    gate: ClassVar[threading.Event] = threading.Event()
    at_the_gate: ClassVar[threading.Event] = threading.Event()
    commits: ClassVar[int] = 0
    fail_on: ClassVar[str] = ""

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return self._maybe_fail(sql) or super().execute(sql, *args)

    def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return self._maybe_fail(sql) or super().executemany(sql, *args)

    def _maybe_fail(self, sql: str) -> None:
        if sql.startswith("BEGIN"):
            Watched.at_the_gate.set()
            assert Watched.gate.wait(120)
        if sql == "COMMIT":
            Watched.commits += 1
        if Watched.fail_on and sql.startswith(Watched.fail_on):
            raise sqlite3.OperationalError("database or disk is full")


@pytest.fixture
def watched(path: Path) -> Any:
    Watched.gate.set()
    Watched.fail_on = ""
    opened = SqliteStore.open(path, factory=Watched)
    Watched.commits = 0
    yield opened
    Watched.fail_on = ""
    Watched.gate.set()
    opened.close()


def test_what_waits_is_committed_together_and_fails_alone(watched: SqliteStore) -> None:
    async def work() -> None:
        for i in range(20):
            await watched.create(table(f"t{i}"))
        Watched.gate.clear()
        first = asyncio.ensure_future(watched.append("t0", 0, [entry(1)]))
        await asyncio.sleep(0)
        good = [asyncio.ensure_future(watched.append(f"t{i}", 0, [entry(1)])) for i in range(1, 20)]
        await asyncio.sleep(0)
        Watched.commits = 0
        Watched.gate.set()
        await asyncio.gather(first, *good)
        assert Watched.commits <= 2
        Watched.gate.clear()
        held = asyncio.ensure_future(watched.append("t0", 1, [entry(2)]))
        await asyncio.sleep(0)
        bad = asyncio.ensure_future(watched.append("t1", 7, [entry(8)]))
        broken = asyncio.ensure_future(watched.append("t2", 1, [Entry(2, "action", {"x": float("nan")}, 0.0)]))
        fine = [asyncio.ensure_future(watched.append(f"t{i}", 1, [entry(2)])) for i in range(3, 20)]
        await asyncio.sleep(0)
        Watched.gate.set()
        await asyncio.gather(held, *fine)
        with pytest.raises(ConflictError):
            await bad
        with pytest.raises(ValueError, match="JSON"):
            await broken
        lengths = [len((await watched.load(f"t{i}")).entries) for i in range(20)]  # type: ignore[union-attr]
        assert lengths == [2, 1, 1] + [2] * 17

    run(work())


def test_a_caller_that_gave_up_before_its_turn_leaves_nothing(watched: SqliteStore) -> None:
    async def work() -> None:
        await watched.create(table())
        await watched.create(table("t2"))
        Watched.gate.clear()
        Watched.at_the_gate.clear()
        held = asyncio.ensure_future(watched.append("t2", 0, [entry(1)]))
        while not Watched.at_the_gate.is_set():  # the writer has taken the first job, and takes no other with it
            await asyncio.sleep(0)
        given_up = asyncio.ensure_future(watched.append("t1", 0, [entry(1)]))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
        Watched.gate.set()
        await held
        assert (await watched.load("t1")).entries == ()  # type: ignore[union-attr]

    run(work())


@pytest.mark.parametrize("moment", ["INSERT", "COMMIT"])
def test_a_full_disk_refuses_with_one_line_and_the_store_stays_usable(watched: SqliteStore, moment: str) -> None:
    async def work() -> None:
        await watched.create(table())
        Watched.fail_on = moment
        with pytest.raises(StoreFullError) as caught:
            await watched.append("t1", 0, [entry(1)])
        assert "full" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert (await watched.load("t1")).entries == () if moment == "INSERT" else True  # type: ignore[union-attr]
        Watched.fail_on = ""
        assert (await watched.load("t1")).entries == ()  # type: ignore[union-attr]
        await watched.append("t1", 0, [entry(1, "again")])
        assert (await watched.load("t1")).entries == (entry(1, "again"),)  # type: ignore[union-attr]

    run(work())


def test_a_really_full_file(store: SqliteStore) -> None:
    async def work() -> None:
        await store.create(table())
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        count = 0
        refused = None
        while refused is None and count < 100:
            try:
                await store.append("t1", count, [entry(count + 1, text="x" * 3000)])
                count += 1
            except StoreFullError as fault:
                refused = str(fault)
        assert refused is not None
        assert "full" in refused
        assert count > 0
        assert len((await store.load("t1")).entries) == count  # type: ignore[union-attr]
        store._connection.execute("PRAGMA max_page_count = 1000000")
        await store.append("t1", count, [entry(count + 1, text="x" * 3000)])
        assert len((await store.load("t1")).entries) == count + 1  # type: ignore[union-attr]

    run(work())


def test_a_store_that_may_not_be_written_or_is_held_by_others_says_so(store: SqliteStore, path: Path) -> None:
    async def work() -> None:
        await store.create(table())
        store._connection.execute("PRAGMA query_only = 1")
        with pytest.raises(StoreError, match="readonly"):
            await store.append("t1", 0, [entry(1)])
        store._connection.execute("PRAGMA query_only = 0")
        store._connection.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another program"):
            await store.append("t1", 0, [entry(1)])
        other.execute("ROLLBACK")
        other.close()
        await store.append("t1", 0, [entry(1)])

    run(work())


# --- files that are no store ----------------------------------------------------------------------------------


def one_line(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        SqliteStore.open(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_files_that_are_no_store_are_named_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("my shopping list\n" * 200)
    assert "not a Bolzplatz store" in one_line(text)
    assert text.read_text() == "my shopping list\n" * 200
    foreign = tmp_path / "contacts.db"
    database = sqlite3.connect(foreign)
    database.execute("CREATE TABLE people (name)")
    database.commit()
    database.close()
    before = foreign.read_bytes()
    assert "another program" in one_line(foreign)
    assert foreign.read_bytes() == before
    assert "cannot be opened" in one_line(tmp_path)  # a directory
    assert "cannot be opened" in one_line(text / "below.sqlite3")


@pytest.mark.parametrize(("version", "age"), [(3, "newer"), (99, "newer"), (0, "older")])
def test_a_store_of_another_version_is_refused_by_name(path: Path, version: int, age: str) -> None:
    SqliteStore.open(path).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    assert f"of a {age} kind (version {version}" in one_line(path)


FIRST_SCHEMA = """
CREATE TABLE tables (id TEXT PRIMARY KEY, created REAL NOT NULL, setup TEXT NOT NULL, secrets TEXT NOT NULL,
    digest TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (table_id TEXT NOT NULL REFERENCES tables (id), seq INTEGER NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, at REAL NOT NULL, command TEXT, digest TEXT NOT NULL,
    PRIMARY KEY (table_id, seq)) WITHOUT ROWID;
CREATE UNIQUE INDEX applied ON entries (table_id, command) WHERE command IS NOT NULL;
PRAGMA user_version = 1;
"""


def old_store(path: Path) -> None:
    """Make a store as version 1 had it, with a table in it."""
    SqliteStore.open(path).close()
    application = sqlite3.connect(path).execute("PRAGMA application_id").fetchone()[0]
    newer = path.with_name("newer")
    store = SqliteStore.open(newer)
    run(store.create(table(entries=3)))
    store.close()
    path.unlink()
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(f"PRAGMA application_id = {application}; {FIRST_SCHEMA}")
    database.execute(f"ATTACH '{newer}' AS newer")
    for name in ("tables", "entries"):
        database.execute(f"INSERT INTO {name} SELECT * FROM newer.{name}")
    database.close()


def test_a_store_of_the_first_version_is_copied_and_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir(parents=True)
    old_store(path)
    store = SqliteStore.open(path)
    assert run(store.load("t1")) == table(entries=3)
    run(store.claim_code("t1", "482913"))
    assert run(store.find_code("482913")) == "t1"
    store.close()
    backup = sqlite3.connect(path.with_name(f"{path.name}.version-1"))
    assert backup.execute("PRAGMA user_version").fetchone() == (1,)
    assert backup.execute("SELECT COUNT(*) FROM entries").fetchone() == (3,)
    assert backup.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'codes'").fetchone() == (0,)
    backup.close()
    again = SqliteStore.open(path)  # nothing to do any more
    assert run(again.find_code("482913")) == "t1"
    again.close()


def test_a_store_that_cannot_be_copied_first_stays_as_it_is(path: Path) -> None:
    path.parent.mkdir(parents=True)
    old_store(path)
    path.with_name(f"{path.name}.version-1.half").mkdir()  # there is no place for the copy
    assert str(path) in one_line(path)
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (1,)
    database.close()


def test_codes_belong_to_one_table_and_move_with_a_rematch(store: SqliteStore) -> None:
    async def work() -> None:
        await store.create(replace(table(), code="111111"))
        await store.create(table("t2"))
        assert (await store.load("t1")).code == "111111"  # type: ignore[union-attr]
        assert (await store.load("t2")).code is None  # type: ignore[union-attr]
        with pytest.raises(ConflictError):
            await store.claim_code("t2", "111111")
        with pytest.raises(ConflictError):
            await store.create(replace(table("t3"), code="111111"))
        assert await store.load("t3") is None
        await store.claim_code("t2", "222222")
        with pytest.raises(ConflictError):
            await store.claim_code("t2", "333333")
        await store.append("t1", 0, [entry(1)], beside=replace(table("t4"), code="111111"))
        assert await store.find_code("111111") == "t4"
        assert (await store.load("t1")).code is None  # type: ignore[union-attr]
        assert await store.find_code("999999") is None
        with pytest.raises(ConflictError):  # a code of somebody else is not taken away, and nothing else happens
            await store.append("t1", 1, [entry(2)], beside=replace(table("t5"), code="222222"))
        assert len((await store.load("t1")).entries) == 1  # type: ignore[union-attr]

    run(work())


def test_tables_without_a_move_since_long_ago_are_deleted(store: SqliteStore) -> None:
    async def work() -> None:
        for name, created, last in (
            ("old", 10.0, 20.0),
            ("moved", 10.0, 500.0),
            ("new", 400.0, None),
            ("kept", 1.0, 2.0),
        ):
            entries = () if last is None else (Entry(1, "joined", {"name": "Mia"}, last),)
            await store.create(NewTable(name, created, {"seats": ["Mia"]}, {}, entries, code=f"c {name}"))
        assert await store.expire(300.0, keep={"kept"}) == ["old"]
        assert await store.load("old") is None
        assert await store.find_code("c old") is None
        for name in ("moved", "new", "kept"):
            assert await store.find_code(f"c {name}") == name
            assert await store.load(name) is not None
        with pytest.raises(ConflictError):
            await store.append("old", 1, [entry(2)])

    run(work())


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    store = SqliteStore.open(path)
    run(store.create(table()))
    store.close()


def test_a_file_that_was_cut_off_is_damaged(path: Path) -> None:
    store = SqliteStore.open(path)
    run(store.create(table(entries=400)))
    store.close()
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 // 4096 * 4096])
    assert "damaged" in one_line(path)


@pytest.mark.parametrize("seed", range(16))
def test_garbage_in_the_file_is_found_or_harmless(path: Path, seed: int) -> None:
    """Overwrite a stretch of the file: the store says that it is damaged, or everything is still right."""
    store = SqliteStore.open(path)
    original = table(entries=200)
    run(store.create(original))
    store.close()
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    length = rng.choice([1, 200])
    start = rng.randrange(len(data) - length)
    data[start : start + length] = bytes(byte ^ rng.randrange(1, 256) for byte in data[start : start + length])
    path.write_bytes(data)
    message, found = opened_and_read(path)
    if message is None:
        assert found == original
    else:
        assert "\n" not in message
        assert str(path) in message


def opened_and_read(path: Path) -> tuple[str | None, NewTable | None]:
    try:
        store = SqliteStore.open(path)
    except StoreError as fault:
        return str(fault), None
    try:
        return None, run(store.load("t1"))
    except StoreError as fault:
        return str(fault), None
    finally:
        store.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM entries WHERE seq = 3",
        "UPDATE entries SET seq = 9 WHERE seq = 5",
        "UPDATE entries SET body = '{' WHERE seq = 4",
        "UPDATE entries SET body = replace(body, 'keep 1 5', 'keep 1 1') WHERE seq = 4",
        "UPDATE entries SET at = at + 1 WHERE seq = 1",
        "UPDATE entries SET command = 'x' WHERE seq = 2",
        "UPDATE tables SET setup = replace(setup, 'Kiste', 'Kasten')",
        "UPDATE tables SET secrets = '{}'",
    ],
)
def test_a_changed_row_is_noticed(store: SqliteStore, change: str) -> None:
    run(store.create(table(entries=5)))
    assert store._connection.execute(change).rowcount == 1
    with pytest.raises(StoreError, match="damaged: table t1"):
        run(store.load("t1"))
