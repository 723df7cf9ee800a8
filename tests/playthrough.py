"""Golden playthroughs: whole matches written out step by step, for people to read against the rules.

A file in tests/playthroughs/ holds its own script: the headers, a line `--> move` for each move or throw, a line
`--x move` for a move that is tried and refused, and in long matches a line `..> 120 seed 7` for 120 steps at random
that are left out. All else is written by this program:

    python -m tests.playthrough --update            write all files anew
    python -m tests.playthrough --update FILE...    write these anew

To add one, write headers and moves alone, run it, and read what came out against docs/rules/. In the style of
OpenSpiel's playthroughs (https://github.com/google-deepmind/open_spiel/blob/master/docs/developer_guide.md).
"""

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bolzplatz
from bolzplatz import IllegalActionError, State
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.texts import event_text, game_texts

FOLDER = Path(__file__).parent / "playthroughs"
NAMES = ("Anna", "Ben", "Cem", "Dora", "Emil", "Fee", "Gus", "Hana", "Ida", "Jo")
"""Seat 0 is Anna, seat 1 Ben, …"""
MOVE, TRIED, SKIPPED = "--> ", "--x ", "..> "
WIDTH = 110


class Script(NamedTuple):
    """What a file's author decides: the game, its options, what the playthrough shows, and the moves."""

    game: str
    options: dict[str, str]
    about: str
    moves: list[str]
    """Each with its mark: MOVE, TRIED or SKIPPED."""


def read_script(text: str) -> Script:
    """Take the script out of a file."""
    lines = text.splitlines()
    headers = dict(line.split(": ", 1) for line in lines[:3])
    options = dict(pair.split("=", 1) for pair in headers["options"].split() if pair != "none")
    moves = [line for line in lines if line.startswith((MOVE, TRIED, SKIPPED))]
    return Script(headers["game"], options, headers["about"], moves)


def play(script: Script) -> Iterator[tuple[str, State]]:
    """Yield each line of the script with the state after it; raises IllegalActionError where a move is refused."""
    state = bolzplatz.load_game(script.game, **script.options).new_initial_state()
    yield "", state
    for move in script.moves:
        if move.startswith(MOVE):
            state = state.clone().play(move.removeprefix(MOVE))
        elif move.startswith(SKIPPED):
            count, _, seed = move.removeprefix(SKIPPED).partition(" seed ")
            state = _skipped(state.clone(), int(count), FastDriver(int(seed)))
        yield move, state


def _skipped(state: State, count: int, driver: FastDriver) -> State:
    for _ in range(count):
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
        elif state.is_simultaneous_node():
            state.apply_actions([_any(state.legal_actions(seat), driver) for seat in range(state.game.num_players)])
        else:
            state.apply_action(_any(state.legal_actions(), driver))
    return state


def _any(actions: list[int], driver: FastDriver) -> int:
    return actions[driver.source.below(len(actions))]


def render(script: Script) -> str:
    """Play the script and write it out."""
    options = " ".join(f"{name}={value}" for name, value in script.options.items()) or "none"
    lines = [f"game: {script.game}", f"options: {options}", f"about: {script.about}"]
    before = None
    for move, state in play(script):
        lines += ["", move] if move else [""]
        if move.startswith(TRIED):
            lines += _attempt(state, move.removeprefix(TRIED))
            continue
        if before is not None:
            lines += [*(_step(before, state) if move.startswith(MOVE) else []), ""]
        lines += str(state).splitlines()
        # What is asked is written out where it is another question than before.
        asked = [] if before is None else [*_asked(before)]
        lines += [line for line in _asked(state) if line not in asked]
        before = state
    return "\n".join(lines) + "\n"


def _asked(state: State) -> Iterator[str]:
    """Who acts, and what is possible."""
    if state.is_terminal():
        yield f"over; scores {state.scores()}, returns {[round(result, 4) for result in state.returns()]}"
    elif state.is_chance_node():
        roller = state.roller()
        texts = [state.action_to_string(outcome) for outcome in state.legal_actions()]
        yield f"{'chance' if roller is None else f'seat {roller} throws'}: {_cut(texts)}"
    else:
        for seat in range(state.game.num_players):
            texts = [state.action_to_string(action, seat) for action in state.legal_actions(seat)]
            if texts:
                yield f"seat {seat} decides: {_cut(texts)}"


def _cut(texts: list[str]) -> str:
    """Join texts, leaving out the middle of a long list."""
    if len(texts) > 12:
        return f"{' · '.join(texts[:4])} · … · {' · '.join(texts[-2:])} ({len(texts)} in all)"
    return " · ".join(texts)


def _attempt(state: State, move: str) -> list[str]:
    try:
        state.clone().play(move)
    except IllegalActionError as refused:
        return _wrapped(f"{refused.rule}  refused: {refused.reason}")
    raise AssertionError(f"{move!r} was to be refused and is legal")


def _step(before: State, after: State) -> Iterator[str]:
    """What happened: the chance that it had, the events with their rules and sentences, and new scores."""
    if before.is_chance_node():
        outcome = before.string_to_action(after.history()[-1])
        yield f"    chance {dict(before.chance_outcomes())[outcome]}"
    texts = game_texts(before.game.name, "en")
    number = before.move_number()
    for seat in (None, *range(before.game.num_players)):
        for event in after.events(seat):
            if event.step == number and (seat is None or event not in after.events(None)):
                told = event_text(texts, event.to_dict(), NAMES)
                yield from _wrapped(
                    f"{event.rule}  {told}" + (f" (only seat {seat} sees this)" if seat is not None else "")
                )
    if after.scores() != before.scores():
        yield f"    scores {after.scores()}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="        ")


def main() -> None:
    """Write playthroughs anew."""
    parser = argparse.ArgumentParser(description="Write the golden playthroughs anew.")
    parser.add_argument("--update", action="store_true", required=True)
    parser.add_argument("files", nargs="*", type=Path)
    for path in parser.parse_args().files or sorted(FOLDER.glob("*.txt")):
        path.write_text(render(read_script(path.read_text(encoding="utf-8"))), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
