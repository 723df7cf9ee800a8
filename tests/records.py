"""Records of matches with sealed draws, made from fixed secrets: the same bytes every time.

`python -m tests.records` writes tests/data/sealed_match.bolz anew; that is right only when the format itself changes,
since records that people keep must stay valid.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.record import SEALED_DICE, record_of, write_record
from bolzplatz.core.sealed import (
    SERVER,
    Contributor,
    Opening,
    SealedServer,
    deck_commitment,
    make_chain,
    seat_name,
)
from bolzplatz.core.sealed_throw import data_digest, outcome_of_sealed, sealed_form

FIXED_FILE = Path(__file__).parent / "data" / "sealed_match.bolz"


class SealedMatch(NamedTuple):
    """A match with its server and its record as text."""

    state: State
    server: SealedServer
    text: str


def _secret(table: str, who: str) -> bytes:
    return hashlib.sha256(f"{table}, a secret of {who}".encode()).digest()


def play_sealed(
    game: Game, table: str, names: Sequence[str], contributors: Sequence[str] = (), silent_at: Sequence[int] = (),
    stop_after: int | None = None,
) -> SealedMatch:  # fmt: skip
    """Play a match with sealed draws between computer players of level `child`.

    Args:
        game: the game with its options.
        table: id of the table, from which all secrets follow.
        names: a name for each seat.
        contributors: who has a chain of values besides the server, such as `seat-0`.
        silent_at: numbers of draws that the last contributor does not answer.
        stop_after: leave the match after so many entries.
    """
    chain, deck = _secret(table, SERVER), _secret(table, "deck")
    guards = {who: Contributor(table, who, _secret(table, who)) for who in contributors}
    tips = {SERVER: make_chain(chain, table, SERVER).tip, **{who: guard.tip() for who, guard in guards.items()}}
    seats = [{"kind": "human", "name": name} for name in names]
    opening = Opening(
        table, game.name, game.rules_version, data_digest(game), game.options, seats, tips, deck_commitment(deck, table)
    )
    server = SealedServer(opening, chain, deck)
    for guard in guards.values():
        guard.open(opening.to_json())
    state, luck = game.new_initial_state(), FastStream(1)
    while not state.is_terminal() and len(server.entries) != stop_after:
        if state.is_chance_node():
            request = server.request("throw", state.roller(), *sealed_form(state))
            silent = contributors[-1:] if request.k in silent_at else ()
            values = {who: guard.answer(request.to_json()) for who, guard in guards.items() if who not in silent}
            drawn = server.draw(values)
            for guard in guards.values():
                guard.accept(server.entries[-1])
            assert drawn.faces is not None
            state.apply_action(outcome_of_sealed(state, drawn.faces).outcome)
        else:
            seat = state.current_player()
            move = state.action_to_string(pick_action(game, state, seat, "child", luck))
            server.append({"seat": seat, "move": move, "by": "person"})
            state.play(move)
    proof = server.proof(closed=state.is_terminal())
    return SealedMatch(state, server, write_record(record_of(state, names, SEALED_DICE, proof)))


def fixed_match() -> SealedMatch:
    """A short match: one turn each, three draws; of the two contributors the second is silent once."""
    game = bolzplatz.load_game("5050", target=50, threshold=50)
    both: Any = [seat_name(0), seat_name(1)]
    return play_sealed(game, "table-9", ["Mia", "Ben & Zoë"], both, silent_at=[2])


if __name__ == "__main__":
    FIXED_FILE.write_text(fixed_match().text, encoding="utf-8")
