"""5050: the player of the solved game against one whose turns do not depend on the score, in the compiled subset.

Values are floats here, beside the whole numbers by which the solved player chooses.
"""

from typing import Any

from bolzplatz.solve.turn_kernels import (
    H_CLASSES,
    H_GROUPS_AT,
    H_OPTION,
    H_OPTIONS_AT,
    H_PAD,
    H_REACH,
    H_STOP,
    H_VALUE,
    H_WEIGHT,
    ONE,
    S_TURN,
    TOTAL,
    prepare_turn,
)


def follow_turn(m: Any, at: int, cap: int, stops: Any, follow: Any, busts: Any) -> None:
    """Work out what a prepared turn brings whoever plays it as the solved game says, by other worths of stopping.

    Args:
        m, at: the solution's memory, its turn prepared (`turn_kernels.prepare_turn`) with this cap.
        cap: see there.
        stops: what stopping with 0 … cap steps at risk brings; a bust brings nothing.
        follow, busts: out, beside each value of the turn: what it brings, and the chance of a bust.
    """
    base = at + m[at + S_TURN]
    classes = m[base + H_CLASSES]
    width = 2 * classes
    value = base + m[base + H_VALUE]
    stop = base + m[base + H_STOP]
    for c in range(classes):
        reach = m[base + m[base + H_REACH] + c] / ONE
        for t in range(cap, cap + m[base + H_PAD] + 1):
            place = t * width + 2 * c
            follow[place] = reach * stops[cap]
            busts[place] = 1.0 - reach
            follow[place + 1] = stops[cap]
            busts[place + 1] = 0.0
    for back in range(1, cap + 1):
        t = cap - back
        for c in range(classes):
            total = 0.0
            failed = 0.0
            for group in range(m[base + m[base + H_GROUPS_AT] + c], m[base + m[base + H_GROUPS_AT] + c + 1]):
                option = m[base + m[base + H_OPTIONS_AT] + group]
                end = m[base + m[base + H_OPTIONS_AT] + group + 1]
                weight = m[base + m[base + H_WEIGHT] + group]
                if option == end:
                    failed += weight
                    continue
                best = t * width + m[base + m[base + H_OPTION] + option]
                for other in range(option + 1, end):
                    place = t * width + m[base + m[base + H_OPTION] + other]
                    if m[value + place] > m[value + best]:
                        best = place
                total += weight * follow[best]
                failed += weight * busts[best]
            place = t * width + 2 * c
            follow[place] = total / TOTAL
            busts[place] = failed / TOTAL
            if m[stop + t] >= m[value + place]:
                follow[place + 1] = stops[t]
                busts[place + 1] = 0.0
            else:
                follow[place + 1] = follow[place]
                busts[place + 1] = busts[place]


def settle_turns(n: int, law: Any, theirs: Any, at: int, step: int, done: float) -> float:
    """Return what a turn of the other player brings the solved one, busts apart, with `n` steps to the target.

    `theirs[at + step · t]` is the solved player's chance after t steps are written; `done` where the target is reached.
    """
    total = 0.0
    for t in range(1, len(law)):
        total += law[t] * (theirs[at + step * t] if t < n else done)
    return total


def play_versus(m: Any, at: int, n: int, role: int, law: Any, bust: float, last: Any, tables: Any, work: Any) -> None:
    """Work out the solved player's chance at all scores, from the highest sum down.

    Args:
        m, at: the solution's memory.
        n: steps to the target.
        role: FIRST where the solved player began, else SECOND.
        law, bust: chances that the other player writes t steps in a turn, or busts.
        last: where the solved player began: the other one's chance to get k steps or more in the last round. Else the
            solved player's own.
        tables: (n · n) each, out: the solved player's chance when it is to move, and when the other one is, by the
            score of who began · n + that of the other.
        work: room for stopping worths, what is followed, and busts.
    """
    own, other = tables
    stops, follow, busts = work
    for back in range(2 * n - 1):
        total = 2 * n - 2 - back
        for i in range(max(0, total - n + 1), min(n, total + 1)):
            j = total - i
            place = i * n + j
            cap = prepare_turn(m, at, role, i, j)
            rest = 0.0
            if role == 0:
                for t in range(cap + 1):
                    if i + t < n:
                        stops[t] = other[place + n * t] if t > 0 else 0.0
                    else:
                        need = i + t - j + 1
                        stops[t] = 1.0 - (last[need] if need < len(last) else 0.0)
                rest = settle_turns(n - j, law, own, place, 1, 0.0)
            else:
                for t in range(cap + 1):
                    stops[t] = 1.0 if j + t >= n else other[place + t] if t > 0 else 0.0
                for t in range(1, len(law)):
                    if i + t < n:
                        rest += law[t] * own[place + n * t]
                    else:
                        need = i + t - j + 1
                        rest += law[t] * (last[need] if need < len(last) else 0.0)
            follow_turn(m, at, cap, stops, follow, busts)
            # Busts lead to and fro between both turns at these scores.
            own[place] = (follow[0] + busts[0] * rest) / (1.0 - busts[0] * bust)
            other[place] = rest + bust * own[place]
