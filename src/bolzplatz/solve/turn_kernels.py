"""The value of one turn, in plain functions of the compiled subset over one flat run of integers.

The memory `m` holds from `base` on a turn graph (`solve.turns`), what stopping is worth, and the values that
`sweep_turn` works out; its first integers say where each part begins, counted from `base`. Chances are whole numbers
out of ONE, so that a table comes out the same on every machine, whoever computes it.

Whoever takes a turn makes the most of its own chance. Where two seats play, that is all there is; where three do, what
is left may fall to either of the others, so that the chance of the seat that plays next is worked out beside it, and of
choices that are level the one that is best for that seat is taken.
"""

from typing import Any, Final

ONE: Final = 1 << 46
"""Chance 1. Times a weight out of TOTAL it still fits into 63 bits."""
HALF_BITS: Final = 23
HALF: Final = 1 << HALF_BITS
TOTAL: Final = 6**6
"""The weights of a class's throws sum to this."""

SETTLED: Final = 4
"""Units of ONE by which two values that should agree may differ at last: rounding."""
MOST_ROUNDS: Final = 60

# Whose turn it is.
FIRST: Final = 0
"""The seat that began."""
SECOND: Final = 1
THIRD: Final = 2
LAST: Final = 3
"""The last seat in the last round: it must get ahead in this turn."""
CLOSING: Final = 4
"""The second one of three in the last round: it must get ahead in this turn, and stay so in the third one's."""

# The first integers of the memory.
H_CLASSES: Final = 0
H_PAD: Final = 1
"""The most steps that one keep brings."""
H_GROUPS_AT: Final = 2
"""For each class, and one more, the first of its groups: throws that offer the same."""
H_WEIGHT: Final = 3
"""Each group's weight."""
H_OPTIONS_AT: Final = 4
"""For each group, and one more, the first of its options."""
H_OPTION: Final = 5
"""Each option as an offset in the values: steps gained · row + column; a bust is a group without options."""
H_REACH: Final = 6
"""For each class the chance out of ONE to get to a stop at all."""
H_STOP: Final = 7
"""What stopping is worth with t steps at risk."""
H_VALUE: Final = 8
"""Values: with t steps at risk, two columns a class: throw now; stop, or throw now."""
H_BUST: Final = 9
"""Beside each value, the chance that the turn ends in a bust."""
H_NEXT: Final = 10
"""Beside each value, what it is worth to the seat that plays next; 0 where nobody asks."""
H_NEXT_STOP: Final = 11
"""What stopping is worth to that seat with t steps at risk."""
H_SIZE: Final = 12


def part_of(a: int, share: int) -> int:
    """Return a · share / ONE for two numbers up to ONE, three units off at most."""
    a_high = a >> HALF_BITS
    share_high = share >> HALF_BITS
    low = (a_high * (share & (HALF - 1))) + ((a & (HALF - 1)) * share_high)
    return a_high * share_high + (low >> HALF_BITS)


def sweep_turn(m: Any, base: int, cap: int, bust: int) -> None:
    """Work out what every class of the turn is worth to the seat that takes it (`sweep_for_both`)."""
    sweep_for_both(m, base, cap, bust, 0)


def sweep_for_both(m: Any, base: int, cap: int, bust: int, next_bust: int) -> None:
    """Work out what every class of the turn is worth with 0 … cap steps at risk.

    Args:
        m, base: the memory; the stop values 0 … cap are filled in.
        cap: from here on stopping is worth the same, whatever is at risk.
        bust: what a bust is worth.
        next_bust: what it is worth to the seat that plays next, where the memory has room for that.
    """
    classes = m[base + H_CLASSES]
    width = 2 * classes
    value = base + m[base + H_VALUE]
    failed = base + m[base + H_BUST]
    stop = base + m[base + H_STOP]
    reach = base + m[base + H_REACH]
    asked = m[base + H_NEXT] > 0
    beside = m[base + H_NEXT] - m[base + H_VALUE]
    next_stop = base + m[base + H_NEXT_STOP]
    sure = m[stop + cap]
    for c in range(classes):
        worth = bust + part_of(sure - bust, m[reach + c])
        for t in range(cap, cap + m[base + H_PAD] + 1):
            at = t * width + 2 * c
            m[value + at] = worth
            m[failed + at] = ONE - m[reach + c]
            m[value + at + 1] = sure
            m[failed + at + 1] = 0
            if asked:
                next_sure = m[next_stop + cap]
                m[value + at + beside] = next_bust + part_of(next_sure - next_bust, m[reach + c])
                m[value + at + beside + 1] = next_sure
    groups_at = base + m[base + H_GROUPS_AT]
    weights = base + m[base + H_WEIGHT]
    options_at = base + m[base + H_OPTIONS_AT]
    options = base + m[base + H_OPTION]
    for back in range(1, cap + 1):
        t = cap - back
        row = t * width
        here = value + row
        there = failed - value
        for c in range(classes):
            total = 0
            busts = 0
            nexts = 0
            option = m[options_at + m[groups_at + c]]
            for group in range(m[groups_at + c], m[groups_at + c + 1]):
                end = m[options_at + group + 1]
                if option == end:
                    total += m[weights + group] * bust
                    busts += m[weights + group] * ONE
                    nexts += m[weights + group] * next_bust
                    continue
                at = here + m[options + option]
                best = m[at]
                option += 1
                while option < end:
                    other = here + m[options + option]
                    if m[other] >= best and (m[other] > best or (asked and m[other + beside] > m[at + beside])):
                        best = m[other]
                        at = other
                    option += 1
                total += m[weights + group] * best
                busts += m[weights + group] * m[at + there]
                if asked:
                    nexts += m[weights + group] * m[at + beside]
            at = here + 2 * c
            m[at] = total // TOTAL
            m[at + there] = busts // TOTAL
            stops = m[stop + t] >= m[at]
            if asked:
                m[at + beside] = nexts // TOTAL
                if m[stop + t] == m[at] and m[next_stop + t] < m[at + beside]:
                    stops = False
                m[at + beside + 1] = m[next_stop + t] if stops else m[at + beside]
            if stops:
                m[at + 1] = m[stop + t]
                m[at + there + 1] = 0
            else:
                m[at + 1] = m[at]
                m[at + there + 1] = m[at + there]


def shift_bust(m: Any, base: int, cap: int, more: int) -> None:
    """Let a bust be worth so much more in the values of a turn, all choices as they are."""
    value = base + m[base + H_VALUE]
    failed = base + m[base + H_BUST]
    for place in range((cap + 1) * 2 * m[base + H_CLASSES]):
        m[value + place] += part_of(more, m[failed + place])


def fill_first(
    m: Any, base: int, n: int, second: Any, second_at: int, last: Any, last_at: int, last_size: int, i: int, j: int,
    lead_cap: int,
) -> int:  # fmt: skip
    """Write what stopping is worth to the seat that began, at i : j steps of n; return the cap.

    Args:
        m, base: the memory.
        second, second_at: from there on what the other seat's turns are worth to it, at i · n + j.
        last, last_at, last_size: likewise the chance to get k steps in one turn, for k below `last_size`.
        lead_cap: the lead from which on more makes no difference, 0 where the match ends as soon as one has n steps.
    """
    stop = base + m[base + H_STOP]
    cap = n - i if lead_cap == 0 else lead_cap + j - i
    if cap < n - i:
        cap = n - i
    for t in range(cap + 1):
        if i + t < n:
            m[stop + t] = ONE - second[second_at + (i + t) * n + j]
        elif lead_cap == 0:
            m[stop + t] = ONE
        else:
            need = i + t - j + 1
            m[stop + t] = ONE - (last[last_at + need] if need < last_size else 0)
    return cap


def fill_second(m: Any, base: int, n: int, first: Any, first_at: int, i: int, j: int) -> int:
    """Write what stopping is worth to the seat that did not begin, at i : j steps of n; return the cap."""
    stop = base + m[base + H_STOP]
    for t in range(n - j):
        m[stop + t] = ONE - first[first_at + i * n + j + t]
    m[stop + n - j] = ONE
    return n - j


def fill_last(m: Any, base: int, need: int) -> int:
    """Write what stopping is worth where only `need` steps or more win; return the cap."""
    stop = base + m[base + H_STOP]
    for t in range(need):
        m[stop + t] = 0
    m[stop + need] = ONE
    return need


def turn_worth(m: Any, base: int) -> int:
    """Return the value of a turn that begins: class 0 with nothing at risk."""
    return m[base + m[base + H_VALUE]]  # type: ignore[no-any-return]


def turn_worth_to_next(m: Any, base: int) -> int:
    """Return what a turn that begins is worth to the seat that plays next."""
    return m[base + m[base + H_NEXT]]  # type: ignore[no-any-return]


def turn_busts(m: Any, base: int) -> int:
    """Return the chance that a turn which begins ends in a bust."""
    return m[base + m[base + H_BUST]]  # type: ignore[no-any-return]


def solve_pair(memories: Any, n: int, tables: Any, i: int, j: int, lead_cap: int) -> int:
    """Work out both seats' turns at i : j, which lead to each other by busts; return the rounds that it took.

    A Newton step goes to where both would agree if all choices stayed as they are; a few settle it.
    """
    ours, theirs = memories
    first, second, last = tables
    cap = fill_first(ours, 0, n, second, 0, last, 0, len(last), i, j, lead_cap)
    their_cap = fill_second(theirs, 0, n, first, 0, i, j)
    at = i * n + j
    guess = ONE // 2
    if i + 1 < n and j + 1 < n:
        guess = second[at + n] + second[at + 1] - second[at + n + 1]
    elif i + 1 < n:
        guess = second[at + n]
    elif j + 1 < n:
        guess = second[at + 1]
    rounds = 0
    while True:
        rounds += 1
        sweep_turn(ours, 0, cap, ONE - guess)
        sweep_turn(theirs, 0, their_cap, ONE - turn_worth(ours, 0))
        off = turn_worth(theirs, 0) - guess
        if abs(off) <= SETTLED or rounds == MOST_ROUNDS:
            break
        both = (turn_busts(ours, 0) / ONE) * (turn_busts(theirs, 0) / ONE)
        guess += int(off / (1.0 - both))
    first[at] = turn_worth(ours, 0)
    second[at] = turn_worth(theirs, 0)
    return rounds


def solve_pairs(memories: Any, n: int, tables: Any, total: int, begin: int, end: int, lead_cap: int) -> int:
    """Work out the pairs with i + j = total and begin <= i < end; return the most rounds that one took."""
    most = 0
    for i in range(begin, end):
        most = max(most, solve_pair(memories, n, tables, i, total - i, lead_cap))
    return most


def solve_last(m: Any, last: Any) -> None:
    """Work out the chance to get k steps or more in one turn, for all k below len(last); none are sure."""
    cap = fill_last(m, 0, len(last) - 1)
    sweep_turn(m, 0, cap, 0)
    width = 2 * m[H_CLASSES]
    last[0] = m[m[H_REACH]]
    for k in range(1, len(last)):
        last[k] = m[m[H_VALUE] + (cap - k) * width]


# --- a solved game in one run of integers -----------------------------------------------------------------------

# The first integers of a solution's memory (`solve.fifty_fifty`). Places are counted from its beginning.
S_STEPS: Final = 0
"""Steps to the target."""
S_UNIT: Final = 1
"""Points of a step."""
S_FIRST: Final = 2
S_SECOND: Final = 3
S_LAST: Final = 4
S_LAST_SIZE: Final = 5
"""Where the tables are, and how long the last one is."""
S_LEAD_CAP: Final = 6
S_CLASS: Final = 7
"""Where the class of dice · row + steps of the present set is."""
S_CLASS_ROW: Final = 8
S_TURN: Final = 9
"""Where the turn's memory begins."""
S_ROLE: Final = 10
S_I: Final = 11
S_J: Final = 12
S_K: Final = 13
"""The third one's score, where three play."""
S_CAP: Final = 14
"""Whose turn at which scores has been worked out, and its cap."""
S_TRIPLES: Final = 15
"""Where the table of three players is (`triple_kernels`)."""
S_CLOSING: Final = 16
"""Where their table of the second one's turn in the last round is."""
S_FIXED: Final = 17
S_FIXED_COUNT: Final = 18
"""Where their triples with fixed choices are, and how many."""
S_SIZE: Final = 19
NO_ROLE: Final = -1


def prepare_turn(m: Any, at: int, role: int, i: int, j: int) -> int:
    """Work out a turn at i : j steps, unless that is what was worked out before; return the cap.

    Args:
        m, at: the solution's memory, from `at` on.
        role: FIRST, SECOND or LAST.
        i, j: scores of the seat that began and of the other one.
    """
    if m[at + S_ROLE] == role and m[at + S_I] == i and m[at + S_J] == j:
        return m[at + S_CAP]  # type: ignore[no-any-return]
    base = at + m[at + S_TURN]
    n = m[at + S_STEPS]
    first = at + m[at + S_FIRST]
    second = at + m[at + S_SECOND]
    last = at + m[at + S_LAST]
    last_size = m[at + S_LAST_SIZE]
    bust = 0
    if role == FIRST:
        cap = fill_first(m, base, n, m, second, m, last, last_size, i, j, m[at + S_LEAD_CAP])
        bust = ONE - m[second + i * n + j]
    elif role == SECOND:
        cap = fill_second(m, base, n, m, first, i, j)
        bust = ONE - m[first + i * n + j]
    else:
        cap = fill_last(m, base, min(i - j + 1, last_size - 1))
    sweep_turn(m, base, cap, bust)
    m[at + S_ROLE] = role
    m[at + S_I] = i
    m[at + S_J] = j
    m[at + S_CAP] = cap
    return cap


def value_place(m: Any, at: int, cap: int, steps: int, dice: int, set_steps: int, may_stop: int) -> int:
    """Return where the prepared turn's value is with that many steps at risk and dice to be thrown next.

    `set_steps` are those of the present set; with `may_stop` 1 it is the better of throwing and stopping.
    """
    base = at + m[at + S_TURN]
    kind = m[at + m[at + S_CLASS] + dice * m[at + S_CLASS_ROW] + set_steps]
    if steps > cap:
        steps = cap
    return base + m[base + H_VALUE] + steps * 2 * m[base + H_CLASSES] + 2 * kind + may_stop  # type: ignore[no-any-return]


def stop_value(m: Any, at: int, cap: int, steps: int) -> int:
    """Return what it is worth in the prepared turn to stop with that many steps at risk."""
    base = at + m[at + S_TURN]
    return m[base + m[base + H_STOP] + min(steps, cap)]  # type: ignore[no-any-return]
