"""Graphs of positions, in plain functions of the compiled subset: find all positions, order them, value them.

`expand` calls a game's rules by the names below, which are placeholders here as in `core.kernels`; `canonical` brings
a position into the form that stands for all equal ones. `order_nodes` also runs interpreted, over lists.

A graph of n nodes and m edges is written as flat arrays: `owner` (n), the seat that decides, CHANCE or TERMINAL;
`begin` (n + 1), node i has the edges begin[i] … begin[i + 1] - 1; `target`, `weight` and `label` (m).
"""

from typing import Any, Final

from bolzplatz.core.fast import mix64
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS

FOUND_ALL: Final = 0
FULL: Final = 1
PAUSED: Final = 2
JOINT_NODE: Final = 3

NO_NODE: Final = -1
PLACED: Final = 2**62
"""In place of the next edge of a node that has been left: an edge to it leads back no longer."""


def _not_linked(*_arguments: Any) -> Any:
    raise NotImplementedError("kernels run only when linked to a game")


player_to_act = legal = apply = chance_count = chance_weight = winners = canonical = _not_linked


def as_it_is(_s: Any, _o: Any) -> None:
    """Leave a position as it is: where no two positions are to be taken for one."""


# --- finding all positions --------------------------------------------------------------------------------------


def slot_of(entries: Any, rows: Any, slots: Any) -> int:
    """Return the slot of the hash table that holds entries[0], or the free one where it belongs."""
    mask = len(slots) - 1
    key = 0
    for i in range(rows.shape[1]):
        key = mix64(key ^ entries[0, i])
    slot = key & mask
    while slots[slot] != NO_NODE:
        node = slots[slot]
        i = 0
        while i < rows.shape[1] and rows[node, i] == entries[0, i]:
            i += 1
        if i == rows.shape[1]:
            break
        slot = (slot + 1) & mask
    return slot


def load_row(entries: Any, rows: Any, node: int) -> None:
    """Copy a node's position into the record that the rules work on."""
    for i in range(rows.shape[1]):
        entries[0, i] = rows[node, i]


def node_of(entries: Any, rows: Any, at: Any, slots: Any) -> int:
    """Return the node of the position entries[0], a new one where it is seen for the first time."""
    slot = slot_of(entries, rows, slots)
    if slots[slot] == NO_NODE:
        for i in range(rows.shape[1]):
            rows[at[1], i] = entries[0, i]
        slots[slot] = at[1]
        at[1] += 1
    return slots[slot]  # type: ignore[no-any-return]


def find_node(records: Any, entries: Any, o: Any, rows: Any, slots: Any) -> int:
    """Return the node of the position in records[0], NO_NODE where the graph does not have it."""
    canonical(records[0], o)
    return slots[slot_of(entries, rows, slots)]  # type: ignore[no-any-return]


def enter_start(records: Any, entries: Any, o: Any, rows: Any, at: Any, slots: Any) -> int:
    """Make the position in records[0] a node and return it."""
    canonical(records[0], o)
    return node_of(entries, rows, at, slots)


def refill_slots(entries: Any, rows: Any, at: Any, slots: Any) -> None:
    """Enter all known positions into a larger hash table."""
    for slot in range(len(slots)):
        slots[slot] = NO_NODE
    for node in range(at[1]):
        load_row(entries, rows, node)
        slots[slot_of(entries, rows, slots)] = node


def expand(
    records: Any, entries: Any, o: Any, rows: Any, at: Any, slots: Any, nodes: Any, edges: Any, work: Any, budget: int
) -> int:
    """Follow every action and outcome of the nodes from at[0] on, through the rules, until there is no new position.

    Args:
        records: one state record; entries: the same memory as (1, width) integers.
        o: the setup.
        rows: (n, width), the positions.
        at: nodes expanded, nodes known, edges known.
        slots: the hash table, a power of two long.
        nodes: owner (n), payoff of terminal nodes to seat 0 in halves (n), begin (n + 1).
        edges: target, weight and label (m).
        work: legal actions; winners.
        budget: nodes after which it pauses.

    Returns FOUND_ALL, PAUSED, FULL where an array must grow before it goes on, or JOINT_NODE.
    """
    owner, payoff, begin = nodes
    target, weight, label = edges
    actions, won = work
    s = records[0]
    while at[0] < at[1]:
        if budget == 0:
            return PAUSED
        budget -= 1
        node = at[0]
        load_row(entries, rows, node)
        player = player_to_act(s, o)
        if player == SIMULTANEOUS:
            return JOINT_NODE
        count = 0
        if player >= 0:
            count = legal(s, o, player, actions)
        elif player == CHANCE:
            count = chance_count(s, o)
        else:
            winners(s, o, won)
            total = 0
            for seat in range(o.seats):
                total += won[seat]
            payoff[node] = 2 * won[0] if total > 0 else 1
        if at[1] + count > len(rows) or at[2] + count > len(target) or 2 * (at[1] + count) > len(slots):
            return FULL
        owner[node] = player
        for i in range(count):
            load_row(entries, rows, node)
            move = actions[i] if player >= 0 else i
            chance = 0 if player >= 0 else chance_weight(s, o, i)
            if player >= 0 or chance > 0:
                apply(s, o, move, None)
                canonical(s, o)
                target[at[2]] = node_of(entries, rows, at, slots)
                weight[at[2]] = chance
                label[at[2]] = move
                at[2] += 1
        at[0] += 1
        begin[at[0]] = at[2]
    return FOUND_ALL


# --- order --------------------------------------------------------------------------------------------------------


def order_nodes(begin: Any, target: Any, order: Any, component: Any, head: Any, work: Any) -> int:
    """Order nodes so that each comes after those that it leads to, but for cycles; return the number of components.

    Args:
        begin, target: the edges.
        order: (n), out: the nodes as depth-first search leaves them: but for edges to heads, successors come first.
        component: (n), out: number of the strongly connected component (Tarjan 1972); a component leads to itself and
            to lower numbers only. The nodes of one component are not always neighbours in `order`.
        head: (n), out: 1 for the nodes that some edge leads back to. Every cycle goes through one.
        work: four arrays (n): when found (0: not yet), lowest reached, path, next edge; and one (n) for open nodes.
    """
    found, low, path, edge, waiting = work
    clock = 0
    placed = 0
    components = 0
    waits = 0
    for root in range(len(order)):
        if found[root] != 0:
            continue
        depth = 0
        path[0] = root
        clock += 1
        found[root] = clock
        low[root] = clock
        edge[root] = begin[root]
        waiting[waits] = root
        waits += 1
        while depth >= 0:
            node = path[depth]
            if edge[node] < begin[node + 1]:
                to = target[edge[node]]
                edge[node] += 1
                if found[to] == 0:
                    depth += 1
                    path[depth] = to
                    clock += 1
                    found[to] = clock
                    low[to] = clock
                    edge[to] = begin[to]
                    waiting[waits] = to
                    waits += 1
                elif component[to] < 0:
                    if found[to] < low[node]:
                        low[node] = found[to]
                    if edge[to] < PLACED:
                        head[to] = 1
                continue
            order[placed] = node
            placed += 1
            edge[node] = PLACED
            if low[node] == found[node]:
                while True:
                    waits -= 1
                    component[waiting[waits]] = components
                    if waiting[waits] == node:
                        break
                components += 1
            depth -= 1
            if depth >= 0 and low[node] < low[path[depth]]:
                low[path[depth]] = low[node]
    return components


# --- values -------------------------------------------------------------------------------------------------------


def node_value(node: int, graph: Any, values: Any, guess: Any) -> float:
    """Return a node's value from those of its successors: a mean, or the best for the seat that decides.

    Values are those of seat 0. A head's value is read from `guess` where the node is in the same component.
    """
    owner, payoff, begin, target, weight, component, head = graph
    if begin[node] == begin[node + 1]:
        return payoff[node] * 0.5  # type: ignore[no-any-return]
    total = 0.0
    weights = 0
    best = -1.0 if owner[node] == 0 else 2.0
    for at in range(begin[node], begin[node + 1]):
        to = target[at]
        value = guess[to] if head[to] == 1 and component[to] == component[node] else values[to]
        if owner[node] < 0:
            total += weight[at] * value
            weights += weight[at]
        elif owner[node] == 0:
            if value > best:
                best = value
        elif value < best:
            best = value
    return total / weights if owner[node] < 0 else best


def node_slopes(node: int, graph: Any, values: Any, guess: Any, places: Any, slopes: Any, count: int) -> None:
    """Write how a node's value follows those of the component's heads, into slopes[places[1][node]].

    `places` is (number of a head within its component, number of a node within it).
    """
    owner, _payoff, begin, target, weight, component, head = graph
    head_place, node_place = places
    mine = node_place[node]
    for i in range(count):
        slopes[mine, i] = 0.0
    weights = 0
    if owner[node] < 0:
        for at in range(begin[node], begin[node + 1]):
            weights += weight[at]
    for at in range(begin[node], begin[node + 1]):
        to = target[at]
        if component[to] != component[node]:
            if owner[node] >= 0 and values[to] == values[node]:
                return
            continue
        is_head = head[to] == 1
        share = weight[at] / weights if owner[node] < 0 else 1.0
        if owner[node] >= 0 and (guess[to] if is_head else values[to]) != values[node]:
            continue
        if is_head:
            slopes[mine, head_place[to]] += share
        else:
            for i in range(count):
                slopes[mine, i] += share * slopes[node_place[to], i]
        if owner[node] >= 0:
            return


def newton_step(heads: Any, guess: Any, values: Any, places: Any, slopes: Any, matrix: Any) -> None:
    """Move the guessed values of a component's heads to where they would agree if all choices stayed as they are.

    Solves (1 - slopes) · step = values - guess by elimination in `matrix`, (heads, heads + 1).
    """
    node_place = places[1]
    count = len(heads)
    for i in range(count):
        for j in range(count):
            matrix[i, j] = (1.0 if i == j else 0.0) - slopes[node_place[heads[i]], j]
        matrix[i, count] = values[heads[i]] - guess[heads[i]]
    for i in range(count):
        pivot = matrix[i, i]
        for k in range(i + 1, count):
            factor = matrix[k, i] / pivot
            if factor != 0.0:
                for j in range(i, count + 1):
                    matrix[k, j] -= factor * matrix[i, j]
    for step in range(count):
        i = count - 1 - step
        rest = matrix[i, count]
        for j in range(i + 1, count):
            rest -= matrix[i, j] * matrix[j, count]
        matrix[i, count] = rest / matrix[i, i]
    for i in range(count):
        guess[heads[i]] += matrix[i, count]


def value_component(
    nodes: Any, heads: Any, graph: Any, values: Any, guess: Any, places: Any, slopes: Any, matrix: Any, rounds: int
) -> float:
    """Value the nodes of one component, given in order, by Newton steps on its heads; return what is still off.

    Without heads one pass is exact. Where `slopes` has no room for the heads, it sweeps by plain value iteration.
    """
    head_place, node_place = places
    count = len(heads)
    newton = count > 0 and count <= matrix.shape[0] and len(nodes) <= slopes.shape[0]
    for i in range(count):
        head_place[heads[i]] = i
    for i in range(len(nodes)):
        node_place[nodes[i]] = i
    off = 1.0
    for turn in range(rounds):
        before = off
        off = 0.0
        for i in range(len(nodes)):
            node = nodes[i]
            values[node] = node_value(node, graph, values, guess)
            if newton:
                node_slopes(node, graph, values, guess, places, slopes, count)
        for i in range(count):
            change = values[heads[i]] - guess[heads[i]]
            off = max(off, abs(change))
        # Where values are that near, rounds go on only as long as they bring them nearer.
        if turn == rounds - 1 or (off < 1e-12 and off >= before) or off == 0.0:
            break
        if newton:
            newton_step(heads, guess, values, places, slopes, matrix)
        else:
            for i in range(count):
                guess[heads[i]] = values[heads[i]]
    return off


def value_nodes(
    order: Any, bounds: Any, heads: Any, head_bounds: Any, graph: Any, values: Any, guess: Any, places: Any,
    slopes: Any, matrix: Any, rounds: int,
) -> float:  # fmt: skip
    """Value all components, those first that others lead to; return the largest disagreement that is left.

    `order` and `heads` are sorted by component; component c has order[bounds[c]:bounds[c + 1]], and heads likewise.
    """
    off = 0.0
    for c in range(len(bounds) - 1):
        part = order[bounds[c] : bounds[c + 1]]
        part_heads = heads[head_bounds[c] : head_bounds[c + 1]]
        left = value_component(part, part_heads, graph, values, guess, places, slopes, matrix, rounds)
        off = max(off, left)
    return off
