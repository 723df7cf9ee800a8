"""Dribbel-Fieber on the page: the pitch as the own goal sees it, figures and ball, the hand, the offer, the shot.

What may be done comes from the legal moves alone (`choices`): each names the card, what moves, from where and to where.
The page only sorts them by what is tapped. Where several people share a browser, a hand is shown to the one who acts,
behind a curtain, and to nobody in between.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bolzplatz.core.texts import GameTexts, game_texts
from bolzplatz.games.dribbel_fieber import NAME
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES, COLOUR_NAMES, VOLLEY_NAME, read_edition
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS
from bolzplatz.games.dribbel_fieber.state import DIE_FACES, DISCARD_COINS, KEEPER_DEFENCE, TURNS
from bolzplatz.table.frames import ALL, Frame
from bolzplatz.table.setup import HAND, HUMAN
from bolzplatz.table.table import WAIT_BOT, WAIT_CONTRIBUTE, WAIT_DECIDE, WAIT_THROW, WAIT_TIP
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render.arrows import STEPS, picture

SIDES: Final = ("red", "blue")
LETTERS: Final = ("R", "B")
"""The letter of each side: the same in all languages of the page."""
SHAPES: Final = ("circle", "triangle", "square", "diamond", "star", "cross")
"""The shape of each of the six colours, in the order of `COLOUR_NAMES`."""
CENTRES: Final = {
    "running": "figure",
    "dribbling": "dribble",
    "short-pass": "ball",
    "cross": "ball",
    "pressing": "other",
    "volley": "volley",
}
"""What a card's picture shows in its middle: what moves."""
SHOT_PHASES: Final = ("shot", "roll", "bounce", "goal_kick", "kick")
LIES: Final = 12


# --- the scene ----------------------------------------------------------------------------------------------------


def scene(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the values for the template of the table."""
    shown, asks = frame.view["shown"], frame.waiting["for"]
    texts = game_texts(NAME, t.language)
    bottom = bottom_seat(frame)
    deciding = asks == WAIT_DECIDE and frame.mine
    entering = _entering(frame, texts, t)
    hand = _hand(frame, bottom, texts)
    phase = shown["next"]
    over = frame.result is not None
    return {
        "headline": _headline(frame, t),
        "asked": _asked(frame, t),
        "phase": phase,
        "bottom": bottom,
        "sides": SIDES,
        "cells": _cells(frame, bottom, texts, t),
        "figures": [_token(figure, seat, shown, bottom) for seat in (0, 1) for figure in shown["figures"][seat]],
        "ball": _ball(shown, bottom),
        "walls": [_wall(wall, bottom, frame) for wall in shown["walls"]],
        "marks": marks(shown),
        "colour_faces": [{"face": f"m-{colour}", "dark": False} for colour in marks(shown)],
        "plates": [_plate(seat, frame, t) for seat in (0, 1)],
        "turns": _turns(frame),
        "turn_said": t("dribbel-fieber.turn_said", n=shown["turn"], of=TURNS),
        "offer": [_offered(number, frame, texts, t) for number in shown["offer"]],
        "stock": shown["stock"],
        "hand": hand,
        "backs": shown["held"][bottom] if hand is None else 0,
        "others_hand": _open_hand(frame, 1 - bottom, texts),
        "curtain": _curtain(frame, bottom, hand is not None or entering is not None),
        "curtain_name": frame.players[bottom]["name"],
        "shots": [_shot(each, frame, t) for each in shown["shots"]] if phase == "shot" and deciding else [],
        "thrown": _thrown(frame, texts) if phase in SHOT_PHASES else None,
        "plan": _plan(frame, t) if deciding else None,
        "moves": [{"move": text, "label": move_label(text, frame, texts, t)} for text in frame.legal],
        "deciding": deciding,
        "can_throw": asks == WAIT_THROW and frame.mine and not frame.outcomes,
        "throw_label": t(f"dribbel-fieber.button.throw_{'die' if phase == 'roll' else 'colour'}"),
        "entering": entering,
        "rolling": asks == WAIT_CONTRIBUTE,
        "watching": not over and (asks in (WAIT_BOT, WAIT_CONTRIBUTE, WAIT_TIP) or not frame.mine),
        "watch_says": _watch_says(frame, t),
        "edition": _edition_line(frame, t),
        "why": _why(frame, t) if over else "",
    }


def bottom_seat(frame: Frame) -> int:
    """Return the seat whose goal is at the bottom: the own one; of several at one browser the one that is asked."""
    if frame.replay is not None:
        return frame.seat or 0
    asked = (frame.waiting["seat"], frame.view["shown"]["attacker"], *frame.seats)
    return next((seat for seat in asked if seat is not None and seat in frame.seats), 0)


def _shares(frame: Frame) -> bool:
    """Say whether several people share this browser and must not see each other's hand."""
    people = [seat for seat in frame.seats if frame.players[seat]["kind"] == HUMAN]
    return len(people) > 1 and frame.hands is None and frame.replay is None


def _headline(frame: Frame, t: Catalogue) -> str:
    """Say whose turn it is, with the name: it is the page's h1."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP:
        return t("table.sealing")
    if frame.result is not None:
        return t("table.over")
    keeper = shown["next"] in ("bounce", "goal_kick", "kick")
    seat = 1 - shown["attacker"] if keeper else shown["attacker"]
    return t(f"dribbel-fieber.turn.{shown['next']}", name=frame.players[seat]["name"])


def _asked(frame: Frame, t: Catalogue) -> str:
    """Say in a few words what is asked."""
    shown = frame.view["shown"]
    if frame.waiting["for"] == WAIT_TIP or frame.result is not None:
        return ""
    phase = shown["next"]
    key = "cards_more" if phase == "cards" and shown["played"] else phase
    colour = game_texts(NAME, t.language).words[shown["colour"]] if shown["colour"] else ""
    return t(f"dribbel-fieber.asked.{key}", colour=colour)


def _watch_says(frame: Frame, t: Catalogue) -> str:
    """Say what everybody waits for."""
    shown, asks = frame.view["shown"], frame.waiting
    if asks["for"] == WAIT_TIP:
        return t("table.sealing")
    if shown["next"] in ("coin", "draw", "offer"):
        return t(f"dribbel-fieber.asked.{shown['next']}", colour="")
    if asks["for"] == WAIT_CONTRIBUTE or asks["seat"] is None:
        return t("table.rolling")
    return t("table.wait_for", name=frame.players[asks["seat"]]["name"])


def _why(frame: Frame, t: Catalogue) -> str:
    """Say why the winner won."""
    goals = sorted(frame.view["scores"])
    return t("dribbel-fieber.why", own=goals[1], against=goals[0])


def _edition_line(frame: Frame, t: Catalogue) -> str:
    """Name the edition that is played, with the first digits of its digest."""
    edition = read_edition(str(frame.view["options"]["edition"]))
    return t("dribbel-fieber.edition", title=edition.title, digest=edition.digest())


# --- the pitch ----------------------------------------------------------------------------------------------------


def place(space: str, bottom: int) -> tuple[int, int]:
    """Return column and row of a space, both from 1, as the side at the bottom sees them.

    >>> place("a1", 0), place("a1", 1), place("d7", 1)
    ((1, 1), (5, 8), (2, 2))
    """
    column, row = "abcde".index(space[0]) + 1, int(space[1])
    return (column, row) if bottom == 0 else (COLUMNS + 1 - column, ROWS + 1 - row)


def space_at(column: int, row: int, seat: int) -> str | None:
    """Return the space at a column and row as a side sees them, None off the pitch."""
    if not (1 <= column <= COLUMNS and 1 <= row <= ROWS):
        return None
    if seat:
        column, row = COLUMNS + 1 - column, ROWS + 1 - row
    return f"{'abcde'[column - 1]}{row}"


def marks(shown: Mapping[str, Any]) -> dict[str, str]:
    """Return the shape of each colour on this pitch: with the shape nobody needs to tell colours apart."""
    found = {space["colour"] for space in shown["spaces"]} - {None}
    return dict(zip(sorted(found, key=COLOUR_NAMES.index), SHAPES, strict=False))


def zones(shown: Mapping[str, Any], bottom: int) -> dict[str, int]:
    """Return what a shot by the side at the bottom gains, by the space on which that is written.

    It is the middle one of a row that is one zone, and each one of a row that is not.
    """
    found: dict[str, int] = {}
    for row in range(ROWS // 2 + 1, ROWS + 1):
        spaces = [space for space in shown["spaces"] if place(space["space"], bottom)[1] == row]
        written = {space["space"]: space["bonus"][bottom] for space in spaces}
        if len(set(written.values())) > 1:
            found |= written
        else:
            middle = space_at(COLUMNS // 2 + 1, row, bottom) or ""
            found |= {middle: written[middle]} if written[middle] else {}
    return found


def _cells(frame: Frame, bottom: int, texts: GameTexts, t: Catalogue) -> list[dict[str, Any]]:
    shown = frame.view["shown"]
    written = zones(shown, bottom)
    return [_cell(space, frame, bottom, texts, t) | {"bonus": written.get(space["space"])} for space in shown["spaces"]]


def _cell(space: Mapping[str, Any], frame: Frame, bottom: int, texts: GameTexts, t: Catalogue) -> dict[str, Any]:
    shown = frame.view["shown"]
    column, row = place(space["space"], bottom)
    areas = {each["space"]: each["area"] for each in shown["spaces"]}
    sides = {"f": (column, row + 1), "b": (column, row - 1), "l": (column - 1, row), "r": (column + 1, row)}
    inside = space["area"]
    edges = [
        edge
        for edge, (x, y) in sides.items()
        if inside is not None and areas.get(space_at(x, y, bottom) or "") != inside
    ]
    figures = [figure["space"] for side in shown["figures"] for figure in side]
    return {
        "space": space["space"],
        "colour": space["colour"],
        "label": _cell_label(space, frame, texts, t),
        "first": space["space"] == shown["ball"],
        "class": " ".join(
            (
                f"at-c{column} at-r{row}",
                *([f"area {' '.join(f'edge-{edge}' for edge in edges)}"] if inside is not None else []),
                *([f"goal goal--{'own' if space['goal'] == bottom else 'other'}"] if space["goal"] is not None else []),
                *(["empty"] if space["space"] not in figures else []),
                *(["half-line"] if row == ROWS // 2 else []),
            )
        ),
    }


def _cell_label(space: Mapping[str, Any], frame: Frame, texts: GameTexts, t: Catalogue) -> str:
    """Say what is on a space: figures by their owners' names, the ball, the colour."""
    shown = frame.view["shown"]
    here = [
        _figure_name(seat, figure["figure"], frame, t)
        for seat in (0, 1)
        for figure in shown["figures"][seat]
        if figure["space"] == space["space"]
    ]
    if shown["ball"] == space["space"]:
        here.append(t("dribbel-fieber.ball"))
    if space["colour"]:
        here.append(texts.words[space["colour"]])
    return f"{space['space']}: {', '.join(here) or t('dribbel-fieber.empty')}"


def _figure_name(seat: int, figure: int, frame: Frame, t: Catalogue) -> str:
    return t("dribbel-fieber.figure", name=frame.players[seat]["name"], n=figure)


def _token(figure: Mapping[str, Any], seat: int, shown: Mapping[str, Any], bottom: int) -> dict[str, Any]:
    """Return a figure with its place in the cluster of its square: own figures below, the others above."""
    column, row = place(figure["space"], bottom)
    crowd = [[each["figure"] for each in shown["figures"][side] if each["space"] == figure["space"]] for side in (0, 1)]
    mine, theirs = crowd[seat], crowd[1 - seat]
    at = mine.index(figure["figure"])
    if not theirs:
        slot = "c" if len(mine) == 1 else "lr"[at]
    else:
        edge = "b" if seat == bottom else "t"
        slot = edge if len(mine) == 1 else f"{edge}{'lr'[at]}"
    return {
        "id": f"f-{seat}-{figure['figure']}",
        "seat": seat,
        "side": SIDES[seat],
        "letter": LETTERS[seat],
        "figure": figure["figure"],
        "attack": figure["attack"],
        "keeper": figure["keeper"],
        "class": _at(column, row, slot),
    }


def _at(column: int, row: int, slot: str) -> str:
    return f"at-c{column} at-r{row} s-{slot}"


def _ball(shown: Mapping[str, Any], bottom: int) -> dict[str, Any]:
    """Return where the ball lies: at the edge of the side in possession, in the middle if nobody is there."""
    holder = shown["possession"]
    edge = "m" if holder is None else "b" if holder == bottom else "t"
    here = [sum(figure["space"] == shown["ball"] for figure in side) for side in shown["figures"]]
    if holder is not None and here[holder] == 1 and here[1 - holder]:
        edge += "c"  # into the corner: between two figures it would hide a number
    return {"class": _at(*place(shown["ball"], bottom), f"ball-{edge}")}


def _wall(wall: Mapping[str, Any], bottom: int, frame: Frame) -> dict[str, Any]:
    """Return the fence of a wall: at the edge of its square that must not be crossed toward the goal of its side."""
    column, row = place(wall["space"], bottom)
    behind = wall["team"] == bottom
    if frame.view["options"]["wall_rule"] == "enter":
        behind = not behind
    return {
        "id": f"wall-{wall['team']}-{wall['space']}",
        "class": _at(column, row, "fence-b" if behind else "fence-t"),
        "side": SIDES[wall["team"]],
    }


# --- players, offer, hand -----------------------------------------------------------------------------------------


def _plate(seat: int, frame: Frame, t: Catalogue) -> dict[str, Any]:
    shown = frame.view["shown"]
    name = frame.players[seat]["name"]
    facts = {
        "seat": seat,
        "side": SIDES[seat],
        "letter": LETTERS[seat],
        "name": name,
        "goals": frame.view["scores"][seat],
        "coins": shown["coins"][seat],
        "held": shown["held"][seat],
        "pile": shown["piles"][seat],
        "heap": len(shown["discards"][seat]),
        "volleys": len(shown["volleys"][seat]),
        "possession": shown["possession"] == seat,
        "acts": seat == shown["attacker"] and frame.result is None,
    }
    said = t("dribbel-fieber.plate_said", **facts)
    texts = game_texts(NAME, t.language)
    if shown["discards"][seat]:
        names = ", ".join(_card_name(text, shown, texts) for text in shown["discards"][seat])
        said += f" {t('dribbel-fieber.heap_said', cards=names)}"
    if facts["possession"]:
        said += f" {t('dribbel-fieber.has_ball', name=name)}"
    return facts | {"said": said}


def _turns(frame: Frame) -> list[dict[str, Any]]:
    """Return the twelve turns: whose each is, and whether it is played, under way or to come."""
    shown = frame.view["shown"]
    over = frame.result is not None and not frame.ended
    return [
        {
            "side": SIDES[shown["first"] if number % 2 else 1 - shown["first"]] if shown["turn"] else "none",
            "state": "done" if number < shown["turn"] or over else "now" if number == shown["turn"] else "open",
        }
        for number in range(1, TURNS + 1)
    ]


def _card_name(text: str, shown: Mapping[str, Any], texts: GameTexts) -> str:
    action = shown["cards"][text]["action"]
    name = texts.words[action]
    return name if text == action else f"{text} {name}"


def card(text: str, shown: Mapping[str, Any], texts: GameTexts) -> dict[str, Any]:
    """Return what a card shows: its name, its number if it is a Poldi card, and the picture of its arrows."""
    action = shown["cards"][text]["action"]
    yellow = action == VOLLEY_NAME
    return {
        "text": text,
        "name": texts.words[action],
        "said": _card_name(text, shown, texts),
        "number": text if text.startswith("#") else "",
        "yellow": yellow,
        "picture": picture([] if yellow else shown["symbols"][text], CENTRES[action]),
        "price": shown["cards"][text]["price"],
    }


def _offered(number: int, frame: Frame, texts: GameTexts, t: Catalogue) -> dict[str, Any]:
    shown = frame.view["shown"]
    facts = card(f"#{number}", shown, texts)
    move = f"buy {number}"
    facts |= {"move": move if move in frame.legal else "", "number": str(number)}
    label = t("dribbel-fieber.offered", card=facts["said"], price=facts["price"])
    said = t("dribbel-fieber.offered_short", card=facts["said"], price=facts["price"])
    return facts | {"label": label, "short": said, "buy": t("dribbel-fieber.button.buy", price=facts["price"])}


def _hand(frame: Frame, bottom: int, texts: GameTexts) -> list[dict[str, Any]] | None:
    """Return the cards of the hand at the bottom, None where this reader must not see them (now)."""
    opened = _open_hand(frame, bottom, texts)
    if opened is not None:
        return opened
    shown = frame.view["shown"]
    if frame.seat != bottom:
        return None
    if _shares(frame) and not (bottom == shown["attacker"] == frame.waiting["seat"] and frame.mine):
        return None
    return _with_moves(shown["hands"][bottom], frame, texts)


def _open_hand(frame: Frame, seat: int, texts: GameTexts) -> list[dict[str, Any]] | None:
    """Return a hand that lies open for this reader, whoever that is: by agreement, or after the match."""
    if frame.replay is not None and frame.replay["perspective"] == ALL:
        return _with_moves(frame.view["shown"]["hands"][seat], frame, texts)
    if frame.hands is None:
        return None
    return _with_moves(frame.hands[seat]["shown"]["hands"][seat], frame, texts)


def _with_moves(cards: Sequence[str], frame: Frame, texts: GameTexts) -> list[dict[str, Any]]:
    shown = frame.view["shown"]
    deciding = frame.mine and frame.waiting["for"] == WAIT_DECIDE and shown["next"] == "cards"
    return [
        {
            **card(text, shown, texts),
            "playable": deciding and any(_card_of(move) == text for move in frame.legal),
            "discard": f"discard {text}" if deciding and f"discard {text}" in frame.legal else "",
            "coins": DISCARD_COINS,
        }
        for text in cards
    ]


def _curtain(frame: Frame, bottom: int, something_hidden: bool) -> str:
    """Return the name of the curtain before a hand, the same for a whole turn; empty: there is none."""
    if not _shares(frame) or not frame.mine or not something_hidden:
        return ""
    return f"{bottom}-{frame.view['shown']['turn']}"


# --- the shot -----------------------------------------------------------------------------------------------------


def _shot(shot: Mapping[str, Any], frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return the preview of a shot: the sum written out, the faces, and what it is called."""
    volleys = shot["volleys"]
    move = f"shoot {shot['figure']}" + (f" volley {volleys}" if volleys else "")
    attack = [shot["shooter"], shot["zone"], *([volleys] if volleys else [])]
    defence = [shot["keeper"], *([shot["defenders"]] if shot["defenders"] else [])]
    left = " + ".join(map(str, defence))
    right = " + ".join(map(str, attack))
    plain = sum(defence) - sum(attack)
    return {
        "move": move,
        "legal": move in frame.legal,
        "figure": shot["figure"],
        "volleys": volleys,
        "sum": f"{f'({left})' if len(defence) > 1 else left} − ({right}) = {plain}",
        "raised": shot["value"] if shot["value"] != plain else None,
        "value": shot["value"],
        "faces": shot["faces"],
        "said": t("dribbel-fieber.shot_said", **_face_counts(shot["faces"])),
        "words": t(
            "dribbel-fieber.shot_words",
            keeper=KEEPER_DEFENCE if shot["keeper"] else 0,
            defenders=shot["defenders"],
            shooter=shot["shooter"],
            zone=shot["zone"],
            volleys=volleys,
        ),
    }


def _face_counts(faces: Sequence[str]) -> dict[str, int]:
    return {name: faces.count(name) for name in ("goal", "bounce", "goal_kick")}


def _thrown(frame: Frame, texts: GameTexts) -> dict[str, Any] | None:
    """Return what the dice of this shot show: the faces of the attack die with the rolled one, the colour."""
    shown = frame.view["shown"]
    if shown["shot"] is None or shown["next"] == "shot":
        return None
    rolled = colour = None
    for event in reversed(frame.log):
        if event["kind"] in ("shoots", "turn"):
            break
        if event["kind"] == "die" and rolled is None:
            rolled = event["data"]["face"]
        if event["kind"] == "colour" and colour is None:
            colour = event["data"]["colour"]
    step = frame.draw["step"] if frame.draw else 0
    return {
        "faces": shown["shot"]["faces"],
        "value": shown["shot"]["value"],
        "rolled": rolled,
        "colour": colour,
        "colour_word": texts.words.get(colour, "") if colour else "",
        "keeper_die": shown["next"] in ("bounce", "goal_kick", "kick"),
        "lie": step % LIES,
    }


# --- what may be done ---------------------------------------------------------------------------------------------


def _card_of(move: str) -> str:
    """Return the card that a move plays, as hands name it; empty for moves without one."""
    word = move.split()[0]
    return word if word.startswith("#") or word in CARD_NAMES else ""


def choices(frame: Frame) -> list[dict[str, Any]]:
    """Return the legal moves on the pitch: `m` the move, `card`, `piece` (an element), `from`, `to`, `n` steps."""
    shown = frame.view["shown"]
    seat = frame.waiting["seat"]
    found = []
    for move in frame.legal:
        words = move.split()
        played = _card_of(move)
        action = words[1] if played.startswith("#") else words[0]
        if action not in (*CARD_NAMES, "chase", "free", "kick"):
            continue
        owner = 1 - seat if action == "pressing" else seat
        figure = next((int(word) for word in words if word.isdecimal()), None)
        start = shown["ball"] if figure is None else shown["figures"][owner][figure - 1]["space"]
        end = shown["ball"] if action == "chase" else words[-1]
        way = _way(shown["symbols"].get(played or action, []), start, end, seat)
        found.append(
            {
                "m": move,
                "card": played,
                "piece": "ball" if figure is None else f"f-{owner}-{figure}",
                "from": start,
                "to": end,
                "n": len(way),
                "via": way[:-1],
            }
        )
    return found


def _way(ways: Sequence[str], start: str, end: str, seat: int) -> list[str]:
    """Return the spaces of the shortest of a symbol's ways that leads from one space to another."""
    found: list[str] = []
    for text in ways:
        column, row = place(start, seat)
        spaces = []
        for step in text.split():
            column, row = column + STEPS[step][0], row - STEPS[step][1]
            spaces.append(space_at(column, row, seat) or "")
        if spaces[-1] == end and "" not in spaces and (not found or len(spaces) < len(found)):
            found = spaces
    return found


def _plan(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what the page needs to turn taps into a move, with the words that it says."""
    shown = frame.view["shown"]
    seat = frame.waiting["seat"]
    pieces = {
        f"f-{side}-{figure}": {"label": _figure_name(side, figure, frame, t), "side": SIDES[side], "n": figure}
        for side in (0, 1)
        for figure in range(1, 6)
    }
    return {
        "seat": seat,
        "phase": shown["next"],
        "choices": choices(frame),
        "pieces": pieces,
        "tries": {text: _try(text, shown) for text in shown["hands"][seat]},
        "throws": frame.setup["dice"] != HAND,
        "texts": t.under("dribbel-fieber.say"),
    }


def _try(text: str, shown: Mapping[str, Any]) -> str:
    """Return how a card is played, with places for figure and space: the table itself says why it cannot be."""
    action = shown["cards"][text]["action"]
    start = action if text == action else f"{text} {action}"
    return f"{start} {{space}}" if action in ("short-pass", "cross") else f"{start} {{figure}} {{space}}"


def move_label(move: str, frame: Frame, texts: GameTexts, t: Catalogue) -> str:
    """Write a decision for people."""
    words = move.split()
    plain = {"stay": "stay", "done": "done", "no-buy": "no_buy", "no-shot": "no_shot"}
    if move in plain:
        return t(f"dribbel-fieber.button.{plain[move]}")
    shown, seat = frame.view["shown"], frame.waiting["seat"]
    kind = words[0]
    if kind == "discard":
        return t("dribbel-fieber.move.discard", card=_card_name(words[1], shown, texts), coins=DISCARD_COINS)
    if kind == "buy":
        name = _card_name(f"#{words[1]}", shown, texts)
        return t("dribbel-fieber.move.buy", card=name, price=shown["cards"][f"#{words[1]}"]["price"])
    if kind == "shoot":
        volleys = int(words[3]) if len(words) > 2 else 0
        return t("dribbel-fieber.move.shoot", n=words[1], volleys=volleys)
    if kind == "chase":
        return t("dribbel-fieber.move.chase", figure=_figure_name(seat, int(words[1]), frame, t))
    if kind == "kick":
        return t("dribbel-fieber.move.kick", space=words[1])
    owner = 1 - seat if "pressing" in words else seat
    figure = next((int(word) for word in words if word.isdecimal()), None)
    what = t("dribbel-fieber.ball") if figure is None else _figure_name(owner, figure, frame, t)
    name = texts.words["free"] if kind == "free" else _card_name(_card_of(move), shown, texts)
    return t("dribbel-fieber.move.card", card=name, what=what, space=words[-1])


# --- real cards and dice ------------------------------------------------------------------------------------------


def _entering(frame: Frame, texts: GameTexts, t: Catalogue) -> dict[str, Any] | None:
    """Return what is tapped when real cards are drawn and real dice thrown; None if nothing is entered here."""
    shown = frame.view["shown"]
    if not frame.outcomes or not frame.mine:
        return None
    phase = shown["next"]
    seat = 1 - shown["attacker"] if phase in ("bounce", "goal_kick") else shown["attacker"]
    kind = {"coin": "coin", "draw": "card", "offer": "card", "roll": "die"}.get(phase, "colour")
    items = []
    for number, text in enumerate(frame.outcomes):
        what = text.split()[1]
        item: dict[str, Any] = {"text": text, "what": what, "key": number + 1 if number < DIE_FACES else ""}
        if kind == "card":
            name = f"#{what}" if phase == "offer" else what
            item |= card(name, shown, texts) | {"text": text}
            item["label"] = item["said"]
        elif kind == "coin":
            item["label"] = frame.players[SIDES.index(what)]["name"]
        else:
            item["label"] = texts.words.get(what, what)
        items.append(item)
    label = t(f"dribbel-fieber.enter.{phase}", name=frame.players[seat]["name"])
    return {"kind": kind, "items": items, "label": label}


# --- what happened ------------------------------------------------------------------------------------------------

_CALLS: Final = {
    "coin": ("whistle", "calm", 1100),
    "goal": ("goal", "goal", 1600),
    "bounce": ("good", "good", 1000),
    "missed": ("ohh", "bad", 1100),
    "shoots_again": ("good", "good", 900),
    "volley_drawn": ("good", "card", 800),
}
"""What is called across the table: sound, tone and milliseconds by kind of event; the words are `….call.*`."""
_CARD_CALL: Final = 750
_MOVE_MS: Final = 280
_FIGURE_MOVES: Final = ("chase", "free", "run", "dribble", "press")
_BALL_MOVES: Final = ("dribble", "pass", "cross", "lands", "goal_kick", "kick_off")


def cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    """Return the animation of what happened since: cards are named, figures and ball go their ways, dice fall."""
    steps: list[dict[str, Any]] = []
    bottom = bottom_seat(frame)
    texts = game_texts(NAME, t.language)
    for event in frame.events:
        kind, data, seat = event["kind"], event["data"], event["seat"]
        name = frame.players[seat]["name"] if seat is not None else ""
        if kind in ("plays", "plays_poldi") and seat not in frame.seats:
            text = data["card"] if kind == "plays" else data["action"]
            steps.append({"do": "say", "text": texts.words[text], "tone": "calm", "ms": _CARD_CALL})
        elif kind in ("die", "colour"):
            steps += _die_cue(frame, event)
        if kind in _FIGURE_MOVES:
            steps.append(_move_figure(event, bottom))
        if kind in _BALL_MOVES:
            edge = {"dribble": "b" if seat == bottom else "t"}.get(kind, "m")
            value = f"dball {_at(*place(data['space'], bottom), f'ball-{edge}')}"
            steps += [
                {"do": "set", "on": "matchball", "name": "class", "value": value, "ms": _MOVE_MS},
                {"do": "sound", "name": "tick"},
            ]
        if kind in _CALLS:
            sound, tone, ms = _CALLS[kind]
            words = t(f"dribbel-fieber.call.{kind}", name=name, **{k: v for k, v in data.items() if k != "name"})
            steps += [{"do": "sound", "name": sound}, {"do": "say", "text": words, "tone": tone, "ms": ms}]
    return steps


def _move_figure(event: Mapping[str, Any], bottom: int) -> dict[str, Any]:
    """Let a figure go where the event says."""
    seat = 1 - event["seat"] if event["kind"] == "press" else event["seat"]
    number = event["data"]["figure"]
    value = f"fig fig--{SIDES[seat]} {_at(*place(event['data']['space'], bottom), 'c')}"
    return {"do": "set", "on": f"f-{seat}-{number}", "name": "class", "value": value, "ms": _MOVE_MS}


def _die_cue(frame: Frame, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Let the attack die or the goalkeeper die fall, if it was not thrown by hand."""
    draw = frame.draw
    if draw is None or not draw["drawn"] or draw["step"] != event["step"]:
        return []
    die = event["kind"] == "die"
    face = str(event["data"]["face"]) if die else f"m-{event['data']['colour']}"
    at = "attack-die" if die else "keeper-die"
    return [{"do": "throw", "dice": [{"at": at, "face": face, "dark": False, "turn": draw["step"] % LIES}]}]
