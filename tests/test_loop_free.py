"""What takes long is kept away from the event loop, and is not done twice: folding tables, rooms with many matches."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bolzplatz.core.game import Game
from bolzplatz.table.commands import Propose
from bolzplatz.table.limits import Limiter
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import NewTable, SqliteStore
from bolzplatz.table.table import Table
from bolzplatz.web import pages
from bolzplatz.web.app import create_app
from tests.table_kit import human
from tests.wire_kit import MemoryStore

HOST = "http://table.test"
NOON = 1_800_000_000.0
"""What the clock shows all the time, in seconds since 1970."""
MATCHES = 3


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A browser before a server whose clock stands still: how much one may ask for does not depend on the machine."""
    with TestClient(create_app(str(tmp_path / "tables.sqlite3"), now=lambda: NOON), base_url=HOST) as client:
        yield client


async def rematches(tables: Any, count: int) -> list[str]:
    """Play matches one after the other in a room, each ended by agreement; return their tables and the one to come."""
    setup = TableSetup.from_dict({"game": "bar-bolz", "dice": "hand", "seats": [human("Ann"), human("Ben")]})
    table, token = await tables.create(setup)
    room = [table]
    for _ in range(count):
        actor = await tables.open(room[-1])
        page = actor.subscribe(token)
        assert (await actor.act(page, Propose("1", "end"))).ok
        room.append((await actor.rematch(page, "2")).table)
        actor.unsubscribe(page)
    return room


def noting(seen: list[tuple[str, bool]], what: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return work that notes that it is done, and whether by a thread in which an event loop runs."""

    def noted(*arguments: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            seen.append((what, False))
        else:
            seen.append((what, True))
        return work(*arguments)

    return noted


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Tables that are folded, and whether by a thread in which an event loop runs."""
    seen: list[tuple[str, bool]] = []
    fold = Table.load
    monkeypatch.setattr(Table, "load", lambda stored: noting(seen, stored.id, fold)(stored))
    return seen


def test_a_room_is_followed_without_folding_its_tables(client: TestClient, loads: list[tuple[str, bool]]) -> None:
    app: Any = client.app
    tables: Any = app.state.tables
    assert client.portal is not None
    room = client.portal.call(rematches, tables, MATCHES)
    loads.clear()
    for table in room:
        assert client.portal.call(tables.newest, table) == room[-1]
        assert client.portal.call(tables.evening, table) == room
    assert client.portal.call(tables.newest, "nowhere") == "nowhere"
    assert client.portal.call(tables.evening, "nowhere") == []
    assert loads == []


def test_an_evening_is_read_once_but_for_its_newest_match(client: TestClient, loads: list[tuple[str, bool]]) -> None:
    app: Any = client.app
    assert client.portal is not None
    room = client.portal.call(rematches, app.state.tables, MATCHES)
    loads.clear()
    assert client.get(f"/t/{room[0]}/evening").status_code == 200
    assert sorted(loads) == sorted((table, False) for table in room)
    loads.clear()
    assert client.get(f"/t/{room[1]}/evening").status_code == 200
    assert loads == [(room[-1], False)]


def test_tables_are_folded_beside_the_loop(client: TestClient, loads: list[tuple[str, bool]]) -> None:
    app: Any = client.app
    assert client.portal is not None
    (table,) = client.portal.call(rematches, app.state.tables, 0)
    assert client.get(f"/t/{table}").status_code == 200
    assert client.get(f"/t/{table}/record.bolz").status_code == 200
    assert loads
    assert not any(on_loop for _, on_loop in loads)


def test_a_match_is_played_and_drawn_again_beside_the_loop(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step of it anew: a long match takes many milliseconds."""
    app: Any = client.app
    assert client.portal is not None
    (table,) = client.portal.call(rematches, app.state.tables, 0)
    done: list[tuple[str, bool]] = []
    monkeypatch.setattr(Game, "replay", noting(done, "played", Game.replay))
    for name in ("draw_frame", "frame_html", "replay_lines"):
        monkeypatch.setattr(pages, name, noting(done, name, getattr(pages, name)))
    assert client.get(f"/t/{table}/replay").status_code == 200
    assert client.get(f"/t/{table}/replay/0").status_code == 200
    assert {what for what, _ in done} == {"played", "draw_frame", "frame_html", "replay_lines"}
    assert not any(on_loop for _, on_loop in done)


def test_who_asks_for_too_many_pages_of_tables_is_told_to_wait(client: TestClient) -> None:
    app: Any = client.app
    assert client.portal is not None
    (table,) = client.portal.call(rematches, app.state.tables, 0)
    app.state.tables._visits = Limiter(1.0, 4, "too_many_looks", "a lot")
    paths = [f"/t/{table}", f"/t/{table}/replay", f"/t/{table}/record.bolz", "/t/nowhere", f"/t/{table}"]
    assert [client.get(path).status_code for path in paths] == [200, 200, 200, 404, 429]
    elsewhere = TestClient(client.app, base_url=HOST, client=("10.1.2.3", 50000))
    assert elsewhere.get(f"/t/{table}").status_code == 200


def test_whoever_leafs_through_a_replay_keeps_nobody_from_joining(client: TestClient) -> None:
    app: Any = client.app
    assert client.portal is not None
    (table,) = client.portal.call(rematches, app.state.tables, 0)
    app.state.tables._visits = Limiter(1.0, 1, "too_many_looks", "a lot")
    app.state.tables._steps = Limiter(1.0, 3, "too_many_looks", "a lot")
    steps = [client.get(f"/t/{table}/replay/0").status_code for _ in range(4)]
    assert steps == [200, 200, 200, 429]
    assert client.get(f"/t/{table}").status_code == 200


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_room_ends_where_a_table_is_gone_or_names_itself(tmp_path: Path, kind: str) -> None:
    """What is deleted after some days is no fault, and what is damaged goes round in no circle."""

    async def work() -> None:
        store: Any = MemoryStore() if kind == "memory" else SqliteStore.open(tmp_path / "t.sqlite3")
        await store.create(NewTable("b", 1.0, {}, {"follows": "gone"}))
        await store.create(NewTable("c", 2.0, {}, {"follows": "b"}))
        await store.create(NewTable("d", 3.0, {}, {"follows": "d"}))
        assert await store.room("c", 5) == ["b", "c"]
        assert await store.room("c", 0) == ["c"]
        assert await store.room("gone", 5) == []
        if kind == "sqlite":
            assert await store.room("d", 5) == ["d"]
        store.close()

    asyncio.run(work())
