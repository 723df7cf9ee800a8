"""What the form and the room of a table offer can be had, and does what it says."""

import asyncio
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest

from bolzplatz.table.commands import REMOVE, Add, Agree, Enter, Fill, Propose, Substitute, Undo
from bolzplatz.table.company import GONE
from bolzplatz.table.frames import Frame, Viewer, build_frame
from bolzplatz.table.service import TableService
from bolzplatz.table.setup import SetupError, TableSetup
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render.room import scene
from bolzplatz.web.setup_form import first_answers, questions, read_setup
from bolzplatz.web.templating import fill
from tests.friends_kit import ANN, BEN, CLEO, Friends, fill_bot, open_seat, seats_taken
from tests.table_kit import human
from tests.wire_kit import MemoryStore

EN = catalogue("en")
TWO_GOALS = ["pass", "pass", "10", "pass", "pass", "pass", "pass", "pass", "10"]


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


# --- while they play, and after --------------------------------------------------------------------------------------


def test_no_computer_plays_on_for_somebody_who_reaches_for_real_pieces() -> None:
    three = [human("Ann"), open_seat(), open_seat()]
    setup = {"game": "wilde-kerle", "seats": three, "options": {"deck": "any"}, "dice": "hand"}
    friends = seats_taken(Friends.new(TableSetup.from_dict(setup)), [(BEN, "Ben"), (CLEO, "Cleo")])
    friends.presence[BEN] = GONE
    assert as_host(friends).can_substitute == []
    assert friends.refused(Substitute("1", 1, True, ANN)) == "no_computer"


def test_what_was_ended_by_agreement_is_not_taken_back() -> None:
    """The record is what all agreed to: nobody changes it alone, and what has ended does not lose its moves."""
    setup = {"game": "bar-bolz", "seats": [human("Ann"), open_seat()], "dice": "hand"}
    friends = seats_taken(Friends.new(TableSetup.from_dict(setup)), [(BEN, "Ben")])
    assert friends.do(Enter("1", friends.table.version, "10", (0,))) is None
    assert friends.do(Propose("2", "end", owner=ANN)) is None
    proposal = friends.table.proposal
    assert proposal is not None
    assert friends.do(Agree("3", proposal.n, True, owner=BEN)) is None
    record = friends.table.record()
    assert not as_host(friends).can_undo
    assert as_host(friends).can_propose == []
    assert friends.refused(Undo("4", friends.table.version, (0,))) == "no_undo"
    assert friends.refused(Propose("5", "rewind", 0, owner=ANN)) == "not_now"
    assert friends.table.record() == record


def test_what_real_dice_showed_last_is_put_right_after_the_end() -> None:
    setup = {"game": "bar-bolz", "seats": [human("Ann"), human("Ben")], "dice": "hand"}
    friends = Friends.new(TableSetup.from_dict(setup))
    for move in TWO_GOALS:
        assert friends.do(Enter(friends.tap(), friends.table.version, move, (0, 1))) is None
    assert friends.table.over
    assert as_host(friends).can_undo
    assert friends.do(Undo("back", friends.table.version, (0, 1))) is None
    assert not friends.table.over


# --- what is said where something cannot be had -----------------------------------------------------------------------

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


# --- the form ---------------------------------------------------------------------------------------------------------


class _Form(HTMLParser):
    """What a browser sends of a form: all that is checked or typed, and nothing that is disabled."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self.boxes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, kind = given.get("name"), given.get("type")
        if tag != "input" or not name or "disabled" in given:
            return
        if kind == "checkbox":
            self.boxes.add(name)
        if kind not in ("checkbox", "radio") or "checked" in given:
            self.sent[name] = given.get("value") or ""


def form_of(game: str, answers: Mapping[str, str]) -> str:
    return fill(
        "new.html", t=EN, languages={}, path="/", theme="", game=game, form=questions(game, answers, EN), fault=None
    )


def test_only_the_five_may_be_dark() -> None:
    """RULINGS B-1: one to five dark faces, the 5 among them. Unticked boxes stay so when the form is shown again."""
    fresh = _Form(form_of("bar-bolz", first_answers("bar-bolz", False, EN)))
    assert fresh.boxes == {"face-10", "face-foul", "face-offside", "face-penalty"}
    unticked = {name: value for name, value in fresh.sent.items() if name not in fresh.boxes}
    assert TableSetup.from_dict(read_setup(unticked, "en")).options["black_faces"] == "5"
    again = _Form(form_of("bar-bolz", unticked))
    assert again.boxes & set(again.sent) == set()


def many(game: str, count: int, **more: str) -> dict[str, str]:
    seats = {f"kind-{i}": "human" for i in range(count)} | {f"name-{i}": f"P{i}" for i in range(count)}
    return {**first_answers(game, False, EN), **seats, **more}


@pytest.mark.parametrize(
    ("game", "count", "more"),
    [
        ("bar-bolz", 3, {}),
        ("bar-bolz", 5, {}),
        ("bar-bolz", 6, {"team_a": "2"}),
        ("bar-bolz", 4, {"o-schedule": "0v2,1v3,0v3,1v2"}),
        ("gooaaaaal", 3, {}),
        ("gooaaaaal", 6, {"sides": "teams"}),
        ("5050", 3, {}),
    ],
)
def test_who_is_to_begin_begins(game: str, count: int, more: dict[str, str]) -> None:
    """However many play and in whatever teams: who stood together still does, and the one asked for acts first."""
    plain = read_setup(many(game, count, begins="0", **more), "en")
    a = int(str(plain["options"].get("teams", "0v0")).partition("v")[0])
    sides = [{f"P{seat}" for seat in range(a)}, {f"P{seat}" for seat in range(a, count)}]
    for first in range(count):
        setup = TableSetup.from_dict(read_setup(many(game, count, begins=str(first), **more), "en"))
        roller = setup.first_state().roller()
        assert roller is not None
        begins = setup.seats[roller].name
        if "o-schedule" in more:
            # Who meets whom is told: the team begins, with the one of it whose match is the first.
            assert {begins, f"P{first}"} <= sides[first >= a]
        else:
            assert begins == f"P{first}"
        if a:
            first_side = int(str(setup.options["teams"]).partition("v")[0])
            assert {seat.name for seat in setup.seats[:first_side]} == sides[first >= a]


def test_a_schedule_stays_between_the_same_people() -> None:
    told = "0v2,1v3,0v3,1v2"

    def met(begins: str) -> list[set[str]]:
        setup = TableSetup.from_dict(read_setup(many("bar-bolz", 4, begins=begins, **{"o-schedule": told}), "en"))
        pairs = [pair.split("v") for pair in str(setup.options["schedule"]).split(",")]
        return [{setup.seats[int(seat)].name for seat in pair} for pair in pairs]

    assert all(met(begins) == met("0") for begins in ("1", "2", "3"))


# --- head starts ------------------------------------------------------------------------------------------------------


def test_head_starts_are_given_wherever_they_count() -> None:
    """TABLE §2.3: with time to think, right choosers come in handicap order. Real hands are told, not timed."""
    asked = re.findall(r'class="headstart" data-when="([^"]*)"', form_of("wilde-kerle", many("wilde-kerle", 3)))
    assert set(asked) == {"dice-sealed"}
    for pace in ("thinking", "grab"):
        setup = TableSetup.from_dict(
            read_setup(many("wilde-kerle", 3, pace=pace, **{"handicap-1": "500", "kind-2": "open"}), "en")
        )
        assert [seat.handicap for seat in setup.seats] == [0, 500, 0]
        facts = scene(as_host(Friends.new(setup)), EN)["facts"]
        assert sum("P1 gives the others" in fact for fact in facts) == 1
