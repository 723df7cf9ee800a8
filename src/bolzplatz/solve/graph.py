"""A game as a graph: every position that can be reached, found through the rules, and its exact value.

    graph = explore(game)
    values = value_graph(graph)          # of each node, the chance that seat 0 wins when everybody plays best
    values[graph.node(state)]

Two sides play for opposite ends, so that one number says all. What must be finite is made so by `canonical`, a function
of the compiled subset that brings a position into the form of one with the same prospects.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.declare import layout_of
from bolzplatz.core.engine import links_of
from bolzplatz.core.game import Game, State
from bolzplatz.solve import graph_kernels as kernels
from bolzplatz.solve.solution import Progress, SolveError, say_nothing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NODES: Final = 40_000_000
"""Beyond this a graph no longer fits into the memory of a usual computer."""
MOST_HEADS: Final = 64
"""Components with more heads than this are valued by plain value iteration."""
PAUSE: Final = 200_000
"""Nodes between two reports of progress; Ctrl-C is heard then, too."""
ROUNDS: Final = 100_000
TOLERANCE: Final = 1e-13


class Graph:
    """All positions of a game and where they lead to.

    Attributes:
        game: the game.
        rows: (n, width), each node's position, all declared fields in order.
        owner: (n,), the seat that decides, CHANCE or TERMINAL.
        payoff: (n,), what seat 0 gets at a terminal node, in halves: 2 won, 1 nobody won, 0 lost.
        begin: (n + 1,), node i has the edges begin[i] … begin[i + 1] - 1.
        target, weight, label: (m,), where an edge leads, its integer weight, its action or outcome.
    """

    def __init__(
        self, game: Game, canonical: Callable[[Any, Any], None] | None = None, most_nodes: int = MOST_NODES
    ) -> None:
        import numpy as np

        if game.num_players != 2:
            raise SolveError(f"{game.name}: a graph is valued for two sides, not for {game.num_players}")
        self.game, self._most = game, most_nodes
        links = {**links_of(game.rules), "canonical": canonical or kernels.as_it_is}
        entries = (kernels.expand, kernels.enter_start, kernels.refill_slots, kernels.find_node)
        self._code = compile_functions(entries, links)
        self._records = np.zeros(1, dtype=game.layout.dtype())
        self._entries = self._records.view(np.int64).reshape(1, -1)
        setups = np.zeros(1, dtype=layout_of(game.spec.setup).dtype())
        layout_of(game.spec.setup).to_record(game.setup, setups[0])
        self._setup: Any = setups[0]
        self._work = (np.zeros(game.num_actions, dtype=np.int64), np.zeros(game.num_players, dtype=np.int64))
        self._at = np.zeros(3, dtype=np.int64)
        self._slots = np.full(2**16, kernels.NO_NODE, dtype=np.int64)
        # Beyond the most, what one more node may lead to: there is no room left only where there are too many nodes.
        self._room = game.num_actions + game.max_chance_outcomes
        size = min(2**14, most_nodes + self._room)
        self.rows = np.zeros((size, self._entries.shape[1]), dtype=np.int64)
        self._nodes = [np.zeros(size + more, dtype=np.int64) for more in (0, 0, 1)]
        self._edges = [np.zeros(2**16, dtype=np.int64) for _ in range(3)]

    def enter(self, state: State) -> int:
        """Make a position a node from which `expand` goes on; return the node."""
        self.game.layout.to_record(state._data, self._records[0])
        return int(self._code.enter_start(self._records, self._entries, self._setup, self.rows, self._at, self._slots))

    def expand(self, progress: Progress = say_nothing) -> None:
        """Find all positions that can be reached; raises SolveError where they are too many or seats choose at once."""
        while True:
            status = self._code.expand(
                self._records, self._entries, self._setup, self.rows, self._at, self._slots, tuple(self._nodes),
                tuple(self._edges), self._work, PAUSE,
            )  # fmt: skip
            if status == kernels.JOINT_NODE:
                raise SolveError(f"{self.game.name}: seats choose at once; such games have no best move to list")
            if self._at[1] > self._most:
                raise SolveError(f"{self.game.name}: more than {self._most:,} positions")
            if status == kernels.FOUND_ALL:
                break
            progress(0.0, f"{self._at[1]:,} positions found")
            if status == kernels.FULL:
                self._grow()
        known, edges = int(self._at[1]), int(self._at[2])
        self.rows = self.rows[:known]
        self.owner, self.payoff, self.begin = (
            self._nodes[0][:known],
            self._nodes[1][:known],
            self._nodes[2][: known + 1],
        )
        self.target, self.weight, self.label = (array[:edges] for array in self._edges)

    def _grow(self) -> None:
        import numpy as np

        def larger(array: "NDArray[np.int64]", size: int) -> "NDArray[np.int64]":
            grown = np.zeros((size, *array.shape[1:]), dtype=np.int64)
            grown[: len(array)] = array
            return grown

        size = min(2 * len(self.rows), self._most) + self._room
        self.rows = larger(self.rows, size)
        self._nodes = [larger(array, size + (i == 2)) for i, array in enumerate(self._nodes)]
        self._edges = [larger(array, max(2 * len(array) + self._room, 3 * size)) for array in self._edges]
        slots = 1 << (4 * size).bit_length()
        self._slots = np.full(slots, kernels.NO_NODE, dtype=np.int64)
        self._code.refill_slots(self._entries, self.rows, self._at, self._slots)

    def node(self, state: State) -> int:
        """Return a position's node; raises KeyError where the graph does not have it."""
        self.game.layout.to_record(state._data, self._records[0])
        node = int(self._code.find_node(self._records, self._entries, self._setup, self.rows, self._slots))
        if node == kernels.NO_NODE:
            raise KeyError(f"no node of the graph: {state!r}")
        return node

    def __len__(self) -> int:
        return len(self.owner)


def explore(game: Game, canonical: Callable[[Any, Any], None] | None = None, progress: Progress = say_nothing) -> Graph:
    """Return the graph of all positions that can be reached from the start; raises SolveError."""
    graph = Graph(game, canonical)
    graph.enter(game.new_initial_state())
    graph.expand(progress)
    return graph


@dataclass(frozen=True, slots=True)
class Order:
    """Nodes in an order in which they can be valued: component after component, each after those it leads to.

    Attributes:
        nodes, bounds: component c is nodes[bounds[c]:bounds[c + 1]], but for cycles each after its successors.
        heads, head_bounds: the nodes of each component that its cycles go through.
        component, head: (n,), the component of each node, and 1 for heads.
    """

    nodes: "NDArray[np.int64]"
    bounds: "NDArray[np.int64]"
    heads: "NDArray[np.int64]"
    head_bounds: "NDArray[np.int64]"
    component: "NDArray[np.int64]"
    head: "NDArray[np.int64]"


def order_graph(graph: Graph) -> Order:
    """Sort the nodes of a graph into strongly connected components."""
    import numpy as np

    count = len(graph)
    code = compile_functions((kernels.order_nodes,))
    order, head = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    component = np.full(count, -1, dtype=np.int64)
    work = tuple(np.zeros(count, dtype=np.int64) for _ in range(5))
    components = code.order_nodes(graph.begin, graph.target, order, component, head, work)
    nodes = order[np.argsort(component[order], kind="stable")]
    heads = nodes[head[nodes] == 1]
    edges = np.arange(components + 1)
    return Order(
        nodes=nodes,
        bounds=np.searchsorted(component[nodes], edges).astype(np.int64),
        heads=heads,
        head_bounds=np.searchsorted(component[heads], edges).astype(np.int64),
        component=component,
        head=head,
    )


def value_graph(graph: Graph, progress: Progress = say_nothing) -> "NDArray[np.float64]":
    """Return for each node the chance that seat 0 wins when both play best; a match that nobody wins counts half.

    Backward induction over components; where positions come again, Newton steps on the few nodes that all cycles go
    through. Raises SolveError where the values do not settle.
    """
    import numpy as np

    order = order_graph(graph)
    progress(0.5, "valuing")
    sizes, heads = np.diff(order.bounds), np.diff(order.head_bounds)
    fits = (heads > 0) & (heads <= MOST_HEADS)
    widest, longest = int(heads[fits].max(initial=1)), int(sizes[fits].max(initial=1))
    values, guess = np.zeros(len(graph)), np.full(len(graph), 0.5)
    places = (np.zeros(len(graph), dtype=np.int64), np.zeros(len(graph), dtype=np.int64))
    arrays = (graph.owner, graph.payoff, graph.begin, graph.target, graph.weight, order.component, order.head)
    code = compile_functions((kernels.value_nodes,))
    off = code.value_nodes(
        order.nodes, order.bounds, order.heads, order.head_bounds, arrays, values, guess, places,
        np.zeros((longest, widest)), np.zeros((widest, widest + 1)), ROUNDS,
    )  # fmt: skip
    if not off < TOLERANCE:
        raise SolveError(f"{graph.game.name}: values differ by {off:g} after {ROUNDS:,} rounds")
    return values
