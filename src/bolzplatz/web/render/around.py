"""What surrounds a match, in words: who is there, what is asked of whom, what happened besides the game.

`around` is the scene of the strip below the head line and of the list of people; `told` the sentences for the log.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bolzplatz.table.clock import GRACE
from bolzplatz.table.coaching import SOLVING
from bolzplatz.table.commands import END, OPEN_HANDS, REWIND, SEAT
from bolzplatz.table.company import GONE, HERE
from bolzplatz.table.frames import Frame
from bolzplatz.table.table import WAIT_CHOOSE, WAIT_OVER, WAIT_READY
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render.coach import advice

EMOTES: Final = ("hello", "luck", "well", "wow", "ouch", "laugh", "hurry", "thanks")
_TURNS_OFFERED: Final = 12
_SIDED: Final = ("dribbel-fieber",)
"""Games in which the first seat always plays red and the second one the dark side."""
_WITH_STATE: Final = {"witness": "on", "substitute": "on"}


def around(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what the page says around the match: `people`, `notices`, `clock`, `asks`, `spectators` and so on."""
    coach = advice(frame, t)
    return {
        "people": [_person(seat, frame, t) for seat in range(len(frame.players))],
        "shared": _is_shared(frame),
        "notices": [] if frame.replay else _notices(frame, t),
        "clock": None if frame.replay else _clock(frame),
        "waits": frame.waiting["for"],
        "seat": frame.waiting["seat"],
        "asks": [] if frame.replay else _asks(frame, t),
        "spectators": _spectators(frame, t),
        "emotes": EMOTES if frame.emotes and _is_shared(frame) else (),
        "given": frame.given,
        "coach": coach,
        "whisper": _whisper(frame, coach),
    }


def _whisper(frame: Frame, coach: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the coach's advice in one line, for screens on which the rest of it lies in a drawer: a label and balls.

    The best moves; where nothing is decided, what may come of the throw, or how likely who acts is to win. While the
    coach is at work that is said instead, so that the line keeps its place; None where there is nothing to be said.
    """
    if coach is None or frame.coach is None or frame.room:
        return None
    if frame.coach["state"] == SOLVING:
        return {"label": coach["said"], "lost": None}
    if coach["moves"]:
        best: list[dict[str, Any]] = [row for row in coach["moves"] if row["best"]]
        return best[0] | {"label": " · ".join(row["label"] for row in best)}
    prospects, seat = coach["seats"][len(frame.players) :], frame.waiting["seat"]
    if prospects or seat is None or not coach["seats"]:
        return dict(prospects[0]) if prospects else None
    return dict(coach["seats"][seat])


def _is_shared(frame: Frame) -> bool:
    """Say whether more than one browser plays at the table, or is expected to."""
    browsers = {owner for owner in frame.owners if owner is not None}
    return len(browsers) > 1 or bool(frame.room and frame.room["open"]) or frame.spectators > 0


def _name(frame: Frame, seat: int | None, t: Catalogue) -> str:
    return t("around.somebody") if seat is None or seat >= len(frame.players) else frame.players[seat]["name"]


def look_of(frame: Frame, seat: int) -> int:
    """Return the look of a seat's shirt; where sides have colours of their own, seats wear those."""
    return seat if frame.setup["game"] in _SIDED else int(frame.players[seat]["look"])


def _person(seat: int, frame: Frame, t: Catalogue) -> dict[str, Any]:
    player, presence = frame.players[seat], frame.presence[seat]
    return {
        "seat": seat,
        "name": player["name"],
        "look": look_of(frame, seat),
        "kind": player["kind"],
        "level": t(f"level.{player['level']}") if player["level"] else "",
        "mine": seat in frame.seats,
        "host": seat == frame.host_seat,
        "presence": presence,
        "word": t(f"presence.{presence}") if presence else "",
        "away": presence not in (None, HERE),
        "substituted": seat in frame.substitutes,
        "silent": seat in frame.silent,
        "acts": frame.waiting["seat"] == seat and frame.waiting["for"] != WAIT_OVER,
    }


def _spectators(frame: Frame, t: Catalogue) -> str:
    said = []
    if frame.spectators:
        said.append(t("around.spectators_one") if frame.spectators == 1 else t("around.spectators", n=frame.spectators))
    if frame.witnesses:
        said.append(t("around.witnesses", n=frame.witnesses))
    return " · ".join(said)


# --- the strip --------------------------------------------------------------------------------------------------------


def _button(label: str, message: Mapping[str, Any], go: bool = True) -> dict[str, Any]:
    return {"label": label, "send": dict(message), "go": go, "id": "-".join(map(str, message.values()))}


def _notices(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return what has to be said now, most urgent first: {key, text, more, buttons}."""
    found = [_proposal(frame, t)] if frame.proposal else []
    if frame.result is None:
        found += [
            _notice(
                f"for-{seat}",
                t("around.for_you", name=_name(frame, seat, t)),
                [_button(t("around.back"), {"type": "back"})],
            )
            for seat in frame.substitutes
            if seat in frame.seats
        ][:1]
        found += [_substitute(frame, seat, t) for seat in frame.can_substitute]
        if frame.can_renew:
            # The page hides this if it knows better: whoever was only late once still has its share.
            found.append(_notice("renew", t("around.no_part"), [_button(t("around.renew"), {"type": "renew"}, False)]))
    return found


def _notice(key: str, text: str, buttons: Sequence[Mapping[str, Any]], more: str = "") -> dict[str, Any]:
    return {"key": key, "text": text, "more": more, "buttons": list(buttons)}


def _substitute(frame: Frame, seat: int, t: Catalogue) -> dict[str, Any]:
    name = _name(frame, seat, t)
    gone = frame.presence[seat] == GONE
    label = t("around.substitute", name=name) if gone else t("around.substitute_turn")
    text = t("around.is_gone" if gone else "around.time_over", name=name)
    if not gone and frame.waiting["for"] in (WAIT_READY, WAIT_CHOOSE):
        before = frame.waiting["for"] == WAIT_READY
        label = t("around.substitute_round")
        text = t("around.not_ready" if before else "around.time_over", name=name)
    return _notice(f"sub-{seat}", text, [_button(label, {"type": "substitute", "seat": seat, "on": True})])


def _proposal(frame: Frame, t: Catalogue) -> dict[str, Any]:
    asked = frame.proposal or {}
    what, name = asked["what"], asked["name"] or t("around.somebody")
    places: dict[str, Any] = {"name": name}
    if what == REWIND:
        places["turn"] = dict(_turns(frame, t)).get(asked["step"], t("around.turn_earlier"))
    if what == SEAT:
        places["whose"] = _name(frame, asked["seat"], t)
    answer = {"type": "agree", "n": asked["n"]}
    buttons = {
        "asked": [
            _button(t("around.agree"), {**answer, "yes": True}),
            _button(t("around.decline"), {**answer, "yes": False}, False),
        ],
        "by": [_button(t("around.take_back"), {**answer, "yes": False}, False)],
    }.get(asked["you"], [])
    waits = t("around.waits_for", names=", ".join(_name(frame, seat, t) for seat in asked["asked"]))
    more = "" if asked["you"] == "asked" or not asked["asked"] else waits
    if asked["you"] == "agreed":
        more = f"{t('around.agreed')} {more}".strip()
    return _notice(f"ask-{asked['n']}", t(f"around.{what}", **places), buttons, more)


def _last_step(frame: Frame) -> int:
    told = frame.history[-1].step if frame.history else -1
    return max(told, frame.draw["step"] if frame.draw else -1)


def _clock(frame: Frame) -> dict[str, Any] | None:
    clock = frame.clock
    if clock is None or frame.result is not None:
        return None
    left = clock["left"] + (clock["grace"] if clock["state"] == GRACE else 0)
    return {
        "left": max(0, round(left)),
        "grace": clock["state"] == GRACE,
        "all": clock["limit"],
        "n": f"{max(0, round(left)) // 60}:{max(0, round(left)) % 60:02d}",
    }


# --- what this browser may ask ----------------------------------------------------------------------------------------


def _asks(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the questions that may be put to the others: {what, label, choices}; a choice is (value, text)."""
    found = []
    for what in frame.can_propose:
        choices: list[tuple[int, str]] = []
        if what == REWIND:
            last = _last_step(frame)
            choices = [(step, label) for step, label in _turns(frame, t) if step <= last]
        if what == SEAT:
            choices = [(seat, name) for seat, name in _takeable(frame)]
        if choices or what in (END, OPEN_HANDS):
            found.append({"what": what, "label": t(f"around.ask_{what}"), "choices": choices})
    return found


def _turns(frame: Frame, t: Catalogue) -> list[tuple[int, str]]:
    """Return where the last turns began, newest first: history entry and what people call that turn."""
    found = []
    for ago, turn in enumerate(reversed(frame.turns[-_TURNS_OFFERED:])):
        when, step = ("this", "before")[ago] if ago < 2 else "ago", turn["step"] or 0
        if turn["seat"] is None:
            found.append((step, t(f"around.round_{when}", n=ago)))
        else:
            found.append((step, t(f"around.turn_{when}", name=_name(frame, turn["seat"], t), n=ago)))
    return found


def _takeable(frame: Frame) -> list[tuple[int, str]]:
    """Return the seats of people, those that are gone first."""
    people = [seat for seat, owner in enumerate(frame.owners) if owner is not None]
    people.sort(key=lambda seat: frame.presence[seat] != GONE)
    return [(seat, frame.players[seat]["name"]) for seat in people]


# --- the log ----------------------------------------------------------------------------------------------------------


def told(frame: Frame, t: Catalogue, since: int = -1) -> list[dict[str, Any]]:
    """Return what happened around the match after version `since` as sentences: {kind, step, seat, rule, text}."""
    return [
        {"kind": f"around {each['kind']}", "step": each["step"], "seat": each.get("seat"), "rule": "", "text": text}
        for each in frame.happenings
        if each["version"] > since and (text := _sentence(each, frame, t))
    ]


def merged(lines: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return two lists of log lines as one: what happened before the history entry `step` stands before its events.

    >>> merged([{"step": 3, "text": "b"}], [{"step": 3, "text": "a"}])
    [{'step': 3, 'text': 'a'}, {'step': 3, 'text': 'b'}]
    """
    marked = [(each["step"], 1, each) for each in lines] + [(each["step"], 0, each) for each in others]
    return [each for _, _, each in sorted(marked, key=lambda mark: mark[:2])]


def _sentence(each: Mapping[str, Any], frame: Frame, t: Catalogue) -> str:
    kind, seat = each["kind"], each.get("seat")
    places: dict[str, Any] = {"name": each.get("name") or _name(frame, seat, t), "was": each.get("was", "")}
    key = f"happened.{kind}"
    if kind in _WITH_STATE:
        key += "_on" if each["on"] else "_off"
        if each["on"] and each.get("turn"):
            key = "happened.substitute_round" if each.get("together") else "happened.substitute_turn"
    elif kind in ("proposed",):
        key += f"_{each['what']}"
    elif kind == "filled" and (seat is None or frame.players[seat]["kind"] == "open" or not each.get("name")):
        key, places["n"] = "happened.opened_seat", (seat or 0) + 1
    elif kind == "opened" and each.get("silent"):
        key = "happened.opened_silent"
        places["names"] = ", ".join(_name(frame, silent, t) for silent in each["silent"])
    elif kind == "rewound":
        places["n"] = each["steps"]
    elif kind == "host" and seat is None:
        key = "happened.host_none"
    if kind == "opened" and frame.setup["dice"] != "sealed":
        return ""
    return t(key, **places) if t.has(key) else ""
