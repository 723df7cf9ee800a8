"""Between the rules and the sealed draws: how a chance node is asked for, and what the drawn faces mean there.

The table asks and draws with these functions, the verifier of a record recomputes with the same ones.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from bolzplatz.core.declare import layout_of
from bolzplatz.core.drivers import Draw, outcome_of_faces
from bolzplatz.core.forms import FORM_DICE, FORM_HIDDEN, form_count, form_kind, form_sides
from bolzplatz.core.game import Game, State
from bolzplatz.core.sealed import canonical_json

ORDER: Final = "order"
"""The word that begins the outcome of a chance node which orders hands (docs/notation.md)."""


def data_digest(game: Game, given: Sequence[str] = ()) -> str:
    """Return the digest of what a match is played with: the game, the version of its rules, all its options.

    Where the rules read data files, what was read enters too; where a match is played on from a position, so do the
    `given` moves that lead to it. Both are fixed with the opening record.
    """
    played: dict[str, object] = {
        "game": game.name,
        "rules_version": game.rules_version,
        "options": game.options,
    }
    if game.spec.reads_data:
        played["setup"] = layout_of(type(game.setup)).to_dict(game.setup)
    if given:
        played["given"] = list(given)
    return hashlib.sha256(canonical_json(played)).hexdigest()


def sealed_form(state: State) -> tuple[str, int]:
    """Return form and count of the sealed draw that decides a chance node: (`d6`, 5) or (`weighted 1,2,3`, 1).

    What not everybody may see comes from the top of a hidden deck with as many cards as the weights add up to: a pile
    that is shuffled before each draw is a pile that was shuffled once, and its size is all that the log tells. Where
    the game deals several cards at once (`core.spec.Deal`), the deck has the tickets of the deal.
    """
    if dealt := deal_size(state):
        return "deck", dealt
    form = state.chance_form()
    if form_kind(form) == FORM_DICE:
        return f"d{form_sides(form)}", form_count(form)
    if form_kind(form) == FORM_HIDDEN:
        return "deck", sum(weight for _, weight in state.chance_weights())
    return "weighted " + ",".join(str(weight) for _, weight in state.chance_weights()), 1


def deal_size(state: State) -> int:
    """Return how many tickets are shuffled where one draw decides several chance nodes in a row; 0: it decides one."""
    deal = state.game.spec.deal
    return 0 if deal is None else deal.size(state._data, state.game.setup)


def dealt_moves(state: State, faces: Sequence[int]) -> list[str]:
    """Return the moves of all chance nodes that a deal decides, by the sealed faces; ValueError where they do not fit.

    The state is not changed.
    """
    deal = state.game.spec.deal
    if deal is None or sorted(faces) != list(range(deal_size(state))):
        raise ValueError(f"{len(faces)} faces are no order of the tickets of this deal")
    trial, moves = state.clone(), []
    for outcome in deal.outcomes(state._data, state.game.setup, faces):
        moves.append(trial.action_to_string(outcome))
        trial.apply_action(outcome)
    return moves


def order_of_hands(state: State, outcome: int, handicaps: Sequence[int]) -> int:
    """Return the outcome that a drawn order of hands comes to where some give others a head start.

    Less handicap comes first; only hands with the same one are parted by the draw. Other chance nodes stay as drawn.
    """
    word, *hands = state.action_to_string(outcome).split()
    if word != ORDER or not any(handicaps):
        return outcome
    return state.string_to_action(" ".join([ORDER, *sorted(hands, key=lambda hand: handicaps[int(hand)])]))


def outcome_of_sealed(state: State, faces: Sequence[int]) -> Draw:
    """Return what sealed faces mean at a chance node: dice count from 1, the index of a weight from 0.

    In a hidden deck each outcome has as many cards as its weight, in order, and the first face is the one on top.
    Raises ValueError where the faces do not fit the node.
    """
    kind = form_kind(state.chance_form())
    if kind == FORM_DICE:
        return outcome_of_faces(state, [face - 1 for face in faces])
    weights = state.chance_weights()
    if kind == FORM_HIDDEN:
        cards = [outcome for outcome, weight in weights for _ in range(weight)]
        if sorted(faces) != list(range(len(cards))):
            raise ValueError(f"{len(faces)} faces are no order of the {len(cards)} cards of this pile")
        return Draw(cards[faces[0]])
    if len(faces) != 1 or not 0 <= faces[0] < len(weights):
        raise ValueError(f"faces {list(faces)} do not fit the draw that is asked for")
    return Draw(weights[faces[0]][0])


def face_texts(state: State, drawn: Sequence[int]) -> list[str]:
    """Return the names of thrown faces (`Draw.faces`) at a chance node, as the game writes them."""
    name = state.game.spec.face_text
    if name is None:
        return [str(face + 1) for face in drawn]
    public = state.masked(None)
    return [name(public, state.game.setup, face) for face in drawn]
