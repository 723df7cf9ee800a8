"""Die Bar-Bolz-Bande, solved in exact fractions for every option.

The one decision, to take a penalty or not, matters within an attack only: whoever attacks wants the goal. So an
attack is solved by itself, for the chance of a goal, and the contest is a chain of attacks that end with a goal or
without. That a goal is never worse for its scorer than none, at any standing, is checked on the result.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE, TERMINAL
from bolzplatz.games.bar_bolz import DECLINE, OVER, TAKE, side_of, start_attack
from bolzplatz.solve.exact import ExactGraph, explore_exactly, value_exactly
from bolzplatz.solve.solution import Progress, SolveError, final_chances, say_nothing

GOAL: Final = ("pass", "pass", "10")
NO_GOAL: Final = ("foul", "referee black")
"""Throws that end an attack either way, wherever it is made."""


def refusal(_game: Game) -> str | None:
    """Return why this variant is not solved: every one is."""
    return None


def at_start_of_attack(state: State) -> State:
    """Return the position at the beginning of the attack that is going on, without a history."""
    data = state.game.layout.copy(state._data)
    start_attack(data)
    return State(state.game, data)


class Attack:
    """One attack: the chance of a goal from every position in it, with best play and when no penalty is ever taken.

    Attributes:
        graph, values: its positions, and the chance of a goal from each.
        nodes: the node of each phase, points and fouls.
    """

    def __init__(self, start: State) -> None:
        self.attacker = start._data.attacker
        layout = start.game.layout
        ends = {layout.key(start.clone().play(*moves)._data): worth for moves, worth in ((GOAL, 1), (NO_GOAL, 0))}

        def payoff(state: State) -> Fraction | None:
            worth = ends.get(layout.key(state._data))
            return None if worth is None else Fraction(worth)

        self.graph = explore_exactly(start, payoff)
        self.values, self.chosen = value_exactly(self.graph, lambda _seat: True)
        self.nodes: dict[tuple[int, int, int], int] = {}
        for node, data in enumerate(self.graph.data):
            if self.graph.owner[node] != TERMINAL:
                self.nodes[data.phase, data.points, data.fouls] = node

    def chance(self, data: Any) -> Fraction:
        """Return the chance of a goal from a position of an attack by the same side."""
        return self.values[self.nodes[data.phase, data.points, data.fouls]]

    @cached_property
    def chance_without_penalties(self) -> Fraction:
        """The chance of a goal for an attacker who declines every penalty."""

        def last(node: int) -> int:
            return len(self.graph.edges[node]) - 1

        return value_exactly(self.graph, lambda _seat: True, last)[0][0]

    def gains(self) -> list[tuple[int, int, Fraction]]:
        """Return how much likelier taking a penalty makes a goal, where it may be declined: (points, fouls, by)."""
        found = []
        for (_, points, fouls), node in self.nodes.items():
            if self.graph.owner[node] >= 0 and len(self.graph.edges[node]) > 1:
                worth = {move: self.values[to] for move, _, to in self.graph.edges[node]}
                found.append((points, fouls, worth[TAKE] - worth[DECLINE]))
        return sorted(found)

    def declines(self) -> list[tuple[int, int]]:
        """Return the points and fouls at which it is best to decline a penalty."""
        found = []
        for (_, points, fouls), node in self.nodes.items():
            if self.graph.owner[node] >= 0 and self.graph.edges[node][self.chosen[node]][0] == DECLINE:
                found.append((points, fouls))
        return sorted(found)


class BarBolz:
    """Bar-Bolz-Bande, solved.

    Attributes:
        attacks: the attack of each side.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.attacks: dict[int, Attack] = {}
        self._values: dict[Any, Fraction] = {}
        self._solve_contest(game.new_initial_state())

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    def attack(self, state: State) -> Attack:
        """Return the attack that is going on; attacks of one side are all alike."""
        side = side_of(self._game.setup, state._data.attacker)
        if side not in self.attacks:
            self.attacks[side] = Attack(at_start_of_attack(state))
        return self.attacks[side]

    def _solve_contest(self, first: State) -> None:
        """Value the chain of attacks: the chance of side A at the start of each."""
        graph, layout = ExactGraph(), self._game.layout
        waiting: list[tuple[int, State]] = []

        def node_of(state: State) -> int:
            key = layout.key(state._data)
            if key not in graph.index:
                if state.is_terminal():
                    return graph.add(key, TERMINAL, Fraction(int(final_chances(state)[0] > 0)))
                waiting.append((graph.add(key, CHANCE), state))
            return graph.index[key]

        node_of(first)
        ends = []
        while waiting:
            node, state = waiting.pop()
            goal, no_goal = (node_of(after) for after in self._ends(state))
            chance = self.attack(state).chance(state._data)
            graph.edges[node] = [(1, chance, goal), (0, 1 - chance, no_goal)]
            ends.append((self._side(state), goal, no_goal))
        values, _ = value_exactly(graph, lambda _seat: True)
        for side, goal, no_goal in ends:
            if (values[goal] < values[no_goal]) if side == 0 else (values[goal] > values[no_goal]):
                raise SolveError(f"{self._game!r}: a goal may do harm, so that an attack cannot be solved by itself")
        self._values = {key: values[node] for key, node in graph.index.items()}

    def _ends(self, start: State) -> tuple[State, State]:
        """Return what an attack leads to, with a goal and without."""
        bare = State(start.game, start._data)
        return bare.clone().play(*GOAL), bare.clone().play(*NO_GOAL)

    def _side(self, state: State) -> int:
        return side_of(self._game.setup, state._data.attacker)

    def chance_of_a(self, state: State) -> Fraction:
        """Return the exact chance of side A (without teams: seat 0) to win from a position."""
        if state._data.phase == OVER:
            return Fraction(int(final_chances(state)[0] > 0))
        goal, no_goal = (self._value(after) for after in self._ends(at_start_of_attack(state)))
        chance = self.attack(state).chance(state._data)
        return chance * goal + (1 - chance) * no_goal

    def _value(self, state: State) -> Fraction:
        return self._values[self._game.layout.key(state._data)]

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when everybody plays best."""
        chance = self.chance_of_a(state)
        sides = (float(chance), float(1 - chance))
        return tuple(sides[side_of(self._game.setup, seat)] for seat in range(self._game.num_players))

    def prospects(self, state: State) -> dict[str, float]:
        """Return `goal`, the chance that the attack which is going on becomes one; nothing when all is over."""
        return {} if state._data.phase == OVER else {"goal": float(self.attack(state).chance(state._data))}

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able; fractions as texts."""
        start = self._game.new_initial_state()
        value = self._value(start)
        sides = {}
        for side, attack in sorted(self.attacks.items()):
            goal = attack.chance(at_start_of_attack(start)._data)
            never = attack.chance_without_penalties
            sides["AB"[side]] = {
                "goal": str(goal),
                "goal_chance": float(goal),
                "goal_without_penalties": str(never),
                "decline_at": [{"points": points, "fouls": fouls} for points, fouls in attack.declines()],
            }
        return {
            "starter": float(value),
            "starter_exact": str(value) if value.denominator < 10**60 else None,
            "attacks": sides,
            "positions": len(self._values),
        }


def solve(
    game: Game,
    progress: Progress = say_nothing,
    workers: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> BarBolz:
    """Return the solved game; it takes too little time for a table or several workers."""
    del workers, clock
    progress(0.0, "solving")
    solution = BarBolz(game)
    progress(1.0, "solved")
    return solution
