"""A match looked at afterwards on the page: what it says of a match whose mistake has a known size, and of others."""

import asyncio
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from bolzplatz import RecordError
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.table.afterwards import can_look_at
from bolzplatz.table.commands import Do, Enter
from bolzplatz.table.frames import ALL, Frame, Viewer, plan_replay
from bolzplatz.table.store import NewTable, SqliteStore
from bolzplatz.web import afterwards as page
from bolzplatz.web import workshop
from bolzplatz.web.afterwards import KEPT, Looked, Played, curve_paths, look_back, shares, told
from bolzplatz.web.app import create_app
from bolzplatz.web.language import catalogue
from bolzplatz.web.workshop import READY, WAITING, Workshop
from tests.friends_kit import Friends
from tests.table_kit import human, setup_of

DECLINED = ["10", "pass", "penalty", "decline", "offside", "foul", "referee black"]
"""Mia declines a penalty at 30 points, is off-side, and Ben is sent off."""
GOAL = ["pass", "pass", "10"]
WON = [*DECLINED, *GOAL, "foul", "referee black", *GOAL]


class AtOnce(threading.Thread):
    """A thread that has done its work when it is started."""

    def start(self) -> None:
        self.run()


class Never(threading.Thread):
    """A thread that does not come to it."""

    def start(self) -> None:
        pass


@pytest.fixture(autouse=True)
def shop(monkeypatch):
    monkeypatch.setattr(workshop, "threading", SimpleNamespace(Thread=AtOnce, RLock=threading.RLock))
    monkeypatch.setattr(page, "WORKSHOP", Workshop[Played, Any](page._look, KEPT))


def match(moves: list[str], **options: Any) -> Friends:
    """A match of Bar-Bolz with real dice."""
    friends = Friends.new(setup_of("bar-bolz", human("Mia"), human("Ben"), dice="hand", **options))
    for move in moves:
        seat, version = friends.table.waiting.seat, friends.table.version
        command = Do(friends.tap(), version, seat, (move,), False)
        if friends.table.state.is_chance_node():
            command = Enter(friends.tap(), version, move, (seat,))
        assert friends.do(command) is None
    return friends


def shown(friends: Friends, language: str = "en") -> dict[str, Any]:
    looked = look_back(friends.table.record())

    def make(step: int) -> Frame:
        return plan_replay(friends.table, (), step, None, Viewer(None, friends.company, 0.0, None))()

    makes = [lambda step=step: make(step.number - 1) for step in looked.worst]
    return told(looked, makes, make(looked.moves), catalogue(language))


GOAL_CHANCE = 132142139 / 679477248
"""Of an attack, and from 30 points on (RULINGS §1a)."""
FROM_30 = 0.3671


def worth_of_a_goal() -> float:
    """What a goal in the first attack changes: attacks alternate, and two goals win."""
    worth = {(own, other): 0.5 for own in (0, 1) for other in (0, 1)}
    for _ in range(1000):
        for own, other in worth:
            scored = 1.0 if own == 1 else 1 - worth[other, 1]
            worth[own, other] = GOAL_CHANCE * scored + (1 - GOAL_CHANCE) * (1 - worth[other, own])
    return worth[0, 0] - worth[0, 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_declined_penalty_is_told_with_what_it_cost(language):
    """A shot scores half the time."""
    t, found = catalogue(language), shown(match(WON), language)
    assert found["state"] == READY
    (move,) = found["worst"]
    assert (move["name"], move["before"], move["mark"]) == ("Mia", 3, "mistake")
    cost = f"{100 * (0.5 - FROM_30) * worth_of_a_goal():.1f}".replace(".", t("training.say.point"))
    assert move["cost"] == t("afterwards.cost", n=cost)
    assert t("coach.move.decline") in move["move"]
    assert move["best"] == t("coach.move.take")
    assert found["said"].startswith(t("afterwards.luckiest", name="Mia", n="|").split("|")[0])
    (mark,) = found["marks"]
    assert mark["number"] == move["number"] == 1
    assert [area["look"] for area in found["areas"]] == [1, 0]


def test_numbers_of_a_player_add_up_to_the_result():
    for person in shown(match(WON))["people"]:
        start, luck, own, gifts, end = (
            float(person[key].replace("−", "-")) for key in ("start", "luck", "own", "gifts", "end")
        )
        assert abs(start + luck + own + gifts - end) < 0.25, "five numbers, each rounded to a tenth"
        assert end in (0.0, 100.0)
        assert start == pytest.approx(100 * (0.5272403576 if person["name"] == "Mia" else 0.4727596424), abs=0.05)
        assert own <= 0


def test_the_curve_is_that_of_the_chances():
    """Every edge of a seat's area must lie where the chances of it and of those below it add up to."""
    looked = look_back(match(WON).table.record())
    analysis = looked.analysis
    below, whole = curve_paths(analysis)
    assert whole == "M0 1000V0H1000V1000z"
    heights = []
    edges = {int(x): int(y) for x, y in re.findall(r"H(\d+)V(\d+)", below)}
    height = int(re.match(r"M0 1000V(\d+)", below)[1])
    steps = 1 + len(analysis.steps)
    for at in range(steps):
        height = edges.get(round(1000 * at / steps), height)
        heights.append(height)
    chances = [analysis.start[0], *(step.chances[0] for step in analysis.steps)]
    assert heights == [round(1000 * (1 - chance)) for chance in chances]


def test_seats_of_one_side_share_its_chance():
    assert shares([0.25, 0.75, 0.25, 0.75]) == pytest.approx([0.125, 0.5, 0.625, 1.0])


def test_a_match_without_a_fault_says_so():
    found = shown(match([*GOAL, "foul", "referee black", *GOAL]))
    assert found["worst"] == found["marks"] == []
    assert [person["own"] for person in found["people"]] == ["0.0", "0.0"]


def test_what_nobody_knows_is_not_told():
    friends = Friends.new(setup_of("5050", *(human(name) for name in "ABCD"), dice="hand", target=400))
    for choice in range(2000):
        if friends.table.over:
            break
        friends.step(choice)
    assert not can_look_at(friends.table.setup.loaded)
    found = shown(friends)
    assert (found["known"], found["state"]) == (False, READY)
    assert found["said"] == catalogue("en")("afterwards.unknown")


def test_a_match_that_is_being_worked_out_is_waited_for(monkeypatch):
    monkeypatch.setattr(workshop, "threading", SimpleNamespace(Thread=Never, RLock=threading.RLock))
    friends = match(WON)
    found = shown(friends)
    assert (found["known"], found["state"]) == (False, WAITING)
    page.WORKSHOP.work()
    assert shown(friends)["known"]


def test_a_match_played_on_from_a_position_is_looked_at_from_there():
    """What was given was nobody's luck or fault."""
    whole = look_back(match(WON).table.record())
    record = match(WON).table.record().replace("result: ", f"given: {len(DECLINED)}\nresult: ")
    looked = look_back(record)
    assert isinstance(looked, Looked)
    assert looked.worst == []
    assert [step.chances for step in looked.analysis.steps] == [
        step.chances for step in whole.analysis.steps[len(DECLINED) :]
    ]
    assert looked.begun == looked.analysis.given == len(DECLINED)
    with pytest.raises(RecordError):
        look_back("no record")


def stored(friends: Friends, store: Path, name: str) -> None:
    """Put a table into a store, as far as it has come."""
    into = SqliteStore.open(store)
    setup, secrets = friends.first_setup(), friends.table.secrets.to_dict()
    table = NewTable(name, 1000.0, setup, secrets, tuple(friends.entries))
    asyncio.run(into.create(table))
    into.close()


def test_the_page_is_there_after_the_end_only(tmp_path):
    """It leads to the position before a costly move, and to a match that goes on from there."""
    store = tmp_path / "tables.sqlite3"
    stored(match(WON), store, "over")
    stored(match(DECLINED), store, "on")
    with TestClient(create_app(str(store), now=lambda: 1000.0), base_url="http://table.test") as client:
        answer = client.get("/t/over/afterwards", headers={"accept-language": "de"})
        assert answer.status_code == 200
        t = catalogue("de")
        for text in (t("afterwards.title"), t("afterwards.mistake"), "/t/over/replay?step=3", "52,7", "100,0"):
            assert text in answer.text
        assert [client.get(f"/t/{name}/afterwards").status_code for name in ("on", "nowhere")] == [404, 404]
        assert "/t/over/afterwards" in client.get("/t/over").text
        on = client.post("/t/over/play-on", data={"step": "3"}, follow_redirects=False)
        assert on.status_code == 303


def test_a_match_of_dribbel_fieber_that_comes_to_no_last_turn_is_not_judged():
    friends = Friends.new(setup_of("dribbel-fieber", human("Mia"), human("Ben"), dice="hand"))
    record = friends.table.record()
    looked = look_back(record)
    assert (looked.state, looked.analysis) == (READY, None)
    assert can_look_at(friends.table.setup.loaded)


@pytest.mark.long
def test_of_dribbel_fieber_the_last_turn_is_told():
    """The match goes on at random; what is said of a move names figures and cards, which lie open after the end."""
    friends = Friends.new(setup_of("dribbel-fieber", human("Mia"), human("Ben")))
    for choice in range(5000):
        if friends.table.over:
            break
        friends.step(choice * choice)
    looked = look_back(friends.table.record())
    assert looked.analysis is not None
    assert 0 < looked.analysis.given < looked.moves

    def make(step: int) -> Frame:
        return plan_replay(friends.table, (), step, ALL, Viewer(None, friends.company, 0.0, None))()

    found = told(
        looked, [lambda step=step: make(step.number - 1) for step in looked.worst], make(looked.moves), catalogue("en")
    )
    assert found["part"] == catalogue("en")("afterwards.part", n=looked.analysis.given)
    for balance in looked.analysis.balances:
        assert abs(balance.rest) < 1e-9
    for move, step in zip(found["worst"], looked.worst, strict=True):
        assert move["name"] == ["Mia", "Ben"][step.seat]
        assert move["move"] != step.move
