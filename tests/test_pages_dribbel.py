"""Dribbel-Fieber on the page without a browser: what is drawn for whom, the moves that the page knows, editions."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import State
from bolzplatz.core.nodes import CHANCE
from bolzplatz.core.texts import game_texts
from bolzplatz.games import load_game
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES, MAX_TEXT, SHIPPED, read_edition
from bolzplatz.games.dribbel_fieber.pitch import SPACE_NAMES
from bolzplatz.table.commands import Enter
from bolzplatz.table.frames import ALL, Frame, Viewer, build_frame, plan_replay
from bolzplatz.table.setup import Given, TableSetup
from bolzplatz.table.table import Secrets, Table
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES
from bolzplatz.web.render import draw_frame, log_lines
from bolzplatz.web.render.arrows import STEPS, picture
from bolzplatz.web.render.dribbel_fieber import choices, place, space_at
from tests.table_kit import Stored
from tests.test_pages import _Markup

PHASES = {
    "coin", "draw", "offer", "chase", "free", "cards", "buy", "shot", "roll", "bounce", "goal_kick", "kick", "over",
}  # fmt: skip


def table_at(
    owners: tuple[str, str] = ("ann", "ben"), names: tuple[str, str] = ("Ann", "Ben"), **options: Any
) -> Table:
    """Return a table with real cards and dice: its state may be set to any position."""
    seats = [{"kind": "human", "name": f"P{i}"} for i in range(2)]
    given = {"game": "dribbel-fieber", "seats": seats, "dice": "hand", "options": options}
    setup = TableSetup.from_dict(given)
    setup = replace(setup, seats=tuple(replace(seat, name=name) for seat, name in zip(setup.seats, names, strict=True)))
    return Table.fresh("t", setup, Secrets.fresh(owners, owners[0]))


def at(table: Table, state: State) -> Table:
    table.state = state
    table._waiting = None
    table._undoable.clear()
    return table


def worth(text: str, seat: int) -> int:
    """Return how much somebody who plays forward likes a move."""
    if text.startswith("shoot"):
        return 100
    return (int(text[-1]) if seat == 0 else -int(text[-1])) if re.search("[a-e][1-8]$", text) else -50


def played(seed: int) -> Iterator[State]:
    """Yield the positions of a match of two who mostly run and pass forward, and shoot where they can."""
    rng = random.Random(seed)
    state = load_game("dribbel-fieber").new_initial_state()
    while True:
        yield state.clone()
        if state.is_terminal():
            return
        player = state.current_player()
        action = rng.choice(state.legal_actions() if player == CHANCE else state.legal_actions(player))
        if player != CHANCE and rng.random() < 0.7:
            liked = {worth(state.action_to_string(each), player): each for each in state.legal_actions(player)}
            action = liked[max(liked)]
        state.apply_action(action)


MATCHES = [list(played(seed)) for seed in range(5)]
POSITIONS = [*MATCHES[0], *(state for match in MATCHES[1:] for state in match[::4])]


def dealt_anew(state: State, reader: int | None, seed: int) -> State:
    """Return the position with all that the reader must not know dealt anew; what happened before stays."""
    other = state.clone()
    other._data = state.resample(reader, FastStream(seed, 7))._data
    return other


def everything(frame: Frame, language: str = "en") -> str:
    drawn = draw_frame(frame, language)
    return json.dumps([drawn, log_lines(frame, language)])


def test_every_phase_is_drawn_cleanly_in_every_language() -> None:
    seen = set()
    for number, state in enumerate(POSITIONS):
        frame = build_frame(at(table_at(), state), (number % 2,), 0)
        phase = frame.view["shown"]["next"]
        seen.add(phase)
        drawn = draw_frame(frame, tuple(LANGUAGES)[number % 3])
        assert _Markup(drawn["html"] + drawn["people"]).faults == []
        assert drawn["html"].count('class="cell ') == 40
        assert drawn["html"].count('class="fig fig--') == 10
        entered = re.findall('data-act="hand" data-text="([^"]*)"', drawn["html"])
        assert entered in ([], frame.outcomes)
        assert bool(entered) == bool(frame.outcomes) or phase == "draw"
    assert seen >= PHASES - {"bounce"}


def test_what_is_hidden_moves_no_byte_of_what_a_seat_or_spectator_is_sent() -> None:
    """Everything drawn stays the same, letter by letter, when all that the reader must not know is dealt anew."""
    moved = 0
    for number, state in enumerate(POSITIONS[::5]):
        table = table_at()
        for seats in ((0,), (1,), ()):
            reader = seats[0] if seats else None
            before = everything(build_frame(at(table, state.clone()), seats, 0))
            other = dealt_anew(state, reader, number)
            moved += other._data.hand != state._data.hand or other._data.pile != state._data.pile
            if not state.is_terminal():
                assert everything(build_frame(at(table, other), seats, 0)) == before
    assert moved > 30


def test_people_at_one_browser_see_the_hand_of_whoever_acts_alone_behind_a_curtain() -> None:
    shown = 0
    for state in MATCHES[0]:
        if state.is_terminal():
            continue
        frame = build_frame(at(table_at(("ann", "ann")), state), (0, 1), 0)
        html = draw_frame(frame, "en")["html"]
        cards = len(re.findall('data-card="', html))
        assert "You draw" not in everything(frame)
        if cards:
            shown += 1
            seat = frame.waiting["seat"]
            assert cards == frame.view["fields"]["held"][seat]
            assert seat == frame.view["fields"]["attacker"]
            assert f'data-curtain="{seat}-{frame.view["fields"]["turn"]}"' in html
            assert "curtained" in html
    assert shown > 40


def test_with_open_hands_and_after_the_end_both_hands_lie_open() -> None:
    over = MATCHES[0][-1]
    assert over.is_terminal()
    html = draw_frame(build_frame(at(table_at(), over), (0,), 0), "en")["html"]
    assert html.count('class="minicard') == over.view(None)["shown"]["held"][1]
    assert html.count('data-card="') == over.view(None)["shown"]["held"][0]


def test_the_match_seen_again_opens_what_a_perspective_may_see() -> None:
    state = next(each for each in POSITIONS if each.view(None)["shown"]["next"] == "cards")
    table = at(table_at(), state)
    table.setup = replace(table.setup, given=Given("before", tuple(state.history())))
    held = state.view(None)["shown"]["held"]
    for perspective, own, other in ((None, 0, False), (0, held[0], False), (1, held[1], False), (ALL, held[0], True)):
        html = draw_frame(plan_replay(table, (0,), state.move_number(), perspective, Viewer())(), "en")["html"]
        assert html.count('data-card="') == own, perspective
        assert ('id="other-hand"' in html) is other
        if other:
            names = [game_texts("dribbel-fieber", "en").words[card] for card in state.view(1)["shown"]["hands"][1]]
            assert re.findall('<span class="minicard[^>]*>.*?<span>(.*?)</span>', html, re.DOTALL) == names
        assert 'id="act"' not in html


ON_PITCH = (*CARD_NAMES, "chase", "free", "kick")


def test_the_page_knows_exactly_the_moves_that_are_legal() -> None:
    for state in POSITIONS:
        seat = state.current_player()
        if seat == CHANCE or state.is_terminal():
            continue
        frame = build_frame(at(table_at(), state), (seat,), 0)
        on_pitch = {text for text in frame.legal if text[0] == "#" or text.split()[0] in ON_PITCH}
        found = choices(frame)
        assert sorted(each["m"] for each in found) == sorted(on_pitch)
        for each in found:
            if each["m"].startswith(("chase", "kick")):
                continue
            # The steps lead from where the piece is to where it goes, one space each.
            way = [each["from"], *each["via"], each["to"]]
            for a, b in pairwise(way):
                columns, rows = ("abcde".index(a[0]) - "abcde".index(b[0])), int(a[1]) - int(b[1])
                assert max(abs(columns), abs(rows)) == 1
            assert each["n"] == len(way) - 1


def test_the_own_goal_is_at_the_bottom_for_both() -> None:
    for space in SPACE_NAMES:
        for seat in (0, 1):
            assert space_at(*place(space, seat), seat) == space
    assert place("c1", 0) == place("c8", 1) == (3, 1)
    assert space_at(0, 1, 0) is space_at(3, 9, 1) is None


def test_names_are_shown_and_never_obeyed() -> None:
    evil = "<b>&\"'{{7*7}}"
    state = next(each for each in POSITIONS if each.view(None)["shown"]["next"] == "cards")
    frame = build_frame(at(table_at(names=(evil, "Ben")), state), (0, 1), 0)
    drawn = draw_frame(frame, "en")
    assert "<b>&" not in drawn["html"]
    assert "&lt;b&gt;&amp;&#34;&#39;{{7*7}}" in drawn["html"]
    assert _Markup(drawn["html"]).faults == []


# --- pictures -----------------------------------------------------------------------------------------------------


def test_arrows_end_where_the_ways_do() -> None:
    for name in SHIPPED:
        edition = read_edition(name).data()
        for symbol in (edition["free_action"], *edition["cards"].values()):
            drawn = picture(symbol["arrows"], "figure")
            for way, head in zip(symbol["arrows"], drawn["heads"], strict=True):
                steps = [STEPS[word] for word in way.split()]
                assert (head["x"], head["y"]) == (20 * sum(x for x, _ in steps), 20 * sum(y for _, y in steps))
                assert max(abs(head["x"]), abs(head["y"])) < drawn["half"]
    # What may end after one space is one solid line; what must be gone whole is dashed.
    assert [line["dashed"] for line in picture(["F", "F F"], "figure")["lines"]] == [False, False]
    assert [line["dashed"] for line in picture(["F F"], "ball")["lines"]] == [True]
    assert [head["turn"] for head in picture(["F", "R", "B", "L"], "ball")["heads"]] == [0, 90, 180, -90]


PEOPLE = {"game": "dribbel-fieber", "kind-0": "human", "name-0": "A", "kind-1": "human", "name-1": "B"}

# --- real cards ---------------------------------------------------------------------------------------------------


def test_uncounted_cards_may_come_as_they_like_and_counted_ones_may_not() -> None:
    """The edition has one cross for each player; three may be entered only where nobody has counted (by hand)."""
    start = ["coin red", "draw cross"]
    counted = load_game("dribbel-fieber").replay(start)
    assert "draw cross" not in [counted.action_to_string(a) for a in counted.legal_actions()]
    state = load_game("dribbel-fieber", deck="any").replay([*start, "draw cross", "draw cross"])
    shown = state.view(0)["shown"]
    assert shown["hands"][0] == ["cross"] * 3
    assert shown["piles"] == [6, 9]
    assert len(state.chance_outcomes()) == len(CARD_NAMES)
    for seat in (0, 1):
        other = dealt_anew(state, seat, 3)
        assert other.view(seat) == state.view(seat)
        assert [sum(other._data.pile[17 * i : 17 * i + 17]) for i in (0, 1)] == [6, 9]


def test_a_real_card_that_was_drawn_is_told_to_its_owner_alone() -> None:
    """The last throw is part of every frame message: of a card that only its owner saw it must not name the card."""
    stored = Stored.new(table_at(deck="any").setup)
    for text in ("coin red", "draw cross"):
        assert stored.do(Enter(text, stored.table.version, text, (0,))) is None
    for seats in ((0,), (1,), ()):
        frame = build_frame(stored.table, seats, 0)
        assert frame.draw is not None
        assert (frame.draw["move"], frame.draw["hidden"]) == (None, True)
        assert ("You draw Cross" in everything(frame)) is (seats == (0,))


def test_a_table_with_real_cards_takes_any(client: TestClient) -> None:
    html = client.post("/tables", data=PEOPLE | {"dice": "hand"}).text
    assert 'data-text="coin red"' in html


def seat_told(client: TestClient, address: str) -> int | None:
    """Return whose view the table's socket sends to a page of this browser."""
    headers = {"cookie": f"browser={client.cookies['browser']}"}
    with client.websocket_connect(address, headers=headers) as wire:
        wire.send_json({"type": "hello", "have": 0})
        message = wire.receive_json()
        while message["type"] != "frame":
            message = wire.receive_json()
        seat: int | None = message["seat"]
        return seat


def test_the_big_screen_is_a_spectators_whoever_owns_the_browser(client: TestClient) -> None:
    path = client.post("/tables", data=PEOPLE | {"dice": "hand"}, follow_redirects=False).headers["location"]
    assert 'data-text="coin red"' in client.get(path).text
    big = client.get(f"{path}?show=pitch").text
    assert "data-text" not in big
    assert 'data-sealed=""' in big
    assert " tv" in big
    assert seat_told(client, f"{path}/ws") == 0
    assert seat_told(client, f"{path}/ws?show=pitch") is None


# --- editions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), base_url="http://table.test") as client:
        yield client


def ask(client: TestClient, text: str) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/edition/check", data={"edition": text}).json()
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_editor_is_clean_in_every_language(client: TestClient, language: str) -> None:
    html = client.get("/edition", headers={"accept-language": language}).text
    assert _Markup(html).faults == []
    assert f'<html lang="{language}"' in html


@pytest.mark.parametrize("name", SHIPPED)
def test_an_edition_comes_back_as_it_was(client: TestClient, name: str) -> None:
    edition = read_edition(name)
    for text in (name, edition.canonical(), edition.toml()):
        found = ask(client, text)
        assert found["ok"]
        assert found["digest"] == edition.digest()
        assert read_edition(found["toml"]) == read_edition(json.dumps(found["data"])) == edition
    given = client.post("/edition/file", data={"edition": edition.canonical()})
    assert "attachment" in given.headers["content-disposition"]
    assert read_edition(given.text) == edition


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        (
            lambda data: data["pitch"]["rows"].__setitem__(3, "pink yellow white purple white"),
            "pitch.rows",
            "19 coloured",
        ),
        (lambda data: data["figures"]["start"].__setitem__(1, "f3"), "figures.start[1]", "off the pitch"),
        (lambda data: data["poldi"][0].__setitem__("price", -2), "poldi[0].price", "negative"),
        (lambda data: data["poldi"][1].__setitem__("number", 120), "poldi[1].number", "there already"),
        (lambda data: data["cards"]["cross"]["arrows"].append("F B"), "cards.cross.arrows[4]", "leads nowhere"),
        (lambda data: data.__setitem__("title", "a" * 61), "title", "visible characters"),
        (lambda data: data.pop("coins"), "coins", "missing"),
    ],
)
def test_a_fault_names_its_field(client: TestClient, change: Any, field: str, reason: str) -> None:
    change(data := json.loads(read_edition("placeholder").canonical()))
    found = ask(client, json.dumps(data))
    assert (found["ok"], found["field"]) == (False, field)
    assert reason in found["reason"]
    assert client.post("/edition/file", data={"edition": json.dumps(data)}).status_code == 422


def test_a_fault_is_told_in_the_language_of_the_page(client: TestClient) -> None:
    own = read_edition("placeholder").toml().replace("price = 2", "price = -2", 1)
    german = {"accept-language": "de"}
    found = client.post("/edition/check", data={"edition": own}, headers=german).json()
    assert (found["reason"], found["rule"]) == ("-2 ist negativ", "dribbel-fieber §11")
    assert "-2 ist negativ" in client.post("/edition/file", data={"edition": own}, headers=german).text
    drawn = client.get("/edition/arrows", params={"card": "running", "arrows": "F B"}, headers=german).json()
    assert drawn["reason"] == "'F B' führt nirgends hin"


@pytest.mark.parametrize(("language", "word"), [("en", "green is"), ("de", "Grün (green)"), ("fr", "vert (green)")])
def test_a_colour_is_named_as_the_reader_and_as_the_file_call_it(client: TestClient, language: str, word: str) -> None:
    own = read_edition("placeholder").toml().replace("orange green - orange green", "orange green - orange -")
    found = client.post("/edition/check", data={"edition": own}, headers={"accept-language": language}).json()
    assert found["field"] == "pitch.rows"
    assert "17" in found["reason"]
    assert word in found["reason"]


def test_no_file_is_trusted(client: TestClient) -> None:
    halves = json.dumps({"\ud800": 1})
    assert ask(client, halves)["field"] == "edition"
    assert client.post("/edition/file", data={"edition": halves}).status_code == 422
    assert client.post("/tables", data=PEOPLE | {"o-edition": "own", "own-edition": halves}).status_code == 422
    assert ask(client, "x" * (MAX_TEXT + 1))["reason"].startswith("at most")
    assert not ask(client, "[" * 5000)["ok"]
    assert not ask(client, "\x00")["ok"]
    assert client.post("/edition/check", data={"edition": "x" * 70_000}).status_code == 413
    for path in ("/edition/check", "/edition/file"):
        other = client.post(path, data={"edition": "placeholder"}, headers={"origin": "http://evil.test"})
        assert other.status_code == 403


def test_arrows_are_drawn_while_they_are_typed(client: TestClient) -> None:
    found = client.get("/edition/arrows", params={"card": "running", "arrows": "f, F f, fl"}).json()
    assert found["ok"]
    assert found["svg"].count('<path class="ar-line') == 3
    for wrong in ("", "F, F", "<script>", "F" * 9000):
        assert not client.get("/edition/arrows", params={"card": "<b>", "arrows": wrong}).json()["ok"]


def test_a_match_keeps_the_edition_it_is_played_with(client: TestClient) -> None:
    own = read_edition("placeholder").toml().replace("Bolzplatz placeholder", "Box <1>")
    answers = PEOPLE | {"o-edition": "own", "own-edition": own}
    html = client.post("/tables", data=answers).text
    assert f"Box &lt;1&gt; ({read_edition(own).digest()})" in html
    wrong = client.post(
        "/tables",
        data=answers | {"own-edition": own.replace("price = 2", "price = -2", 1)},
        headers={"accept-language": "de"},
    )
    assert wrong.status_code == 422
    assert "poldi[0].price: -2 ist negativ (dribbel-fieber §11)" in wrong.text


def test_what_a_space_adds_is_written_where_a_row_is_not_one_zone(client: TestClient) -> None:
    """RULINGS D-51: zones may have other shapes; then the middle of a row does not speak for all of it."""

    def written(bonus: list[str], seat: int) -> dict[str, str]:
        data = json.loads(read_edition("placeholder").canonical())
        data["pitch"]["bonus"] = bonus
        table = table_at(edition=json.dumps(data))
        html = draw_frame(build_frame(table, (seat,), 0), "en")["html"]
        cells = re.findall(r'id="cell-(\w\d)"[^>]*>(?:<span class="bonus"[^>]*>(\+\d)</span>)?', html)
        assert len(cells) == 40
        return {space: text for space, text in cells if text}

    rows = ["3 3 3 3 3", "2 2 2 2 2", "1 1 1 1 1", "0 0 0 0 0"]
    assert written(rows, 0) == {"c8": "+3", "c7": "+2", "c6": "+1"}
    assert written(rows, 1) == {"c1": "+3", "c2": "+2", "c3": "+1"}
    round_goal = ["1 2 3 2 0", *rows[1:]]
    assert written(round_goal, 0) == {
        "a8": "+1", "b8": "+2", "c8": "+3", "d8": "+2", "e8": "+0", "c7": "+2", "c6": "+1",
    }  # fmt: skip
    # As blue sees it: the row's left end is its own left.
    assert written(round_goal, 1) == {
        "e1": "+1", "d1": "+2", "c1": "+3", "b1": "+2", "a1": "+0", "c2": "+2", "c3": "+1",
    }  # fmt: skip
