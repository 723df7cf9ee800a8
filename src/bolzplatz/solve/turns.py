"""One turn of a game as a graph, derived from its rules by enumeration.

A turn is a race between points at risk and a bust. What comes next depends on the dice and the present set, and what
it brings is added to the points at risk; so the turn is the same graph at every score. It is found by following
every throw and every keep through the rules, and then classes that lead to the same are merged (partition refinement),
until no two that are left behave alike. No rule is written down a second time.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bolzplatz.core.game import Game
from bolzplatz.solve import turn_kernels as kernels
from bolzplatz.solve.turn_kernels import ONE, TOTAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Option = tuple[int, bool, int]
"""Points gained, whether one may stop then, and the class from which one throws on."""
Offer = frozenset[Option]
"""What a throw offers; nothing: a bust."""


@dataclass(frozen=True)
class TurnGraph:
    """A turn, its classes of equal prospects before a throw, and what each throw offers.

    Attributes:
        unit: all points are multiples of this.
        class_of: the class of every position before a throw, by what the game's reader tells of it; the turn begins
            in class 0.
        offers: for each class, what its throws offer, each with its weight out of TOTAL.
    """

    unit: int
    class_of: dict[Any, int]
    offers: list[dict[Offer, int]]

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.offers)

    @cached_property
    def longest(self) -> int:
        """The most steps that one keep brings."""
        return max(points for offers in self.offers for offer in offers for points, _, _ in offer) // self.unit

    @cached_property
    def reach(self) -> list[int]:
        """For each class, the best chance out of ONE to get to a stop at all."""
        chances = [0] * self.classes
        while True:
            better = [
                sum(
                    weight * max((ONE if stop else chances[c] for _, stop, c in offer), default=0)
                    for offer, weight in offers.items()
                )
                // TOTAL
                for offers in self.offers
            ]
            if better == chances:
                return chances
            chances = better

    def memory(self, steps: int, to_next: bool = False) -> "NDArray[np.int64]":
        """Return the memory for `turn_kernels` with room for that many steps at risk.

        `to_next`: with room for what the turn is worth to the seat that plays next, too.
        """
        import numpy as np

        width = 2 * self.classes
        groups_at, weights, options_at, options = [0], list[int](), [0], list[int]()
        for offers in self.offers:
            for offer, weight in sorted(offers.items(), key=lambda item: sorted(item[0])):
                weights.append(weight)
                options += [points // self.unit * width + 2 * c + stop for points, stop, c in sorted(offer)]
                options_at.append(len(options))
            groups_at.append(len(weights))
        rows = (steps + self.longest + 1) * width
        parts: dict[int, list[int] | int] = {
            kernels.H_GROUPS_AT: groups_at,
            kernels.H_WEIGHT: weights,
            kernels.H_OPTIONS_AT: options_at,
            kernels.H_OPTION: options,
            kernels.H_REACH: self.reach,
            kernels.H_STOP: steps + 1,
            kernels.H_VALUE: rows,
            kernels.H_BUST: rows,
        }
        if to_next:
            parts |= {kernels.H_NEXT: rows, kernels.H_NEXT_STOP: steps + 1}
        header = [0] * kernels.H_SIZE
        header[kernels.H_CLASSES], header[kernels.H_PAD] = self.classes, self.longest
        content: list[int] = []
        for place, part in parts.items():
            header[place] = kernels.H_SIZE + len(content)
            content += [0] * part if isinstance(part, int) else part
        return np.array(header + content, dtype=np.int64)


def turn_graph(
    game: Game, read: Callable[[Any], tuple[Hashable, int]], go: Callable[[Any], None], stopping: Callable[[Any], bool]
) -> TurnGraph:
    """Return the graph of the first turn of a game.

    Args:
        game: the game; only the first turn of its first match is played, and never written down.
        read: tells of the data of a position before a throw what matters besides the points at risk, and those.
        go: throws on, in the data of a position in which one may stop.
        stopping: says whether one may stop in the data of a position.

    Raises ValueError where the weights of a throw do not divide TOTAL.
    """
    rules, setup, copy = game.rules, game.setup, game.layout.copy
    data = game.new_initial_state()._data
    start, _ = read(data)
    waiting, seen, found = [start], {start: data}, dict[Hashable, dict[Any, int]]()
    legal = [0] * game.num_actions

    def options_after(thrown: Any, mover: int, at_risk: int) -> frozenset[tuple[int, bool, Hashable]]:
        """Follow every keep of a throw to the next throw."""
        options = set()
        for action in legal[: rules.legal(thrown, setup, mover, legal)]:
            after = copy(thrown)
            rules.apply(after, setup, action, None)
            may_stop = stopping(after)
            if may_stop:
                go(after)
            key, points = read(after)
            options.add((points - at_risk, may_stop, key))
            if key not in seen:
                seen[key] = after
                waiting.append(key)
        return frozenset(options)

    while waiting:
        key = waiting.pop()
        data = seen[key]
        mover, at_risk = rules.roller(data, setup), read(data)[1]
        outcomes = range(rules.chance_count(data, setup))
        weights = [rules.chance_weight(data, setup, outcome) for outcome in outcomes]
        scale, rest = divmod(TOTAL, sum(weights))
        if rest:
            raise ValueError(f"throws weigh {sum(weights)}, which does not divide {TOTAL}")
        offers: dict[Any, int] = {}
        for outcome in outcomes:
            thrown = copy(data)
            rules.apply(thrown, setup, outcome, None)
            lives = rules.player_to_act(thrown, setup) == mover
            offer = options_after(thrown, mover, at_risk) if lives else frozenset()
            offers[offer] = offers.get(offer, 0) + scale * weights[outcome]
        found[key] = offers
    return _merged(start, found)


def _merged(start: Hashable, found: dict[Hashable, dict[Any, int]]) -> TurnGraph:
    """Merge positions that lead to the same, as coarsely as it goes."""
    order = [start, *(key for key in found if key != start)]
    class_of, count = dict.fromkeys(order, 0), 1
    while True:
        kinds: dict[Any, int] = {}
        offers: list[dict[Offer, int]] = []
        finer = {}
        for key in order:
            mine: dict[Offer, int] = {}
            for offer, weight in found[key].items():
                seen = frozenset((points, stop, class_of[after]) for points, stop, after in offer)
                mine[seen] = mine.get(seen, 0) + weight
            finer[key] = kinds.setdefault((class_of[key], frozenset(mine.items())), len(kinds))
            if finer[key] == len(offers):
                offers.append(mine)
        if len(kinds) == count:
            unit = math.gcd(*(points for kind in offers for offer in kind for points, _, _ in offer))
            return TurnGraph(unit, class_of, offers)
        class_of, count = finer, len(kinds)
