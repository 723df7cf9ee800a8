"""5050 on the page: a tray with six places, the dice aside, what is safe and what is at risk, the hurdle, the pad."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bolzplatz.table.frames import Frame
from bolzplatz.table.table import WAIT_BOT, WAIT_CONTRIBUTE, WAIT_DECIDE, WAIT_OVER, WAIT_THROW, WAIT_TIP
from bolzplatz.web.language import Catalogue

BALLS: Final = 10
"""Odds are shown as so many balls."""
LIES: Final = 12
"""In how many ways a die may lie in its place (classes `lie-0` and up in the style sheet)."""
CLEAR_Y: Final = 16
GROUND_Y: Final = 92
BAR_Y: Final = 34
"""Heights in the drawing of the hurdle: a ball above the crossbar has cleared it."""


class Player(NamedTuple):
    """One row of the list of players; hashable, as `Aside`, since what is drawn of it is kept."""

    name: str
    look: int
    written: int
    acts: bool
    leads: bool
    share: int
    """Of the way to the target, in percent."""


class Aside(NamedTuple):
    """One die aside; `turned` is a one made of two fives."""

    face: int
    turned: bool


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the table."""
    shown, fields, asks = frame.view["shown"], frame.view["fields"], frame.waiting["for"]
    mine, mover = frame.mine, fields["mover"]
    dice = _dice(frame)
    keeps = [_keep(frame, tokens, keep, t) for tokens, keep in shown["keeps"].items()]
    usable = {face for keep in keeps for face in keep["faces"]}
    fives = any(keep["turned"] for keep in keeps)
    over = frame.result is not None
    throwing = shown["next"] == "throw" and not over
    return {
        "headline": _headline(frame, t),
        "asked": _asked(frame, t),
        "mover": mover,
        "players": tuple(
            Player(
                name=player["name"],
                look=player["look"],
                written=fields["written"][seat],
                acts=seat == mover and not over,
                leads=seat == shown["leader"] and max(fields["written"]) > 0,
                share=min(100, fields["written"][seat] * 100 // frame.view["options"]["target"]),
            )
            for seat, player in enumerate(frame.players)
        ),
        "safe": fields["written"][mover],
        "at_risk": shown["at_risk"],
        "set_points": fields["set_points"],
        "hurdle": shown["hurdle"],
        "lift": lift(fields["set_points"], shown["hurdle"]),
        "cleared": shown["missing"] == 0 and not throwing,
        "to_confirm": shown["to_confirm"],
        "last_round": shown["last_round"] and not over,
        "aside": tuple(Aside(**die) for die in shown["dice_aside"]),
        "dice": [
            {
                "face": face,
                "lie": _lie(frame, place),
                "usable": str(face) in usable,
                "swap": fives and face == 5,
                "label": t("5050.die", place=place + 1, face=t(f"5050.face.{face}")),
            }
            for place, face in enumerate(dice)
        ],
        "first_usable": next((place for place, face in enumerate(dice) if str(face) in usable), 0),
        "keeps": keeps if asks == WAIT_DECIDE and mine else [],
        "choosing": bool(keeps) and asks == WAIT_DECIDE and mine,
        "stopping": shown["next"] == "stop_or_go" and asks == WAIT_DECIDE and mine,
        "throw": throw_button(shown["dice_next"], shown["bust"], frame, t) if shown["dice_next"] else None,
        "can_throw": asks == WAIT_THROW and mine and not frame.outcomes,
        "entering": frame.dice["count"] if frame.dice and frame.outcomes and mine else 0,
        "in_cup": shown["dice_next"] if throwing else 0,
        "stop_label": t("5050.button.write", points=shown["at_risk"]),
        "rolling": asks == WAIT_CONTRIBUTE,
        "watching": asks in (WAIT_BOT, WAIT_CONTRIBUTE, WAIT_TIP) or (asks != WAIT_OVER and not mine),
        "pad": _pad(frame),
        "why": _why(frame, t) if over else "",
    }


def lift(set_points: int, hurdle: int) -> str:
    """Return the ball's place at the hurdle as an SVG transform: over the crossbar from `hurdle` on."""
    if set_points >= hurdle:
        y: float = CLEAR_Y
    else:
        y = GROUND_Y - (GROUND_Y - BAR_Y - 14) * set_points / hurdle
    return f"translate(60 {y:.1f})"


def balls(bust: str) -> float:
    """Return how many of ten balls stand for a chance such as `60/216`, in half balls; what can happen shows one."""
    part, whole = map(int, bust.split("/"))
    return max(0.5 if part else 0.0, round(2 * BALLS * part / whole) / 2)


def throw_button(count: int, bust: str, frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the button that throws `count` dice: its words, and the odds of a throw in which nothing counts.

    Real dice come without odds: nobody checked them.
    """
    label = t("5050.button.throw_one") if count == 1 else t("5050.button.throw", n=count)
    if frame.setup["dice"] == "hand":
        return {"label": label, "balls": None, "odds": "", "said": ""}
    part, whole = map(int, bust.split("/"))
    percent = round(100 * part / whole)
    odds = t("5050.odds.percent", p=percent) if frame.setup["mode"] == "expert" else ""
    return {"label": label, "balls": balls(bust), "odds": odds, "said": t("5050.odds.said", n=percent)}


def _headline(frame: Frame, t: Catalogue) -> str:
    """Say whose turn it is, with the name: it is the page's h1."""
    if frame.waiting["for"] == WAIT_TIP:
        return t("table.sealing")
    if frame.result is not None:
        return t("table.over")
    shown = frame.view["shown"]
    return t(f"5050.turn.{shown['next']}", name=frame.players[frame.view["fields"]["mover"]]["name"])


def _asked(frame: Frame, t: Catalogue) -> str:
    """Say in a few words what is to be done."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP or frame.result is not None:
        return ""
    if shown["to_confirm"]:
        return t("5050.asked.confirm", hurdle=shown["hurdle"])
    return t(f"5050.asked.{shown['next']}")


def _dice(frame: Frame) -> list[int]:
    """Return the thrown dice in the order in which they fell, as far as that is known."""
    lying: list[int] = frame.view["shown"]["dice_thrown"]
    drawn = [side + 1 for side in frame.draw["drawn"]] if frame.draw and frame.draw["drawn"] else []
    return drawn if sorted(drawn) == lying else lying


def _lie(frame: Frame, place: int) -> int:
    """Return in which way a die lies in its place: always the same for one throw, another one for the next."""
    step = frame.draw["step"] if frame.draw else 0
    return (step * 7 + place * 5) % LIES


def _keep(frame: Frame, tokens: str, keep: Mapping[str, Any], t: Catalogue) -> dict[str, Any]:
    """Return one way to put dice aside: which faces it takes, and all that the page says about it."""
    shown = frame.view["shown"]
    parts = tokens.split()
    turned = parts.count("55>1")
    if tokens == "pairs":
        faces = list(shown["dice_thrown"])
    else:
        faces = [int(digit) for part in parts for digit in part.replace("55>1", "55")]
    named = tokens in ("pairs", "123456")
    total = shown["at_risk"] + keep["points"]
    if keep["may_stop"]:
        stop = t("5050.button.write", points=total)
    elif named:
        stop = t("5050.button.confirm_first")
    else:
        stop = t("5050.button.missing", n=shown["hurdle"] - keep["set_points"])
    return {
        "move": f"keep {tokens}",
        "faces": "".join(map(str, sorted(faces))),
        "turned": turned,
        "all": named,
        "points": keep["points"],
        "total": total,
        "set_points": keep["set_points"],
        "lift": lift(keep["set_points"], shown["hurdle"]),
        "may_stop": keep["may_stop"],
        "stop": stop,
        "throw": throw_button(keep["dice_next"], keep["bust"], frame, t),
        "name": _keep_name(tokens, t),
    }


def _keep_name(tokens: str, t: Catalogue) -> str:
    """Write a keep for people."""
    if tokens in ("pairs", "123456"):
        return t(f"5050.combination.{tokens}")
    return " + ".join("5 5 → 1" if part == "55>1" else " ".join(part) for part in tokens.split())


def _pad(frame: Frame) -> list[tuple[int | None, ...]]:
    """Return the score pad: a column for each seat with what its turns wrote down, None for a struck-out turn."""
    columns: list[list[int | None]] = [[] for _ in frame.players]
    for event in frame.history:
        if event.seat is not None and event.kind in ("write", "bust"):
            columns[event.seat].append(event.data["points"] if event.kind == "write" else None)
    return [tuple(column) for column in columns]


def _why(frame: Frame, t: Catalogue) -> str:
    """Say why the winner won."""
    scores = frame.view["scores"]
    best = max(scores)
    level = scores.count(best) > 1
    return t("5050.why.level" if level else "5050.why.most", total=best)


_CALLS: Final = {
    "hurdle": ("good", None, 0),
    "must_confirm": ("good", "good", 1200),
    "confirm": ("good", "good", 900),
    "bust": ("ohh", "bad", 1300),
    "write": ("write", "calm", 900),
    "last_round": ("whistle", "goal", 1500),
    "win": ("goal", None, 0),
}
"""What is called across the table: sound, tone and milliseconds by kind of event; the words are `5050.call.*`."""


def cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the animation of what happened since: dice fall, dice are lifted aside, a call is heard."""
    steps: list[dict[str, Any]] = []
    for event in frame.events:
        kind, data = event["kind"], event["data"]
        if kind == "throw":
            steps += _throw_cue(frame, event)
        elif kind == "keep":
            steps += [{"do": "lift", "faces": _faces_of(data["kept"])}, {"do": "sound", "name": "tick"}]
        if kind in _CALLS:
            sound, tone, ms = _CALLS[kind]
            steps.append({"do": "sound", "name": sound})
            if tone:
                words = t(f"5050.call.{kind}", name=frame.players[event["seat"]]["name"], **data)
                steps.append({"do": "say", "text": words, "tone": tone, "ms": ms})
    return steps


def _faces_of(kept: Sequence[str]) -> str:
    """Return the faces that a keep lays aside, `*` for all dice; a turned pair lays one of its fives aside."""
    if "pairs" in kept:
        return "*"
    return "".join(part[0] if part == "55>1" else part for group in kept for part in group.split("+"))


def _throw_cue(frame: Frame, event: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """Let the dice fall, if they were not thrown by hand."""
    draw = frame.draw
    if draw is None or not draw["drawn"] or draw["step"] != event["step"]:
        return []
    dice = [
        {"at": f"place-{place}", "face": str(side + 1), "dark": False, "turn": _lie(frame, place)}
        for place, side in enumerate(draw["drawn"])
    ]
    return [{"do": "throw", "dice": dice}]
