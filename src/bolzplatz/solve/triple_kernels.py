"""5050 for three in plain functions of the compiled subset: turns that lead to each other, over one run of integers.

Seats are counted in the order of the round: FIRST, SECOND, THIRD. A solution's memory `s` (`turn_kernels.S_SIZE` says
where its parts are, counted from `at`) has for each seat to move, and each triple of scores i, j, k in steps, that
seat's chance and that of the seat after it; the third one's is the rest. In the last round only leads matter: the third
seat needs one step more than the best of the others (S_LAST), and the second one's turn is tabled by the first one's
leads over both (S_CLOSING).
"""

from typing import Any, Final

from bolzplatz.solve.turn_kernels import (
    CLOSING,
    FIRST,
    H_NEXT_STOP,
    H_STOP,
    ONE,
    S_CAP,
    S_CLOSING,
    S_FIXED,
    S_FIXED_COUNT,
    S_I,
    S_J,
    S_K,
    S_LAST,
    S_LAST_SIZE,
    S_LEAD_CAP,
    S_ROLE,
    S_STEPS,
    S_TRIPLES,
    S_TURN,
    SECOND,
    SETTLED,
    THIRD,
    part_of,
    shift_bust,
    sweep_for_both,
    turn_busts,
    turn_worth,
    turn_worth_to_next,
)

NEWTON_ROUNDS: Final = 12
"""Newton steps until, where they go to and fro, plain ones follow."""
PATIENCE: Final = 60
"""Steps until the choices of a triple are fixed as they are."""
SETTLING: Final = 60
"""Steps in which values settle once choices are fixed: each is a round of three busts."""

# What is told of a triple.
F_TRIPLE: Final = 0
F_BUST: Final = 1
"""From here on, for each seat, what it takes a bust to be worth where it makes its choices."""
F_LOSS: Final = 4
"""What a seat gives away by fixed choices, at most."""
F_SIZE: Final = 5


def triple_place(s: Any, at: int, role: int, i: int, j: int, k: int) -> int:
    """Return where the chance of the seat to move is; n · n · n places on is that of the seat after it."""
    n = s[at + S_STEPS]
    return at + s[at + S_TRIPLES] + ((2 * role * n + i) * n + j) * n + k  # type: ignore[no-any-return]


def chance_to_get(s: Any, at: int, steps: int) -> int:
    """Return the chance to get so many steps or more in one turn."""
    return s[at + s[at + S_LAST] + steps] if steps < s[at + S_LAST_SIZE] else 0


def closing_place(s: Any, at: int, lead: int, next_lead: int) -> int:
    """Return where the second seat's chance in the last round is, that of the third one beside it.

    Args:
        s, at: the solution's memory.
        lead, next_lead: what the first seat has more than the second and than the third one.
    """
    most = s[at + S_LEAD_CAP]
    row = lead - next_lead + s[at + S_STEPS] - 1
    return at + s[at + S_CLOSING] + 2 * (row * (most + 1) + min(lead, next_lead, most))  # type: ignore[no-any-return]


# --- what stopping is worth -------------------------------------------------------------------------------------


def fill_triple(m: Any, base: int, s: Any, at: int, role: int, i: int, j: int, k: int) -> int:
    """Write what stopping is worth to a seat at i : j : k and to the next one, before the last round; return the cap.

    Args:
        m, base: the turn's memory.
        s, at: the solution's memory.
        role: FIRST, SECOND or THIRD.
        i, j, k: scores in steps, all short of the target.
    """
    n = s[at + S_STEPS]
    lead_cap = s[at + S_LEAD_CAP]
    stop = base + m[base + H_STOP]
    next_stop = base + m[base + H_NEXT_STOP]
    score = i
    pace = n * n
    if role == SECOND:
        score = j
        pace = n
    elif role == THIRD:
        score = k
        pace = 1
    place = triple_place(s, at, (role + 1) % 3, i, j, k)
    cube = n * n * n
    for t in range(n - score):
        m[stop + t] = ONE - s[place] - s[place + cube]
        m[next_stop + t] = s[place]
        place += pace
    cap: int = n - score
    if role == THIRD or lead_cap == 0:
        m[stop + cap] = ONE
        m[next_stop + cap] = 0
    elif role == FIRST:
        cap = max(cap, lead_cap + max(j, k) - i)
        for t in range(n - i, cap + 1):
            place = closing_place(s, at, i + t - j, i + t - k)
            m[stop + t] = ONE - s[place] - s[place + 1]
            m[next_stop + t] = s[place]
    else:
        cap = max(cap, lead_cap + k - j)
        for t in range(n - j, cap + 1):
            m[next_stop + t] = chance_to_get(s, at, j + t - k + 1)
            m[stop + t] = ONE - m[next_stop + t]
    return cap


def fill_closing(m: Any, base: int, s: Any, at: int, lead: int, next_lead: int) -> int:
    """Write what stopping is worth to the second seat in the last round, and to the third; return the cap.

    `lead` and `next_lead` are what the first seat has more than the second and than the third one.
    """
    stop = base + m[base + H_STOP]
    next_stop = base + m[base + H_NEXT_STOP]
    cap: int = lead + max(1, s[at + S_LEAD_CAP] - next_lead)
    for t in range(cap + 1):
        more = max(0, t - lead)
        m[next_stop + t] = chance_to_get(s, at, next_lead + more + 1)
        m[stop + t] = ONE - m[next_stop + t] if more > 0 else 0
    return cap


def fill_third(m: Any, base: int, need: int, rest: int) -> int:
    """Write what stopping is worth to the third seat in the last round, where `need` steps or more win; return the cap.

    `rest` is what the first seat, which plays next, has of its failing: ONE or nothing.
    """
    stop = base + m[base + H_STOP]
    next_stop = base + m[base + H_NEXT_STOP]
    for t in range(need):
        m[stop + t] = 0
        m[next_stop + t] = rest
    m[stop + need] = ONE
    m[next_stop + need] = 0
    return need


# --- solving ----------------------------------------------------------------------------------------------------


def guess_triple(s: Any, at: int, i: int, j: int, k: int, which: int) -> int:
    """Return about what the third seat's turn is worth, to itself (0) or to the next one (1), from higher scores."""
    n = s[at + S_STEPS]
    place = triple_place(s, at, THIRD, i, j, k) + which * n * n * n
    guess = ONE // 3
    if i + 1 < n and j + 1 < n and k + 1 < n:
        guess = s[place + 1] + s[place + n] + s[place + n * n] + s[place + n * n + n + 1]
        guess -= s[place + n + 1] + s[place + n * n + 1] + s[place + n * n + n]
    elif k + 1 < n:
        guess = s[place + 1]
    elif j + 1 < n:
        guess = s[place + n]
    elif i + 1 < n:
        guess = s[place + n * n]
    return max(0, min(guess, ONE // 2))


def bust_after(m: Any) -> int:
    """Return what a bust that leads to this turn is worth to the seat before."""
    return ONE - turn_worth(m, 0) - turn_worth_to_next(m, 0)


def solve_triple(memories: Any, s: Any, i: int, j: int, k: int, out: Any, row: int) -> None:
    """Work out the three turns at i : j : k, which lead to each other by busts.

    A Newton step goes to where all would agree if all choices stayed as they are; a few settle it. Now and then choices
    chase each other: whatever the three choose, one of them had better choose otherwise. There choices are fixed as
    they are at last (`fix_choices`).

    Args:
        memories: a turn's memory for each seat.
        s: the solution's memory, all higher sums of scores in it.
        i, j, k: scores in steps.
        out, row: told of a triple with fixed choices, F_SIZE integers from `row` on; else untouched.
    """
    ours, theirs, thirds = memories
    cap = fill_triple(ours, 0, s, 0, FIRST, i, j, k)
    their_cap = fill_triple(theirs, 0, s, 0, SECOND, i, j, k)
    third_cap = fill_triple(thirds, 0, s, 0, THIRD, i, j, k)
    guess = guess_triple(s, 0, i, j, k, 0)
    next_guess = guess_triple(s, 0, i, j, k, 1)
    rounds = 0
    while True:
        rounds += 1
        sweep_for_both(theirs, 0, their_cap, ONE - guess - next_guess, guess)
        sweep_for_both(ours, 0, cap, bust_after(theirs), turn_worth(theirs, 0))
        sweep_for_both(thirds, 0, third_cap, bust_after(ours), turn_worth(ours, 0))
        off = turn_worth(thirds, 0) - guess
        next_off = turn_worth_to_next(thirds, 0) - next_guess
        if max(abs(off), abs(next_off)) <= SETTLED:
            write_turn(ours, s, FIRST, i, j, k)
            write_turn(theirs, s, SECOND, i, j, k)
            write_turn(thirds, s, THIRD, i, j, k)
            break
        if rounds == PATIENCE:
            out[row + F_TRIPLE] = (i * s[S_STEPS] + j) * s[S_STEPS] + k
            out[row + F_BUST] = bust_after(theirs)
            out[row + F_BUST + 1] = ONE - guess - next_guess
            out[row + F_BUST + 2] = bust_after(ours)
            fix_choices(memories, s, i, j, k, next_guess, guess)
            loss = loss_of(ours, s, FIRST, i, j, k, cap)
            loss = max(loss, loss_of(theirs, s, SECOND, i, j, k, their_cap))
            out[row + F_LOSS] = max(loss, loss_of(thirds, s, THIRD, i, j, k, third_cap))
            break
        all_bust = (turn_busts(ours, 0) / ONE) * (turn_busts(theirs, 0) / ONE) * (turn_busts(thirds, 0) / ONE)
        step = 1.0 - all_bust if rounds < NEWTON_ROUNDS else 1.0
        guess += int(off / step)
        next_guess += int(next_off / step)


def write_turn(m: Any, s: Any, role: int, i: int, j: int, k: int) -> None:
    """Write down what a turn at i : j : k is worth."""
    place = triple_place(s, 0, role, i, j, k)
    s[place] = turn_worth(m, 0)
    s[place + s[S_STEPS] * s[S_STEPS] * s[S_STEPS]] = turn_worth_to_next(m, 0)


def fix_choices(memories: Any, s: Any, i: int, j: int, k: int, first: int, third: int) -> None:
    """Write down what three turns are worth that go on being played as they were worked out last.

    Args:
        memories: the turns; each value is linear in what a bust is worth, by the chance of one.
        s: the solution's memory.
        i, j, k: scores in steps.
        first, third: the chances of these seats at the third one's turn, as they were when the second one's was
            worked out; the others were worked out after it, from each other.
    """
    ours, theirs, thirds = memories
    own = turn_worth(ours, 0)
    to_second = turn_worth_to_next(ours, 0)
    second = turn_worth(theirs, 0)
    to_third = turn_worth_to_next(theirs, 0)
    own_third = turn_worth(thirds, 0)
    to_first = turn_worth_to_next(thirds, 0)
    # What each was worked out from: the chances of the seat that busts and of the one whose turn it is then.
    ours_from = ONE - second - to_third
    ours_next_from = second
    thirds_from = ONE - own - to_second
    thirds_next_from = own
    theirs_from = ONE - third - first
    theirs_next_from = third
    a = own
    a_next = to_second
    b = second
    b_next = to_third
    now = own_third
    now_first = to_first
    for _ in range(SETTLING):
        b = second + part_of(ONE - now - now_first - theirs_from, turn_busts(theirs, 0))
        b_next = to_third + part_of(now - theirs_next_from, turn_busts(theirs, 0))
        a = own + part_of(ONE - b - b_next - ours_from, turn_busts(ours, 0))
        a_next = to_second + part_of(b - ours_next_from, turn_busts(ours, 0))
        now = own_third + part_of(ONE - a - a_next - thirds_from, turn_busts(thirds, 0))
        now_first = to_first + part_of(a - thirds_next_from, turn_busts(thirds, 0))
    cube = s[S_STEPS] * s[S_STEPS] * s[S_STEPS]
    place = triple_place(s, 0, FIRST, i, j, k)
    s[place] = a
    s[place + cube] = a_next
    s[place + 2 * cube] = b
    s[place + 3 * cube] = b_next
    s[place + 4 * cube] = now
    s[place + 5 * cube] = now_first


def loss_of(m: Any, s: Any, role: int, i: int, j: int, k: int, cap: int) -> int:
    """Return what a seat gives away in a turn at i : j : k as it is written down; the turn's memory is used for it."""
    place = triple_place(s, 0, (role + 1) % 3, i, j, k)
    following = s[place + s[S_STEPS] * s[S_STEPS] * s[S_STEPS]]
    sweep_for_both(m, 0, cap, ONE - s[place] - following, s[place])
    return turn_worth(m, 0) - s[triple_place(s, 0, role, i, j, k)]  # type: ignore[no-any-return]


def solve_triples(memories: Any, s: Any, triples: Any, out: Any) -> None:
    """Work out triples of one sum, each (i · n + j) · n + k; `out` has F_SIZE integers for each (`solve_triple`)."""
    n = s[S_STEPS]
    for number in range(len(triples)):
        triple = triples[number]
        solve_triple(memories, s, triple // (n * n), triple // n % n, triple % n, out, number * F_SIZE)


def solve_closing(m: Any, s: Any, row: int) -> None:
    """Work out one row of the second seat's turns in the last round: where the others are apart by so much."""
    apart = row - s[S_STEPS] + 1
    for low in range(1, s[S_LEAD_CAP] + 1):
        lead = low + max(0, apart)
        next_lead = low - min(0, apart)
        cap = fill_closing(m, 0, s, 0, lead, next_lead)
        sweep_for_both(m, 0, cap, 0, m[m[H_NEXT_STOP]])
        place = closing_place(s, 0, lead, next_lead)
        s[place] = turn_worth(m, 0)
        s[place + 1] = turn_worth_to_next(m, 0)


# --- a solved game ----------------------------------------------------------------------------------------------


def bust_to_choose_by(m: Any, at: int, role: int, i: int, j: int, k: int, bust: int) -> int:
    """Return what a bust is worth where a seat makes its choices: the truth, unless they are fixed."""
    n = m[at + S_STEPS]
    for number in range(m[at + S_FIXED_COUNT]):
        row = at + m[at + S_FIXED] + number * F_SIZE
        if m[row + F_TRIPLE] == (i * n + j) * n + k:
            return m[row + F_BUST + role]  # type: ignore[no-any-return]
    return bust


def prepare_triple(m: Any, at: int, role: int, i: int, j: int, k: int) -> int:
    """Work out a turn at i : j : k steps, unless that is what was worked out before; return the cap.

    Args:
        m, at: the solution's memory, from `at` on, with that of a turn in it.
        role: FIRST, SECOND or THIRD; in the last round CLOSING for the second seat and LAST for the third one.
        i, j, k: scores in the order of the round.
    """
    if m[at + S_ROLE] == role and m[at + S_I] == i and m[at + S_J] == j and m[at + S_K] == k:
        return m[at + S_CAP]  # type: ignore[no-any-return]
    base = at + m[at + S_TURN]
    far = m[at + S_LAST_SIZE] - 1
    bust = 0
    deciding = 0
    if role <= THIRD:
        cap = fill_triple(m, base, m, at, role, i, j, k)
        place = triple_place(m, at, (role + 1) % 3, i, j, k)
        cube = m[at + S_STEPS] * m[at + S_STEPS] * m[at + S_STEPS]
        bust = ONE - m[place] - m[place + cube]
        next_bust = m[place]
        deciding = bust_to_choose_by(m, at, role, i, j, k, bust)
    else:
        if role == CLOSING:
            cap = fill_closing(m, base, m, at, min(i - j, far - 1), i - k)
        else:
            cap = fill_third(m, base, min(max(i, j) - k + 1, far), ONE if i >= j else 0)
        next_bust = m[base + m[base + H_NEXT_STOP]]
    sweep_for_both(m, base, cap, deciding, next_bust)
    if deciding != bust:
        shift_bust(m, base, cap, bust - deciding)
    m[at + S_ROLE] = role
    m[at + S_I] = i
    m[at + S_J] = j
    m[at + S_K] = k
    m[at + S_CAP] = cap
    return cap
