"""The room before the match: who sits where, who may change what, and how others are called to the table."""

from collections.abc import Sequence
from typing import Any

from bolzplatz.games import game_spec
from bolzplatz.table.clock import GRACE_SECONDS
from bolzplatz.table.frames import Frame
from bolzplatz.table.rounds import GRAB
from bolzplatz.table.setup import BOT, HAND, HUMAN, NAME_LENGTH, OPEN
from bolzplatz.web.language import Catalogue, seconds
from bolzplatz.web.render.around import look_of


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the room."""
    room = frame.room or {}
    waits = len(room["open"])
    seats = [_seat(seat, frame, t) for seat in range(len(frame.players))]
    return {
        "headline": t("room.title_full")
        if not waits
        else t("room.title_one")
        if waits == 1
        else t("room.title", n=waits),
        "asked": _asked(frame, t),
        "starter": _starter(frame, t),
        "seats": seats,
        "nickname": bool(waits),
        "name_length": NAME_LENGTH,
        "code": f"{frame.code[:3]} {frame.code[3:]}" if frame.code else "",
        "can_add": room["can_add"],
        "can_start": room["can_start"],
        "can_witness": not frame.seats and frame.setup["dice"] == "sealed",
        "facts": _facts(frame, t),
    }


def _asked(frame: Frame, t: Catalogue) -> str:
    """Say what this browser can do; nothing for those who sit and wait."""
    waits = bool(frame.room and frame.room["open"])
    if frame.host:
        return t("room.asked_host") if waits else ""
    if frame.seats:
        return ""
    return t("room.asked_sit" if waits else "room.asked_watch")


def _starter(frame: Frame, t: Catalogue) -> str:
    if frame.host_seat is None:
        return t("room.asked_wait_host")
    return t("room.asked_wait", name=frame.players[frame.host_seat]["name"])


def _seat(seat: int, frame: Frame, t: Catalogue) -> dict[str, Any]:
    player, presence = frame.players[seat], frame.presence[seat]
    mine = seat in frame.seats
    person, is_open = player["kind"] == HUMAN, player["kind"] == OPEN
    room = frame.room or {"can_remove": [], "kinds": {}}
    return {
        "seat": seat,
        "kind": player["kind"],
        "name": player["name"],
        "look": look_of(frame, seat),
        "mine": mine,
        "named_here": mine or (frame.host and player["kind"] == BOT),
        "host": seat == frame.host_seat,
        "team": _team(seat, frame, t),
        "level": t(f"level.{player['level']}") if player["level"] else "",
        "word": t(f"presence.{presence}") if presence else "",
        "presence": presence,
        "can_sit": is_open and not frame.seats,
        "can_move": is_open and bool(frame.seats) and not frame.host,
        "can_rise": person and (mine or frame.host),
        "can_up": frame.host and seat > 0,
        "can_remove": not (person and not mine) and seat in room["can_remove"],
        "kinds": _kinds(seat, room["kinds"].get(seat, []), frame, t),
    }


def _team(seat: int, frame: Frame, t: Catalogue) -> str:
    """Name the team of a seat; nothing where there are none. The seats of the first one come first."""
    teams = frame.setup["options"].get("teams")
    return t("room.team", name="AB"[seat >= int(teams.split("v")[0])]) if teams else ""


def _kinds(seat: int, offered: Sequence[tuple[str, str | None]], frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return what the host may put at a seat without a person, each with the message that does it.

    A single thing is nothing to choose.
    """
    player, kinds = frame.players[seat], []
    for kind, level in offered if len(offered) > 1 else ():
        send: dict[str, Any] = {"type": "fill", "seat": seat, "kind": kind}
        label = t("room.kind_open")
        if level is not None:
            name = player["name"] if player["kind"] == BOT else _free_name(level, frame, t)
            send |= {"level": level, "name": name}
            label = t("room.kind_bot", level=t(f"level.{level}"))
        chosen = (player["kind"], player["level"]) == (kind, level)
        kinds.append({"label": label, "chosen": chosen, "send": send})
    return kinds


def _free_name(level: str, frame: Frame, t: Catalogue) -> str:
    taken = {player["name"].casefold() for player in frame.players}
    offered = [name.strip() for name in t(f"names.{level}").split(",")]
    return next((name for name in offered if name.casefold() not in taken), f"{offered[0]} {len(taken) + 1}")


def _facts(frame: Frame, t: Catalogue) -> list[str]:
    """Return in sentences how the match will be played."""
    limit = frame.setup["turn_seconds"]
    facts = [
        t(f"room.dice_{frame.setup['dice']}"),
        t("room.clock", n=limit, grace=GRACE_SECONDS) if limit else t("room.clock_0"),
    ]
    strict = [t("room.strict")] if frame.setup["strict"] else []
    at_once = game_spec(frame.setup["game"]).rules.apply_joint is not None
    pace = HAND if frame.setup["dice"] == HAND else frame.setup["pace"]
    if at_once:
        facts = [t(f"room.cards_{frame.setup['dice']}"), t(f"room.pace_{pace}")]
        facts += [t("room.clock_round", n=limit, grace=GRACE_SECONDS)] if limit else []
    if at_once and pace == GRAB:
        facts += [t(f"room.tie_{frame.setup['tie']}"), *strict]
    if frame.setup["tapped"]:
        facts += strict
    # Where nobody reaches by the clock, those who give less come first.
    facts += _head_starts(frame, t)
    if frame.setup["open_hands"]:
        facts.append(t("room.open_hands"))
    return facts


def _head_starts(frame: Frame, t: Catalogue) -> list[str]:
    """Say who gives the others a head start."""
    givers = [player for player in frame.players if player["handicap"]]
    return [t("room.handicap", name=each["name"], seconds=seconds(each["handicap"], t)) for each in givers]
