"""Values of a part of a game, in plain functions of the compiled subset over one flat run of integers.

The memory `m` holds from `base` on what `solve.parts` writes; its first integers say where each thing begins, counted
from `base`. Chances are whole numbers out of ONE (`solve.turn_kernels`), so that they come out the same everywhere.
"""

from typing import Any, Final

HERE_CHANCE: Final = 0
HERE_DECISION: Final = 1
HERE_END: Final = 2

Q_NODES: Final = 0
"""How many nodes."""
Q_KIND: Final = 1
"""HERE_… of each node."""
Q_BEGIN: Final = 2
"""For each node, and one more, the first of its edges."""
Q_TARGET: Final = 3
Q_WEIGHT: Final = 4
"""The weight of each edge of a chance node."""
Q_LABEL: Final = 5
"""The action or outcome of each edge."""
Q_TOTAL: Final = 6
"""What the weights of each node sum to."""
Q_ORDER: Final = 7
"""The nodes, component after component, each after those that it leads to."""
Q_COMPONENTS: Final = 8
Q_BOUNDS: Final = 9
"""For each component, and one more, where it begins in the order."""
Q_CYCLIC: Final = 10
"""1 for components in which positions come again."""
Q_VALUE: Final = 11
"""The value of each node; those of ends are given."""
Q_SIZE: Final = 12
MOST_SWEEPS: Final = 10_000


def part_node_value(m: Any, base: int, node: int) -> int:
    """Return a node's value from those of its successors: their mean, or the best of them."""
    begin = base + m[base + Q_BEGIN] + node
    target = base + m[base + Q_TARGET]
    value = base + m[base + Q_VALUE]
    if m[base + m[base + Q_KIND] + node] == HERE_DECISION:
        best = -1
        for edge in range(m[begin], m[begin + 1]):
            worth = m[value + m[target + edge]]
            if worth > best:
                best = worth
        return best
    weight = base + m[base + Q_WEIGHT]
    total = 0
    for edge in range(m[begin], m[begin + 1]):
        total += m[weight + edge] * m[value + m[target + edge]]
    return total // m[base + m[base + Q_TOTAL] + node]  # type: ignore[no-any-return]


def sweep_part(m: Any, base: int) -> int:
    """Work out the values of all nodes from those of the ends; return the most sweeps that a component took.

    All decisions are made for the highest value. Where positions come again, values rise from 0 until they stay.
    """
    order = base + m[base + Q_ORDER]
    bounds = base + m[base + Q_BOUNDS]
    cyclic = base + m[base + Q_CYCLIC]
    value = base + m[base + Q_VALUE]
    kind = base + m[base + Q_KIND]
    most = 0
    for c in range(m[base + Q_COMPONENTS]):
        begin = order + m[bounds + c]
        end = order + m[bounds + c + 1]
        if m[cyclic + c] == 0:
            if m[kind + m[begin]] != HERE_END:
                m[value + m[begin]] = part_node_value(m, base, m[begin])
            continue
        for i in range(begin, end):
            m[value + m[i]] = 0
        sweeps = 0
        moved = True
        while moved and sweeps < MOST_SWEEPS:
            moved = False
            for i in range(begin, end):
                worth = part_node_value(m, base, m[i])
                if worth != m[value + m[i]]:
                    m[value + m[i]] = worth
                    moved = True
            sweeps += 1
        most = max(most, sweeps)
    return most


def best_label(m: Any, base: int, node: int) -> int:
    """Return the action of the best edge of a decision node, the first of equal ones; the values are worked out."""
    begin = base + m[base + Q_BEGIN] + node
    target = base + m[base + Q_TARGET]
    value = base + m[base + Q_VALUE]
    best = m[begin]
    for edge in range(m[begin], m[begin + 1]):
        if m[value + m[target + edge]] > m[value + m[target + best]]:
            best = edge
    return m[base + m[base + Q_LABEL] + best]  # type: ignore[no-any-return]


def find_sorted(m: Any, at: int, count: int, key: int) -> int:
    """Return the place of a key among `count` ascending ones from `at` on, or -1."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if m[at + middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < count and m[at + low] == key else -1
