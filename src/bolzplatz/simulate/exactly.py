"""How strong a computer player is against another, exactly, where the game is solved and both can be followed.

In Bar-Bolz-Bande all levels can be: each declines a penalty with a chance that is known at every position of an attack.
In 5050 the player of the solved game is followed against one that does not look at the score (`solve.versus`).
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from bolzplatz.bots import bar_bolz, fifty_fifty, level_index, memory_of
from bolzplatz.bots.graded import FULL, weight_of
from bolzplatz.bots.plugins import plugged_in
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE
from bolzplatz.games.bar_bolz import DECLINE, side_of
from bolzplatz.solve import refusal, solve
from bolzplatz.solve.bar_bolz import Attack, BarBolz, at_start_of_attack
from bolzplatz.solve.exact import value_exactly
from bolzplatz.solve.fifty_fifty import FiftyFifty
from bolzplatz.solve.versus import Law, law_of, win_share

BEST: Final = "optimal"


def exact_share(game: Game, strong: str, weak: str) -> float | None:
    """Return the share of points of `strong` against `weak`, each beginning half of the matches; None: not known."""
    if refusal(game) is not None or game.name not in _WAYS or {strong, weak} & set(plugged_in(game.name)):
        return None
    return _WAYS[game.name](game, strong, weak)


# --- Bar-Bolz-Bande -----------------------------------------------------------------------------------------------


def decline_chance(game: Game, level: str, side: int, points: int, fouls: int) -> Fraction:
    """Return how often a level declines a penalty that it may decline."""
    number = level_index(game.name, level)
    if number == bar_bolz.RANDOM:
        return Fraction(1, 2)
    if number in (bar_bolz.CHILD, bar_bolz.GOOD):
        return Fraction(int(number == bar_bolz.CHILD))
    memory = memory_of(game, (level,))
    knobs = len(bar_bolz.KNOBS)
    gain = memory[knobs + side * bar_bolz.ROW + points // bar_bolz.STEP * bar_bolz.FOULS + fouls]
    if number == bar_bolz.OPTIMAL:
        return Fraction(int(gain < 0))
    worse = weight_of(abs(gain), memory[number - bar_bolz.CASUAL])
    slips = Fraction(worse, FULL + worse)
    return slips if gain >= 0 else 1 - slips


class _FixedAttack(Attack):
    """An attack of a level: its decisions are drawn with the chances that are known of it."""

    def __init__(self, start: State, level: str) -> None:
        super().__init__(start)
        game, graph = start.game, self.graph
        side = side_of(game.setup, self.attacker)
        for (_, points, fouls), node in self.nodes.items():
            if graph.owner[node] >= 0:
                declines = (
                    decline_chance(game, level, side, points, fouls) if len(graph.edges[node]) > 1 else Fraction(0)
                )
                graph.owner[node] = CHANCE
                graph.edges[node] = [
                    (move, declines if move == DECLINE else 1 - declines, to) for move, _, to in graph.edges[node]
                ]
        self.values, self.chosen = value_exactly(graph, lambda _seat: True)


class _FixedBarBolz(BarBolz):
    """Bar-Bolz-Bande between two levels."""

    def __init__(self, game: Game, levels: tuple[str, str]) -> None:
        self._levels = levels
        super().__init__(game)

    def attack(self, state: State) -> Attack:
        """Return the attack that is going on, as its side plays it."""
        side = side_of(self._game.setup, state._data.attacker)
        if side not in self.attacks:
            self.attacks[side] = _FixedAttack(at_start_of_attack(state), self._levels[side])
        return self.attacks[side]


def _bar_bolz_share(game: Game, strong: str, weak: str) -> float:
    start = game.new_initial_state()
    ahead, behind = (_FixedBarBolz(game, levels).chance_of_a(start) for levels in ((strong, weak), (weak, strong)))
    return float((ahead + 1 - behind) / 2)


# --- 5050 ---------------------------------------------------------------------------------------------------------


def _blind_law(game: Game, level: str, unit: int) -> Law | None:
    """Return the law of a level that does not look at the score; None for one that does."""

    def most(_data: Any, actions: Any) -> dict[int, float]:
        return {fifty_fifty.most_points(game.setup, actions, len(actions)): 1.0}

    def any_one(_data: Any, actions: Any) -> dict[int, float]:
        return dict.fromkeys(actions, 1 / len(actions))

    if level == "child":
        return law_of(game, unit, most, 1.0)
    if level == "random":
        return law_of(game, unit, any_one, 0.5)
    return None


def _fifty_fifty_share(game: Game, strong: str, weak: str) -> float | None:
    if BEST not in (strong, weak) or not game.setup.finish_round or game.num_players != 2:
        return None
    other = weak if strong == BEST else strong
    if other == BEST:
        return 0.5
    solution = solve(game)
    assert isinstance(solution, FiftyFifty)
    law = _blind_law(game, other, solution.turn.unit)
    if law is None:
        return None
    share = win_share(solution, law)
    return share if strong == BEST else 1 - share


_WAYS: Final[dict[str, Callable[[Game, str, str], float | None]]] = {
    "bar-bolz": _bar_bolz_share,
    "5050": _fifty_fifty_share,
}
