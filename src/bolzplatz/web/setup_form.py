"""The form of a new table: its questions, made from what a game declares, and the setup that its answers describe.

Answers are a form's fields: `kind-0` (`human`, `open` or `bot-<level>`), `name-0` and so on for the seats, `begins`
(`lots` or a seat), `team_a` (how many seats team A has), `dice`, `mode`, `speed`, `turn`, `hands`, `face-<name>` for
each dark face, and `o-<name>` for every other option. All checking is left to `TableSetup`.
"""

import re
from collections.abc import Mapping, Sequence
from secrets import randbelow
from typing import Any, Final

from bolzplatz.bots import levels
from bolzplatz.core.declare import Seen, layout_of
from bolzplatz.core.grab import BY_LOT, MOST_HANDICAP, MS, TIE_RULES
from bolzplatz.core.spec import Option, read_number, show_value
from bolzplatz.games import game_spec, load_game
from bolzplatz.games.dribbel_fieber.edition import RULE, SHIPPED, EditionError, read_edition
from bolzplatz.games.wilde_kerle import ANY_DECK, DECKS
from bolzplatz.table.clock import TURN_SECONDS
from bolzplatz.table.coaching import can_coach
from bolzplatz.table.rounds import GRAB, THINKING
from bolzplatz.table.setup import (
    BOT,
    DICE,
    HAND,
    HUMAN,
    LOOKS,
    MODES,
    NAME_LENGTH,
    OPEN,
    PACES,
    SEALED,
)
from bolzplatz.web.language import Catalogue

LOTS: Final = "lots"
TEAMS_ONLY: Final = ("allow_uneven", "schedule", "decider")
OPPONENT: Final = "good"
"""The level of the computer player that is offered first."""
TAPS: Final = "taps"
"""The page's word for what is asked only where hands race for throws; where they grab it is `pace-grab`."""
_TAPPED: Final = {"gooaaaaal": ("penalty_model", "tap-race")}
"""The option and its value with which hands race for throws, each tap one."""
OWN: Final = "own"
"""The answer that stands for a text of one's own where the page asks for it by itself."""
_TOSSED: Final = ("dribbel-fieber",)
"""Games in which a coin says who begins: nobody is asked, and the seats stay as they are."""
_OWN_QUESTIONS: Final = ("players", "first", "teams", "black_faces")
"""Options that the form asks about in its own way."""
RING: Final = "ring"
TEAMS: Final = "teams"
"""How more than two play where a game leaves it open: `sides` in the answers."""
_WHEN: Final = {
    "gooaaaaal": {
        "mode=shoot-out": "pair",
        "mode=sudden-death": "pair",
        "edition=nine": "pair",
        "edition=collector": "pair",
        "n": "mode-shoot-out",
        "five_goals_tie": "mode-five-goals",
        "multi_score": "ring",
        "offside_at_count": "bonus",
        "yellow_scope": "bonus",
        "min_dice": "bonus",
    },
    "wilde-kerle": {"deck": "dice-sealed", "end_in_second_half": "seats-3"},
}
"""Which options and values are offered when; the page knows these facts of what was chosen so far (`page.js`)."""
_LEADING: Final = {"gooaaaaal": ("edition", "mode")}
"""Options that decide what is played at all: asked before everything that is folded away."""
_NAMED_VALUES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "wilde-kerle": {"deck": tuple(DECKS)},
    "dribbel-fieber": {"edition": (*SHIPPED, OWN)},
}
"""Texts that an option knows by name: they are offered, and beside them a text of one's own (`own-<option>`)."""
HEAD_STARTS: Final = (0, 250, 500, 750, 1000, MOST_HANDICAP // MS)
"""How many milliseconds the others may be ahead of a seat, where the clock counts."""


def first_answers(game: str, against_computer: bool, t: Catalogue, friends: bool = False) -> dict[str, str]:
    """Return what the form says before anybody changed it: two seats, the second one the computer's or a person's.

    `friends`: it is open, for somebody on another device.
    """
    people, opponent = _names(t, "people"), _opponent(game)
    others: dict[str, str] = {}
    for seat in range(1, max(2, game_spec(game).min_players)):
        kind = OPEN if friends else f"bot-{opponent}" if against_computer else HUMAN
        name = "" if friends else _names(t, opponent)[seat - 1] if against_computer else people[seat]
        others |= {f"kind-{seat}": kind, f"name-{seat}": name}
    return {
        "game": game,
        "kind-0": HUMAN,
        "name-0": people[0],
        **others,
        "begins": LOTS,
        "dice": SEALED,
        "mode": "normal",
        "speed": "normal",
        "turn": "0",
        "pace": "thinking",
    }


def _opponent(game: str) -> str:
    """Return the level of the computer player that is offered first."""
    offered = levels(game)
    return OPPONENT if OPPONENT in offered else offered[(len(offered) - 1) // 2]


def questions(game: str, answers: Mapping[str, str], t: Catalogue) -> dict[str, Any]:
    """Return the form as the template shows it, filled with the answers so far."""
    spec = game_spec(game)
    declared = {option.name: option for option in spec.options}
    seats = [_seat(index, answers, t) for index in range(seat_count(answers))]
    at_once = spec.rules.apply_joint is not None
    return {
        "title": t(f"games.{game}.title"),
        "seats": seats,
        "spare": _seat(0, {"kind-0": HUMAN, "name-0": ""}, t),
        "name_length": NAME_LENGTH,
        "least": spec.min_players,
        "most": spec.max_players,
        "levels": [{"value": f"bot-{level}", "label": t(f"level.{level}")} for level in levels(game)],
        "names": {HUMAN: _names(t, "people")} | {f"bot-{level}": _names(t, level) for level in levels(game)},
        "teams": "teams" in declared and "players" not in declared,
        "ring": "teams" in declared and "players" in declared,
        "sides": answers.get("sides", RING),
        "team_a": answers.get("team_a", ""),
        "begins": answers.get("begins", LOTS),
        "tossed": game in _TOSSED,
        "dice": answers.get("dice", SEALED),
        "mode": answers.get("mode", "normal"),
        "speed": answers.get("speed", "normal"),
        "all_dice": DICE,
        "modes": MODES,
        "speeds": tuple(PACES),
        "open": OPEN,
        "turns": [{"value": str(seconds), "label": t(f"new.turn_{seconds}")} for seconds in TURN_SECONDS],
        "turn": answers.get("turn", "0"),
        "coached": can_coach(load_game(game)),
        "coach": answers.get("coach", "") == "yes",
        "has_hands": any(field.seen_by is Seen.OWNER for field in layout_of(spec.state).fields),
        "hands": answers.get("hands", "") == "open",
        "at_once": at_once,
        "raced": f"pace-{GRAB}" if at_once else TAPS if game in _TAPPED else "",
        "pace": answers.get("pace", "thinking"),
        "strict": answers.get("strict", "") == "yes",
        "tie": answers.get("tie", TIE_RULES[0]),
        "ties": TIE_RULES,
        "head_starts": [{"value": ms, "label": _head_start(ms, t)} for ms in HEAD_STARTS],
        "dice_words": {
            f"{kind}{more}": t(own if t.has(own := f"{game}.form.dice_{kind}{more}") else f"new.dice_{kind}{more}")
            for kind in DICE
            for more in ("", "_more")
        }
        | {"title": t(f"{game}.form.dice" if t.has(f"{game}.form.dice") else "new.dice")},
        "faces": _faces(declared["black_faces"], answers, t) if "black_faces" in declared else [],
        "options": [_question(game, each, answers, t) for each in spec.options if each.name not in _OWN_QUESTIONS],
    }


def seat_count(answers: Mapping[str, str]) -> int:
    """Return how many seats the answers name, one after the other."""
    count = 0
    while f"kind-{count}" in answers:
        count += 1
    return count


def _names(t: Catalogue, whose: str) -> list[str]:
    return [name.strip() for name in t(f"names.{whose}").split(",")]


def _seat(index: int, answers: Mapping[str, str], t: Catalogue) -> dict[str, Any]:
    return {
        "kind": answers[f"kind-{index}"],
        "name": answers.get(f"name-{index}", ""),
        "look": index % LOOKS,
        "handicap": answers.get(f"handicap-{index}", "0"),
        "person": t("new.me" if index == 0 else "new.here"),
    }


def _head_start(ms: int, t: Catalogue) -> str:
    """Say a head start in seconds."""
    return t("new.seconds", whole=ms // 1000, rest=f"{ms % 1000:03d}".rstrip("0") or "0") if ms else t("new.none_given")


def _faces(option: Option, answers: Mapping[str, str], t: Catalogue) -> list[dict[str, Any]]:
    """Return the faces of the die with whether each is dark; faces that the box settles cannot be changed."""
    dark = {name.removeprefix("face-") for name in answers if name.startswith("face-")}
    if not dark:
        dark = set(str(option.default).split(","))
    names = ("5", "10", "pass", "foul", "offside", "penalty")
    return [
        {
            "name": name,
            "label": t(f"bar-bolz.face.{name}"),
            "dark": name in dark or name == "5",
            "settled": name in ("5", "pass"),
        }
        for name in names
    ]


def _question(game: str, option: Option, answers: Mapping[str, str], t: Catalogue) -> dict[str, Any]:
    """Return one option as a question with plain words; the control follows from what the option allows."""
    key = f"options.{game}.{option.name}"
    when = _WHEN.get(game, {})
    named = _NAMED_VALUES.get(game, {}).get(option.name, ())
    choices: Sequence[Any] = option.choices or named
    if option.kind is bool:
        choices = (True, False)
    elif option.kind is int and not choices and option.high - option.low <= LOOKS:
        choices = (*((None,) if option.nullable else ()), *range(option.low, option.high + 1))
    control = "choice" if choices else "number" if option.kind is int else "text"
    # A field for a number cannot say "none": it stays empty.
    default = "" if option.default is None and control == "number" else show_value(option.default)
    return {
        "name": f"o-{option.name}",
        "label": t(f"{key}.label") if t.has(f"{key}.label") else option.doc,
        "why": t(f"{key}.why") if t.has(f"{key}.why") else "",
        "ruling": option.ruling,
        "control": control,
        "choices": [
            {
                "value": show_value(choice),
                "label": _value_label(key, choice, t),
                "when": when.get(f"{option.name}={show_value(choice)}", ""),
            }
            for choice in choices
        ],
        "low": option.low,
        "high": option.high,
        "value": answers.get(f"o-{option.name}", default),
        "own": answers.get(f"own-{option.name}", "") if named else None,
        "teams_only": option.name in TEAMS_ONLY,
        "when": when.get(option.name, ""),
        "leads": option.name in _LEADING.get(game, ()),
    }


def option_fault(game: str, name: str, answers: Mapping[str, str], t: Catalogue) -> str:
    """Say in the reader's language that the answer to a question about the rules does not fit, and what would."""
    question = _question(game, next(each for each in game_spec(game).options if each.name == name), answers, t)
    if not t.has(f"options.{game}.{name}.label"):
        return t("setup_fault.together")
    allowed = question["why"]
    if (game, name) == ("dribbel-fieber", "edition"):
        allowed = _edition_fault(answers.get("own-edition", ""), t) or allowed
    elif question["control"] == "choice" and question["own"] is None:
        allowed = t("setup_fault.choices", values=", ".join(each["label"] for each in question["choices"]))
    elif question["control"] == "number":
        low, high, given = question["low"], question["high"], read_number(question["value"])
        within = given is not None and low <= given <= high
        allowed = t("setup_fault.together") if within else t("setup_fault.range", low=low, high=high)
    return " ".join(part for part in (t("setup_fault.option", label=question["label"]), allowed) if part)


def _edition_fault(edition: str, t: Catalogue) -> str:
    """Say what is wrong with an edition: the field as files and the editor name it, reason and rule; else nothing."""
    try:
        read_edition(edition)
    except EditionError as fault:
        return t("setup_fault.edition", field=fault.field, reason=fault.reason(t.language), rule=RULE)
    return ""


def _value_label(key: str, value: Any, t: Catalogue) -> str:
    text = show_value(value)
    for name in (f"{key}.{text}", f"new.value.{text}"):
        if t.has(name):
            return t(name)
    return text


def read_setup(answers: Mapping[str, str], language: str) -> dict[str, Any]:
    """Return the setup that the answers describe, for `TableSetup.from_dict` to check.

    Lots for who begins are drawn here. In games without an option for it the seats are put in another order, the one
    that begins first, and its team before the other one.
    """
    game = answers.get("game", "")
    declared = {option.name: option for option in game_spec(game).options}
    count = seat_count(answers)
    timed = game_spec(game).rules.apply_joint is not None or _races_for_throws(game, answers)
    seats = [_read_seat(index, answers, timed) for index in range(count)]
    options: dict[str, Any] = {
        name: answers[f"o-{name}"] for name in declared if answers.get(f"o-{name}", "") and _applies(name, count)
    }
    if "black_faces" in declared and any(name.startswith("face-") for name in answers):
        faces = [name.removeprefix("face-") for name in answers if name.startswith("face-")]
        options["black_faces"] = ",".join(dict.fromkeys(["5", *faces]))
    first, a = _first(answers.get("begins", LOTS), count), _side_a(answers, declared, count)
    if "first" in declared:
        options["first"] = first
    elif count and game not in _TOSSED and game_spec(game).rules.apply_joint is None:
        order = _order(first, (a, count - a) if a is not None and 0 < a < count else (count,))
        seats = [seats[seat] for seat in order]
        a = count - a if a is not None and a <= first else a
        options |= {name: _reseated(options[name], order) for name in TEAMS_ONLY if name in options}
    if a is not None:
        options["teams"] = f"{a}v{count - a}"
    options |= {name: own for name in declared if (own := answers.get(f"own-{name}", "").strip())}
    if answers.get("dice") == HAND and "deck" in declared:
        # Nobody counts the cards of a real box: every printed one may lie open.
        options["deck"] = ANY_DECK
    if answers.get("dice") == HAND and "dice" in declared and options.get("dice", "none") == "none":
        # Nobody looks at real dice before they are thrown: every face may come.
        options["dice"] = "any"
    return {
        "game": game,
        "options": options,
        "seats": seats,
        "dice": answers.get("dice", SEALED),
        "speed": answers.get("speed", "normal"),
        "mode": answers.get("mode", "normal"),
        "language": language,
        "turn_seconds": read_number(answers.get("turn", "0")),
        "open_hands": answers.get("hands", "") == "open",
        "coach": answers.get("coach", "") == "yes",
        **_read_agreed(game, answers),
    }


def _read_agreed(game: str, answers: Mapping[str, str]) -> dict[str, Any]:
    """Return what the answers say of rounds in which all move at once, or of races for throws."""
    strict = answers.get("strict", "") == "yes"
    if game_spec(game).rules.apply_joint is None:
        return {"strict": strict} if _races_for_throws(game, answers) else {}
    return {
        "pace": answers.get("pace", THINKING),
        "strict": strict,
        "tie": answers.get("tie", BY_LOT),
        "training": answers.get("training", "") == "yes",
    }


def _races_for_throws(game: str, answers: Mapping[str, str]) -> bool:
    """Say whether hands are to race for throws; real ones are told, not timed."""
    option, value = _TAPPED.get(game, ("", ""))
    return bool(option) and answers.get(f"o-{option}") == value and answers.get("dice", SEALED) == SEALED


def _side_a(answers: Mapping[str, str], declared: Mapping[str, Option], count: int) -> int | None:
    """Return how many of the seats are team A, the first ones; None where there are no teams."""
    if "teams" not in declared or count <= 2:
        return None
    if "players" in declared:
        return count // 2 if answers.get("sides") == TEAMS and count % 2 == 0 else None
    a = read_number(answers.get("team_a", ""))
    return (count + 1) // 2 if a is None else a


def _order(first: int, sides: Sequence[int]) -> list[int]:
    """Return the seats with one of them first, its side before the other one; neighbours of a side stay neighbours.

    >>> _order(1, (3,)), _order(1, (3, 2)), _order(4, (3, 2))
    ([1, 2, 0], [1, 2, 0, 4, 3], [4, 3, 1, 2, 0])
    """
    seats = [list(range(sum(sides[:side]), sum(sides[: side + 1]))) for side in range(len(sides))]
    seats.sort(key=lambda side: first not in side)
    turn = seats[0].index(first)
    return [side[(at + turn) % len(side)] for side in seats for at in range(len(side))]


def _reseated(text: str, order: Sequence[int]) -> str:
    """Return what names seats, such as `0v2,1v3`, with the places where they sit in another order."""
    places = {str(seat): str(place) for place, seat in enumerate(order)}
    return re.sub("[0-9]+", lambda seat: places.get(seat[0], seat[0]), text)


def _applies(name: str, count: int) -> bool:
    """Say whether the form asks for an option with so many seats."""
    return name not in _OWN_QUESTIONS and (count > 2 or name not in TEAMS_ONLY)


def _read_seat(index: int, answers: Mapping[str, str], timed: bool) -> dict[str, Any]:
    kind, _, level = answers[f"kind-{index}"].partition("-")
    seat: dict[str, Any] = {"kind": kind, "look": index % LOOKS}
    if timed:
        seat["handicap"] = read_number(answers.get(f"handicap-{index}", "") or "0")
    if kind != OPEN:
        seat["name"] = answers.get(f"name-{index}", "")
    return seat | ({"level": level} if kind == BOT else {})


def _first(begins: str, count: int) -> int:
    seat = read_number(begins)
    return seat if seat is not None and seat < count else randbelow(max(1, count))
