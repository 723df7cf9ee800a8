"""How moves, cards and dice of Dribbel-Fieber are written (docs/notation.md), both ways."""

import re
from typing import Final

from bolzplatz.core.spec import Unreadable
from bolzplatz.games.dribbel_fieber.codes import (
    BUY_AT,
    CHASE_AT,
    DISCARD_AT,
    DONE,
    FREE_AT,
    KICK_AT,
    MOVE_AT,
    NO_BUY,
    NO_SHOT,
    PLACES,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES, COLOUR_NAMES, VOLLEY_NAME
from bolzplatz.games.dribbel_fieber.pitch import SPACE_NAMES, SPACES
from bolzplatz.games.dribbel_fieber.state import (
    COIN,
    CROSS,
    DIE_FACES,
    DRAW,
    KINDS,
    OFFER,
    POLDIS,
    ROLL,
    SHORT_PASS,
    VOLLEY,
    Setup,
    State,
)

SIDES: Final = ("red", "blue")
_PLAIN: Final = {"stay": STAY, "done": DONE, "no-buy": NO_BUY, "no-shot": NO_SHOT}
_PLAIN_TEXTS: Final = {action: text for text, action in _PLAIN.items()}
_FIGURE: Final = "([1-5])"
_SPACE: Final = "([a-z][0-9]{1,2})"
"""Any space, also one that is not there: which ones are is a rule."""
_CARD: Final = rf"(#[0-9]{{3}}|{'|'.join(CARD_NAMES)})"
_PASSES: Final = (SHORT_PASS, CROSS)


def action_word(o: Setup, card: int) -> str:
    """Return what a card does, by its name in CARD_NAMES, or `volley`."""
    return VOLLEY_NAME if o.action[card] == VOLLEY else CARD_NAMES[o.action[card]]


def card_text(o: Setup, card: int) -> str:
    """Write a card: `running`, or `#140` for a Poldi card."""
    return CARD_NAMES[card] if card < KINDS else f"#{o.poldi_number[card - KINDS]}"


def _read_card(o: Setup, text: str) -> int:
    if text in CARD_NAMES:
        return CARD_NAMES.index(text)
    return KINDS + _read_poldi(o, text.removeprefix("#"))


def _read_poldi(o: Setup, number: str) -> int:
    if int(number) not in o.poldi_number:
        raise Unreadable(f"there is no Poldi card {number}; there are {', '.join(map(str, o.poldi_number))}")
    return o.poldi_number.index(int(number))


def _place_text(place: int) -> str:
    return f"{place // SPACES + 1} {SPACE_NAMES[place % SPACES]}"


def _place(figure: str, space: str) -> int:
    return (int(figure) - 1) * SPACES + _space(space)


def _space(name: str) -> int:
    if name not in SPACE_NAMES:
        raise Unreadable(f"{name} is off the pitch", "off_pitch")
    return SPACE_NAMES.index(name)


def action_text(_s: State, o: Setup, _seat: int, action: int) -> str:
    """Write a decision."""
    if action in _PLAIN_TEXTS:
        return _PLAIN_TEXTS[action]
    if action < FREE_AT:
        return f"chase {action - CHASE_AT + 1}"
    if action < STAY:
        return f"free {_place_text(action - FREE_AT)}"
    if action < DISCARD_AT:
        return _move_text(o, (action - MOVE_AT) // PLACES, (action - MOVE_AT) % PLACES)
    if action < DONE:
        return f"discard {card_text(o, action - DISCARD_AT)}"
    if action < NO_BUY:
        return f"buy {o.poldi_number[action - BUY_AT]}"
    if action < NO_SHOT:
        figure, volleys = divmod(action - SHOOT_AT, VOLLEYS)
        return f"shoot {figure + 1} volley {volleys}" if volleys else f"shoot {figure + 1}"
    return f"kick {SPACE_NAMES[action - KICK_AT]}"


def _move_text(o: Setup, card: int, place: int) -> str:
    word = action_word(o, card)
    name = word if card < KINDS else f"{card_text(o, card)} {word}"
    if o.action[card] in _PASSES and place < SPACES:
        return f"{name} {SPACE_NAMES[place]}"
    return f"{name} {_place_text(place)}"


def read_action(_s: State, o: Setup, _seat: int, text: str) -> int:
    """Read a decision, allowed or not."""
    if text in _PLAIN:
        return _PLAIN[text]
    if found := re.fullmatch(f"chase {_FIGURE}", text):
        return CHASE_AT + int(found[1]) - 1
    if found := re.fullmatch(f"free {_FIGURE} {_SPACE}", text):
        return FREE_AT + _place(found[1], found[2])
    if found := re.fullmatch(f"discard {_CARD}", text):
        return DISCARD_AT + _read_card(o, found[1])
    if found := re.fullmatch("buy ([0-9]{3})", text):
        return BUY_AT + _read_poldi(o, found[1])
    if found := re.fullmatch(f"shoot {_FIGURE}(?: volley ([1-9]|1[0-2]))?", text):
        return SHOOT_AT + (int(found[1]) - 1) * VOLLEYS + int(found[2] or 0)
    if found := re.fullmatch(f"kick {_SPACE}", text):
        return KICK_AT + _space(found[1])
    return _read_move(o, text)


def _read_move(o: Setup, text: str) -> int:
    """Read what a card does: `running 4 c5`, `cross c7`, `#140 running 4 c5`."""
    found = re.fullmatch(rf"(?:(#[0-9]{{3}}) )?({'|'.join(CARD_NAMES)})(?: {_FIGURE})? {_SPACE}", text)
    if not found:
        raise Unreadable("no such move; spaces are a1 to e8, figures 1 to 5")
    card = _read_card(o, found[1] or found[2])
    word = action_word(o, card)
    if word != found[2]:
        raise Unreadable(f"{card_text(o, card)} is a card for {word}")
    if (found[3] is None) != (o.action[card] in _PASSES):
        raise Unreadable("a pass names the space alone, any other card the figure and the space")
    return MOVE_AT + card * PLACES + _place(found[3] or "1", found[4])


# --- what comes up ----------------------------------------------------------------------------------------------


def outcome_text(s: State, o: Setup, outcome: int) -> str:
    """Write what coin, piles and dice show."""
    if s.phase == COIN:
        return f"coin {SIDES[outcome]}"
    if s.phase == DRAW:
        return f"draw {card_text(o, outcome)}"
    if s.phase == OFFER:
        return f"offer {o.poldi_number[outcome]}"
    if s.phase == ROLL:
        return f"die {outcome + 1}"
    return f"colour {COLOUR_NAMES[o.colour_word[outcome]]}"


_AWAITED: Final = {
    COIN: "the coin says who kicks off",
    DRAW: "a card is drawn",
    OFFER: "a Poldi card is laid on offer",
    ROLL: "the attack die is thrown",
}


def read_outcome(s: State, o: Setup, text: str) -> int:
    """Read what came up, of the kind that is due."""
    count = {COIN: len(SIDES), DRAW: KINDS + POLDIS, OFFER: POLDIS}.get(s.phase, DIE_FACES)
    texts = [outcome_text(s, o, outcome) for outcome in range(count)]
    if text not in texts:
        raise Unreadable(_AWAITED.get(s.phase, "the goalkeeper die is thrown"))
    return texts.index(text)


def face_text(s: State, o: Setup, drawn: int) -> str:
    """Name the face that coin or die shows."""
    if s.phase in (COIN, ROLL):
        return SIDES[drawn] if s.phase == COIN else str(drawn + 1)
    return COLOUR_NAMES[o.colour_word[drawn]]
