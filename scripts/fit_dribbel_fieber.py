"""Fit what positions of Dribbel-Fieber are worth to the strong player (src/bolzplatz/bots/dribbel_fieber.toml).

    python scripts/fit_dribbel_fieber.py plain --matches 25000 --seed 1 --rows rows.npy
    python scripts/fit_dribbel_fieber.py fitted --matches 15000 --seed 2 --rows rows.npy    # a few times

A player that searches its whole turn plays against itself, and some turns it plays oddly, so that all kinds of
positions come up. For the position at the start of each turn the script adds up the goals by which the side to move is
ahead over the next four turns, each shot counted by its chance, and fits the tables to them by least squares, with
neighbouring places held near each other. A player with better tables plays better matches to learn from: the first
round is played with plain eyes, each further one with what the round before has written. All rounds are learnt from;
their positions are kept in the file of rows. The edition is the placeholder; with another one the tables are a fair
guess.

The tables that are there now come of 25,000 matches with small tables set by hand, which are gone, then 7,500 and
10,000 with fitted ones. Over 500 pairs of matches with nothing but a search of the own turn, the first fit
took 54 % of the points from the tables set by hand, the second 55 % from the first, the third 52 % from the second
(each ± 2.5 %).
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
from bolzplatz.bots.dribbel_fieber_turn import good_choice
from bolzplatz.bots.dribbel_fieber_worth import FITTED, PLAIN
from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.engine import Engine, links_of, work_of
from bolzplatz.core.fast import below, start_stream
from bolzplatz.core.kernels import apply, choose, draw_outcome, legal, look_as, player_to_act
from bolzplatz.core.nodes import CHANCE, TERMINAL
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS, SPACES
from bolzplatz.games.dribbel_fieber.state import (
    BOUNCE,
    BUY,
    CARDS,
    CHASE,
    DIE_FACES,
    FACE_UP,
    FIGURES,
    KICK,
    KINDS,
    POLDIS,
    ROLL,
    TURNS,
    VOLLEY,
)

TARGET: Final = Path(players.__file__).with_suffix(".toml")
HORIZON: Final = 4
"""Turns over which goals are counted."""
ODD_TURN: Final = 5
"""One turn in so many is played oddly: half of its decisions are random, but for the shot."""
RANDOM: Final = -1
EYES: Final = {"plain": PLAIN, "fitted": FITTED}
TEST_EACH: Final = 10
"""One match in so many only tests what the others have taught."""
RIDGE: Final = 20.0
PAIR_RIDGE: Final = 600.0
SMOOTH: Final = 60.0
"""How strongly a worth is drawn to nothing, and to its neighbours: as much as by so many positions. What the pairs of
places of a figure and the ball add to what the places and the distance say is drawn to nothing more strongly."""
NEWEST: Final = 130_000
"""So many positions of the last round say what usually follows a goal, a miss and a bounce-back."""
BOUGHT: Final = 1.2
"""A bought card is in the hand at once, and now and then again."""
ROUNDS: Final = 200
EXACT: Final = 1e-4
"""The solver's steps at most, and the part of the error at which it may stop."""

# One recorded position.
MOVER, TURN, CAME, BALL_LIES, MATCH, WHERE = 0, 1, 2, 3, 4, 5
COINS, READY, HAND, CHANCES = 15, 17, 19, 29
WIDTH: Final = 31
AFTER_GOAL: Final = ROLL
AFTER_MISS: Final = KICK
AFTER_BOUNCE: Final = BOUNCE
AFTER_MATCH: Final = TURNS + 1
"""The turn of the row that closes a match."""


def learner(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose by lot, or by a search of the whole turn with these eyes."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    else:
        pick = good_choice(v, o, seat, actions, n, level)
    return pick


def record(s: Any, o: Any, came: int, match: int, chances: Any, row: Any) -> None:
    """Write down the position at the start of a turn; `came`: the phase that led to it."""
    row[MOVER] = s.attacker
    row[TURN] = s.turn
    row[CAME] = came
    row[BALL_LIES] = s.ball
    row[MATCH] = match
    for i in range(2 * FIGURES):
        row[WHERE + i] = s.where[i]
    for seat in range(2):
        row[COINS + seat] = s.coins[seat]
        row[CHANCES + seat] = chances[seat]
        row[READY + seat] = 0
        for kind in range(KINDS):
            row[HAND + seat * KINDS + kind] = 0
        for card in range(CARDS):
            if o.action[card] != VOLLEY:
                row[HAND + seat * KINDS + o.action[card]] += s.hand[seat * CARDS + card]
        for card in range(POLDIS):
            if s.poldi[card] == FACE_UP + seat:
                row[READY + seat] += 1


def play_and_record(
    view: Any, o: Any, level: int, seed: int, first: int, matches: int, buffers: Any, chances: Any, rows: Any
) -> int:
    """Play matches and record each turn's start, and the end of the match; return how many rows were written."""
    rng, actions, drawn = buffers
    states = view[0]
    written = 0
    for match in range(first, first + matches):
        states[0] = states[1]
        s = states[0]
        start_stream(rng, seed, match)
        turn = 0
        came = ROLL
        odd = False
        chances[0] = 0
        chances[1] = 0
        player = player_to_act(s, o)
        while player != TERMINAL:
            if s.turn > turn:
                turn = s.turn
                odd = below(rng, ODD_TURN) == 0
                record(s, o, came, match, chances, rows[written])
                written += 1
            came = s.phase
            if player == CHANCE:
                if s.phase == ROLL and s.shot_value < DIE_FACES:
                    chances[s.attacker] += DIE_FACES - s.shot_value
                apply(s, o, draw_outcome(s, o, rng, drawn), None)
            else:
                count = legal(s, o, player, actions)
                lot = odd and CHASE <= s.phase <= BUY and below(rng, 2) == 0
                seen = look_as(s, view, player)
                apply(s, o, choose(RANDOM if lot else level, seen, o, player, actions, count, rng), None)
            player = player_to_act(s, o)
        record(s, o, came, match, chances, rows[written])
        rows[written, TURN] = AFTER_MATCH
        written += 1
    return written


def play_matches(eyes: int, matches: int, seed: int, first: int) -> NDArray[Any]:
    """Return the recorded positions of so many matches, numbered from `first`, one a row."""
    engine = Engine(bolzplatz.load_game("dribbel-fieber"), players.choose_lightly)
    code = compile_functions([play_and_record], links_of(engine.game.rules, learner, hides=True))
    sizes = (1, engine.game.num_actions + work_of(players.choose_lightly), 16)
    buffers = tuple(np.zeros(size, dtype=np.int64) for size in sizes)
    rows = np.zeros((matches * (TURNS + 1), WIDTH), dtype=np.int64)
    chances = np.zeros(2, dtype=np.int64)
    written = code.play_and_record(engine.view, engine.setup, eyes, seed, first, matches, buffers, chances, rows)
    return rows[:written]


# --- what is fitted ---------------------------------------------------------------------------------------------

COLUMN_KINDS: Final = COLUMNS // 2 + 1
PLACES: Final = ROWS * COLUMN_KINDS
FAR_ROWS: Final = 3
FAR_COLUMNS: Final = 2
"""Beyond so many rows and columns the distance from the ball does not matter, whatever the places."""
NEAR_ROWS: Final = 2 * FAR_ROWS + 1
NEARS: Final = NEAR_ROWS * (FAR_COLUMNS + 1)
PAIRS: Final = PLACES * SPACES
# The weights, in this order: ball, places of own and other classes, distances from the ball of own and other classes,
# pairs of places of figure and ball of own and other classes; then, the mover's first, coins, volleys, cards by kind.
OWN_AT: Final = PLACES
NEAR_AT: Final = OWN_AT + 2 * worth.CLASSES * PLACES
PAIR_AT: Final = NEAR_AT + 2 * worth.CLASSES * NEARS
COIN_AT: Final = PAIR_AT + 2 * worth.CLASSES * PAIRS
VOLLEY_AT: Final = COIN_AT + 2
CARDS_AT: Final = VOLLEY_AT + 2
WEIGHTS: Final = CARDS_AT + 2 * KINDS
EVERYWHERE: Final = np.r_[0:COIN_AT]
OF_THE_BALL: Final = np.r_[0:PLACES, NEAR_AT:COIN_AT]


def seen_by(seat: NDArray[Any], space: NDArray[Any]) -> NDArray[Any]:
    """Turn spaces into the view of a seat."""
    return np.where(seat == 0, space, SPACES - 1 - space)


def place_of(space: NDArray[Any]) -> NDArray[Any]:
    """Return row and column from the middle as one number."""
    place: NDArray[Any] = space // COLUMNS * COLUMN_KINDS + abs(space % COLUMNS - COLUMNS // 2)
    return place


def near_of(space: NDArray[Any], ball: NDArray[Any]) -> NDArray[Any]:
    """Return the distance of a figure from the ball as one number."""
    ahead = np.clip(space // COLUMNS - ball // COLUMNS, -FAR_ROWS, FAR_ROWS) + FAR_ROWS
    aside = np.minimum(abs(space % COLUMNS - ball % COLUMNS), FAR_COLUMNS)
    near: NDArray[Any] = ahead * (FAR_COLUMNS + 1) + aside
    return near


def pair_of(space: NDArray[Any], ball: NDArray[Any]) -> NDArray[Any]:
    """Return the places of a figure and the ball as one number; what is on the right is seen in the mirror.

    A figure in the middle column has the ball on its left then.
    """
    middle = COLUMNS // 2
    turn = (space % COLUMNS > middle) | ((space % COLUMNS == middle) & (ball % COLUMNS > middle))
    a = np.where(turn, worth.mirrored(space), space)
    b = np.where(turn, worth.mirrored(ball), ball)
    pair: NDArray[Any] = (a // COLUMNS * COLUMN_KINDS + a % COLUMNS) * SPACES + b
    return pair


class Features:
    """Positions as sparse rows: the numbers of the weights that count in each, and how much (positions, entries)."""

    def __init__(self, rows: NDArray[Any], attack: list[int]) -> None:
        mover, one = rows[:, MOVER], np.ones(len(rows))
        found = [(place_of(seen_by(mover, rows[:, BALL_LIES])), one)]
        for team in range(2):
            other = (mover != team).astype(np.int64)
            ball = seen_by(np.full_like(mover, team), rows[:, BALL_LIES])
            for figure in range(FIGURES):
                kind: NDArray[Any] = other * worth.CLASSES + (attack[figure] if figure else 0)
                space = seen_by(np.full_like(mover, team), rows[:, WHERE + team * FIGURES + figure])
                found.append((OWN_AT + kind * PLACES + place_of(space), one))
                found.append((NEAR_AT + kind * NEARS + near_of(space, ball), one))
                found.append((PAIR_AT + kind * PAIRS + pair_of(space, ball), one))
            found.append((COIN_AT + other, rows[:, COINS + team] * (TURNS - rows[:, TURN]) / TURNS))
            found.append((VOLLEY_AT + other, rows[:, READY + team]))
            for card in range(KINDS):
                found.append((CARDS_AT + other * KINDS + card, rows[:, HAND + team * KINDS + card]))
        self.at = np.stack([at for at, _ in found], axis=1)
        self.much = np.stack([much for _, much in found], axis=1).astype(np.float64)

    def sums(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return what each position is worth by these weights."""
        total: NDArray[Any] = (weights[self.at] * self.much).sum(axis=1)
        return total

    def back(self, amounts: NDArray[Any]) -> NDArray[Any]:
        """Return for each weight the sum of the positions' amounts, as much as it counts in each."""
        return np.bincount(self.at.ravel(), (self.much * amounts[:, None]).ravel(), WEIGHTS)

    def squares(self) -> NDArray[Any]:
        """Return for each weight the sum of squares of how much it counts."""
        return np.bincount(self.at.ravel(), (self.much**2).ravel(), WEIGHTS)


def outcomes(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return which positions have enough turns after them, and by how many goals the mover is ahead over these."""
    later = np.minimum(np.arange(len(rows)) + HORIZON, len(rows) - 1)
    usable = (rows[later, MATCH] == rows[:, MATCH]) & (rows[:, TURN] + HORIZON <= AFTER_MATCH)
    gained = (rows[later, CHANCES : CHANCES + 2] - rows[:, CHANCES : CHANCES + 2]) / DIE_FACES
    sign = np.where(rows[:, MOVER] == 0, 1, -1)
    return usable, worth.GOAL * sign * (gained[:, 0] - gained[:, 1])


def neighbours() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the weights that stand side by side in a table, one in each of two arrays."""
    tables = [(i * PLACES, ROWS, COLUMN_KINDS) for i in range(1 + 2 * worth.CLASSES)]
    tables += [(NEAR_AT + i * NEARS, NEAR_ROWS, FAR_COLUMNS + 1) for i in range(2 * worth.CLASSES)]
    found: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for first, rows, columns in tables:
        table = first + np.arange(rows * columns).reshape(rows, columns)
        found += [(table[1:].ravel(), table[:-1].ravel()), (table[:, 1:].ravel(), table[:, :-1].ravel())]
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def solve(x: Features, y: NDArray[Any]) -> NDArray[Any]:
    """Return the weights of least squares, drawn to nothing and to their neighbours, by conjugate gradients."""
    ridge = np.full(WEIGHTS, RIDGE)
    ridge[PAIR_AT:COIN_AT] = PAIR_RIDGE
    a, b = neighbours()

    def left(weights: NDArray[Any]) -> NDArray[Any]:
        apart = SMOOTH * (weights[a] - weights[b])
        drawn = np.bincount(a, apart, WEIGHTS) - np.bincount(b, apart, WEIGHTS)
        total: NDArray[Any] = x.back(x.sums(weights)) + ridge * weights + drawn
        return total

    scale = x.squares() + ridge
    weights, ahead = np.zeros(WEIGHTS), np.zeros(WEIGHTS)
    rest = x.back(y)
    size = first = rest @ (rest / scale)
    before = np.inf
    for _ in range(ROUNDS):
        if size <= EXACT**2 * first:
            break
        ahead = rest / scale + size / before * ahead
        step = left(ahead)
        far = size / (ahead @ step)
        weights += far * ahead
        rest -= far * step
        before, size = size, rest @ (rest / scale)
    return weights


def fit(rows: NDArray[Any], attack: list[int]) -> NDArray[Any]:
    """Return the weights that come nearest to what happened; say how near in matches that are set apart for that."""
    usable, y = outcomes(rows)
    rows, y = rows[usable], y[usable]
    apart = rows[:, MATCH] % TEST_EACH == 0
    x, test = Features(rows[~apart], attack), Features(rows[apart], attack)
    weights = solve(x, y[~apart])
    explained = 1 - (y[apart] - test.sums(weights)).var() / y[apart].var()
    print(f"{len(rows)} positions, {explained:.3f} of the variance explained in others", file=sys.stderr)
    return weights


# --- writing it down --------------------------------------------------------------------------------------------


def toml(weights: NDArray[Any], rows: NDArray[Any], o: Any) -> str:
    """Return the text of dribbel_fieber.toml."""
    newest = rows[-NEWEST:]
    early = newest[newest[:, TURN] + HORIZON <= AFTER_MATCH]

    def mean_worth(came: int, part: NDArray[Any]) -> int:
        some = np.zeros(WEIGHTS)
        some[part] = weights[part]
        chosen = (early[:, CAME] == came) & (early[:, TURN] > 1)
        return round(float(Features(early[chosen], o.attack).sums(some).mean()))

    cards = -weights[CARDS_AT + KINDS : WEIGHTS]
    cards -= cards @ o.count / sum(o.count)
    singles = {
        "kick_off": mean_worth(AFTER_GOAL, EVERYWHERE),
        "goal_kick": mean_worth(AFTER_MISS, OF_THE_BALL),
        "bounce": mean_worth(AFTER_BOUNCE, OF_THE_BALL),
        "coin": round(-float(weights[COIN_AT + 1])),
        "volley": round(-float(weights[VOLLEY_AT + 1])),
        "cards": [round(float(card)) for card in cards],
        "blue": [round(BOUGHT * float(card)) for card in cards],
    }
    lines = [HEADER.format(matches=len(np.unique(rows[:, MATCH])))]
    lines += [f"{name} = {value}" for name, value in singles.items()]
    lines += ["", f"# {WHAT['ball']}", "ball = [", *_rows(weights[:PLACES].reshape(-1, COLUMN_KINDS)), "]"]
    for name, kind in (("own", 0), ("other", worth.CLASSES)):
        lines += ["", f"# {WHAT[name]}", f"{name} = ["]
        for figure in range(worth.CLASSES):
            first = OWN_AT + (kind + figure) * PLACES
            lines.append(f"    # {_class_name(figure)}")
            lines += _rows(weights[first : first + PLACES].reshape(-1, COLUMN_KINDS))
        lines.append("]")
    spaces = np.arange(SPACES)
    left = spaces[spaces % COLUMNS < COLUMN_KINDS]
    pairs = [np.repeat(left, SPACES), np.tile(spaces, len(left))]
    for name, kind in (("near_own", 0), ("near_other", worth.CLASSES)):
        lines += ["", f"# {WHAT[name]}", f"{name} = ["]
        for figure in range(worth.CLASSES):
            lines.append(f"    # {_class_name(figure)}")
            near = weights[NEAR_AT + (kind + figure) * NEARS + near_of(*pairs)]
            near = near + weights[PAIR_AT + (kind + figure) * PAIRS + pair_of(*pairs)]
            lines += _rows(near.reshape(-1, SPACES))
        lines.append("]")
    return "\n".join(lines) + "\n"


def _class_name(figure: int) -> str:
    return f"attack {figure}" if figure else "keeper"


def _rows(table: NDArray[Any]) -> list[str]:
    return [f"    [{', '.join(str(round(float(value))) for value in row)}]," for row in table]


HEADER: Final = """\
# What positions of Dribbel-Fieber are worth to the side that moves next, to the strong player, in thousandths of a
# goal: read by bots/dribbel_fieber_worth.py, written by scripts/fit_dribbel_fieber.py from {matches} matches of the
# edition `placeholder`.

# A kick-off to the side that has it; a goal kick and a bounce-back to the defender, apart from where the figures stand;
# a coin, while there is time to use it; a volley; and by kind (running, dribbling, short pass, cross, pressing) a card
# in the hand when the own turn begins, rather than one drawn at random, and a blue Poldi card that was bought."""

WHAT: Final = {
    "ball": "Where the ball lies, as the mover sees it: rows from the own goal, columns from the middle outward.",
    "own": "Where the mover's figures stand, as it sees them: eight rows for each class of figures.",
    "other": "Where the other side's figures stand, as that side sees them.",
    "near_own": "The same by where the ball is: a row for each of a1, b1, c1, a2 … c8, the ball on all spaces.",
    "near_other": "And for the other side's figures, as that side sees figures and ball.",
}


def main() -> None:
    """Play, fit, and write the tables."""
    parser = argparse.ArgumentParser(description="Fit the strong player's worth of positions of Dribbel-Fieber.")
    parser.add_argument("eyes", choices=EYES, help="who plays: plain eyes in the first round, then fitted ones")
    parser.add_argument("--matches", type=int, default=15_000, help="0: fit again to what was played before")
    parser.add_argument("--seed", type=int, default=1, help="another one in each round")
    parser.add_argument("--rows", type=Path, required=True, help="where the positions of all rounds are kept")
    given = parser.parse_args()
    parts = [np.load(given.rows)] if given.rows.exists() else []
    first = int(parts[0][:, MATCH].max()) + 1 if parts else 0
    if given.matches:
        parts.append(play_matches(EYES[given.eyes], given.matches, given.seed, first))
    rows = np.concatenate(parts)
    np.save(given.rows, rows)
    setup = bolzplatz.load_game("dribbel-fieber").setup
    TARGET.write_text(toml(fit(rows, setup.attack), rows, setup), encoding="utf-8")


if __name__ == "__main__":
    main()
