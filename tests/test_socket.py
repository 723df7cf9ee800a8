"""The table's socket: what a page may send, who is let in, and that nothing sent can do more than earn a refusal."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocket, WebSocketDisconnect

from bolzplatz.core.sealed import Contributor, new_secret
from bolzplatz.table.service import TableService
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import SqliteStore
from bolzplatz.web.socket import SocketLimits, table_socket
from tests.table_kit import bot, human, setup_of
from tests.table_server import build_app

TOKEN = "token of the browser"


class Server:
    """The socket in this process, with its store at hand."""

    def __init__(self, client: TestClient, store: SqliteStore) -> None:
        self.client, self.store = client, store

    def new_table(self, setup: TableSetup) -> str:
        assert self.client.portal is not None
        table_id, _ = self.client.portal.call(self.client.app.state.service.create, setup, TOKEN)  # type: ignore[attr-defined]
        return str(table_id)

    def connect(self, table_id: str, token: str | None = TOKEN, **headers: str) -> WebSocketTestSession:
        cookie = {} if token is None else {"cookie": f"seat={token}"}
        return self.client.websocket_connect(f"/t/{table_id}/ws", headers={**cookie, **headers})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    store = SqliteStore.open(tmp_path / "tables.sqlite3")
    with TestClient(build_app(store)) as client:
        yield Server(client, store)


@pytest.fixture
def table_id(server: Server) -> str:
    return server.new_table(setup_of("5050", human("Mia"), human("Ben"), dice="hand"))


def say(page: WebSocketTestSession, kind: str, **fields: Any) -> None:
    page.send_text(json.dumps({"type": kind, **fields}))


def hear(page: WebSocketTestSession, kind: str) -> dict[str, Any]:
    """Return the next message of a kind."""
    while True:
        message: dict[str, Any] = page.receive_json()
        if message["type"] == kind:
            return message


def hear_frame(page: WebSocketTestSession, version: int) -> dict[str, Any]:
    """Return the next frame of a version; earlier ones may be shown again while others come and go."""
    while (frame := hear(page, "frame"))["version"] < version:
        pass
    assert frame["version"] == version
    return frame


def test_dice_by_hand_over_the_wire(server: Server, table_id: str) -> None:
    with server.connect(table_id) as page, server.connect(table_id, None) as spectator:
        say(page, "hello", have=0, draws=0)
        say(spectator, "hello", have=0, draws=0)
        frame = hear(page, "frame")
        assert (frame["version"], frame["mine"], frame["waiting"]) == (0, True, {"for": "throw", "seat": 0})
        assert hear(spectator, "frame")["mine"] is False
        say(page, "hand", id="a", version=0, text="throw 112346")
        assert hear_frame(page, 1)["draw"]["move"] == "throw 112346"
        answer = hear(page, "answer")
        assert (answer["id"], answer["ok"], answer["version"]) == ("a", True, 1)
        assert hear_frame(spectator, 1)["draw"]["move"] == "throw 112346"
        say(page, "do", id="b", version=1, seat=0, moves=["keep 222"])
        answer = hear(page, "answer")
        assert (answer["ok"], answer["reason"], answer["rule"]) == (False, "illegal", "5050 §4")
        assert answer["text"]
        say(page, "undo", id="c", version=1)
        assert hear(page, "answer")["ok"]
        say(page, "rematch", id="d")
        assert hear(page, "answer")["reason"] == "not_now"
        say(spectator, "undo", id="e", version=2)
        assert hear(spectator, "answer")["reason"] == "not_yours"


def test_sealed_dice_over_the_wire(server: Server) -> None:
    table_id = server.new_table(setup_of("bar-bolz", human("Mia"), bot("Robo")))
    browser = Contributor(table_id, "seat-0", new_secret())
    with server.connect(table_id) as page:
        say(page, "hello")
        assert hear(page, "frame")["waiting"]["for"] == "tip"
        say(page, "tip", tip=browser.tip().hex(), version=0)
        opening = hear(page, "opening")
        browser.open(opening["opening"])
        assert len(opening["words"]) == 6
        assert hear(page, "frame")["waiting"] == {"for": "throw", "seat": 0}
        say(page, "do", id="a", version=1, seat=0, throw=True)
        request = hear(page, "ask")["request"]
        say(page, "value", k=1, head="00" * 32, value="00" * 32)
        assert hear(page, "answer")["ok"]  # of the throw
        assert hear(page, "answer")["reason"] == "stale"
        value = browser.answer(request).hex()
        say(page, "value", k=1, head=request["head"], value=value)
        drawn = hear(page, "drawn")
        assert browser.accept(drawn["entry"]).k == 1
        assert drawn["throw"]["absent"] == []
        assert hear(page, "frame")["draw"] == drawn["throw"]
    # Coming back after the page was closed: everything is there again.
    with server.connect(table_id) as page:
        say(page, "hello", have=0, draws=0)
        again = hear(page, "opening")
        assert again["opening"] == opening["opening"]
        assert again["entries"] == [drawn["entry"]]
        assert hear(page, "frame")["version"] >= 3


def test_a_round_over_the_wire(server: Server) -> None:
    setup = {"game": "wilde-kerle", "pace": "grab", "seats": [human("Mia"), bot("Robo", "child"), bot("Roba", "child")]}
    table_id = server.new_table(TableSetup.from_dict(setup))
    browser = Contributor(table_id, "seat-0", new_secret())
    with server.connect(table_id) as page, server.connect(table_id, None) as watcher:
        say(page, "hello")
        say(watcher, "hello")
        say(page, "tip", tip=browser.tip().hex(), version=0)
        browser.open(hear(page, "opening")["opening"])
        request = hear(page, "ask")["request"]
        assert (request["purpose"], request["form"], request["n"]) == ("deal", "deck", 60)
        say(page, "value", k=1, head=request["head"], value=browser.answer(request).hex())
        drawn = hear(page, "drawn")
        assert (drawn["throw"]["hidden"], drawn["throw"]["faces"], drawn["entry"]["draw"]["faces"]) == (
            True,
            None,
            None,
        )
        frame = hear(page, "frame")
        assert frame["waiting"] == {"for": "ready", "seat": None}
        assert (frame["round"]["waited"], frame["round"]["pace"], frame["mine"]) == ([0], "grab", True)
        n = frame["round"]["n"]
        for _ in range(4):
            say(page, "pong", n=hear(page, "ping")["n"])
        say(watcher, "ready", id="w", round=n, seat=0, on=True, pointer="key")
        say(watcher, "grab", id="x", round=n, seat=0, piece="red", reaction=None)
        assert [hear(watcher, "answer")["reason"] for _ in range(2)] == ["not_yours"] * 2
        say(page, "still", id="a", round=n, seat=0)
        assert hear(page, "answer")["reason"] == "late"
        say(page, "choose", id="b", round=n, seat=0, wish="red")
        assert hear(page, "answer")["reason"] == "not_now"
        say(page, "ready", id="c", round=n, seat=0, on=True, pointer="mouse")
        assert hear(page, "answer")["ok"]
        assert hear(page, "count") == {"type": "count", "round": n, "words": 3, "ms": 600}
        say(page, "ready", id="d", round=n, seat=0, on=False, pointer="mouse")
        assert hear(page, "count")["words"] == 0


@pytest.mark.parametrize(
    "message",
    [
        {"type": "ready", "round": 1, "seat": 0, "on": True, "pointer": "nose"},
        {"type": "ready", "round": 1, "seat": 0, "on": "yes", "pointer": "key"},
        {"type": "grab", "round": 1, "seat": 0, "piece": "green", "reaction": None},
        {"type": "grab", "round": 1, "seat": 0, "piece": "red", "reaction": -1},
        {"type": "grab", "round": 1, "seat": 0, "piece": "red", "reaction": 0.5},
        {"type": "grab", "round": True, "seat": 0, "piece": "red", "reaction": None},
        {"type": "still", "round": 1},
        {"type": "pong"},
        {"type": "choose", "id": "a", "round": 1, "seat": 0},
    ],
)
def test_messages_of_rounds_that_cannot_be_read(server: Server, table_id: str, message: dict[str, Any]) -> None:
    with server.connect(table_id) as page:
        say(page, "hello")
        page.send_text(json.dumps(message))
        assert hear(page, "answer")["reason"] == "unreadable"


BAD = [
    "",
    "{",
    "[]",
    "null",
    '"hello"',
    "[" * 3000,
    '{"type":"dance"}',
    '{"type":["do"]}',
    '{"type":"do"}',
    '{"type":"do","id":"x","version":0,"seat":0,"moves":"keep 1"}',
    '{"type":"do","id":"x","version":0,"seat":0,"moves":[1]}',
    '{"type":"do","id":"x","version":0,"seat":0,"moves":["' + "1" * 300 + '"]}',
    '{"type":"do","id":"x","version":0,"seat":0,"moves":[' + ",".join(['"go"'] * 40) + "]}",
    '{"type":"do","id":"x","version":0,"seat":0,"throw":1}',
    '{"type":"do","id":"x","version":true,"seat":0}',
    '{"type":"do","id":"x","version":-1,"seat":0}',
    '{"type":"do","id":"x","version":1e3,"seat":0}',
    '{"type":"do","id":"x","version":99999999999999999999,"seat":0}',
    '{"type":"do","id":7,"version":0,"seat":0}',
    '{"type":"do","id":"","version":0,"seat":0}',
    '{"type":"do","id":"' + "x" * 65 + '","version":0,"seat":0}',
    '{"type":"do","version":0,"seat":0,"moves":["go"]}',
    '{"type":"hand","id":"x","version":0}',
    '{"type":"hand","id":"x","version":0,"text":"throw \\ud800"}',
    '{"type":"hand","id":"\\udfff","version":0,"text":"throw 112346"}',
    '{"type":"hand","id":"x","version":0,"text":"throw 112346\\u0000"}',
    '{"type":"undo","id":"x"}',
    '{"type":"undo","version":0}',
    '{"type":"rematch"}',
    '{"type":"tip"}',
    '{"type":"tip","tip":"xyz"}',
    '{"type":"tip","tip":"' + "A" * 64 + '"}',
    '{"type":"tip","tip":"' + "ab" * 32 + '"}',
    '{"type":"value","k":1,"head":"00","value":"00"}',
    '{"type":"hello","have":-1}',
    '{"type":"hello","have":"0"}',
    '{"type":"hello","draws":null}',
    '{"x":"' + "y" * 5000 + '"}',
]


@pytest.mark.parametrize("start", range(0, len(BAD), 15))
def test_what_no_page_sends_is_refused_and_changes_nothing(server: Server, table_id: str, start: int) -> None:
    with server.connect(table_id) as page:
        say(page, "hello")
        hear(page, "frame")
        for text in BAD[start : start + 15]:
            page.send_text(text)
            answer = hear(page, "answer")
            assert (answer["ok"], answer["reason"], answer["version"]) == (False, "unreadable", 0), text
            assert "\n" not in answer["text"]
        page.send_bytes(b"\x00\xff")
        assert hear(page, "answer")["reason"] == "unreadable"
        say(page, "hand", id="a", version=0, text="throw 112346")
        assert hear(page, "answer")["ok"]


@pytest.mark.parametrize("text", ["throw 999999", "throw", "keep 1", "ｔｈｒｏｗ 112346", "throw 64321１", "🎲"])
def test_a_throw_that_no_dice_show_is_refused_with_a_reason(server: Server, table_id: str, text: str) -> None:
    with server.connect(table_id) as page:
        say(page, "hello")
        say(page, "hand", id="a", version=0, text=text)
        answer = hear(page, "answer")
        assert (answer["ok"], answer["reason"], answer["version"]) == (False, "illegal", 0)
        assert answer["text"]


def test_only_our_own_pages_are_let_in(server: Server, table_id: str) -> None:
    with pytest.raises(WebSocketDisconnect), server.connect(table_id, origin="http://evil.example"):
        pass
    with pytest.raises(WebSocketDisconnect), server.connect(table_id, origin="http://[testserver"):
        pass
    with server.connect(table_id, origin="http://testserver") as page:
        say(page, "hello")
        assert hear(page, "frame")["mine"]


def test_a_table_that_is_not_there_says_goodbye(server: Server) -> None:
    """A page that is told goodbye tries no more; one that is merely cut off comes back for ever."""
    with server.connect("nowhere") as page:
        assert hear(page, "bye")["reason"] == "deleted"
        with pytest.raises(WebSocketDisconnect) as caught:
            page.receive_text()
    assert caught.value.code == 4404


def test_nothing_is_sent_to_who_was_shut_out(tmp_path: Path) -> None:
    """What the other direction was about to send when the socket was closed is no fault of the server's."""
    sent: list[dict[str, Any]] = []

    async def shut_out() -> None:
        service = TableService(SqliteStore.open(tmp_path / "tables.sqlite3"), pace=lambda _: 0)
        table_id, _ = await service.create(setup_of("5050", human("Mia"), human("Ben"), dice="hand"), TOKEN)
        hello = {"type": "websocket.receive", "text": '{"type":"hello"}'}
        bad = [{"type": "websocket.receive", "text": "{"} for _ in range(SocketLimits().bad)]
        coming = iter([{"type": "websocket.connect"}, hello, *bad])

        async def receive() -> dict[str, Any]:
            return next(coming)

        async def send(message: Any) -> None:
            sent.append(message)
            for _ in range(5):  # whoever else has something to send gets the turn
                await asyncio.sleep(0)

        scope = {"type": "websocket", "headers": [], "path_params": {"id": table_id}, "client": ("192.0.2.1", 9)}
        endpoint = table_socket(lambda _: service, lambda _: lambda frame: {}, lambda _: None)
        await endpoint(WebSocket(scope, receive, send))
        await service.close()

    asyncio.run(shut_out())
    bye, close = sent[-2:]
    assert json.loads(bye["text"])["reason"] == "too_many_bad"
    assert (close["type"], close["code"]) == ("websocket.close", 4400)


def test_a_damaged_table_says_so_in_one_line(server: Server, table_id: str) -> None:
    server.store._connection.execute("UPDATE tables SET setup = '{}'")
    with server.connect(table_id) as page:
        message = hear(page, "trouble")
        assert message["reason"] == "store_failed"
        assert "damaged" in message["text"]
        assert "\n" not in message["text"]
        with pytest.raises(WebSocketDisconnect):
            page.receive_text()
