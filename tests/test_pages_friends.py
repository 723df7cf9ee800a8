"""The pages among friends without a browser: codes, invitations, what a spectator is given, replay and playing on."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bolzplatz import table as table_package
from bolzplatz.core.texts import game_texts
from bolzplatz.games import game_spec
from bolzplatz.table.frames import LOG_SHOWN, build_frame
from bolzplatz.table.limits import Limiter
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render import GAMES, frame_html
from bolzplatz.web.render.around import EMOTES
from tests.friends_kit import Friends
from tests.table_kit import human, setup_of

HOST = "http://table.test"
NOON = 1_800_000_000.0
"""What the clock shows all the time, in seconds since 1970."""
ROOM = {"game": "5050", "kind-0": "human", "name-0": "Mia", "kind-1": "open", "begins": "0", "dice": "sealed"}
BY_HAND = ROOM | {"kind-1": "human", "name-1": "Ben", "dice": "hand"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A browser before a server whose clock stands still: how much one may ask for does not depend on the machine."""
    with TestClient(create_app(str(tmp_path / "tables.sqlite3"), now=lambda: NOON), base_url=HOST) as client:
        yield client


def new_table(client: TestClient, **answers: str) -> str:
    response = client.post("/tables", data=answers, follow_redirects=False)
    assert response.status_code == 303, response.text
    return str(response.headers["location"])


def code_of(client: TestClient, table: str) -> str:
    found = re.search(r"<b>(\d{3} \d{3})</b>", client.get(table).text)
    assert found is not None
    return found[1]


def test_a_spoken_code_leads_to_the_table_however_it_is_typed(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    code = code_of(client, table)
    for typed in (code, code.replace(" ", ""), code.replace(" ", "-"), f"  {code} "):
        for path, query in ((f"/j/{typed}", None), ("/j", {"code": typed})):
            answer = client.get(path, params=query, follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (303, table)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", ["", "12", "hello", "999999", "<script>"])
def test_an_unknown_code_is_said_in_the_readers_language(client: TestClient, language: str, code: str) -> None:
    client.cookies.set("language", language)
    answer = client.get("/j", params={"code": code})
    assert answer.status_code == 404
    assert catalogue(language)("home.code_unknown").replace("'", "&#39;") in answer.text


def test_guessing_codes_is_stopped(client: TestClient) -> None:
    answers = [client.get(f"/j/{100000 + i}").status_code for i in range(60)]
    assert answers[0] == 404
    assert answers[-1] == 429


def test_whoever_comes_by_the_link_gets_a_token_that_no_script_can_read(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    client.cookies.clear()
    header = client.get(table).headers["set-cookie"].lower()
    assert header.startswith("browser=")
    assert "httponly" in header
    assert "samesite=lax" in header
    token = header.split("=")[1].split(";")[0]
    assert len(token) >= 32


def test_the_picture_code_holds_the_address_that_the_reader_used(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    here, again = client.get(f"{table}/qr.svg"), client.get(f"{table}/qr.svg")
    elsewhere = client.get(f"http://192.168.7.7:8000{table}/qr.svg")
    assert here.headers["content-type"].startswith("image/svg+xml")
    assert here.text == again.text != elsewhere.text
    assert "style=" not in here.text
    assert f'value="{HOST}{table}"' in client.get(table).text
    # No picture code holds so long an address.
    assert client.get(f"{table}/qr.svg", headers={"host": "x" * 5000}).status_code == 400


def test_an_address_that_only_this_device_reaches_is_said_to_be_one(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    warning = catalogue("en")("room.only_here")[:40]
    assert warning not in client.get(table).text
    assert warning in client.get(f"http://127.0.0.1:8000{table}").text


def test_a_room_offers_the_computer_players_that_know_its_rules(client: TestClient) -> None:
    """5050 is solved for two: who plays best, or by that measure worse, does not sit among three."""

    def offered(**more: str) -> set[str]:
        page = client.get(new_table(client, **ROOM, **more)).text
        return set(re.findall(r'"level": "(\w+)"', unescape(page)))

    assert {"random", "child", "casual", "good", "optimal"} <= offered()
    assert offered(**{"kind-2": "open"}) == {"random", "child", "good"}


def test_a_guest_is_offered_the_free_seat_and_nothing_of_the_hosts(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    host = client.get(table).text
    client.cookies.clear()
    guest = client.get(table).text
    for only_host in ('id="add"', 'id="kind-1"', "&#34;start&#34;"):
        assert only_host in host
        assert only_host not in guest
    assert 'id="sit-1"' in guest


@pytest.mark.parametrize(("step", "seen_by"), [("0", ""), ("99", "1"), ("-3", "7"), ("x", "all"), ("9" * 30, "9" * 30)])
def test_a_replay_takes_any_address_and_stays_within_the_match(client: TestClient, step: str, seen_by: str) -> None:
    table = new_table(client, **BY_HAND)
    answer = client.get(f"{table}/replay", params={"step": step, "as": seen_by})
    assert answer.status_code == 200
    assert 'data-step="0" data-steps="0"' in answer.text
    one = client.get(f"{table}/replay/{step}", params={"as": seen_by})
    # Seat 7 does not exist, and where nothing is hidden nothing is to be opened; what is no number is a spectator.
    assert one.status_code == (409 if seen_by in ("7", "all") else 200)


def test_playing_on_makes_a_new_table_and_foreign_pages_cannot(client: TestClient) -> None:
    table = new_table(client, **BY_HAND)
    foreign = client.post(f"{table}/play-on", data={"step": "0"}, headers={"origin": "http://elsewhere.test"})
    assert foreign.status_code == 403
    assert client.post(f"{table}/play-on", data={"step": "5"}).status_code == 409
    answer = client.post(f"{table}/play-on", data={"step": "0"}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] != table


def test_every_call_has_a_picture_and_words_in_every_language(client: TestClient) -> None:
    page = client.get(new_table(client, **ROOM)).text
    for emote in EMOTES:
        assert f'id="e-{emote}"' in page
        for language in LANGUAGES:
            assert catalogue(language).has(f"emote.{emote}")


TABLE_SOURCES = Path(table_package.__file__).parent
SILENT = {"stale"}
"""Reasons that a page answers by showing the present, without a word."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_of_a_table_has_words_in_every_language(language: str) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in TABLE_SOURCES.glob("*.py"))
    reasons = set(re.findall(r'Refused\(\s*"([a-z_]+)"', code)) | {
        "store_full",
        "store_failed",
        "unreadable",
        "illegal",
    }
    # What a setup refuses, the room refuses with the same key.
    reasons |= set(re.findall(r'SetupError\([^,]+,\s*"([a-z_]+)"', (TABLE_SOURCES / "room.py").read_text()))
    reasons |= {"no_name", "long_name", "bad_name", "same_name", "no_computer"}
    said = catalogue(language).under("script")
    assert len(reasons) > 25
    assert sorted(reason for reason in reasons - SILENT if f"refused_{reason}" not in said) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_table_says_in_the_readers_language_why_a_move_is_refused(
    client: TestClient, game: str, language: str
) -> None:
    """The page finds the sentence by the code that the answer carries."""
    client.cookies.set("language", language)
    assert client.portal is not None
    people = [human(f"Mia {seat}") for seat in range(game_spec(game).min_players)]
    table, _ = client.portal.call(client.app.state.tables.create, setup_of(game, *people))  # type: ignore[attr-defined]
    page = client.get(f"/t/{table}").text
    found = re.search(r'data-words="([^"]*)"', page)
    assert found is not None
    words = json.loads(unescape(found[1]))
    texts = game_texts(game, language).refusals
    codes = {each.name for each in game_spec(game).refusals}
    assert {f"illegal_{code}" for code in texts} <= set(words)
    assert codes <= set(texts)
    assert all(words[f"illegal_{code}"] == texts[code] for code in codes)


def test_an_address_that_sets_up_many_tables_is_told_to_wait_and_others_are_not(client: TestClient) -> None:
    answers = [client.post("/tables", data=ROOM, follow_redirects=False).status_code for _ in range(123)]
    assert answers[:120] == [303] * 120
    assert answers[-1] == 429
    client.cookies.set("language", "de")
    answer = client.post("/tables", data=ROOM)
    assert catalogue("de")("setup_fault.too_many_tables") in answer.text
    elsewhere = TestClient(client.app, base_url=HOST, client=("10.1.2.3", 50000))
    assert elsewhere.post("/tables", data=ROOM, follow_redirects=False).status_code == 303


@pytest.mark.parametrize("page", ["/puzzle", "/what-if/chess", "/t/nowhere/evening"])
def test_who_asks_for_too_many_reckoned_pages_is_told_to_wait_and_others_are_not(client: TestClient, page: str) -> None:
    """It counts however it is answered, for else what takes longest to find out would be free."""
    app: Any = client.app
    app.state.tables._looks = Limiter(1.0, 3, "too_many_looks", "a lot")
    answers = [client.get(page) for _ in range(5)]
    assert {answer.status_code for answer in answers[:3]} <= {200, 404}
    assert answers[-1].status_code == 429
    assert answers[-1].headers["retry-after"] == "1"
    assert catalogue("en")("fault.429") in answers[-1].text
    elsewhere = TestClient(client.app, base_url=HOST, client=("10.1.2.3", 50000))
    assert elsewhere.get(page).status_code in (200, 404)
    assert client.get("/rules/5050").status_code == 200


def test_the_score_pad_is_whole_however_long_the_match_is() -> None:
    friends = Friends.new(setup_of("5050", human("Ann"), human("Ben"), dice="hand", target=5050))
    written: list[list[int | None]] = [[], []]
    for event_count in range(2000):
        if friends.table.over:
            break
        friends.step(event_count)
    events = friends.table.state.events()
    assert len(events) > 3 * LOG_SHOWN
    for event in events:
        if event.kind in ("write", "bust"):
            written[event.seat].append(event.data["points"] if event.kind == "write" else None)  # type: ignore[index]
    html = frame_html(build_frame(friends.table, (0, 1), 0), "en")
    columns = re.findall(r'<div class="pad-col[^>]*>.*?</div>', html, re.DOTALL)
    shown = [
        [None if "struck" in row else int(row) for row in re.findall(r"<li[^>]*>(.*?)</li>", column, re.DOTALL)]
        for column in columns
    ]
    assert shown == written
