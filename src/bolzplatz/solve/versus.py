"""5050 for two: how often the solved game's player beats one who does not look at the score, exactly.

Whoever does not look at the score takes every turn alike: a *law* says how often such a turn writes how many points, or
busts. Against it the player of the solved game is followed through all scores (`versus_kernels`): it goes on choosing
as if the other one played best, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.game import Game
from bolzplatz.games.fifty_fifty import STOPPING, go_on
from bolzplatz.solve import turn_kernels, versus_kernels
from bolzplatz.solve.fifty_fifty import TAIL, FiftyFifty, read_turn
from bolzplatz.solve.solution import SolveError
from bolzplatz.solve.turn_kernels import FIRST, ONE, SECOND
from bolzplatz.solve.turns import TurnGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST: Final = 1e-15
"""Chances of longer turns are left out."""

Keeping = Callable[[Any, Sequence[int]], Mapping[int, float]]
"""How likely each keep is, by the data of a position and its legal actions."""


@dataclass(frozen=True, slots=True)
class Law:
    """What a turn brings.

    Attributes:
        written: the chance of each number of steps written.
        bust: the chance of a bust.
        last: the chance to get k steps or more in the last round, where it is played otherwise.
    """

    written: tuple[float, ...]
    bust: float
    last: tuple[float, ...]

    @classmethod
    def of(cls, written: Sequence[float], last: Sequence[float] | None = None) -> "Law":
        """Return the law of turns that write so much; whatever is missing busts."""
        if last is None:
            last = [sum(written[k:]) for k in range(len(written))]
        return cls(tuple(written), 1 - sum(written), tuple(last))


Leads = list[tuple[float, int, bool, Any]]
"""Where a throw and a keep lead to: chance, points gained, whether one may stop, what matters of the position then."""


def chain_of(game: Game, keeping: Keeping) -> tuple[Any, dict[Any, Leads]]:
    """Return where turns begin, and where each throw and keep of a player leads to; what is missing busts."""
    rules, setup, copy = game.rules, game.setup, game.layout.copy
    data = game.new_initial_state()._data
    start = read_turn(data)[0]
    waiting, chain, legal = [(start, data)], dict[Any, Leads](), [0] * game.num_actions
    seen = {start}
    while waiting:
        key, data = waiting.pop()
        mover, at_risk = rules.roller(data, setup), read_turn(data)[1]
        weights = [rules.chance_weight(data, setup, i) for i in range(rules.chance_count(data, setup))]
        found: dict[tuple[int, bool, Any], float] = {}
        for outcome, weight in enumerate(weights):
            thrown = copy(data)
            rules.apply(thrown, setup, outcome, None)
            if rules.player_to_act(thrown, setup) != mover:
                continue
            for action, share in keeping(thrown, legal[: rules.legal(thrown, setup, mover, legal)]).items():
                after = copy(thrown)
                rules.apply(after, setup, action, None)
                if may_stop := after.phase == STOPPING:
                    go_on(after, setup, None)
                following, points = read_turn(after)
                entry = (points - at_risk, may_stop, following)
                found[entry] = found.get(entry, 0.0) + share * weight / sum(weights)
                if following not in seen:
                    seen.add(following)
                    waiting.append((following, after))
        chain[key] = [(chance, *entry) for entry, chance in found.items()]
    return start, chain


def law_of(game: Game, unit: int, keeping: Keeping, stopping: float, needs: bool = False) -> Law:
    """Return the law of a player who keeps so, and stops with a fixed chance where it may.

    `needs`: in the last round it goes on until it is ahead.
    """
    start, chain = chain_of(game, keeping)

    def turn(need: int) -> list[float]:
        """Return the chances of what is written by one who never stops below `need` steps."""
        written, risks = [0.0] * (2 * TAIL), {0: {start: 1.0}}
        for t in range(TAIL):
            # Keeps that bring nothing are none; so all that leads here has come.
            for key, mass in risks.pop(t, {}).items():
                for chance, points, stop, following in chain[key]:
                    steps, share = t + points // unit, mass * chance
                    stops = share * stopping if stop and steps >= need else 0.0
                    written[steps] += stops
                    if share - stops > SMALLEST:
                        level = risks.setdefault(steps, {})
                        level[following] = level.get(following, 0.0) + share - stops
        return written

    last = [sum(turn(need)[need:]) for need in range(TAIL // 2)] if needs else None
    return Law.of(turn(0), last)


def law_of_best_turn(turn: TurnGraph, needs: bool = False) -> Law:
    """Return the law of a player for whom only the points of a turn count, on average.

    `needs`: in the last round it goes for its chance to get ahead instead.
    """
    import numpy as np

    memory = turn.memory(2 * TAIL)
    stop, value = int(memory[turn_kernels.H_STOP]), int(memory[turn_kernels.H_VALUE])
    point = ONE >> 12
    memory[stop : stop + 2 * TAIL + 1] = [t * point for t in range(2 * TAIL + 1)]
    code = compile_functions((turn_kernels.sweep_turn, turn_kernels.solve_last))
    code.sweep_turn(memory, 0, 2 * TAIL, 0)
    values = memory[value:]
    width, written = 2 * turn.classes, [0.0] * (2 * TAIL)
    mass = np.zeros((2 * TAIL, turn.classes))
    mass[0, 0] = 1.0
    for t in range(TAIL):
        for kind in np.flatnonzero(mass[t] > SMALLEST).tolist():
            for offer, weight in turn.offers[kind].items():
                if not offer:
                    continue
                choices = [(t + points // turn.unit, int(may_stop), c) for points, may_stop, c in sorted(offer)]
                steps, may_stop, after = max(choices, key=lambda o: int(values[o[0] * width + 2 * o[2] + o[1]]))
                share = mass[t, kind] * weight / turn_kernels.TOTAL
                if may_stop and steps * point >= int(values[steps * width + 2 * after]):
                    written[steps] += share
                else:
                    mass[steps, after] += share
    if not needs:
        return Law.of(written)
    last = np.zeros(TAIL + 1, dtype=np.int64)
    code.solve_last(turn.memory(TAIL), last)
    return Law.of(written, (last / ONE).tolist())


def win_share(solution: FiftyFifty, law: Law) -> float:
    """Return how often the player of the solved game beats one with this law, beginning in half of the matches."""
    import numpy as np

    game = solution.game
    if not game.setup.finish_round:
        raise SolveError("5050: fixed players are followed where the round is finished")
    n = solution.steps
    memory = solution.memory()
    code = compile_functions((versus_kernels.play_versus,))
    rows = (n + len(solution.last) + solution.turn.longest + 1) * 2 * solution.turn.classes
    shares = []
    for role in (FIRST, SECOND):
        own, other = np.zeros(n * n), np.zeros(n * n)
        last: NDArray[np.float64] = np.array(law.last) if role == FIRST else solution.last / ONE
        work = (np.zeros(n + len(solution.last)), np.zeros(rows), np.zeros(rows))
        code.play_versus(memory, 0, n, role, np.array(law.written), law.bust, last, (own, other), work)
        shares.append(float(own[0] if role == FIRST else other[0]))
    return sum(shares) / 2
