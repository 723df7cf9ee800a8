"""What the form and the room of a table offer can be had, and does what it says."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bolzplatz.table.commands import REMOVE, Add, Fill, Propose
from bolzplatz.table.frames import Frame, Viewer, build_frame
from bolzplatz.table.service import TableService
from bolzplatz.table.setup import SetupError, TableSetup
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render.room import scene
from tests.friends_kit import ANN, Friends, fill_bot, open_seat
from tests.table_kit import human
from tests.wire_kit import MemoryStore

EN = catalogue("en")


def room_of(game: str, seats: int, people: int = 1, **more: Any) -> Friends:
    """Return a room whose first seats Ann plays and whose others are open."""
    given = [human(f"P{seat}") if seat < people else open_seat() for seat in range(seats)]
    return Friends.new(TableSetup.from_dict({"game": game, "seats": given, "room": True, **more}))


def as_host(friends: Friends) -> Frame:
    table = friends.table
    return build_frame(table, table.seats_of(ANN), 0, Viewer(ANN, friends.company, friends.now))


# --- the room ---------------------------------------------------------------------------------------------------------

ROOMS: list[tuple[str, int, Mapping[str, Any]]] = [
    ("bar-bolz", 2, {}),
    ("bar-bolz", 2, {"options": {"series": 3}}),
    ("bar-bolz", 4, {"options": {"teams": "2v2"}}),
    ("bar-bolz", 3, {"options": {"teams": "2v1", "schedule": "0v2,1v2,0v2"}}),
    ("bar-bolz", 4, {"options": {"teams": "2v2", "allow_uneven": False}}),
    ("gooaaaaal", 2, {}),
    ("gooaaaaal", 2, {"options": {"mode": "shoot-out"}}),
    ("gooaaaaal", 4, {"options": {"teams": "2v2"}}),
    ("wilde-kerle", 3, {"options": {"end_in_second_half": True}}),
    ("wilde-kerle", 3, {"options": {"deck": "any"}, "dice": "hand"}),
    ("5050", 2, {}),
    ("dribbel-fieber", 2, {}),
]


@pytest.mark.parametrize(("game", "seats", "more"), ROOMS)
def test_a_room_offers_its_host_what_is_carried_out_and_nothing_else(
    game: str, seats: int, more: Mapping[str, Any]
) -> None:
    def fresh() -> Friends:
        return room_of(game, seats, **more)

    drawn = scene(as_host(fresh()), EN)
    assert drawn["can_add"] == (fresh().do(Add("1", ANN)) is None)
    for seat in drawn["seats"]:
        removed = fresh().do(Fill("1", seat["seat"], REMOVE, owner=ANN)) is None
        assert seat["can_remove"] == removed, seat
        for kind in seat["kinds"]:
            message = {name: value for name, value in kind["send"].items() if name != "type"}
            assert fresh().do(Fill("1", **message, owner=ANN)) is None, kind


def test_more_people_make_teams_and_the_room_says_which() -> None:
    friends = room_of("bar-bolz", 2, people=2)
    assert [seat["team"] for seat in scene(as_host(friends), EN)["seats"]] == ["", ""]
    for teams in ("2v1", "2v2"):
        assert friends.do(Add(friends.tap(), ANN)) is None
        assert friends.table.setup.options["teams"] == teams
    assert [seat["team"] for seat in scene(as_host(friends), EN)["seats"]] == ["Team A", "Team A", "Team B", "Team B"]
    for seat, teams in ((3, "2v1"), (2, None)):
        assert friends.do(Fill(friends.tap(), seat, REMOVE, owner=ANN)) is None
        assert friends.table.setup.options["teams"] == teams


def test_the_computer_does_not_sit_down_where_real_cards_lie() -> None:
    """TABLE: it cannot reach for real pieces. The form forbids it, and so does the room."""
    friends = room_of("wilde-kerle", 3, people=2, options={"deck": "any"}, dice="hand")
    assert friends.refused(fill_bot("1", 2, level="adult")) == "no_computer"
    assert all(seat["kinds"] == [] for seat in scene(as_host(friends), EN)["seats"])


def test_a_rematch_that_could_not_be_read_again_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stored of the next match must hold, else its table and this one could never be opened again."""

    async def work() -> None:
        service = TableService(MemoryStore())
        setup = TableSetup.from_dict({"game": "bar-bolz", "dice": "hand", "seats": [human("Ann"), human("Ben")]})
        table_id, token = await service.create(setup)
        actor = await service.open(table_id)
        assert actor is not None
        page = actor.subscribe(token)
        assert (await actor.act(page, Propose("1", "end"))).ok

        def refused(*_: object, **__: object) -> TableSetup:
            raise SetupError("seats", "no_computer", "a rule of another day")

        with monkeypatch.context() as rules:
            rules.setattr(TableSetup, "from_dict", refused)
            answer = await actor.rematch(page, "2")
        assert (answer.ok, answer.reason) == (False, "not_now")
        assert (await service.newest(table_id)) == table_id
        assert (await actor.rematch(page, "3")).ok
        actor.unsubscribe(page)
        await service.close()

    asyncio.run(work())


# --- what is said where something cannot be had -----------------------------------------------------------------------

TWO_GOALS = ["pass", "pass", "10", "pass", "pass", "pass", "pass", "pass", "10"]
KERLE: dict[str, Any] = {"game": "wilde-kerle", "seats": [human("Ann"), human("Ben"), human("Cleo")]}


@pytest.mark.parametrize(
    "setup",
    [
        {"game": "bar-bolz", "seats": [human("A"), human("B")], "given": {"table": "t", "moves": TWO_GOALS}},
        KERLE | {"options": {"deck": "any"}},
        KERLE | {"dice": "hand", "seats": [*KERLE["seats"], {"kind": "bot", "name": "Robo", "level": "adult"}]},
    ],
    ids=["over", "box not known", "computer at real cards"],
)
def test_what_cannot_be_had_is_said_in_the_readers_language(setup: dict[str, Any]) -> None:
    with pytest.raises(SetupError) as caught:
        TableSetup.from_dict(setup)
    for language in LANGUAGES:
        assert catalogue(language).has(f"setup_fault.{caught.value.key}"), (language, caught.value.key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_levels_have_words_of_their_own(language: str) -> None:
    """One idea, one word: the word of one level is no other's, and `good` is not called what `strong` is named."""
    words = catalogue(language).under("level")
    assert len(set(words.values())) == len(words)
    assert {"en": ("good", "strong"), "de": ("gut", "stark"), "fr": ("bon", "fort")}[language] == (
        words["good"],
        words["strong"],
    )
