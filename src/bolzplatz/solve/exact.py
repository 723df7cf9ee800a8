"""Values in exact fractions, for graphs of some thousand positions.

Components of the graph are valued in turn, those first that others lead to. Within one, choices are fixed, which makes
its values a system of linear equations; it is solved by elimination in depth-first order, so that a value is written in
those of the few nodes that cycles go back to. Then every seat may improve its choices, and so on until nobody can: the
values then satisfy both sides' conditions of best play exactly.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from bolzplatz.core.game import State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS, TERMINAL
from bolzplatz.solve.graph_kernels import order_nodes
from bolzplatz.solve.solution import SolveError

MOST_ROUNDS: Final = 200
"""Improvements of choices after which a component is given up; a handful is usual."""

Edge = tuple[int, Fraction, int]
"""Action or outcome, its chance (0 at a decision), and the node that it leads to."""


@dataclass(slots=True)
class ExactGraph:
    """Positions and where they lead to.

    Attributes:
        owner: for each node the seat that decides, CHANCE or TERMINAL.
        edges: where it leads.
        payoff: its value to the side that wants high values, at a terminal node.
        index: the node of each key.
        data: the positions' data, None where nobody gave it.
    """

    owner: list[int] = field(default_factory=list)
    edges: list[list[Edge]] = field(default_factory=list)
    payoff: list[Fraction] = field(default_factory=list)
    index: dict[Hashable, int] = field(default_factory=dict)
    data: list[Any] = field(default_factory=list)

    def add(self, key: Hashable, owner: int, payoff: Fraction = Fraction(0), data: Any = None) -> int:
        """Add a node without edges and return it."""
        self.data.append(data)
        node = self.index[key] = len(self.owner)
        self.owner.append(owner)
        self.edges.append([])
        self.payoff.append(payoff)
        return node


def explore_exactly(start: State, payoff: Callable[[State], Fraction | None]) -> ExactGraph:
    """Return the graph of all positions after `start`; it ends where `payoff` says what a position is worth.

    Raises SolveError where seats choose at once, or a match ends without a payoff.
    """
    graph = ExactGraph()
    waiting: list[tuple[int, State]] = []

    def node_of(state: State) -> int:
        key = state.game.layout.key(state._data)
        if key in graph.index:
            return graph.index[key]
        worth, owner = payoff(state), state.current_player()
        if worth is not None:
            return graph.add(key, TERMINAL, worth, state._data)
        if owner == SIMULTANEOUS:
            raise SolveError(f"{state.game.name}: seats choose at once; such games have no best move to list")
        if owner == TERMINAL:
            raise SolveError(f"{state.game.name}: no value is known where {state.history()} leads to")
        node = graph.add(key, owner, data=state._data)
        waiting.append((node, state))
        return node

    node_of(start)
    while waiting:
        node, state = waiting.pop()
        chances = dict(state.chance_outcomes()) if state.is_chance_node() else {}
        for move in state.legal_actions():
            after = state.clone()
            after.apply_action(move)
            graph.edges[node].append((move, chances.get(move, Fraction(0)), node_of(after)))
    return graph


Policy = Callable[[int], int]
"""Which of its edges a decision node takes, as a place in its list."""


def value_exactly(
    graph: ExactGraph, wants_high: Callable[[int], bool], policy: Policy | None = None
) -> tuple[list[Fraction], list[int]]:
    """Return the exact value of every node, and the edge that each decision node takes.

    Args:
        graph: the positions.
        wants_high: says whether a seat plays for high values; all others play for low ones.
        policy: choices that all seats are held to; best play where None.

    Raises SolveError where choices do not settle, or a match could go on for ever.
    """
    values = [Fraction(0)] * len(graph.owner)
    chosen = [policy(node) if policy is not None and owner >= 0 else 0 for node, owner in enumerate(graph.owner)]
    for part in _components(graph):
        if policy is None:
            _choose_ways_out(graph, part, chosen)
        for _ in range(MOST_ROUNDS):
            _value_component(graph, part, chosen, values)
            if policy is not None or not _improve(graph, part, chosen, values, wants_high):
                break
        else:
            raise SolveError(f"best choices do not settle within {MOST_ROUNDS} rounds")
    return values, chosen


def _components(graph: ExactGraph) -> Iterator[list[int]]:
    """Yield strongly connected components, those first that others lead to; nodes in depth-first order."""
    count = len(graph.owner)
    begin, target = [0], list[int]()
    for edges in graph.edges:
        target += [to for _, _, to in edges]
        begin.append(len(target))
    order, component, head = [0] * count, [-1] * count, [0] * count
    work = tuple([0] * count for _ in range(5))
    components = order_nodes(begin, target, order, component, head, work)
    parts: list[list[int]] = [[] for _ in range(components)]
    for node in order:
        parts[component[node]].append(node)
    yield from parts


def _choose_ways_out(graph: ExactGraph, part: Sequence[int], chosen: list[int]) -> None:
    """Let every decision node take an edge on a shortest way out of the component: then no match goes on for ever."""
    inside = set(part)
    before: dict[int, list[tuple[int, int]]] = {}
    for node in part:
        for place, (_, _, to) in enumerate(graph.edges[node]):
            before.setdefault(to, []).append((node, place))
    waiting = deque(to for to in before if to not in inside)
    while waiting:
        for node, place in before.get(waiting.popleft(), ()):
            if node in inside:
                chosen[node] = place
                inside.discard(node)
                waiting.append(node)


Terms = dict[int, Fraction]
"""A value written in those of nodes of the same component that are not known yet."""


def _value_component(graph: ExactGraph, part: Sequence[int], chosen: Sequence[int], values: list[Fraction]) -> None:
    """Value one component with the chosen edges, by elimination."""
    inside = set(part)
    place = {node: number for number, node in enumerate(part)}
    written: dict[int, tuple[Fraction, Terms]] = {}
    for node in part:
        constant, terms = Fraction(0), Terms()
        if graph.owner[node] == TERMINAL:
            constant = graph.payoff[node]
        for chance, to in _taken(graph, node, chosen):
            if to in inside:
                terms[to] = terms.get(to, Fraction(0)) + chance
            else:
                constant += chance * values[to]
        # A node is written in later ones; some of these may have been written since, so the earliest comes first.
        while known := [other for other in terms if other in written]:
            first = min(known, key=place.__getitem__)
            chance = terms.pop(first)
            constant += chance * written[first][0]
            for other, share in written[first][1].items():
                terms[other] = terms.get(other, Fraction(0)) + chance * share
        returning = terms.pop(node, Fraction(0))
        if returning == 1:
            raise SolveError("with these choices the match would never end")
        leaves = 1 - returning
        written[node] = (constant / leaves, {other: share / leaves for other, share in terms.items()})
    for node in reversed(part):
        constant, terms = written[node]
        values[node] = constant + sum((share * values[other] for other, share in terms.items()), Fraction(0))


def _taken(graph: ExactGraph, node: int, chosen: Sequence[int]) -> list[tuple[Fraction, int]]:
    """Return the edges that are taken from a node, each with its chance."""
    if graph.owner[node] == CHANCE:
        return [(chance, to) for _, chance, to in graph.edges[node]]
    if graph.owner[node] == TERMINAL:
        return []
    return [(Fraction(1), graph.edges[node][chosen[node]][2])]


def _improve(
    graph: ExactGraph,
    part: Sequence[int],
    chosen: list[int],
    values: Sequence[Fraction],
    wants_high: Callable[[int], bool],
) -> bool:
    """Let every decision node take a better edge if it has one; return whether one did."""
    improved = False
    for node in part:
        if graph.owner[node] < 0:
            continue
        worth = [values[to] for _, _, to in graph.edges[node]]
        best = max(worth) if wants_high(graph.owner[node]) else min(worth)
        if worth[chosen[node]] != best:
            chosen[node] = worth.index(best)
            improved = True
    return improved
