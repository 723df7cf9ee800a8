"""Die wilden Fußballkerle on the page: open cards in an arc, two figures that never move, one verdict for each colour.

A card is shown by its name (`games/wilde-kerle.svg` draws them all); one that lies face down has no name here, so it is
in no page. While hands may move in a race, the frame has no cards at all: `kerle.js` lays them down when they come.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bolzplatz.core.texts import game_texts
from bolzplatz.games.wilde_kerle import HIGHEST, LOWEST
from bolzplatz.table.frames import Frame
from bolzplatz.table.rounds import GRAB
from bolzplatz.table.table import (
    WAIT_CHOOSE,
    WAIT_GRAB,
    WAIT_HANDS,
    WAIT_OVER,
    WAIT_READY,
    WAIT_THROW,
    WAIT_TIP,
)
from bolzplatz.web.language import Catalogue, seconds

PIECES: Final = ("black", "red")
"""Left and right, for the whole match."""
FIVE: Final = 5
"""Chips of five are red, the others black."""
MOST_DRAWN: Final = 6
"""Chips of one kind that a stack shows; the number beside it says how many there are."""
KEYS: Final = (("Q", "A"), ("P", "L"), ("X", "C"), ("N", "M"), ("5", "T"))
"""Two keys for each person at one keyboard, black and red, far apart so that keyboards do not drop them."""
EDGES: Final = {
    2: ("bottom", "top"),
    3: ("bottom", "left", "right"),
    4: ("bottom", "left", "top", "right"),
    5: ("bottom", "left", "top", "right", "bottom2"),
}
"""At which edge of one device its people sit, in their order."""
PAID: Final = ("wrong", "pays_at_end")


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the table."""
    asks, facts = _asks(frame), frame.round or {}
    pace = facts.get("pace", "")
    own = [] if frame.replay else list(frame.seats)
    shared = pace == GRAB and len(own) > 1
    reviewed = asks not in (WAIT_GRAB, WAIT_CHOOSE, WAIT_HANDS)
    chooser = next((seat for seat in own if seat in facts.get("choosing", ())), None) if asks == WAIT_CHOOSE else None
    return {
        "phase": asks,
        "reviewed_above": asks == WAIT_THROW,
        "pace": pace,
        "headline": _headline(frame, t, chooser),
        "asked": _asked(frame, t, chooser, shared),
        "stage": _stage(frame, t),
        "players": [_player(frame, seat, t) for seat in range(len(frame.players))],
        "shared": shared,
        "pads": _pads(frame) if shared else [],
        "mirrored": shared and "top" in EDGES[len(own)],
        "own": own[0] if len(own) == 1 else None,
        "chooser": chooser,
        "veiled": chooser is not None and len(own) > 1,
        "second_wishes": chooser is not None and frame.setup["mode"] != "kids",
        "ready_seat": None if shared else _ready_seat(facts, own) if asks == WAIT_READY else None,
        "holds": pace == GRAB and not shared,
        "waiting_names": _names(frame, facts.get("waited" if asks == WAIT_READY else "choosing", ())),
        "grabbing": asks == WAIT_GRAB and bool(own),
        "verdict": _verdict(frame, t) if reviewed else None,
        "entering": _entering(frame) if asks == WAIT_THROW and frame.mine else None,
        "taking": asks == WAIT_HANDS and frame.mine,
        "words": _words(t) if asks == WAIT_GRAB else {},
        "weak": [seat for seat in own if _link(facts, seat).get("weak")] if asks == WAIT_READY else [],
        "watching": asks not in (WAIT_OVER, WAIT_READY, WAIT_CHOOSE, WAIT_GRAB) and not frame.mine,
        "why": _why(frame, t) if frame.result is not None else "",
    }


def _asks(frame: Frame) -> str:
    """Return what the table waits for; in a replay, what it waited for in that position, as far as cards tell."""
    asks: str = frame.waiting["for"]
    if frame.replay and frame.result is None:
        cards_due = frame.view["shown"]["next"] == "cards"
        return WAIT_READY if cards_due else WAIT_CHOOSE
    return asks


def _ready_seat(facts: Mapping[str, Any], own: Sequence[int]) -> int | None:
    """Return the seat whose button says that this browser's people are ready: one that is still waited for, if any."""
    waited = [seat for seat in own if seat in facts.get("waited", ())]
    held = [seat for seat in own if seat in facts.get("ready", ())]
    return next(iter([*waited, *held]), None)


def _names(frame: Frame, seats: Sequence[int]) -> str:
    """Write the names of seats, parted by commas."""
    return ", ".join(frame.players[seat]["name"] for seat in seats)


def _link(facts: Mapping[str, Any], seat: int) -> Mapping[str, Any]:
    links = facts.get("links") or []
    return (links[seat] if seat < len(links) else None) or {}


# --- words --------------------------------------------------------------------------------------------------------


def _headline(frame: Frame, t: Catalogue, chooser: int | None) -> str:
    """Say who acts: it is the page's h1."""
    asks = _asks(frame)
    if asks == WAIT_TIP:
        return t("table.sealing")
    if frame.result is not None:
        return t("table.over")
    facts = frame.round or {}
    if asks == WAIT_CHOOSE and not frame.replay:
        names = _names(frame, [chooser] if chooser is not None else facts.get("choosing", ()))
        return t("wilde-kerle.turn.choose", name=names) if names else t("wilde-kerle.turn.judged")
    if frame.replay:
        return t("wilde-kerle.turn.judged" if asks == WAIT_CHOOSE else "wilde-kerle.verdict_title")
    if asks == WAIT_READY:
        own = [seat for seat in frame.seats if seat in facts.get("waited", ())]
        others = facts.get("waited", ())
        if len(own) == 1:
            return t("wilde-kerle.turn.ready", name=_names(frame, own))
        if own or not others:
            return t("wilde-kerle.turn.ready_all")
        return t("wilde-kerle.turn.waits", name=_names(frame, others))
    if asks in (WAIT_GRAB, WAIT_THROW, WAIT_HANDS):
        return t(f"wilde-kerle.turn.{asks}")
    return t("wilde-kerle.turn.deal")


def _asked(frame: Frame, t: Catalogue, chooser: int | None, shared: bool) -> str:
    """Say in a few words what is to be done."""
    asks, facts = _asks(frame), frame.round or {}
    if frame.replay:
        return ""
    if asks == WAIT_READY:
        return t(f"wilde-kerle.asked.ready_{'shared' if shared else facts['pace']}")
    if asks == WAIT_CHOOSE:
        return t("wilde-kerle.asked.choose" if chooser is not None else "wilde-kerle.asked.chosen")
    return t(f"wilde-kerle.asked.{asks}") if asks in (WAIT_GRAB, WAIT_THROW, WAIT_HANDS) else ""


def _stage(frame: Frame, t: Catalogue) -> str:
    """Say which half and round it is; in a half with the end card nobody knows how many rounds there will be."""
    shown = frame.view["shown"]
    if frame.result is not None:
        return ""
    key = "wilde-kerle.round_open" if shown["end_card_in"] else "wilde-kerle.round"
    return t(key, half=t(f"wilde-kerle.half.{shown['half']}"), n=shown["round"], of=shown["rounds"])


def _words(t: Catalogue) -> dict[str, str]:
    """Return the words for cards, for the page that lays them down itself."""
    roles = {role: t(f"wilde-kerle.role.{role}") for role in ("keeper", "striker")}
    return roles | {
        **{piece: t(f"wilde-kerle.colour.{piece}") for piece in PIECES},
        "whistle": t("wilde-kerle.enter.whistle"),
        "end": t("wilde-kerle.enter.end"),
    }


def card_word(name: str, language: str) -> str:
    """Say a card, such as `black keeper 9`."""
    return game_texts("wilde-kerle", language).words[name]


def _why(frame: Frame, t: Catalogue) -> str:
    """Say why the winners won."""
    kinds = {event["kind"] for event in frame.log}
    best = max(frame.view["scores"])
    key = "shared" if "shares" in kinds else "grabs" if "wins_on_grabs" in kinds else "most"
    return t(f"wilde-kerle.why.{key}", total=best)


# --- cards and people -----------------------------------------------------------------------------------------------


def _player(frame: Frame, seat: int, t: Catalogue) -> dict[str, Any]:
    shown, facts = frame.view["shown"], frame.round or {}
    card = shown["cards"][seat]
    face_down = _asks(frame) == WAIT_GRAB
    chips = frame.view["scores"][seat]
    player = frame.players[seat]
    entered = _asks(frame) == WAIT_THROW and card is not None
    return {
        "seat": seat,
        "name": player["name"],
        "look": player["look"],
        "own": seat in frame.seats and len(frame.seats) < len(frame.players),
        "card": "" if card is None or face_down else card["name"],
        "picture": "back" if face_down or card is None else card["name"],
        "said": t("wilde-kerle.face_down") if card is None or face_down else card_word(card["name"], t.language),
        "old": entered,
        "chips": chips,
        "stack": stack(chips),
        "handicap": player.get("handicap") or 0,
        "head_start": seconds(player["handicap"], t) if player.get("handicap") else "",
        "ready": seat in facts.get("ready", ()) and _asks(frame) == WAIT_READY,
        "chosen": _asks(frame) == WAIT_CHOOSE and not frame.replay and seat not in facts.get("choosing", ()),
        "link": _link(facts, seat),
    }


def stack(chips: int) -> list[dict[str, Any]]:
    """Return the chips as two stacks, fives and ones: how many of each are drawn."""
    fives, ones = divmod(chips, FIVE)
    return [
        {"worth": worth, "drawn": min(count, MOST_DRAWN)} for worth, count in ((FIVE, fives), (1, ones)) if count > 0
    ]


def _pads(frame: Frame) -> list[dict[str, Any]]:
    """Return where the people of one device sit around it, each with two half-discs and two keys."""
    facts = frame.round or {}
    edges = EDGES[len(frame.seats)]
    return [
        {
            "seat": seat,
            "edge": edges[place],
            "name": frame.players[seat]["name"],
            "look": frame.players[seat]["look"],
            "keys": dict(zip(PIECES, KEYS[place], strict=True)),
            "ready": seat in facts.get("ready", ()),
            "asks": _asks(frame) == WAIT_READY,
        }
        for place, seat in enumerate(frame.seats)
    ]


# --- the verdict ----------------------------------------------------------------------------------------------------


def _verdict(frame: Frame, t: Catalogue) -> dict[str, Any] | None:
    """Return what the last round came to: a judgement for each colour, what the hands did, and a word of praise."""
    last = (frame.round or {}).get("last")
    events = _events_of(frame, last)
    if last is None and not events:
        return None
    kinds = {event["kind"] for event in events}
    end = "end_card" in kinds
    shown = frame.view["shown"]["verdict"]
    changes = _changes(events)
    taken = {event["data"]["piece"]: event["seat"] for event in events if event["kind"] == "takes"}
    return {
        "end": end,
        "colours": [
            {
                "piece": piece,
                "goal": bool(shown and shown[piece]["goal"]),
                "word": _judged(shown[piece] if shown else None, end, t),
                "why": _reason(shown[piece] if shown else None, end, t),
                "holder": frame.players[taken[piece]]["name"] if piece in taken else "",
                "look": frame.players[taken[piece]]["look"] if piece in taken else None,
                "change": _signed(changes.get((taken.get(piece), piece))),
            }
            for piece in PIECES
        ],
        "praise": t("wilde-kerle.praise.end" if end else "wilde-kerle.praise.still") if "well_spotted" in kinds else "",
        "missed": t("wilde-kerle.missed") if "nobody" in kinds else "",
        "hands": _hands(frame, last, t),
        "interrupted": last is not None and last["how"] == "interrupted",
        "tied": last is not None and any(last["tied"].get(piece) for piece in PIECES),
        "plus_minus": _plus_minus(last, t),
    }


def _events_of(frame: Frame, last: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the events of the last finished round: from its first card on."""
    if last is not None:
        return [event for event in frame.log if last["step"] <= event["step"] < last["end"]]
    first = next((i for i in reversed(range(len(frame.log))) if frame.log[i]["kind"] == "opened"), None)
    if first is None:
        return []
    step = frame.log[first]["step"]
    return [event for event in frame.log if event["step"] >= step]


def _judged(shown: Mapping[str, Any] | None, end: bool, t: Catalogue) -> str:
    if shown is None:
        return t("wilde-kerle.verdict.hands_off") if end else ""
    return t("wilde-kerle.verdict.yes" if shown["goal"] else "wilde-kerle.verdict.no")


def _reason(shown: Mapping[str, Any] | None, end: bool, t: Catalogue) -> str:
    if shown is None:
        return t("wilde-kerle.verdict.end") if end else ""
    return t(f"wilde-kerle.verdict.{shown['why']}", striker=shown["striker"], keeper=shown["keeper"])


def _changes(events: Sequence[Mapping[str, Any]]) -> dict[tuple[int | None, str], int]:
    """Return how many chips each figure brought whoever holds it, by seat and piece."""
    found: dict[tuple[int | None, str], int] = {}
    held = {event["seat"]: event["data"]["piece"] for event in events if event["kind"] == "takes"}
    for event in events:
        if event["kind"] == "right":
            found[event["seat"], event["data"]["piece"]] = 1
        elif event["kind"] in PAID:
            found[event["seat"], event["data"].get("piece", held.get(event["seat"], ""))] = -event["data"]["paid"]
    return found


def _signed(change: int | None) -> str:
    return "" if change is None else f"+{change}" if change > 0 else f"−{-change}" if change else "±0"


def _hands(frame: Frame, last: Mapping[str, Any] | None, t: Catalogue) -> list[dict[str, Any]]:
    """Return a bar for each hand, quickest first; without a clock there is nothing to draw."""
    if last is None or last["pace"] != GRAB:
        return []
    timed = [hand for hand in last["hands"] if hand["ms"] is not None]
    longest = max((hand["time"] for hand in timed), default=1) or 1
    return [
        {
            "seat": hand["seat"],
            "piece": hand["piece"],
            "name": frame.players[hand["seat"]]["name"],
            "took": hand["took"],
            "time": seconds(hand["ms"], t),
            "share": round(100 * hand["ms"] / longest),
            "added": round(100 * hand["handicap"] / longest),
            "doubt": max(1, round(100 * (hand["plus_minus"] or 0) / longest)),
            "note": _note(hand, t),
            "counted": hand["status"] == "counted",
        }
        for hand in timed
    ]


def _note(hand: Mapping[str, Any], t: Catalogue) -> str:
    """Say what became of a hand that did not get its figure, and what its handicap added."""
    status = "" if hand["took"] else t(f"wilde-kerle.status.{hand['status'].replace(' ', '_')}")
    added = t("wilde-kerle.added", time=seconds(hand["handicap"], t)) if hand["handicap"] else ""
    return ", ".join(word for word in (status, added) if word)


def _plus_minus(last: Mapping[str, Any] | None, t: Catalogue) -> str:
    """Say how exact the times are."""
    spans = [hand["plus_minus"] for hand in (last or {}).get("hands", ()) if hand["plus_minus"]]
    return t("wilde-kerle.plus_minus", time=seconds(max(spans), t)) if spans else ""


# --- the real box ---------------------------------------------------------------------------------------------------


def _entering(frame: Frame) -> dict[str, Any]:
    """Return the keys on which people tap the cards that lie open in their box: of one that nobody knows, all."""
    shown = frame.view["shown"]
    whistles = frame.view["options"]["pro"] or not shown["odds_known"]
    groups = [f"{role}{colour}" for role in "SK" for colour in "br"]
    return {
        "groups": [
            {
                "group": group,
                "role": "keeper" if group[0] == "K" else "striker",
                "colour": "black" if group[1] == "b" else "red",
                "values": [*range(LOWEST, HIGHEST["KS".index(group[0])] + 1), *(["w"] if whistles else [])],
            }
            for group in groups
        ],
        "values": list(range(LOWEST, max(HIGHEST) + 1)),
        "whistle": whistles,
        "end": shown["end_card_in"] or not shown["odds_known"],
    }


# --- the show -------------------------------------------------------------------------------------------------------


def cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the animation of what happened since: cards turn with a click, a goal is called, chips walk."""
    steps: list[dict[str, Any]] = []
    finished = any(event["kind"] in ("well_spotted", *PAID) for event in frame.events)
    for event in frame.events:
        kind, data, seat = event["kind"], event["data"], event["seat"]
        if kind in ("goal", "open_goal"):
            steps.append({"do": "sound", "name": "goal"})
            text = t("wilde-kerle.call.goal", colour=t(f"wilde-kerle.colour.{data['colour']}"))
            steps.append({"do": "say", "text": text, "tone": "good", "ms": 900})
        elif kind == "takes":
            steps.append({"do": "set", "on": f"fig-{data['piece']}", "name": "data-held", "value": "yes", "ms": 150})
        elif kind == "right":
            steps.append({"do": "walk", "from": "bank", "to": f"chips-{seat}", "count": 1})
        elif kind in PAID and data["paid"]:
            steps.append({"do": "walk", "from": f"chips-{seat}", "to": "bank", "count": data["paid"]})
        elif kind == "well_spotted":
            steps.append({"do": "sound", "name": "good"})
            steps.append({"do": "say", "text": t("wilde-kerle.call.still"), "tone": "calm", "ms": 1100})
        elif kind == "end_card" and finished:
            steps.append({"do": "sound", "name": "whistle"})
            steps.append({"do": "say", "text": t("wilde-kerle.call.end"), "tone": "card", "ms": 1200})
        elif kind == "half_starts":
            steps.append({"do": "sound", "name": "whistle"})
            half = t(f"wilde-kerle.half.{data['half']}")
            steps.append({"do": "say", "text": half, "tone": "calm", "ms": 1000})
        elif kind == "opened" and not any(step.get("name") == "tick" for step in steps):
            steps.append({"do": "sound", "name": "tick"})
    return steps
