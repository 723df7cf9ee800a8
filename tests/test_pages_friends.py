"""The pages among friends without a browser: codes, invitations, what a spectator is given, replay and playing on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render.around import EMOTES

HOST = "http://table.test"
ROOM = {"game": "5050", "kind-0": "human", "name-0": "Mia", "kind-1": "open", "begins": "0", "dice": "sealed"}
BY_HAND = ROOM | {"kind-1": "human", "name-1": "Ben", "dice": "hand"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), base_url=HOST) as client:
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


def test_an_address_that_only_this_device_reaches_is_said_to_be_one(client: TestClient) -> None:
    table = new_table(client, **ROOM)
    warning = catalogue("en")("room.only_here")[:40]
    assert warning not in client.get(table).text
    assert warning in client.get(f"http://127.0.0.1:8000{table}").text


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
