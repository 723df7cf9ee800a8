"""What strangers can do to a table's other visitors, and to the server: nothing."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from bolzplatz.cli.main import main
from bolzplatz.core.errors import IllegalActionError, OptionError
from bolzplatz.games import load_game
from bolzplatz.table.commands import Rename
from bolzplatz.table.limits import LimitError
from bolzplatz.table.service import MOST_PAGES, TableService
from bolzplatz.table.setup import TableSetup
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.security import HEADERS, address_of
from bolzplatz.web.setup_form import first_answers
from tests.table_kit import human
from tests.wire_kit import MemoryStore

LONG = "9" * 5000
"""More digits than Python reads as a number."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), raise_server_exceptions=False) as client:
        yield client


def new_room(client: TestClient) -> str:
    answers = {**first_answers("bar-bolz", False, catalogue("en"), friends=True), "begins": "0"}
    return str(client.post("/tables", data=answers, follow_redirects=False).headers["location"])


def frame_of(page: WebSocketTestSession, version: int = 0) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = page.receive_json()
        if message["type"] == "frame" and message["version"] >= version:
            return message


def test_everybody_is_shown_the_address_by_which_the_own_browser_came(client: TestClient) -> None:
    """A program sends any Host it likes: what is drawn with it is shown to nobody else."""
    table = new_room(client)
    token = client.cookies["browser"]
    client.cookies.clear()
    hosts = ("evil.example", "192.168.0.5:8000", "localhost:8000")

    def link(frame: dict[str, Any]) -> str:
        found = re.search(r'id="link" readonly value="([^"]*)"', frame["html"])
        assert found is not None
        return found[1]

    def connect(host: str) -> WebSocketTestSession:
        return client.websocket_connect(f"{table}/ws", headers={"host": host})

    with connect(hosts[0]) as evil, connect(hosts[1]) as friend, connect(hosts[2]) as here:
        pages = dict(zip(hosts, (evil, friend, here), strict=True))
        for page in pages.values():
            page.send_text(json.dumps({"type": "hello"}))
            frame_of(page)
        cookie = {"cookie": f"browser={token}"}
        with client.websocket_connect(f"{table}/ws", headers=cookie) as host:
            host.send_text(json.dumps({"type": "rename", "id": "1", "seat": 0, "name": "Anna"}))
            for name, page in pages.items():
                assert link(frame_of(page, 1)) == f"http://{name}{table}"


# --- long numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "answers"),
    [
        ("5050", {"o-target": LONG}),
        ("5050", {"turn": LONG}),
        ("bar-bolz", {"kind-2": "human", "name-2": "Zoe", "team_a": "99"}),
        ("wilde-kerle", {"handicap-0": LONG}),
        ("gooaaaaal", {"o-min_dice": LONG}),
    ],
)
def test_a_number_that_is_too_long_is_a_wrong_answer(client: TestClient, game: str, answers: dict[str, str]) -> None:
    answer = client.post("/tables", data={**first_answers(game, False, catalogue("en")), **answers})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("answers", [{"begins": LONG}, {"kind-2": "human", "name-2": "Zoe", "team_a": LONG}])
def test_who_begins_and_the_teams_are_settled_whatever_is_sent(client: TestClient, answers: dict[str, str]) -> None:
    given = {**first_answers("bar-bolz", False, catalogue("en")), **answers}
    assert client.post("/tables", data=given, follow_redirects=False).status_code == 303


def test_long_numbers_are_refused_in_one_line_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--port", "--keep-days"):
        assert main(["serve", option, LONG]) == 2
        told = capsys.readouterr().err
        assert "a number" in told
        assert len(told) < 2000
    with pytest.raises(OptionError, match="digits"):
        load_game("5050", target=10**5000)
    state = load_game("gooaaaaal", edition="nine").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    for move in (f"free-kick {LONG}", f"remove {LONG}", f"place B {LONG}"):
        with pytest.raises(IllegalActionError):
            state.string_to_action(move)


def test_what_fails_inside_is_a_page_with_all_headers(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object) -> None:
        raise RuntimeError("something that nobody thought of")

    monkeypatch.setattr(TableService, "create", fails)
    for language in LANGUAGES:
        client.cookies.set("language", language)
        answer = client.post("/tables", data=first_answers("5050", False, catalogue(language)))
        assert answer.status_code == 500
        assert catalogue(language)("fault.other") in answer.text
        assert HEADERS.items() <= dict(answer.headers).items()


# --- crowds -----------------------------------------------------------------------------------------------------------


def test_pages_from_one_address_keep_nobody_else_out() -> None:
    async def work() -> None:
        service = TableService(MemoryStore())
        seats = [human("Ann"), {"kind": "open"}]
        table_id, host = await service.create(TableSetup.from_dict({"game": "bar-bolz", "seats": seats}))
        actor = await service.open(table_id)
        assert actor is not None
        here = actor.subscribe(host, "198.51.100.1")
        crowd = [actor.subscribe(None, "203.0.113.9") for _ in range(MOST_PAGES - 1)]
        with pytest.raises(LimitError):
            actor.subscribe(None, "203.0.113.9")
        friend = actor.subscribe("friend", "192.0.2.7")
        gone = [page for page in crowd if page.dismissed]
        assert gone == crowd[-1:]
        actor.greet(gone[0], 0, 0)
        assert gone[0].waiting() == 1, "it hears goodbye, and no hello of its own changes that"
        # Browsers that say they are many are one crowd still; who plays is never asked to go.
        for n in range(20):
            actor.subscribe(f"another {n}", "192.0.2.8")
        assert sum(page.dismissed is None for page in crowd) == MOST_PAGES - 2 - 20
        assert friend.dismissed is None
        assert (await actor.act(here, Rename("1", 0, "Anna"))).ok
        await actor.close()
        await service.close()

    asyncio.run(work())


def test_a_page_that_makes_room_is_told_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_room(client)
    client.cookies.clear()
    addresses = iter(["198.51.100.1"] * 2 + ["192.0.2.7"])
    monkeypatch.setattr("bolzplatz.web.socket.address_of", lambda _: next(addresses))
    monkeypatch.setattr("bolzplatz.table.service.MOST_PAGES", 2)
    address = f"{table}/ws"
    with ExitStack() as pages:
        watching = []
        for _ in range(3):
            watching.append(pages.enter_context(client.websocket_connect(address)))
            # Who has a frame watches: the next one comes after it.
            watching[-1].send_text(json.dumps({"type": "hello"}))
            assert frame_of(watching[-1])["waiting"]["for"] == "room"
        second = watching[1]
        while (message := second.receive_json())["type"] == "frame":
            pass
        assert (message["type"], message["reason"]) == ("bye", "too_many_pages")
        with pytest.raises(WebSocketDisconnect):
            second.receive_json()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
        (None, None),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(host: str | None, address: str | None) -> None:
    scope = {"type": "http", "headers": [], "client": None if host is None else (host, 1234)}
    assert address_of(HTTPConnection(scope)) == address
