"""GOOAAAAAL! on the page: two facing halves, the dice of whoever acts, races for a ball, the ring of many.

What is tapped is kept in the page until it is sent: within a throw the rules name decisions in one order, and people
tap in any. So each die says here what may be done with it (`uses`), with the move and its place in that order.
"""

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import Any, Final

from bolzplatz.core.texts import GameTexts
from bolzplatz.games.gooaaaaal.dice import edition_dice, read_dice
from bolzplatz.games.gooaaaaal.notation import ITEMS
from bolzplatz.games.gooaaaaal.state import LETTERS, THROWS
from bolzplatz.games.gooaaaaal.telling import FACE_NAMES
from bolzplatz.table.frames import Frame
from bolzplatz.table.setup import SEALED
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    WAIT_DECIDE,
    WAIT_OVER,
    WAIT_READY,
    WAIT_TAP,
    WAIT_THROW,
    WAIT_TIP,
)
from bolzplatz.web.language import Catalogue, seconds

SIGNS: Final = dict(zip(FACE_NAMES, LETTERS, strict=False))
"""The letter of each face in moves."""
FREE: Final = ("lying", "used", "spirit_joker")
"""Where a die lies that a throw brought and nobody has placed."""
LINES: Final = ("left", "right")
MODE_OF_RACE: Final = ("race", "coin", "tap")
NAMES_SEAT: Final = ("coin", "tap")
"""What brings a name and no dice: a coin, or whose hand is next in a tap race."""
TAP_KEYS: Final = ("A", "L", "Y", "M", "Q", "P", "C", "B", "T")
"""A key for each who races at one keyboard, far apart so that keyboards do not drop them."""
TAP_KEY_ALONE: Final = " "
LIES: Final = 12

PITCH_WIDTH: Final = 340
COLUMN: Final = 44
"""Widths in the drawing of the pitch; with many dice on the lines the columns move together."""
HEIGHTS: Final = {"pitch four": 212, "pitch nine": 126, "ring four": 150}
"""How high the pitch is drawn, by what must find room beside it on a phone."""

RING: Final = {"x": 180.0, "y": 165.0, "rx": 140.0, "ry": 128.0}
"""The middle and the half axes of the ring in its drawing."""
TRACK_GAP: Final = 0.6
"""How far the two tracks lie from the ring, in sizes of a token."""
TOKEN_STEP: Final = 0.105
FEW_IN_RING: Final = 5
TOKENS: Final = (22, 15)
"""How large balls and keepers on the ring are drawn where few sit in it, and where many do."""

_JOKERS: Final = {"S": "supporter", "Q": "quarter", "O": "offside", "Y": "yellow", "R": "red", "F": "kick"}


# --- the scene ----------------------------------------------------------------------------------------------------


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the table."""
    shown, asks = frame.view["shown"], frame.waiting["for"]
    ring = shown["lines"] == 2
    bottom = _bottom(frame)
    deciding = asks == WAIT_DECIDE and frame.mine and shown["next"] == "decide"
    racing = shown["next"] in MODE_OF_RACE
    view = "race" if racing else "ring" if ring else "pitch"
    kind = "nine" if len(shown["players"][0]["dice"]) > 4 else "four"
    tray = _tray(frame, t)
    entering = bool(frame.outcomes) and frame.mine and shown["next"] not in NAMES_SEAT
    return {
        "headline": _headline(frame, t),
        "asked": _asked(frame, t),
        "stage": _stage(frame, t),
        "view": view,
        "players": [_player(frame, seat) for seat in range(len(frame.players))],
        "bottom": bottom,
        "top": None if ring or racing else _opposite(frame, bottom),
        "teams": frame.view["options"]["teams"] is not None,
        "team_goals": _team_goals(frame),
        "pitch": None if racing else pitch(_blocks(frame, bottom, deciding), HEIGHTS[f"{view} {kind}"]),
        "recap": _recap(frame) is not None,
        "shared": _shared_quarters(frame),
        "ring": _ring(frame, bottom) if ring else None,
        "race": _race(frame, t) if racing else None,
        "phase": _phase(frame),
        "taps": _taps(frame),
        "photo": _photo(frame),
        "tray": tray,
        "kind": kind,
        "deciding": deciding,
        "plan": _plan(frame, t) if deciding else None,
        "can_throw": asks == WAIT_THROW and frame.mine and not frame.outcomes and not _auto(frame),
        "throw_label": _throw_label(frame, t),
        "going_on": asks == WAIT_DECIDE and frame.mine and shown["next"] == "go_on" and not _auto(frame),
        "may_stop": frame.setup["mode"] != "kids",
        "throws_on": _same_again(frame) and frame.setup["dice"] == SEALED,
        "aims": _aims(frame, t) if asks == WAIT_DECIDE and frame.mine and shown["next"] == "aim" else [],
        "coins": _coins(frame),
        "removing": asks == WAIT_DECIDE and frame.mine and shown["next"] == "remove",
        "entering": _entering(frame, t) if entering else None,
        "auto": _auto(frame),
        "rolling": asks == WAIT_CONTRIBUTE or bool(shown["landed"]),
        "watching": asks in (WAIT_BOT, WAIT_CONTRIBUTE, WAIT_TIP)
        or (asks != WAIT_OVER and not frame.mine)
        or bool(_auto(frame)),
        "why": _why(frame, t) if frame.result is not None else "",
    }


def _bottom(frame: Frame) -> int:
    """Return the seat in the lower half: one of this browser's; in a ring and in teams the acting one."""
    shown = frame.view["shown"]
    acting = shown["seat"]
    if shown["lines"] == 2:
        return next(
            seat for seat in (acting if acting in frame.seats else None, frame.seat, acting, 0) if seat is not None
        )
    own = frame.seats[0] if frame.seats else 0
    if acting is None:
        return own
    players = shown["players"]
    return int(acting if players[acting]["side"] == players[own]["side"] else _opposite(frame, acting))


def _opposite(frame: Frame, seat: int) -> int:
    return int(frame.view["shown"]["players"][seat]["lines"][0]["other"])


def _player(frame: Frame, seat: int) -> dict[str, Any]:
    shown = frame.view["shown"]
    player = shown["players"][seat]
    in_period = shown["throw"] is not None
    return {
        "seat": seat,
        "name": frame.players[seat]["name"],
        "look": frame.players[seat]["look"],
        "side": player["side"],
        "goals": player["own_goals"],
        "penalties": player["penalties"],
        "yellow": player["yellow"],
        "throws_left": player["throws_left"] if in_period else 0,
        "whistles": THROWS if in_period else 0,
        "acts": seat == shown["seat"] and frame.result is None,
        "leads": seat in shown["leaders"] and player["goals"] > 0,
    }


def _team_goals(frame: Frame) -> list[int]:
    players = frame.view["shown"]["players"]
    return [players[0]["goals"], players[-1]["goals"]]


def _headline(frame: Frame, t: Catalogue) -> str:
    """Say whose turn it is, with the name: it is the page's h1."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP:
        return t("table.sealing")
    if frame.result is not None:
        return t("table.over")
    if shown["next"] == "coin":
        return t("gooaaaaal.turn.coin")
    if shown["race"] is not None and shown["race"]["taker"] is not None:
        return t("gooaaaaal.turn.penalty", name=frame.players[shown["race"]["taker"]]["name"])
    if shown["race"] is not None:
        return t("gooaaaaal.turn.sudden")
    return t(f"gooaaaaal.turn.{shown['next']}", name=frame.players[shown["seat"]]["name"])


def _asked(frame: Frame, t: Catalogue) -> str:
    """Say in a few words what is to be done."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP or frame.result is not None:
        return ""
    if _phase(frame) in (WAIT_READY, WAIT_TAP):
        return t(f"gooaaaaal.taps.asked_{_phase(frame)}")
    if shown["next"] == "decide" and shown["reds"]:
        return t("gooaaaaal.asked.red")
    return t(f"gooaaaaal.asked.{shown['next']}", n=shown["throw"])


def _stage(frame: Frame, t: Catalogue) -> str:
    shown = frame.view["shown"]
    if shown["throw"] is not None and frame.view["options"]["mode"] == "five-goals":
        return ""
    return t(f"gooaaaaal.stage.{shown['stage']}") if frame.result is None else ""


def _why(frame: Frame, t: Catalogue) -> str:
    """Say why the winners won."""
    goals = frame.view["scores"]
    if frame.view["shown"]["stage"] == "sudden_death":
        return t("gooaaaaal.why.sudden")
    if frame.view["options"]["teams"] is not None or len(goals) == 2:
        return t("gooaaaaal.why.goals", own=max(goals), against=min(goals))
    return t("gooaaaaal.why.most", total=max(goals))


# --- the pitch ----------------------------------------------------------------------------------------------------


def _blocks(frame: Frame, bottom: int, deciding: bool) -> list[list[list[dict[str, Any]]]]:
    """Return what faces what: a block for each neighbour of the lower seat, in it its attack and its defence."""
    shown = frame.view["shown"]
    recap = _recap(frame)
    lines = shown["players"][bottom]["lines"]
    blocks = []
    for line, facts in enumerate(lines):
        other = facts["other"]
        theirs = shown["players"][other]["lines"][len(lines) - 1 - line]
        if recap is not None:
            attack = _lane(*recap.get((bottom, other), (0, 0)))
            defence = _lane(*recap.get((other, bottom), (0, 0)))
        else:
            acting = shown["seat"] if deciding else None
            own_open, their_open = (
                _open(frame, acting, bottom, line),
                _open(frame, acting, other, len(lines) - 1 - line),
            )
            attack = _lane(facts["balls"], theirs["keepers"], facts["cancelled"], own_open["B"], their_open["K"])
            defence = _lane(theirs["balls"], facts["keepers"], theirs["cancelled"], their_open["B"], own_open["K"])
        blocks.append([_aimed(attack, True, line), _aimed(defence, False, line)])
    return blocks


def _open(frame: Frame, acting: int | None, seat: int, line: int) -> dict[str, int]:
    """Return how many more balls and keepers the seat may lay on that line now."""
    if seat != acting:
        return {"B": 0, "K": 0}
    dice = frame.view["shown"]["players"][seat]["dice"]
    wanted = {"B": "ball", "K": "keeper"}
    tail = f" {LINES[line]}" if frame.view["shown"]["lines"] == 2 else ""
    found = {}
    for letter, face in wanted.items():
        lying = sum(die["face"] == face and die["place"] == "lying" for die in dice)
        joker = (
            frame.view["shown"]["jokers"] if any(_is_move(text, f"joker {letter}{tail}") for text in frame.legal) else 0
        )
        placing = any(_is_move(text, f"place {letter}{tail}") for text in frame.legal)
        found[letter] = (lying if placing else 0) + joker
    return found


def _lane(
    balls: int, keepers: int, cancelled: int = 0, open_balls: int = 0, open_keepers: int = 0
) -> list[dict[str, Any]]:
    """Return the columns of one attack: each ball with the keeper that faces it, then places that are still open."""
    width = max(balls + open_balls, keepers + open_keepers)
    return [
        {
            "ball": "placed" if i < balls else "open" if i < balls + open_balls else "",
            "keeper": "placed" if i < keepers else "open" if i < keepers + open_keepers else "",
            "cancelled": balls - cancelled <= i < balls,
        }
        for i in range(width)
    ]


def _aimed(lane: list[dict[str, Any]], up: bool, line: int) -> list[dict[str, Any]]:
    return [{**column, "up": up, "line": line} for column in lane]


def pitch(blocks: Sequence[Sequence[Sequence[dict[str, Any]]]], height: int) -> dict[str, Any]:
    """Lay the columns out: `columns` with x, `size` of the tokens, where blocks are parted (`fences`), and heights."""
    lanes = [
        [
            lane or [{"ball": "", "keeper": "", "cancelled": False, "up": up, "line": 0}]
            for lane, up in zip(block, (True, False), strict=True)
        ]
        for block in blocks
    ]
    count = sum(len(lane) for block in lanes for lane in block)
    gaps = len(lanes) * 2 - 1
    step = min(COLUMN, (PITCH_WIDTH - 24 - 14 * gaps) / count)
    x = (PITCH_WIDTH - step * count - 14 * gaps) / 2 + step / 2
    columns, fences = [], []
    for number, block in enumerate(lanes):
        if number:
            fences.append(round(x - step / 2 - 7, 1))
        for place, lane in enumerate(block):
            for column in lane:
                columns.append({**column, "x": round(x, 1)})
                x += step
            if not (number == len(lanes) - 1 and place == 1):
                x += 14
    size = round(min(height / 4, 40.0, step - 3), 1)
    return {
        "columns": columns,
        "size": size,
        "fences": fences,
        "height": height,
        "middle": height / 2,
        "low": round(height / 2 + height / 4 - 4, 1),
        "high": round(height / 2 - height / 4 + 4, 1),
    }


def _recap(frame: Frame) -> dict[tuple[int, int], tuple[int, int]] | None:
    """Return the lines of the last count, as long as nobody has thrown since; None if somebody has.

    After the count all dice are back in the hand: without this nobody would see what was counted.
    """
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for event in reversed(frame.log):
        kind = event["kind"]
        if kind in ("throw", "rethrow", "race_throw") or kind.endswith(("_placed", "_against")):
            break
        if kind == "line":
            found[event["seat"], event["data"]["other"]] = (event["data"]["balls"], event["data"]["keepers"])
    return found if found and not frame.view["shown"]["landed"] else None


def _shared_quarters(frame: Frame) -> list[dict[str, Any]]:
    """Return whose quarters lie aside in teams: they lie in the middle, for all members."""
    if frame.view["options"]["teams"] is None:
        return []
    return [
        {"seat": seat, "name": frame.players[seat]["name"], "side": player["side"]}
        for seat, player in enumerate(frame.view["shown"]["players"])
        if frame.view["shown"]["throw"] is not None
        and any(die["place"] == "aside" and die["face"] == "quarter" for die in player["dice"])
    ]


def _ring(frame: Frame, bottom: int) -> dict[str, Any]:
    """Return the ring: where each seat sits, clockwise from the lower one, and what lies between neighbours.

    What lies beside the lower one is seen on the pitch in the middle.
    """
    players = frame.view["shown"]["players"]
    count = len(players)
    size = TOKENS[count > FEW_IN_RING]
    tokens = []
    for seat, player in enumerate(players):
        place = (seat - bottom) % count
        for line, facts in enumerate(player["lines"]):
            if bottom in (seat, facts["other"]):
                continue
            way = 1 if line == 0 else -1
            # A ball and the keepers that face it run along one track: outside for attacks to the left.
            for face, number, track in (("ball", facts["balls"], way), ("keeper", facts["keepers"], -way)):
                for i in range(number):
                    turn = place + way * (0.5 - TOKEN_STEP * (number - i) * min(1, 4 / max(4, number)))
                    tokens.append({"face": face, **_on_ring(turn, count, track * TRACK_GAP * size)})
    return {
        "count": count,
        "at": [(seat - bottom) % count for seat in range(count)],
        "tokens": tokens,
        "size": size,
    }


def _on_ring(turn: float, count: int, out: float) -> dict[str, float]:
    angle = 2 * pi * turn / count
    return {
        "x": round(RING["x"] - (RING["rx"] + out) * sin(angle), 1),
        "y": round(RING["y"] + (RING["ry"] + out) * cos(angle), 1),
    }


# --- races --------------------------------------------------------------------------------------------------------


def _race(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return who races: each with the ball as far as it is together, and the dice of the last throw."""
    shown = frame.view["shown"]
    race = shown["race"]
    return {
        "needed": race["needed"],
        "racers": [
            {
                "seat": seat,
                "role": "taker" if seat == race["taker"] else "keeper" if seat == race["keeper"] else "racer",
                "quarters": min(race["needed"], race["quarters"][str(seat)]),
                "acts": seat == shown["seat"] and _phase(frame) != WAIT_TAP,
                "dice": _race_dice(frame, seat),
                "head_start": seconds(gives, t) if (gives := frame.players[seat]["handicap"]) else "",
            }
            for seat in race["racers"]
        ],
    }


def _race_dice(frame: Frame, seat: int) -> list[str]:
    """Return the faces of a racer's last throw in this race; before it blanks, one for each die in the hand."""
    for event in reversed(frame.log):
        if event["kind"] == "race_throw" and event["seat"] == seat:
            return [f"g-{face}" for face in event["data"]["faces"]]
        if event["kind"] in ("penalty", "sudden_death", "dead_heat"):
            break
    dice = frame.view["shown"]["players"][seat]["dice"]
    return ["blank"] * sum(die["place"] not in ("out", "aside") for die in dice)


def _phase(frame: Frame) -> str:
    """Return what is waited for; while a draw is made in a race of taps, hands may tap."""
    asks = str(frame.waiting["for"])
    racing = frame.round is not None and frame.replay is None
    return WAIT_TAP if racing and asks == WAIT_CONTRIBUTE else asks


def _taps(frame: Frame) -> dict[str, Any] | None:
    """Return a race in which each tap throws: who is asked to be ready, and where this browser's hands tap."""
    facts, phase = frame.round, _phase(frame)
    if facts is None or frame.result is not None or phase not in (WAIT_READY, WAIT_TAP):
        return None
    racers = [seat for seat in frame.view["shown"]["race"]["racers"] if frame.players[seat]["kind"] != "bot"]
    own = [seat for seat in racers if seat in frame.seats and seat not in frame.substitutes]
    links = [facts["links"][seat] for seat in own]
    return {
        "asks": phase == WAIT_READY,
        "pads": [
            {
                "seat": seat,
                "name": frame.players[seat]["name"],
                "look": frame.players[seat]["look"],
                "ready": seat in facts["ready"],
                "key": TAP_KEYS[place] if len(own) > 1 else TAP_KEY_ALONE,
            }
            for place, seat in enumerate(own)
        ],
        "weak": any(link is not None and link["weak"] for link in links),
        "waited": ", ".join(frame.players[seat]["name"] for seat in facts["waited"]),
    }


def _photo(frame: Frame) -> bool:
    """Say whether the last throw of a race was a dead heat: the page then shows the photo of the finish."""
    for event in reversed(frame.log):
        if event["kind"] == "dead_heat":
            return True
        if event["kind"] in ("race_throw", "throw", "coin"):
            return False
    return False


def _coins(frame: Frame) -> list[dict[str, str]]:
    """Return whom a real coin may name, or whose real hand may be next."""
    if frame.view["shown"]["next"] not in NAMES_SEAT or not frame.mine:
        return []
    return [{"text": text, "name": frame.players[int(text.split()[1])]["name"]} for text in frame.outcomes]


# --- the dice of whoever acts -------------------------------------------------------------------------------------


def _tables(frame: Frame) -> tuple[str, ...]:
    """Return the faces of each die."""
    options = frame.view["options"]
    edition = str(options["edition"])
    return edition_dice(edition) if options["dice"] is None else read_dice(str(options["dice"]), edition)


def _tray(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the dice of the seat that acts, with what may be done with each."""
    shown = frame.view["shown"]
    seat = shown["seat"] if shown["seat"] is not None else _bottom(frame)
    tables = _tables(frame)
    dice = [dict(die) for die in shown["players"][seat]["dice"]]
    landing = bool(shown["landed"]) and not shown["rethrow"]
    if not shown["named"]:
        dice = _in_order(frame, dice)
    asks_decision = frame.waiting["for"] == WAIT_DECIDE and frame.mine
    cells = []
    for cell, die in enumerate(dice):
        kind = tables.index(tables[die["number"] - 1])
        in_hand = die["place"] == "hand" or (landing and die["place"] in FREE)
        face = None if in_hand else die["face"]
        uses = _uses(frame, dice, die, tables, t) if asks_decision and shown["next"] == "decide" else []
        removal = _removal(frame, dice, die, tables) if asks_decision and shown["next"] == "remove" else None
        cells.append(
            {
                "id": cell,
                "number": die["number"],
                "face": face,
                "picture": "g-joker" if die["place"] == "spirit_joker" else f"g-{face}" if face else "blank",
                "place": "hand" if in_hand else die["place"],
                "group": f"{kind}:{die['place']}:{die['face']}",
                "sign": _sign(die),
                "lie": _lie(frame, cell),
                "uses": uses,
                "flash": die["face"] == "supporter" and die["place"] == "lying" and "rethrow S" in frame.legal,
                "removal": removal,
                "label": _die_label(die, in_hand, cell, t),
                "faces": [
                    {"face": f"g-{FACE_NAMES[LETTERS.index(letter)]}", "dark": False}
                    for letter in tables[die["number"] - 1][:6]
                ],
            }
        )
    return cells


def _in_order(frame: Frame, dice: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put equal dice in the order in which they are reached for: those of the last re-throw first.

    The dice in the hand come first as well, so each new face lies where its die was.
    """
    last = next((each for each in reversed(frame.log) if each["kind"] in ("throw", "rethrow")), None)
    fresh = list(last["data"]["faces"]) if last and last["kind"] == "rethrow" else []

    def key(die: Mapping[str, Any]) -> tuple[int, int]:
        if die["place"] not in ("hand", *FREE):
            return 2, die["number"]
        face = die["face"] or "hand"
        if face in fresh and die["place"] != "hand":
            fresh.remove(face)
            return 0, die["number"]
        return (0 if die["place"] == "hand" else 1), die["number"]

    keyed = [(key(die), die) for die in dice]
    return [die for _, die in sorted(keyed, key=lambda pair: pair[0])]


def _sign(die: Mapping[str, Any]) -> str:
    """Return how a free kick names a die where all are alike."""
    if die["place"] == "used":
        return "u" if die["face"] == "quarter" else "x"
    letter = SIGNS.get(str(die["face"]), "-")
    return letter.lower() if die["place"] == "aside" else letter


def _lie(frame: Frame, place: int) -> int:
    """Return in which way a die lies in its place: always the same for one throw, another one for the next."""
    step = frame.draw["step"] if frame.draw else 0
    return (step * 7 + place * 5) % LIES


def _die_label(die: Mapping[str, Any], in_hand: bool, cell: int, t: Catalogue) -> str:
    what = "hand" if in_hand else die["face"] or die["place"]
    label = t("gooaaaaal.die", place=cell + 1, face=t(f"gooaaaaal.face.{what}"))
    if in_hand or die["place"] == "lying":
        return label
    return f"{label}, {t('gooaaaaal.place.' + str(die['place']))}"


def _is_move(text: str, move: str) -> bool:
    """Say whether a legal text is that move, with or without the number of a die."""
    return text == move or (text.startswith(f"{move} ") and text[len(move) + 1 :].isdecimal())


def _first_alike(dice: Sequence[Mapping[str, Any]], die: Mapping[str, Any], tables: Sequence[str]) -> int:
    """Return the lowest number among dice that are alike and lie alike: that one is named for any of them."""
    return min(
        int(other["number"])
        for other in dice
        if (other["place"], other["face"], tables[other["number"] - 1])
        == (die["place"], die["face"], tables[die["number"] - 1])
    )


def _uses(
    frame: Frame, dice: Sequence[Mapping[str, Any]], die: Mapping[str, Any], tables: Sequence[str], t: Catalogue
) -> list[dict[str, Any]]:
    """Return what may be done with a die now: `use`, the move without the die's number, its rank, words and picture."""
    shown = frame.view["shown"]
    number = f" {_first_alike(dice, die, tables)}" if shown["named"] else ""
    found = []
    for move, use in _moves_for(frame, die):
        if move == "off-side":
            found += _offside_uses(frame, tables, t)
            continue
        if use == "kick":
            legal = any(text.startswith("free-kick") for text in frame.legal)
        else:
            legal = f"{move}{number}" in frame.legal
        if not legal:
            continue
        line = next((i for i, name in enumerate(LINES) if move.endswith(name)), 0)
        spot = f"{use}-{line}" if use in ("ball", "keeper") else ""
        found.append(
            {
                "use": use,
                "move": move,
                "rank": rank(move),
                "spot": spot,
                "limit": _limit(use, move, die),
                "inner": move.startswith("joker") and use in ("supporter", "offside", "yellow", "red", "kick"),
                "picture": f"g-{use}" if use in FACE_NAMES else "",
                "label": _use_label(frame, move, use, t),
            }
        )
    return found


def _offside_uses(frame: Frame, tables: Sequence[str], t: Catalogue) -> list[dict[str, Any]]:
    """Return one use for each kind of die whose ball an off-side may take: which one goes back is the caller's choice.

    A kind is called by the faces that its die has and the others have not.
    """
    kinds = [tables[balls[0] - 1] for balls in _targets(frame, tables)]
    label = t("gooaaaaal.do.offside")
    found = []
    for number, kind in enumerate(kinds):
        others = [other for other in kinds if other != kind]
        own = [letter for letter in dict.fromkeys(kind) if any(letter not in other for other in others)]
        if others:
            faces = ", ".join(t(f"gooaaaaal.face.{FACE_NAMES[LETTERS.index(letter)]}") for letter in own or kind)
            label = t("gooaaaaal.do.offside_of", faces=faces)
        found.append(
            {
                "use": "offside",
                "move": "off-side",
                "rank": rank("off-side"),
                "spot": "",
                "limit": f"offside-{number}",
                "inner": False,
                "picture": f"g-{FACE_NAMES[LETTERS.index(own[0])]}" if others and own else "g-offside",
                "label": label,
                "kind": number,
            }
        )
    return found


def _moves_for(frame: Frame, die: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the moves that a die with its face may stand for, each with the name of its use."""
    tails = [f" {name}" for name in LINES] if frame.view["shown"]["lines"] == 2 else [""]
    place, face = die["place"], die["face"]
    if place == "lying" and face in ("ball", "keeper"):
        return [(f"place {SIGNS[face]}{tail}", face) for tail in tails]
    if face == "quarter" and place == "lying":
        return [("aside Q", "aside")]
    if face == "quarter" and place == "aside":
        return [("return Q", "return")]
    if place == "spirit_joker" or (face == "joker" and place == "lying"):
        main = [(f"joker {SIGNS[each]}{tail}", each) for each in ("ball", "keeper") for tail in tails]
        return main + [(f"joker {letter}", use) for letter, use in _JOKERS.items()]
    if face == "offside":
        return [("off-side", "offside")] + ([("aside O", "keep")] if place == "lying" else [])
    if face == "kick" and place == "lying":
        return [("free-kick", "kick")]
    return []


def rank(move: str) -> int:
    """Return the place of a move in the order within a throw.

    >>> rank("place B left") < rank("place B right") < rank("place K left") < rank("joker B") < rank("joker Q")
    True
    """
    kind = next(i for i, start in enumerate(ITEMS) if move.startswith(start))
    face = ("B", "K", *_JOKERS).index(move.split()[1]) if move.startswith("joker") else 0
    return 100 * kind + 10 * face + int(move.endswith("right"))


def move_label(move: str, texts: GameTexts) -> str:
    """Return a move in a few words, with the numbers of dice that it names."""
    known, named = move.split(" "), list[str]()
    while " ".join(known) not in texts.words:
        named.insert(0, known.pop())
    word = texts.words[" ".join(known)]
    return " ".join([word[0].upper() + word[1:], *named])


def _limit(use: str, move: str, die: Mapping[str, Any]) -> str:
    """Return the name of what is scarce: only so many dice may be used like this (`_plan`)."""
    if die["place"] == "spirit_joker":
        return "spirit"
    return use if use in ("aside", "kick") and not move.startswith("joker") else ""


def _use_label(frame: Frame, move: str, use: str, t: Catalogue) -> str:
    """Write a use for people; in a ring with the neighbour's name."""
    line = next((i for i, name in enumerate(LINES) if move.endswith(name)), None)
    key = "as" if move.startswith("joker") else "do"
    word = t(f"gooaaaaal.face.{use}") if key == "as" else t(f"gooaaaaal.do.{use}")
    if line is None:
        return word
    shown = frame.view["shown"]
    name = frame.players[shown["players"][shown["seat"]]["lines"][line]["other"]]["name"]
    return t(f"gooaaaaal.do.{LINES[line]}", what=t(f"gooaaaaal.face.{use}"), name=name)


def _targets(frame: Frame, tables: Sequence[str]) -> list[list[int]]:
    """Return the opponent's balls that an off-side may take, by number, those on dice that are alike together."""
    shown = frame.view["shown"]
    if not any(text.startswith("off-side") for text in frame.legal):
        return []
    other = shown["players"][_opposite(frame, shown["seat"])]
    kinds: dict[str, list[int]] = {}
    for die in other["dice"]:
        if die["place"] == "placed" and die["face"] == "ball":
            kinds.setdefault(tables[die["number"] - 1], []).append(die["number"])
    return list(kinds.values())


def _removal(
    frame: Frame, dice: Sequence[Mapping[str, Any]], die: Mapping[str, Any], tables: Sequence[str]
) -> str | None:
    """Return the move that gives a die up, None for one that is out."""
    if die["place"] == "out":
        return None
    if frame.view["shown"]["named"]:
        return f"remove {_first_alike(dice, die, tables)}"
    text = f"remove {_sign(die).upper() if die['face'] else ''}".rstrip()
    return text if text in frame.legal else None


# --- what the buttons do ------------------------------------------------------------------------------------------


def _same_again(frame: Frame) -> bool:
    """Say whether the same seat throws next if it throws on."""
    options = frame.view["options"]
    return options["mode"] == "five-goals" and options["teams"] is None


def _plan(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what the page needs to turn tapped dice into one command, with the words of its buttons."""
    shown = frame.view["shown"]
    seat = shown["seat"]
    dice = shown["players"][seat]["dice"]
    options = frame.view["options"]
    targets = _targets(frame, _tables(frame))
    single = options["teams"] is None
    spirits = shown["jokers"] - sum(die["face"] == "joker" and die["place"] == "lying" for die in dice)
    return {
        "seat": seat,
        "named": shown["named"],
        "last": shown["throw"] == THROWS,
        "single": single,
        "same": _same_again(frame),
        "sealed": frame.setup["dice"] == SEALED,
        "in_hand": sum(die["place"] == "hand" for die in dice),
        "again": "rethrow S" in frame.legal,
        "supporters": sum(die["face"] == "supporter" and die["place"] == "lying" for die in dice),
        "reds": [text for text in frame.legal if text.startswith("red ")],
        "targets": [[f"off-side {ball}" if shown["named"] else "off-side" for ball in balls] for balls in targets],
        "limits": {
            "aside": 1,
            "spirit": spirits,
            "kick": 1,
            **{f"offside-{number}": len(balls) for number, balls in enumerate(targets)},
        },
        "stop": frame.setup["mode"] != "kids",
        "texts": t.under("gooaaaaal.button"),
    }


def _throw_label(frame: Frame, t: Catalogue) -> str:
    shown = frame.view["shown"]
    if shown["next"] == "race" and frame.view["options"]["penalty_model"] == "synchronous":
        return t("gooaaaaal.button.race")
    seat = shown["seat"]
    if seat is None:
        return ""
    dice = shown["players"][seat]["dice"]
    count = sum(die["place"] == "hand" for die in dice)
    return t("gooaaaaal.button.throw_one") if count == 1 else t("gooaaaaal.button.throw", n=count)


def _auto(frame: Frame) -> dict[str, Any] | None:
    """Return the command that the page sends by itself, None where a person presses something.

    A throw of unlike dice comes in several draws; supporters that are thrown again, the second thrower of a race and a
    throw that is kept for later need no second tap either.
    """
    shown = frame.view["shown"]
    if not frame.mine or frame.outcomes or frame.result is not None:
        return None
    asks, seat = frame.waiting["for"], shown["seat"]
    if asks == WAIT_THROW and (shown["landed"] or shown["rethrow"] or _raced_by_person(frame)):
        return {"type": "do", "seat": seat, "moves": [], "throw": True}
    if asks == WAIT_DECIDE and shown["next"] == "go_on" and not _same_again(frame):
        return {"type": "do", "seat": seat, "moves": ["throw-on"], "throw": False}
    return None


def _raced_by_person(frame: Frame) -> bool:
    """Say whether somebody has pressed the button for this throw of a race already: all throw at once."""
    shown = frame.view["shown"]
    if shown["next"] != "race" or frame.view["options"]["penalty_model"] != "synchronous":
        return False
    race = shown["race"]
    order = race["racers"] if race["taker"] is None else [race["taker"], race["keeper"]]
    earlier = order[: order.index(shown["seat"])]
    return any(frame.players[seat]["kind"] != "bot" for seat in earlier)


def _aims(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return at whom a penalty may be aimed."""
    shown = frame.view["shown"]
    lines = shown["players"][shown["seat"]]["lines"]
    return [
        {
            "move": f"penalty {name}",
            "side": name,
            "label": t(f"gooaaaaal.aim.{name}", name=frame.players[facts["other"]]["name"]),
        }
        for name, facts in zip(LINES, lines, strict=True)
    ]


def _entering(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what is tapped when real dice are thrown: how many dice, and the faces that they may show.

    Equal dice that are drawn in parts are entered together; the page sends part after part.
    """
    shown = frame.view["shown"]
    thrown = shown["thrown"]
    letters = sorted(set(thrown["faces"]), key=LETTERS.index)
    part = len(thrown["dice"])
    dice = shown["players"][shown["seat"]]["dice"]
    total = part if shown["named"] else sum(die["place"] == "hand" for die in dice)
    numbers = ", ".join(map(str, thrown["dice"]))
    return {
        "part": part,
        "total": total,
        "label": t("gooaaaaal.by_hand_named", dice=numbers) if shown["named"] else t("gooaaaaal.by_hand", n=total),
        "faces": [
            {
                "letter": letter,
                "face": FACE_NAMES[LETTERS.index(letter)],
                "label": t(f"gooaaaaal.face.{FACE_NAMES[LETTERS.index(letter)]}"),
            }
            for letter in letters
        ],
    }


# --- what happened ------------------------------------------------------------------------------------------------

_CALLS: Final = {
    "period": ("whistle", None, 0),
    "spirit": ("good", "good", 1200),
    "penalty_won": ("good", "good", 900),
    "yellow": ("whistle", "card", 800),
    "second_yellow": ("whistle", "bad", 1100),
    "red": ("whistle", "bad", 1100),
    "offside": ("whistle", "bad", 1000),
    "goals": ("goal", "goal", 1500),
    "penalty": ("whistle", "calm", 900),
    "penalty_goal": ("goal", "goal", 1500),
    "penalty_saved": ("ohh", "bad", 1300),
    "dead_heat": ("whistle", "good", 1300),
    "level": ("whistle", "calm", 1100),
    "sudden_ball": ("goal", "goal", 1500),
}
"""What is called across the table: sound, tone and milliseconds by kind of event; the words are `gooaaaaal.call.*`."""

_THROWS: Final = ("throw", "rethrow")
_LAID: Final = ("ball_placed", "keeper_placed", "ball_against", "keeper_against", "quarter_aside", "offside_aside")


def cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the animation of what happened since: dice fall, a tick for each that is laid, a call is heard."""
    steps: list[dict[str, Any]] = []
    for event in frame.events:
        kind, data = event["kind"], event["data"]
        if kind in _THROWS:
            steps += _throw_cue(frame, event, t)
        elif kind == "race_throw" and _phase(frame) != WAIT_TAP:  # else the dice lie there already (`taps.js`)
            steps += _race_cue(frame, event)
        elif kind in _LAID:
            steps.append({"do": "sound", "name": "tick"})
        if kind in _CALLS:
            sound, tone, ms = _CALLS[kind]
            steps.append({"do": "sound", "name": sound})
            if tone:
                name = frame.players[event["seat"]]["name"] if event["seat"] is not None else ""
                steps.append(
                    {"do": "say", "text": t(f"gooaaaaal.call.{kind}", name=name, **data), "tone": tone, "ms": ms}
                )
    return steps


def _drawn(frame: Frame, event: Mapping[str, Any]) -> bool:
    """Say whether the throw was drawn, not thrown by hand, and is the last one: only then do dice fall on the page."""
    draw = frame.draw
    return draw is not None and bool(draw["faces"]) and draw["step"] == event["step"]


def _throw_cue(frame: Frame, event: Mapping[str, Any], t: Catalogue) -> list[dict[str, Any]]:
    """Let the dice fall that were in the hand, as the page showed it last (`fresh`)."""
    shown = frame.view["shown"]
    if not _drawn(frame, event) or shown["seat"] != event["seat"]:
        return []
    dice = [
        {"at": f"cell-{cell['id']}", "face": cell["picture"], "dark": False, "turn": cell["lie"]}
        for cell in _tray(frame, t)
        if cell["place"] in FREE and cell["face"]
    ]
    return [{"do": "throw", "dice": dice, "fresh": True}]


def _race_cue(frame: Frame, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Let the dice of a racer fall."""
    if not _drawn(frame, event):
        return []
    dice = [
        {"at": f"race-{event['seat']}-{i}", "face": f"g-{face}", "dark": False, "turn": i % LIES}
        for i, face in enumerate(event["data"]["faces"])
    ]
    return [{"do": "throw", "dice": dice}]
