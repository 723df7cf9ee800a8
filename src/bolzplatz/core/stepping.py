"""Many matches side by side in plain functions of the compiled subset: what a vector environment steps with.

Each match is a row. A learner decides for one seat, or for every seat in turn (EVERY_SEAT); computer players decide for
the others. One step of a row carries out the learner's action and goes on, through throws and other decisions, until
the learner decides again or the match is over. Like the kernels, these functions call a game's rules by names that
`adapters.vector` links.

The tuples that are passed around, n rows, s seats, w entries of an observation, a actions:

    world     states (n + 2,) records, of which [n] is where matches start and [n + 1] what a computer player is shown;
              entries (n + 2, entries), the same memory; seen (s, entries) and lowest (entries,) as in `look_masked`
    book      tally (n, TALLY_SIZE), rngs (n, RNG_SIZE), levels (s,), starts (s, k) of the k pieces of an
              observation, pieces (2, k): their places in it and their lengths, worth (s + 1, 2) of losing and
              winning by how many win, allowed (n, a) the masks as they were written, out of the caller's reach
    out       observations (n, w), masks (n, a), rewards (n,), terminated (n,), truncated (n,), illegal (n,),
              returns (n, s), seats (n,) that decide, finals (n, w): observations at the end of a match
    memory    actions (a + work), drawn faces, joint choices (s,), winners (s,)
"""

from typing import Any, Final

from bolzplatz.core.fast import start_stream
from bolzplatz.core.kernels import (
    apply,
    apply_joint,
    choose,
    draw_chance,
    draw_outcome,
    legal,
    look_as,
    player_to_act,
    winners,
)
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS

EVERY_SEAT: Final = -9
"""In place of a seat: the learner decides for all of them, each in turn."""
ROW_NOTHING: Final = -1
"""In place of an action: the learner has none to carry out."""
BY_TURNS: Final = -8
"""In place of a seat: the learner sits on seat 0 in match 0 of a row, on seat 1 in match 1, and so on."""

# When a row whose match is over begins the next one.
NEXT_STEP: Final = 0
"""At the next step, which ignores the row's action."""
SAME_STEP: Final = 1
"""At once."""
DISABLED: Final = 2
"""When it is reset."""

# What a row is asked to do.
DO_STEP: Final = 0
"""Carry out the learner's action; where the match is over, begin the next one."""
DO_BEGIN_NEXT: Final = 1
DO_BEGIN_FIRST: Final = 2
"""Begin match 0."""
DO_REST: Final = 3
"""Stay as it is."""

MOST_PASSED: Final = 10_000
"""So many matches in a row end before the learner has anything to decide: it never will."""

# What `tally` holds of a row.
ROW_SEED: Final = 0
ROW_MATCH: Final = 1
ROW_TAKEN: Final = 2
"""Decisions of the learner in this match."""
ROW_LEARNER: Final = 3
"""Seat of the learner, or EVERY_SEAT."""
ROW_DONE: Final = 4
"""1: the match is over."""
TALLY_SIZE: Final = 5

BLOCK: Final = 16
"""Rows whose masks are cleared and copied in one go: long enough to be quick, short enough for the nearest cache."""


def look_row(_s: Any, view: Any, seat: int) -> Any:
    """Give a computer player a copy of its row in which what its seat may not see holds its lowest value.

    `view` is the world with the row's number behind it.
    """
    states, entries, seen, lowest, row = view
    shown = len(states) - 1
    for i in range(len(lowest)):
        entries[shown, i] = entries[row, i] if seen[seat, i] == 1 else lowest[i]
    return states[shown]


def row_waits_for(player: int, learner: int) -> bool:
    """Return whether the learner decides at a node of this player."""
    if player < 0:
        return player == SIMULTANEOUS
    return learner == EVERY_SEAT or player == learner


def run_row(s: Any, view: Any, o: Any, levels: Any, learner: int, action: int, buffers: Any) -> Any:
    """Carry out the learner's action, if any, and go on until it decides again; return the player to act then."""
    rng, actions, drawn, joint = buffers
    player = player_to_act(s, o)
    while player > -3 and (action != ROW_NOTHING or not row_waits_for(player, learner)):
        if player == CHANCE:
            entry = draw_chance(levels, s, o, rng, drawn)
            if entry < 0:
                entry = draw_outcome(s, o, rng, drawn)
        else:
            first = player if player >= 0 else 0
            for seat in range(first, player + 1 if player >= 0 else o.seats):
                if action != ROW_NOTHING and (seat == learner or learner == EVERY_SEAT):
                    joint[seat] = action
                else:
                    count = legal(s, o, seat, actions)
                    joint[seat] = choose(levels[seat], look_as(s, view, seat), o, seat, actions, count, rng)
            entry = joint[first]
            action = ROW_NOTHING
        if player == SIMULTANEOUS:
            apply_joint(s, o, joint, None)
        else:
            apply(s, o, entry, None)
        player = player_to_act(s, o)
    return player


def set_up_row(row: int, world: Any, o: Any, book: Any, learner: int, match: int) -> None:
    """Lay out a match of this row, whose draws depend on the row's seed and the match number alone."""
    states = world[0]
    tally, rngs = book[0], book[1]
    states[row] = states[len(states) - 2]
    tally[row, ROW_MATCH] = match
    tally[row, ROW_TAKEN] = 0
    tally[row, ROW_LEARNER] = match % o.seats if learner == BY_TURNS else learner
    tally[row, ROW_DONE] = 0
    start_stream(rngs[row], tally[row, ROW_SEED], match)


def observe_row(row: int, world: Any, book: Any, seat: int, observation: Any) -> None:
    """Write what a seat sees of this row, piece by piece.

    Where pieces lie is unsigned: compiled code need not ask whether an index counts from the end.
    """
    entries = world[1][row]
    starts, places, lengths = book[3][seat], book[4][0], book[4][1]
    observation[0] = seat
    for piece in range(len(lengths)):
        start = starts[piece]
        place = places[piece]
        for i in range(lengths[piece]):
            observation[place + i] = entries[start + i]


def show_row(row: int, world: Any, o: Any, book: Any, memory: Any, out: Any, seat: int) -> None:
    """Write observation and mask of the seat that decides, or of `seat` where the match is over.

    The row's mask has been cleared.
    """
    tally = book[0]
    observations, masks, seats = out[0], out[1], out[7]
    actions = memory[0]
    s = world[0][row]
    count = 0
    if tally[row, ROW_DONE] == 0:
        seat = player_to_act(s, o) if tally[row, ROW_LEARNER] == EVERY_SEAT else tally[row, ROW_LEARNER]
        count = legal(s, o, seat, actions)
    seats[row] = seat
    observe_row(row, world, book, seat, observations[row])
    mask = masks[row]
    for i in range(count):
        mask[actions[i]] = 1


def finish_row(row: int, over: bool, world: Any, o: Any, book: Any, memory: Any, out: Any, seat: int) -> None:
    """Write how a match ended: every seat's result, and the reward of the seat that decided last.

    Nobody has won one that is not `over` but given up.
    """
    tally, worth = book[0], book[5]
    won = memory[3]
    rewards, returns = out[2], out[6]
    tally[row, ROW_DONE] = 1
    winners(world[0][row], o, won)
    count = 0
    for i in range(o.seats):
        won[i] = won[i] if over else 0
        count += won[i]
    for i in range(o.seats):
        returns[row, i] = worth[count, won[i]]
    rewards[row] = returns[row, seat]


def give_illegal(row: int, o: Any, book: Any, out: Any, seat: int) -> None:
    """End a match whose learner chose an action that is not legal: it loses, and the others share the gain."""
    tally, worth = book[0], book[5]
    _observations, _masks, rewards, terminated, _truncated, illegal, returns, _seats, _finals = out
    tally[row, ROW_DONE] = 1
    terminated[row] = True
    illegal[row] = True
    for i in range(o.seats):
        returns[row, i] = worth[o.seats - 1, 0 if i == seat else 1]
    rewards[row] = returns[row, seat]


def step_row(
    row: int, order: int, chosen: int, world: Any, o: Any, book: Any, memory: Any, out: Any, rules: Any
) -> None:
    """Step one row: see `step_rows`."""
    states, entries, seen, lowest = world
    tally, rngs, levels = book[0], book[1], book[2]
    _observations, masks, rewards, terminated, truncated, illegal, _returns, _seats, finals = out
    actions, drawn, joint, _won = memory
    learner, mode, limit = rules
    rewards[row] = 0
    terminated[row] = False
    truncated[row] = False
    illegal[row] = False
    s = states[row]
    seat = 0
    begins = order != DO_STEP or tally[row, ROW_DONE] == 1
    if not begins:
        seat = player_to_act(s, o) if tally[row, ROW_LEARNER] == EVERY_SEAT else tally[row, ROW_LEARNER]
        tally[row, ROW_TAKEN] += 1
        if chosen < 0 or chosen >= masks.shape[1] or book[6][row, chosen] == 0:
            give_illegal(row, o, book, out, seat)
            begins = mode == SAME_STEP
            if begins:
                observe_row(row, world, book, seat, finals[row])
    if begins:
        set_up_row(row, world, o, book, learner, 0 if order == DO_BEGIN_FIRST else tally[row, ROW_MATCH] + 1)
    passed = 0
    going = tally[row, ROW_DONE] == 0
    while going:
        action = ROW_NOTHING if begins else chosen
        view = (states, entries, seen, lowest, row)
        player = run_row(s, view, o, levels, tally[row, ROW_LEARNER], action, (rngs[row], actions, drawn, joint))
        going = False
        if not begins:
            terminated[row] = player < -3
            truncated[row] = player >= -3 and tally[row, ROW_TAKEN] >= limit
            if terminated[row] or truncated[row]:
                finish_row(row, terminated[row], world, o, book, memory, out, seat)
                going = mode == SAME_STEP
                if going:
                    observe_row(row, world, book, seat, finals[row])
        elif player < -3:
            passed += 1
            going = passed < MOST_PASSED
            tally[row, ROW_DONE] = 1
        if going:
            begins = True
            set_up_row(row, world, o, book, learner, tally[row, ROW_MATCH] + 1)
    show_row(row, world, o, book, memory, out, seat)


def rests(first: int, end: int, orders: Any) -> bool:
    """Return whether one of the rows first … end - 1 is to stay as it is."""
    found = False
    for row in range(first, end):
        found = found or orders[row] == DO_REST
    return found


def clear_masks(first: int, end: int, orders: Any, masks: Any) -> None:
    """Clear the masks of the rows first … end - 1 that do not rest."""
    for row in range(first, end):
        if orders[row] != DO_REST:
            mask = masks[row]
            for action in range(len(mask)):
                mask[action] = 0


def keep_masks(first: int, end: int, orders: Any, masks: Any, allowed: Any) -> None:
    """Write down the masks of the rows first … end - 1 that do not rest."""
    for row in range(first, end):
        if orders[row] != DO_REST:
            mask, kept = masks[row], allowed[row]
            for action in range(len(mask)):
                kept[action] = mask[action]


def step_rows(
    orders: Any, chosen: Any, world: Any, o: Any, book: Any, memory: Any, out: Any, blocks: Any, rules: Any
) -> None:
    """Carry out `orders[row]` in every row, with the learner's action `chosen[row]`, and write all that `out` holds.

    `blocks` are the memory of out's masks and of `allowed`, as many whole blocks as there are, (n // BLOCK, BLOCK * a)
    each. `rules` are the learner's seat (or EVERY_SEAT, BY_TURNS), when the next match begins, and the number of
    decisions of the learner after which a match is given up: `truncated`, nobody wins. A row whose match is over begins
    the next one and ignores its action. An action that is not legal loses the match at once. Matches that end before
    the learner has anything to decide are passed over.
    """
    count = len(chosen)
    written, kept = blocks
    for first in range(0, count, BLOCK):
        end = min(first + BLOCK, count)
        number = first // BLOCK
        whole = number < len(written) and not rests(first, end, orders)
        if whole:
            block = written[number]
            for i in range(len(block)):
                block[i] = 0
        else:
            clear_masks(first, end, orders, out[1])
        for row in range(first, end):
            if orders[row] != DO_REST:
                step_row(row, orders[row], chosen[row], world, o, book, memory, out, rules)
        if whole:
            block = written[number]
            copy = kept[number]
            for i in range(len(block)):
                copy[i] = block[i]
        else:
            keep_masks(first, end, orders, out[1], book[6])
