"""Bar-Bolz-Bande on the page: two halves with a die each, the run-up to the goal between them, cards as objects."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from bolzplatz.games.bar_bolz import DANGER_POINTS, FACES, GOAL_POINTS, GOALS_TO_WIN
from bolzplatz.table.frames import LOG_SHOWN, Frame
from bolzplatz.table.table import WAIT_BOT, WAIT_CONTRIBUTE, WAIT_DECIDE, WAIT_OVER, WAIT_THROW, WAIT_TIP
from bolzplatz.web.language import Catalogue

FOOT_Y: Final = 430
"""Where the run-up begins in the drawing of the lane; the goal is at `lane_y(GOAL_POINTS)`."""
STEP_Y: Final = 6.6
TOP_Y: Final = 22
BALL_X: Final = 56
FIRST_FACE: Final = "10"
"""What a die shows that has not been thrown yet."""

SHOT_IN: Final = "translate(262 62) scale(.62)"
SHOT_HELD: Final = "translate(186 96) scale(.7)"
KEEPER_BEATEN: Final = "translate(-58 14) rotate(-38 170 120)"
KEEPER_HOLDS: Final = "translate(12 -8) rotate(8 170 120)"

_NAME_KEYS: Final = {
    "attack_roll": "bar-bolz.turn.attack",
    "referee_roll": "bar-bolz.turn.referee",
    "penalty_shot": "bar-bolz.turn.shot",
    "penalty_choice": "bar-bolz.turn.choice",
    "over": "bar-bolz.turn.over",
}
_BUTTONS: Final = {"attack_roll": "throw", "referee_roll": "judge", "penalty_shot": "shoot"}


class Side(NamedTuple):
    """One half of the table; hashable, since what is drawn of it is kept."""

    seat: int
    name: str
    look: int
    bot: bool
    goals: int
    won: int
    role: str
    acts: bool
    face: str
    dark: bool
    dark_faces: tuple[str, ...]

    @property
    def faces(self) -> str:
        """All faces of the half's die for the page's script, as JSON: {face, dark}."""
        return json.dumps([{"face": face, "dark": face in self.dark_faces} for face in FACES])


class Mark(NamedTuple):
    """A line across the lane, or a place on it: so many points, at this height."""

    points: int
    y: float


class Lane(NamedTuple):
    """Where things are in the drawing of the run-up."""

    goal_y: float
    box_y: float
    marks: tuple[Mark, ...]


class Step(NamedTuple):
    """One step of the ball: where it lay, and the arc to where it went."""

    y: float
    arc: str


def lane_y(points: int) -> float:
    """Return the height in the lane's drawing for a number of points; far beyond the goal it stays in sight."""
    return max(TOP_Y, round(FOOT_Y - points * STEP_Y, 1))


def ball_at(points: int) -> str:
    """Return the ball's place in the lane as an SVG transform."""
    return f"translate({BALL_X} {lane_y(points)})"


LANE: Final = Lane(
    lane_y(GOAL_POINTS),
    lane_y(DANGER_POINTS),
    tuple(Mark(points, lane_y(points)) for points in range(10, GOAL_POINTS, 10)),
)


def side_of(frame: Frame, seat: int) -> int:
    """Return 0 for a seat of side A (whose seats come first), 1 for side B."""
    teams = frame.view["options"]["teams"]
    return int(seat >= (int(str(teams).split("v")[0]) if teams else 1))


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the table."""
    shown = frame.view["shown"]
    pair = sorted((shown["attacker"], shown["defender"]))
    asks = frame.waiting["for"]
    thrower = frame.view["roller"] if frame.view["roller"] is not None else frame.waiting["seat"]
    faces = _lying_faces(frame)
    penalty = shown["next"] in ("penalty_shot", "penalty_choice")
    sides = [
        Side(
            seat=seat,
            name=frame.players[seat]["name"],
            look=frame.players[seat]["look"],
            bot=frame.players[seat]["kind"] == "bot",
            goals=shown["goals"][side],
            won=shown["won"][side],
            role=_role(shown, seat),
            acts=seat == thrower and asks != WAIT_OVER,
            face=faces[side],
            dark=faces[side] in shown["black_faces"][side],
            dark_faces=tuple(shown["black_faces"][side]),
        )
        for side, seat in enumerate(pair)
    ]
    return {
        "headline": _headline(frame, t),
        "asked": _asked(frame, t),
        "sides": sides,
        "attacker_side": pair.index(shown["attacker"]),
        "card": shown["card"],
        "penalty": penalty,
        "points": shown["points"],
        "ball": ball_at(shown["points"]),
        "trail": _trail(frame),
        "lane": LANE,
        "goals_to_win": GOALS_TO_WIN,
        "contest": _contest(frame, t),
        "button": _BUTTONS.get(shown["next"]) if asks == WAIT_THROW and frame.mine and not frame.outcomes else None,
        "choices": frame.legal if asks == WAIT_DECIDE and frame.mine else [],
        "entries": _entries(frame, sides, t) if asks == WAIT_THROW and frame.mine else [],
        "watching": asks in (WAIT_BOT, WAIT_CONTRIBUTE, WAIT_TIP) or (asks != WAIT_OVER and not frame.mine),
        "rolling": asks == WAIT_CONTRIBUTE,
        "why": _why(frame, t) if frame.result else "",
    }


def _role(shown: Mapping[str, Any], seat: int) -> str:
    if shown["next"] == "over":
        return "rests"
    if seat == shown["attacker"]:
        return "attacks"
    return "judges" if shown["next"] == "referee_roll" else "rests"


def _headline(frame: Frame, t: Catalogue) -> str:
    """Say whose turn it is, with the name: it is the page's h1."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP:
        return t("table.sealing")
    if frame.result is not None:
        return t("table.over")
    seat = shown["defender"] if shown["next"] == "referee_roll" else shown["attacker"]
    return t(_NAME_KEYS[shown["next"]], name=frame.players[seat]["name"])


def _asked(frame: Frame, t: Catalogue) -> str:
    """Say in a few words what the throw is about."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP or frame.result is not None:
        return ""
    if shown["next"] == "attack_roll":
        return t("bar-bolz.asked.attack", left=GOAL_POINTS - shown["points"])
    return t(f"bar-bolz.asked.{shown['next']}")


def _lying_faces(frame: Frame) -> list[str]:
    """Return the face that each side's die shows: its latest throw, as far as the log goes back."""
    faces = [FIRST_FACE, FIRST_FACE]
    for event in frame.history[-LOG_SHOWN:]:
        if event.kind == "rolled" and event.seat is not None:
            faces[side_of(frame, event.seat)] = event.data["face"]
    if frame.draw and frame.draw["faces"] and frame.draw["seat"] is not None:
        faces[side_of(frame, frame.draw["seat"])] = frame.draw["faces"][0]
    return faces


def _trail(frame: Frame) -> tuple[Step, ...]:
    """Return the steps of the present attack, as far as the log goes back: arcs from where the ball was."""
    totals: list[int] = [0]
    for event in frame.history[-LOG_SHOWN:]:
        if event.kind in ("attack_changes", "match_starts", "team_match_starts", "decider_starts"):
            totals = [0]
        elif event.kind == "rolled" and event.data["total"] > totals[-1]:
            totals.append(event.data["total"])
    if totals[-1] != frame.view["shown"]["points"]:
        return ()
    return tuple(_step(old, new) for old, new in pairwise(totals))


def _step(old: int, new: int) -> Step:
    """Return one step of the ball; the arc is the wider the longer."""
    y, rise, bend = lane_y(old), (old - new) * STEP_Y, 6 + 0.9 * (new - old)
    return Step(y, f"M{BALL_X} {y}q{-bend:.0f} {rise / 2:.1f} 0 {rise:.1f}")


def _contest(frame: Frame, t: Catalogue) -> str:
    """Return the line about a series or a team contest, empty for a single match."""
    shown = frame.view["shown"]
    if shown["matches"] == 1 or frame.result is not None:
        return ""
    if shown["deciding"]:
        return t("bar-bolz.contest.decider")
    return t("bar-bolz.contest.match", number=shown["match"], of=shown["matches"])


def _entries(frame: Frame, sides: Sequence[Side], t: Catalogue) -> list[dict[str, Any]]:
    """Return the buttons for dice thrown by hand: one for each face, or for each colour where only that counts."""
    side = sides[1] if frame.view["roller"] == sides[1].seat else sides[0]
    dark = {*side.dark_faces, "black"}
    names = [text.split()[-1] for text in frame.outcomes]
    return [
        {
            "text": text,
            "picture": name if name in FACES else "blank",
            "dark": name in dark,
            "label": t(f"bar-bolz.face.{name}" if name in FACES else f"bar-bolz.ground.{name}"),
        }
        for text, name in zip(frame.outcomes, names, strict=True)
    ]


def _why(frame: Frame, t: Catalogue) -> str:
    """Say why the winners won."""
    shown = frame.view["shown"]
    high, low = max(shown["won"]), min(shown["won"])
    if frame.view["options"]["teams"]:
        goals = sorted(shown["team_goals"], reverse=True)
        if shown["won"][0] == shown["won"][1]:
            return t("bar-bolz.why.goals", points=high, own=goals[0], against=goals[1])
        return t("bar-bolz.why.team", own=high, against=low)
    if shown["matches"] > 1:
        return t("bar-bolz.why.series", own=high, against=low)
    return t("bar-bolz.why.match", own=max(shown["goals"]), against=min(shown["goals"]))


_CALLS: Final = {
    "foul": ("whistle", "calm", 800),
    "warning": (None, "card", 1100),
    "yellow_card": (None, "card", 1100),
    "red_card": ("whistle", "bad", 1300),
    "offside": ("whistle", "bad", 1300),
    "offside_ignored": (None, "calm", 800),
    "penalty_ignored": (None, "calm", 800),
    "penalty_offered": ("whistle", "good", 900),
    "penalty_missed": ("ohh", "bad", 1100),
    "past_goal": ("ohh", "bad", 1200),
    "goal": ("goal", "goal", 1500),
}
"""What is called across the table: sound, tone and milliseconds by kind of event; the words are `bar-bolz.call.*`."""

_CARDS: Final = {"warning": ("yellow", "warning"), "yellow_card": ("yellow", "yellow"), "red_card": ("red", "red")}
"""The card that an event brings, and the side of it that is up."""

_THROWS: Final = ("rolled", "referee_rolled", "penalty_scored", "penalty_missed")
"""Kinds of events that begin with a die."""


def cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the animation of what happened since: the die falls, the ball rolls, a card comes out, a call is heard."""
    steps: list[dict[str, Any]] = []
    for event in frame.events:
        if event["kind"] in _THROWS:
            steps += _throw_cue(frame, event)
        steps += _move_cues(frame, event)
        if event["kind"] in _CALLS:
            sound, tone, ms = _CALLS[event["kind"]]
            if sound:
                steps.append({"do": "sound", "name": sound})
            text = t(f"bar-bolz.call.{event['kind']}", **event["data"])
            steps.append({"do": "say", "text": text, "tone": tone, "ms": ms})
    return steps


def _throw_cue(frame: Frame, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Let the die fall, if it was not thrown by hand."""
    draw = frame.draw
    if draw is None or not draw["faces"] or draw["step"] != event["step"]:
        return []
    side = side_of(frame, draw["seat"])
    face = draw["faces"][0]
    dark = face in frame.view["shown"]["black_faces"][side]
    return [{"do": "throw", "dice": [{"at": f"die-{side}", "face": face, "dark": dark, "turn": 0}]}]


def _move_cues(frame: Frame, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Move what an event moves: the ball up the lane, a card to the attacker, the ball of a penalty."""
    kind, data = event["kind"], event["data"]
    if kind == "rolled" and data["face"] in ("5", "10", "pass"):
        total = _set("run-points", "text", str(data["total"]), 0)
        return [{"do": "sound", "name": "kick"}, total, _set("run-ball", "transform", ball_at(data["total"]), 380)]
    if kind in _CARDS:
        card, face = _CARDS[kind]
        return [_set(f"card-{card}", "class", f"card card--{face} at-{side_of(frame, event['seat'])}", 360)]
    if kind in ("penalty_scored", "penalty_missed"):
        scored = kind == "penalty_scored"
        return [
            {"do": "sound", "name": "kick"},
            _set("keeper", "transform", KEEPER_BEATEN if scored else KEEPER_HOLDS, 0),
            _set("shot", "transform", SHOT_IN if scored else SHOT_HELD, 420),
        ]
    return []


def _set(on: str, name: str, value: str, ms: int) -> dict[str, Any]:
    return {"do": "set", "on": on, "name": name, "value": value, "ms": ms}
