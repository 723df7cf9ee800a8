"""A part of a game as a graph: from given positions through the rules up to where the part ends.

A turn, a race for a penalty: such a part is small, and often the same wherever in a match it is played. It is found by
following every action and outcome through the interpreted rules; positions with one name count as one. Its values
follow from those of its ends (`part_kernels`). All its decisions belong to one seat, or there are none.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from bolzplatz.core.game import Game
from bolzplatz.core.nodes import CHANCE
from bolzplatz.solve import part_kernels as kernels
from bolzplatz.solve.graph_kernels import order_nodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Name = Callable[[Any], tuple[Any, bool]]
"""Names the data of a position, and says whether the part ends there."""


class Part:
    """Positions that can be reached, and where they lead to.

    Attributes:
        index: the node of each name.
        ends: the names of the ends.
        kind, edges: for each node what it is (HERE_…), and its edges: (target, weight, action or outcome).
    """

    def __init__(self, game: Game, name: Name) -> None:
        self.game, self.name = game, name
        self.index: dict[Any, int] = {}
        self.ends: list[Any] = []
        self.kind: list[int] = []
        self.edges: list[list[tuple[int, int, int]]] = []
        self._waiting: list[tuple[int, Any]] = []

    def explore(self, name: Hashable, start: Any) -> int:
        """Follow everything from the data of a position with that name, which is no end, on; return its node."""
        begin = self._node(name, start, end=False)
        rules, setup, copy = self.game.rules, self.game.setup, self.game.layout.copy
        legal = [0] * self.game.num_actions
        while self._waiting:
            node, data = self._waiting.pop()
            player = rules.player_to_act(data, setup)
            if player == CHANCE:
                moves = [(i, rules.chance_weight(data, setup, i)) for i in range(rules.chance_count(data, setup))]
            else:
                self.kind[node] = kernels.HERE_DECISION
                moves = [(action, 0) for action in legal[: rules.legal(data, setup, player, legal)]]
            found: dict[tuple[int, int], tuple[int, int]] = {}
            for move, weight in moves:
                after = copy(data)
                rules.apply(after, setup, move, None)
                to = self._node(*self._named(after))
                # Outcomes that lead to the same are one edge.
                key = (to, -1 if player == CHANCE else move)
                found[key] = (found.get(key, (0, 0))[0] + weight, move)
            self.edges[node] = [(to, weight, move) for (to, _), (weight, move) in found.items()]
        return begin

    def _named(self, data: Any) -> tuple[Hashable, Any, bool]:
        name, end = self.name(data)
        return name, data, end

    def _node(self, name: Hashable, data: Any, end: bool) -> int:
        if name not in self.index:
            self.index[name] = len(self.kind)
            self.kind.append(kernels.HERE_END if end else kernels.HERE_CHANCE)
            self.edges.append([])
            if end:
                self.ends.append(name)
            else:
                self._waiting.append((self.index[name], data))
        return self.index[name]

    def ends_from(self, node: int) -> set[Any]:
        """Return the names of the ends that can be reached from a node."""
        seen, waiting = {node}, [node]
        while waiting:
            for to, _, _ in self.edges[waiting.pop()]:
                if to not in seen:
                    seen.add(to)
                    waiting.append(to)
        return {name for name in self.ends if self.index[name] in seen}

    def memory(self) -> "NDArray[np.int64]":
        """Return the memory for `part_kernels`; the values of all ends are 0."""
        count = len(self.kind)
        begin, target, weight, label, total = [0], list[int](), list[int](), list[int](), list[int]()
        for edges in self.edges:
            target += [edge[0] for edge in edges]
            weight += [edge[1] for edge in edges]
            label += [edge[2] for edge in edges]
            total.append(sum(edge[1] for edge in edges))
            begin.append(len(target))
        order, component, head = [0] * count, [-1] * count, [0] * count
        components = order_nodes(begin, target, order, component, head, tuple([0] * count for _ in range(5)))
        members: list[list[int]] = [[] for _ in range(components)]
        for node in order:
            members[component[node]].append(node)
        bounds = [0]
        for part in members:
            bounds.append(bounds[-1] + len(part))
        content = {
            kernels.Q_KIND: self.kind,
            kernels.Q_BEGIN: begin,
            kernels.Q_TARGET: target,
            kernels.Q_WEIGHT: weight,
            kernels.Q_LABEL: label,
            kernels.Q_TOTAL: total,
            kernels.Q_ORDER: [node for part in members for node in part],
            kernels.Q_BOUNDS: bounds,
            kernels.Q_CYCLIC: [int(any(head[node] for node in part)) for part in members],
            kernels.Q_VALUE: [0] * count,
        }
        header = [0] * kernels.Q_SIZE
        header[kernels.Q_NODES], header[kernels.Q_COMPONENTS] = count, components
        return pack(header, content)


def pack(header: list[int], content: "Mapping[int, list[int] | NDArray[np.int64]]") -> "NDArray[np.int64]":
    """Return a header and lists in one run of integers; header[place] says where the list of that place begins."""
    import numpy as np

    at = len(header)
    for place, part in content.items():
        header[place] = at
        at += len(part)
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in (header, *content.values())])
