"""Solvers of 5050 for two and for three that share nothing with the package: value iteration over rules of its own."""

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


class Graph(NamedTuple):
    """A turn: positions before a throw, what each throw offers, and where it begins."""

    start: int
    nodes: int
    tables: Any
    """Chance of each throw; each position's first throw; each throw's first choice; choices (gain, stop, position)."""


def graph_of(rules: Variant) -> Graph:
    """Return a turn by these rules."""
    nodes: dict[tuple[int, int], int] = {}
    throws: list[list[tuple[float, list[tuple[int, int, int]]]]] = []

    @cache
    def offers(count: int) -> dict[frozenset[Keep], float]:
        found: dict[frozenset[Keep], float] = {}
        for faces in combinations_with_replacement(range(1, 7), count):
            dice = Counter(faces)
            ways = factorial(count) // prod(factorial(n) for n in dice.values())
            keeps = frozenset(keeps_of(dice, rules))
            found[keeps] = found.get(keeps, 0.0) + ways / 6**count
        return found

    def node_of(dice: int, points: int) -> int:
        key = (dice, min(points, rules.threshold))
        if key in nodes:
            return nodes[key]
        node = nodes[key] = len(nodes)
        throws.append([])
        for keeps, chance in offers(dice).items():
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
    return Graph(start, len(nodes), (chance_of, first_throw, first_choice, choice))


def solve(rules: Variant, longest: int = 300) -> tuple[Any, Any]:
    """Return the chances of both seats at their turns, by scores in steps: (first, second), each (n, n)."""
    graph = graph_of(rules)
    n = -(-rules.target // STEP)
    first, second = np.zeros((n, n)), np.zeros((n, n))
    last = np.zeros(longest + 2 * n)
    values = np.zeros((longest + 2 * n + 50, graph.nodes))
    _last_round(graph.tables, graph.start, values, last)
    _iterate(graph.tables, graph.start, values, first, second, last, rules.finish_round, longest)
    return first, second


def solve_three(rules: Variant, given: Any, longest: int = 200) -> tuple[Any, Any]:
    """Return all seats' chances by seat to move and scores in steps, (3, n, n, n, 3), and which triples settle.

    Everybody maximises the own chance, and of choices that are level that of the seat that plays next. Where values do
    not settle, those of `given` are taken over, which has the same shape, so that lower scores can be compared.
    """
    graph = graph_of(rules)
    n = -(-rules.target // STEP)
    values, ends = _ends_of_three(graph, rules, n, longest)
    worth, settled = np.zeros((3, n, n, n, 3)), np.zeros((n, n, n), dtype=np.bool_)
    run = (rules.finish_round, longest)
    _iterate_three(graph.tables, graph.start, values, worth, settled, given, ends, run)
    return worth, settled


def replies_of_three(rules: Variant, given: Any, longest: int = 200) -> Any:
    """Return what each turn is worth to all seats if only it is played best, and all turns after it are worth `given`.

    Shapes as in `solve_three`. What is its own reply is an equilibrium.
    """
    graph = graph_of(rules)
    n = -(-rules.target // STEP)
    values, ends = _ends_of_three(graph, rules, n, longest)
    replies = np.zeros(given.shape)
    _reply(graph.tables, graph.start, values, given, replies, ends, (rules.finish_round, longest))
    return replies


def _ends_of_three(graph: Graph, rules: Variant, n: int, longest: int) -> tuple[Any, Any]:
    """Return room for a turn, and what the last round is worth."""
    values = np.zeros((2 * longest + 2 * n + 50, graph.nodes, 3))
    last, rows = np.zeros(longest + 2 * n), np.zeros((2 * longest + 2 * n + 50, graph.nodes))
    _last_round(graph.tables, graph.start, rows, last)
    closing = np.zeros((longest + n + 1, longest + n + 1, 3))
    if rules.finish_round:
        _closing(graph.tables, graph.start, values, last, closing, n, longest)
    return values, (last, closing)


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


@numba.njit
def _better(table, row, column, other, place, mover):
    """Whether the mover prefers table[row, column] to other[place]; chances are in the order of the round."""
    following = (mover + 1) % 3
    if table[row, column, mover] != other[place, mover]:
        return table[row, column, mover] > other[place, mover]
    return table[row, column, following] > other[place, following]


@numba.njit
def _turn_of_three(tables, start, values, stop, bust, mover):
    """What a turn is worth to each of three; with len(stop) - 1 steps at risk a player who may stops."""
    chance_of, first_throw, first_choice, choice = tables
    top = len(stop) - 1
    best = np.zeros((1, 3))
    for t in range(top, -1, -1):
        rounds = 60 if t == top else 1
        if t == top:
            values[top:, :, :] = 0.0
        for _ in range(rounds):
            for node in range(values.shape[1]):
                first = second = third = 0.0
                for throw in range(first_throw[node], first_throw[node + 1]):
                    for seat in range(3):
                        best[0, seat] = bust[seat]
                    for c in range(first_choice[throw], first_choice[throw + 1]):
                        after, following = min(t + choice[c, 0], top), choice[c, 2]
                        goes = choice[c, 1] == 0 or _better(values, after, following, stop, after, mover)
                        if goes and (c == first_choice[throw] or _better(values, after, following, best, 0, mover)):
                            for seat in range(3):
                                best[0, seat] = values[after, following, seat]
                        elif not goes and (c == first_choice[throw] or _prefers(stop, after, best, mover)):
                            for seat in range(3):
                                best[0, seat] = stop[after, seat]
                    first += chance_of[throw] * best[0, 0]
                    second += chance_of[throw] * best[0, 1]
                    third += chance_of[throw] * best[0, 2]
                values[t, node, 0], values[t, node, 1], values[t, node, 2] = first, second, third
    return values[0, start].copy()


@numba.njit
def _prefers(stop, after, best, mover):
    """Whether the mover prefers to stop there to the best so far."""
    following = (mover + 1) % 3
    if stop[after, mover] != best[0, mover]:
        return stop[after, mover] > best[0, mover]
    return stop[after, following] > best[0, following]


@numba.njit
def _chances(first, second, third):
    return np.array([first, second, third])


@numba.njit
def _closing(tables, start, values, last, closing, n, longest):
    """The second seat's turn in the last round, by the first one's leads over it and over the third one."""
    for lead in range(1, longest + n):
        for other in range(max(1, lead - n + 1), min(longest + n, lead + n)):
            caught = last[other + 1] if other + 1 < len(last) else 0.0
            top = lead + max(1, longest - other)
            stop = np.zeros((top + 1, 3))
            for t in range(top + 1):
                if t <= lead:
                    stop[t] = _chances(1.0 - caught, 0.0, caught)
                else:
                    need = other + t - lead + 1
                    chance = last[need] if need < len(last) else 0.0
                    stop[t] = _chances(0.0, 1.0 - chance, chance)
            closing[lead, other] = _turn_of_three(tables, start, values, stop, stop[0], 1)


@numba.njit
def _stops(worth, ends, seat, scores, run):
    """What stopping is worth with 0 ... steps at risk to a seat at these scores."""
    last, closing = ends
    finish_round, longest = run
    n = worth.shape[1]
    top = longest if finish_round and seat < 2 else n - scores[seat]
    stop = np.zeros((top + 1, 3))
    after = scores.copy()
    for t in range(top + 1):
        after[seat] = scores[seat] + t
        if after[seat] < n:
            stop[t] = worth[(seat + 1) % 3, after[0], after[1], after[2]]
        elif seat == 2 or not finish_round:
            stop[t, seat] = 1.0
        elif seat == 1:
            need = after[1] - after[2] + 1
            stop[t] = _chances(0.0, 1.0 - last[need], last[need])
        else:
            stop[t] = closing[after[0] - after[1], after[0] - after[2]]
    return stop


@numba.njit
def _iterate_three(tables, start, values, worth, settled, given, ends, run):
    """Value iteration over all triples of scores, each until nothing moves."""
    n = worth.shape[1]
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            for k in range(n - 1, -1, -1):
                scores = np.array([i, j, k])
                worth[:, i, j, k] = 1.0 / 3.0
                changed = 1.0
                for _ in range(200):
                    changed = 0.0
                    for seat in (2, 1, 0):
                        stop = _stops(worth, ends, seat, scores, run)
                        bust = worth[(seat + 1) % 3, i, j, k].copy()
                        found = _turn_of_three(tables, start, values, stop, bust, seat)
                        for other in range(3):
                            changed = max(changed, abs(found[other] - worth[seat, i, j, k, other]))
                            worth[seat, i, j, k, other] = found[other]
                    if changed < 1e-13:
                        break
                settled[i, j, k] = changed < 1e-13
                if not settled[i, j, k]:
                    worth[:, i, j, k] = given[:, i, j, k]


@numba.njit
def _reply(tables, start, values, given, replies, ends, run):
    """One turn at every triple of scores."""
    n = given.shape[1]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                scores = np.array([i, j, k])
                for seat in range(3):
                    stop = _stops(given, ends, seat, scores, run)
                    bust = given[(seat + 1) % 3, i, j, k].copy()
                    replies[seat, i, j, k] = _turn_of_three(tables, start, values, stop, bust, seat)
