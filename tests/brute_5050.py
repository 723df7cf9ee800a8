"""A solver of 5050 for two that shares nothing with the package: plain value iteration over rules of its own."""

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any, NamedTuple

import numba
import numpy as np

STEP = 50


class Variant(NamedTuple):
    """The options that change numbers."""

    target: int
    threshold: int = 350
    finish_round: bool = True
    six_kind_is_three_pairs: bool = True
    converted_one_in_triple: bool = False
    max_conversions: int | None = None


Keep = tuple[int, int, bool]
"""Dice aside, points, and whether it is a combination that must be confirmed."""


def keeps_of(dice: Counter[int], rules: Variant) -> set[Keep]:
    """All that may be kept of a throw, by the rulebook's table."""
    found: set[Keep] = set()
    most_turned = 3 if rules.max_conversions is None else rules.max_conversions
    triples = [range(dice[face] // 3 + 1) for face in (2, 3, 4, 6)]
    for ones, fives, turned, *sets in product(range(dice[1] + 1), range(dice[5] + 1), range(most_turned + 1), *triples):
        if fives + 2 * turned > dice[5]:
            continue
        real_ones = ones + turned if rules.converted_one_in_triple else ones
        points = 1000 * (real_ones // 3) + 100 * (real_ones % 3) + 500 * (fives // 3) + 50 * (fives % 3)
        points += 0 if rules.converted_one_in_triple else 100 * turned
        points += sum(100 * face * count for face, count in zip((2, 3, 4, 6), sets, strict=True))
        laid = ones + fives + turned + 3 * sum(sets)
        if laid:
            found.add((laid, points, False))
    if len(dice) == 6:
        found.add((6, 1500, True))
    alike = len(dice) == 1
    if dice.total() == 6 and all(n % 2 == 0 for n in dice.values()) and (rules.six_kind_is_three_pairs or not alike):
        found.add((6, 1500, True))
    return found


def solve(rules: Variant, longest: int = 300) -> tuple[Any, Any]:
    """Return the chances of both seats at their turns, by scores in steps: (first, second), each (n, n)."""
    nodes: dict[tuple[int, int], int] = {}
    throws: list[list[tuple[float, list[tuple[int, int, int]]]]] = []

    @cache
    def offers(count: int) -> list[tuple[float, set[Keep]]]:
        found = []
        for faces in combinations_with_replacement(range(1, 7), count):
            dice = Counter(faces)
            ways = factorial(count) // prod(factorial(n) for n in dice.values())
            found.append((ways / 6**count, keeps_of(dice, rules)))
        return found

    def node_of(dice: int, points: int) -> int:
        key = (dice, min(points, rules.threshold))
        if key in nodes:
            return nodes[key]
        node = nodes[key] = len(nodes)
        throws.append([])
        for chance, keeps in offers(dice):
            choices = []
            for laid, gained, confirm in keeps:
                after, left = key[1] + gained, dice - laid
                stop = not confirm and after >= rules.threshold
                following = node_of(6, 0) if left == 0 else node_of(left, after)
                choices.append((gained // STEP, int(stop), following))
            throws[node].append((chance, choices))
        return node

    start = node_of(6, 0)
    chance_of = np.array([chance for node in throws for chance, _ in node])
    first_throw = np.cumsum([0, *(len(node) for node in throws)])
    first_choice = np.cumsum([0, *(len(choices) for node in throws for _, choices in node)])
    choice = np.array([c for node in throws for _, choices in node for c in choices])
    n = -(-rules.target // STEP)
    first, second = np.zeros((n, n)), np.zeros((n, n))
    last = np.zeros(longest + 2 * n)
    tables = (chance_of, first_throw, first_choice, choice)
    values = np.zeros((longest + 2 * n + 50, len(nodes)))
    _last_round(tables, start, values, last)
    _iterate(tables, start, values, first, second, last, rules.finish_round, longest)
    return first, second


@numba.njit
def _turn(tables, start, values, stop, bust):
    """The value of a turn; with len(stop) - 1 steps at risk a player who may stops, and more brings nothing."""
    chance_of, first_throw, first_choice, choice = tables
    top = len(stop) - 1
    for t in range(top, -1, -1):
        rounds = 60 if t == top else 1  # there, points no longer change, so that sets follow on sets
        if t == top:
            values[top:, :] = 0.0
        for _ in range(rounds):
            for node in range(values.shape[1]):
                total = 0.0
                for throw in range(first_throw[node], first_throw[node + 1]):
                    best = bust if first_choice[throw] == first_choice[throw + 1] else -1.0
                    for c in range(first_choice[throw], first_choice[throw + 1]):
                        after = min(t + choice[c, 0], top)
                        worth = values[after, choice[c, 2]]
                        if choice[c, 1] and stop[after] > worth:
                            worth = stop[after]
                        best = max(best, worth)
                    total += chance_of[throw] * best
                values[t, node] = total
    return values[0, start]


@numba.njit
def _last_round(tables, start, values, last):
    for need in range(1, len(last)):
        if need > 1 and last[need - 1] < 1e-10:
            break
        stop = np.zeros(need + 1)
        stop[need] = 1.0
        last[need] = _turn(tables, start, values, stop, 0.0)


@numba.njit
def _iterate(tables, start, values, first, second, last, finish_round, longest):
    """Value iteration over all pairs of scores until nothing moves."""
    n = len(first)
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            changed = 1.0
            while changed > 1e-13:
                top = longest if finish_round else n - i
                stop = np.ones(top + 1)
                for t in range(top + 1):
                    if i + t < n:
                        stop[t] = 1.0 - second[i + t, j] if t else 0.0
                    elif finish_round:
                        stop[t] = 1.0 - last[i + t - j + 1]
                ours = _turn(tables, start, values, stop, 1.0 - second[i, j])
                stop = np.ones(n - j + 1)
                for t in range(n - j):
                    stop[t] = 1.0 - first[i, j + t]
                theirs = _turn(tables, start, values, stop, 1.0 - ours)
                changed = abs(ours - first[i, j]) + abs(theirs - second[i, j])
                first[i, j], second[i, j] = ours, theirs
