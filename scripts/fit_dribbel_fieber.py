"""Fit what positions of Dribbel-Fieber are worth to the good player (src/bolzplatz/bots/dribbel_fieber.toml).

    python scripts/fit_dribbel_fieber.py --matches 20000 --seed 1 --write

The good player plays against itself and now and then makes a random move, so that odd positions come up as well. For
the position at the start of each turn the script adds up the goals that the side to move is ahead by over the next four
turns, and fits the tables to them by least squares, with neighbouring places held near each other. Run it twice or
three times: a player with better tables plays better matches to learn from. The edition is the placeholder; with
another one the tables are a fair guess.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import bolzplatz
from bolzplatz.bots import dribbel_fieber as players
from bolzplatz.bots import dribbel_fieber_worth as worth
from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.engine import Engine, links_of, work_of
from bolzplatz.core.fast import below, start_stream
from bolzplatz.core.kernels import apply, choose, draw_outcome, legal, look_as, player_to_act
from bolzplatz.core.nodes import CHANCE
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS, SPACES
from bolzplatz.games.dribbel_fieber.state import (
    BOUNCE,
    CARDS,
    CHASE,
    FACE_UP,
    FIGURES,
    KICK,
    KINDS,
    OWNED,
    PLAY,
    POLDIS,
    ROLL,
    TURNS,
    VOLLEY,
)

TARGET: Final = Path(players.__file__).with_suffix(".toml")
HORIZON: Final = 4
"""Turns over which goals are counted."""
ODD_MOVE: Final = 7
"""One decision in so many is random."""
RIDGE: Final = 40.0
SMOOTH: Final = 60.0
"""How strongly a worth is drawn to nothing, and to its neighbours: as much as by so many positions."""

# One recorded position.
MOVER, TURN, CAME, WHERE, BALL_LIES = 0, 1, 2, 3, 13
COINS, READY, HAND, BOUGHT, GOALS, MATCH = 14, 16, 18, 28, 38, 40
WIDTH: Final = 41
AFTER_MISS: Final = KICK
AFTER_BOUNCE: Final = BOUNCE


def record(s: Any, o: Any, came: int, match: int, row: Any) -> None:
    """Write down the position at the start of a turn; `came`: the phase that led to it."""
    row[MOVER] = s.attacker
    row[TURN] = s.turn
    row[CAME] = came
    row[BALL_LIES] = s.ball
    row[MATCH] = match
    for i in range(2 * FIGURES):
        row[WHERE + i] = s.where[i]
        row[HAND + i] = 0
        row[BOUGHT + i] = 0
    for seat in range(2):
        row[COINS + seat] = s.coins[seat]
        row[GOALS + seat] = s.goals[seat]
        row[READY + seat] = 0
        for card in range(CARDS):
            if o.action[card] != VOLLEY:
                row[HAND + seat * KINDS + o.action[card]] += s.hand[seat * CARDS + card]
        for card in range(POLDIS):
            if s.poldi[card] == FACE_UP + seat:
                row[READY + seat] += 1
            if s.poldi[card] == OWNED + seat and o.action[KINDS + card] != VOLLEY:
                row[BOUGHT + seat * KINDS + o.action[KINDS + card]] += 1


def play_and_record(view: Any, o: Any, seed: int, first: int, matches: int, odd: int, buffers: Any, rows: Any) -> int:
    """Play matches of good players and record each turn's start; return how many rows were written."""
    rng, actions, drawn, _ = buffers
    states = view[0]
    written = 0
    for match in range(first, first + matches):
        states[0] = states[1]
        s = states[0]
        start_stream(rng, seed, match)
        turn = 0
        came = ROLL
        player = player_to_act(s, o)
        while player > -3:
            if s.turn > turn:
                turn = s.turn
                record(s, o, came, match, rows[written])
                written += 1
            came = s.phase
            if player == CHANCE:
                apply(s, o, draw_outcome(s, o, rng, drawn), None)
            else:
                count = legal(s, o, player, actions)
                level = 2
                if CHASE <= s.phase <= PLAY and below(rng, odd) == 0:
                    level = 0
                seen = look_as(s, view, player)
                apply(s, o, choose(level, seen, o, player, actions, count, rng), None)
            player = player_to_act(s, o)
    return written


def play_matches(matches: int, seed: int) -> NDArray[Any]:
    """Return the recorded positions of so many matches, one a row."""
    engine = Engine(bolzplatz.load_game("dribbel-fieber"), players.choose_lightly)
    links = links_of(engine.game.rules, players.choose_lightly, hides=True)
    code = compile_functions([play_and_record], links)
    sizes = (2, engine.game.num_actions + work_of(players.choose_lightly), 16, 2)
    buffers = tuple(np.zeros(size, dtype=np.int64) for size in sizes)
    rows = np.zeros((matches * TURNS, WIDTH), dtype=np.int64)
    written = code.play_and_record(engine._view, engine.setup, seed, 0, matches, ODD_MOVE, buffers, rows)
    return rows[:written]


# --- what is fitted ---------------------------------------------------------------------------------------------

COLUMN_KINDS: Final = COLUMNS // 2 + 1
PLACES: Final = ROWS * COLUMN_KINDS
NEAR_ROWS: Final = 2 * worth.NEAR_ROWS + 1
NEARS: Final = NEAR_ROWS * (worth.NEAR_COLUMNS + 1)
# The weights, in this order: ball, places of own and other classes, distances from the ball of own and other classes,
# then coins, volleys, cards by kind and bought cards by kind, each as the mover's less the other's.
OWN_AT: Final = PLACES
NEAR_AT: Final = OWN_AT + 2 * worth.CLASSES * PLACES
COIN_AT: Final = NEAR_AT + 2 * worth.CLASSES * NEARS
VOLLEY_AT: Final = COIN_AT + 1
CARDS_AT: Final = VOLLEY_AT + 1
BOUGHT_AT: Final = CARDS_AT + KINDS
WEIGHTS: Final = BOUGHT_AT + KINDS


def seen_by(seat: NDArray[Any], space: NDArray[Any]) -> NDArray[Any]:
    """Turn spaces into the view of a seat."""
    return np.where(seat == 0, space, SPACES - 1 - space)


def place_of(space: NDArray[Any]) -> NDArray[Any]:
    """Return row and column from the middle as one number."""
    place: NDArray[Any] = space // COLUMNS * COLUMN_KINDS + abs(space % COLUMNS - COLUMNS // 2)
    return place


def near_of(space: NDArray[Any], ball: NDArray[Any]) -> NDArray[Any]:
    """Return the distance of a figure from the ball as one number."""
    ahead = np.clip(space // COLUMNS - ball // COLUMNS, -worth.NEAR_ROWS, worth.NEAR_ROWS) + worth.NEAR_ROWS
    aside = np.minimum(abs(space % COLUMNS - ball % COLUMNS), worth.NEAR_COLUMNS)
    near: NDArray[Any] = ahead * (worth.NEAR_COLUMNS + 1) + aside
    return near


def features(rows: NDArray[Any], attack: list[int]) -> NDArray[Any]:
    """Return one row of numbers for each position, to be multiplied with the weights."""
    x = np.zeros((len(rows), WEIGHTS))
    at, mover = np.arange(len(rows)), rows[:, MOVER]
    x[at, place_of(seen_by(mover, rows[:, BALL_LIES]))] = 1
    for team in range(2):
        side = np.where(mover == team, 0, worth.CLASSES)
        ball = seen_by(np.full_like(mover, team), rows[:, BALL_LIES])
        for figure in range(FIGURES):
            kind: NDArray[Any] = side + (attack[figure] if figure else 0)
            space = seen_by(np.full_like(mover, team), rows[:, WHERE + team * FIGURES + figure])
            np.add.at(x, (at, OWN_AT + kind * PLACES + place_of(space)), 1)
            np.add.at(x, (at, NEAR_AT + kind * NEARS + near_of(space, ball)), 1)
        sign = np.where(mover == team, 1, -1)
        x[:, COIN_AT] += sign * rows[:, COINS + team] * (TURNS - rows[:, TURN]) / TURNS
        x[:, VOLLEY_AT] += sign * rows[:, READY + team]
        for card in range(KINDS):
            x[:, CARDS_AT + card] += sign * rows[:, HAND + team * KINDS + card]
            x[:, BOUGHT_AT + card] += sign * rows[:, BOUGHT + team * KINDS + card]
    return x


def outcomes(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return which positions have enough turns after them, and by how many goals the mover is ahead over these."""
    later = np.minimum(np.arange(len(rows)) + HORIZON, len(rows) - 1)
    usable = (rows[later, MATCH] == rows[:, MATCH]) & (np.arange(len(rows)) + HORIZON < len(rows))
    gained = rows[later, GOALS : GOALS + 2] - rows[:, GOALS : GOALS + 2]
    sign = np.where(rows[:, MOVER] == 0, 1, -1)
    return usable, worth.GOAL * sign * (gained[:, 0] - gained[:, 1]).astype(np.float64)


def smoothing() -> NDArray[Any]:
    """Return the matrix that draws every worth to nothing a little and to its neighbours."""
    matrix: NDArray[Any] = RIDGE * np.eye(WEIGHTS)
    tables = [(i * PLACES, ROWS, COLUMN_KINDS) for i in range(1 + 2 * worth.CLASSES)]
    tables += [(NEAR_AT + i * NEARS, NEAR_ROWS, worth.NEAR_COLUMNS + 1) for i in range(2 * worth.CLASSES)]
    for first, rows, columns in tables:
        for row in range(rows):
            for column in range(columns):
                for other in ((row + 1, column), (row, column + 1)):
                    if other[0] < rows and other[1] < columns:
                        a, b = first + row * columns + column, first + other[0] * columns + other[1]
                        matrix[a, a] += SMOOTH
                        matrix[b, b] += SMOOTH
                        matrix[a, b] -= SMOOTH
                        matrix[b, a] -= SMOOTH
    return matrix


def fit(rows: NDArray[Any], attack: list[int]) -> NDArray[Any]:
    """Return the weights that come nearest to what happened."""
    usable, y = outcomes(rows)
    x = features(rows[usable], attack)
    left = x.T @ x + smoothing()
    weights: NDArray[Any] = np.linalg.solve(left, x.T @ y[usable])
    error = y[usable] - x @ weights
    explained = 1 - error.var() / y[usable].var()
    print(f"{usable.sum()} positions, {explained:.3f} of the variance explained", file=sys.stderr)
    return weights


# --- writing it down --------------------------------------------------------------------------------------------


def toml(weights: NDArray[Any], rows: NDArray[Any], o: Any, matches: int, seed: int) -> str:
    """Return the text of dribbel_fieber.toml."""
    x = features(rows, o.attack)
    ball = np.r_[0:PLACES, NEAR_AT:COIN_AT]
    everywhere = np.r_[0:COIN_AT]

    def mean_worth(came: int, part: NDArray[Any]) -> int:
        return round(float((x[rows[:, CAME] == came][:, part] @ weights[part]).mean()))

    cards = weights[CARDS_AT : CARDS_AT + KINDS]
    singles = {
        "kick_off": mean_worth(ROLL, everywhere),
        "goal_kick": mean_worth(AFTER_MISS, ball),
        "bounce": mean_worth(AFTER_BOUNCE, ball),
        "coin": round(float(weights[COIN_AT])),
        "volley": round(float(weights[VOLLEY_AT])),
        "mean_card": round(float(cards @ o.count / sum(o.count))),
        "cards": [round(float(card)) for card in cards],
        "blue": [round(float(card)) for card in weights[BOUGHT_AT:WEIGHTS]],
    }
    lines = [HEADER.format(matches=matches, seed=seed)]
    lines += [f"{name} = {value}" for name, value in singles.items()]
    lines += ["", f"# {WHAT['ball']}", "ball = [", *_rows(weights[:PLACES], COLUMN_KINDS), "]"]
    for name, first, size, width in (
        ("own", OWN_AT, PLACES, COLUMN_KINDS),
        ("other", OWN_AT + worth.CLASSES * PLACES, PLACES, COLUMN_KINDS),
        ("near_own", NEAR_AT, NEARS, worth.NEAR_COLUMNS + 1),
        ("near_other", NEAR_AT + worth.CLASSES * NEARS, NEARS, worth.NEAR_COLUMNS + 1),
    ):
        lines += ["", f"# {WHAT[name]}", f"{name} = ["]
        for kind in range(worth.CLASSES):
            lines.append(f"    # {'keeper' if kind == 0 else f'attack {kind}'}")
            lines += _rows(weights[first + kind * size : first + (kind + 1) * size], width)
        lines.append("]")
    return "\n".join(lines) + "\n"


def _rows(values: NDArray[Any], width: int) -> list[str]:
    return [f"    [{', '.join(f'{round(float(value)):4d}' for value in row)}]," for row in values.reshape(-1, width)]


HEADER: Final = """\
# What positions of Dribbel-Fieber are worth to the side that moves next, in thousandths of a goal: read by
# bots/dribbel_fieber_worth.py, written by scripts/fit_dribbel_fieber.py from {matches} matches (seed {seed}) of the
# edition `placeholder`.

# A kick-off to the side that has it; a goal kick and a bounce-back to the defender, apart from where the figures stand;
# a coin, while there is time to use it; a volley; a card drawn at random; a card in the hand when the own turn begins,
# and a blue Poldi card that was bought, by kind: running, dribbling, short pass, cross, pressing."""

WHAT: Final = {
    "ball": "Where the ball lies, as the mover sees it: rows from the own goal, columns from the middle outward.",
    "own": "Where the mover's figures stand, as it sees them: eight rows for each class of figures.",
    "other": "Where the other side's figures stand, as that side sees them.",
    "near_own": "Where the mover's figures stand to the ball: from three rows behind to three ahead, and aside.",
    "near_other": "Where the other side's figures stand to the ball, as that side sees them.",
}


def main() -> None:
    """Play, fit, and print or write the tables."""
    parser = argparse.ArgumentParser(description="Fit the good player's worth of positions of Dribbel-Fieber.")
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name} instead of printing it")
    given = parser.parse_args()
    rows = play_matches(given.matches, given.seed)
    setup = bolzplatz.load_game("dribbel-fieber").setup
    text = toml(fit(rows, setup.attack), rows, setup, given.matches, given.seed)
    if given.write:
        TARGET.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
