"""Whole matches in plain functions of the compiled subset, the same for every game.

They call a game's rules, and its computer players' `choose` and `draw_chance`, by the names below. Here these are
placeholders; `core.engine` links each game's own functions in their place before anything is compiled.

`draw_chance(levels, s, o, rng, drawn)` returns the outcome of a chance node that is no luck but the doing of the
computer players, such as whose hand was first, or -1 where the weights decide. It reads only what everybody sees.
"""

from typing import Any

from bolzplatz.core.fast import below, start_stream
from bolzplatz.core.forms import FORM_DICE, form_count, form_kind, form_sides
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS, TERMINAL


def _not_linked(*_arguments: Any) -> Any:
    raise NotImplementedError("kernels run only when linked to a game")


player_to_act = legal = choose = draw_chance = look_as = apply = apply_joint = _not_linked
chance_form = chance_count = chance_weight = outcome_of = winners = scores = _not_linked


def choose_uniformly(_level: int, _s: Any, _o: Any, _seat: int, actions: Any, count: int, rng: Any) -> int:
    """Choose any legal action: the computer player where a caller names no other."""
    return actions[below(rng, count)]  # type: ignore[no-any-return]


def draw_as_usual(_levels: Any, _s: Any, _o: Any, _rng: Any, _drawn: Any) -> int:
    """Leave every chance node to its weights: in games whose computer players decide none of them."""
    return -1


def look_open(s: Any, _view: Any, _seat: int) -> Any:
    """Give a computer player the state itself: in games that hide nothing."""
    return s


def look_masked(_s: Any, view: Any, seat: int) -> Any:
    """Give a computer player a copy in which all that its seat may not see holds its lowest value.

    `view` is (states, entries, seen, lowest): the state records, of which [2] becomes the copy; the same memory as
    (states, entries) integers; 1 for each entry that a seat sees, (seats, entries); the lowest value of each entry.
    """
    states, entries, seen, lowest = view
    for i in range(len(lowest)):
        entries[2, i] = entries[0, i] if seen[seat, i] == 1 else lowest[i]
    return states[2]


def no_joint_node(_s: Any, _o: Any, _actions: Any, _log: Any) -> None:
    """Stand in for `apply_joint` in games where never more than one seat decides."""


def draw_outcome(s: Any, o: Any, rng: Any, drawn: Any) -> int:
    """Draw the outcome of a chance node in its physical form; `drawn` has room for forms.MAX_DRAWN integers."""
    form = chance_form(s, o)
    if form_kind(form) == FORM_DICE:
        sides = form_sides(form)
        for i in range(form_count(form)):
            drawn[i] = below(rng, sides)
        return outcome_of(s, o, drawn)  # type: ignore[no-any-return]
    total = 0
    for outcome in range(chance_count(s, o)):
        total += chance_weight(s, o, outcome)
    rest = below(rng, total)
    outcome = 0
    weight = chance_weight(s, o, 0)
    while rest >= weight:
        rest -= weight
        outcome += 1
        weight = chance_weight(s, o, outcome)
    return outcome


def play_on(s: Any, view: Any, o: Any, levels: Any, buffers: Any, limit: int) -> int:
    """Play to the end, at most `limit` steps; return how many were made, or -1 if the match is not over by then.

    A step is one node: a draw, or the choice of a seat's (at a simultaneous node: every seat's) computer player.
    """
    rng, actions, drawn, joint = buffers
    for steps in range(limit):
        # Asked at one place and judged at once, the draws first: compiled, they are one comparison away.
        player = player_to_act(s, o)
        if player == CHANCE:
            outcome = draw_chance(levels, s, o, rng, drawn)
            if outcome < 0:
                outcome = draw_outcome(s, o, rng, drawn)
            apply(s, o, outcome, None)
        elif player >= 0:
            count = legal(s, o, player, actions)
            apply(s, o, choose(levels[player], look_as(s, view, player), o, player, actions, count, rng), None)
        elif player == SIMULTANEOUS:
            for seat in range(o.seats):
                count = legal(s, o, seat, actions)
                joint[seat] = choose(levels[seat], look_as(s, view, seat), o, seat, actions, count, rng)
            apply_joint(s, o, joint, None)
        else:
            return steps
    return limit if player_to_act(s, o) == TERMINAL else -1


def play_many(
    view: Any, o: Any, levels: Any, seed: int, first: int, limit: int, buffers: Any, steps: Any, won: Any, points: Any
) -> None:
    """Play matches first, first+1, … from the position in states[1], one for each row of `steps`.

    Args:
        view: three state records and how they are masked (`look_masked`); [0] is worked on, [1] is where each match
            starts, [2] is what a computer player is shown.
        levels: each seat's computer player.
        seed: of the run; match m draws from the stream (seed, m).
        first: number of the first match.
        limit: steps after which a match is given up; `steps` then holds -1.
        buffers: four int64 arrays: generator, legal actions, drawn faces, joint choices.
        steps: (matches,), out: length of each match.
        won: (matches, seats), out: 1 for a winner.
        points: (matches, seats), out: scores.
    """
    states = view[0]
    rng = buffers[0]
    for i in range(len(steps)):
        states[0] = states[1]
        s = states[0]
        start_stream(rng, seed, first + i)
        steps[i] = play_on(s, view, o, levels, buffers, limit)
        winners(s, o, won[i])
        scores(s, o, points[i])


def choose_at(view: Any, o: Any, level: int, seat: int, actions: Any, rng: Any) -> Any:
    """Let a seat's computer player choose at the decision node states[0]."""
    s = view[0][0]
    count = legal(s, o, seat, actions)
    return choose(level, look_as(s, view, seat), o, seat, actions, count, rng)


def apply_at(states: Any, o: Any, action: int, log: Any) -> None:
    """Apply one action to states[0]; for lock-step tests and search."""
    apply(states[0], o, action, log)


def apply_joint_at(states: Any, o: Any, joint: Any, log: Any) -> None:
    """Apply one action a seat to states[0]."""
    apply_joint(states[0], o, joint, log)


def look_at(states: Any, o: Any, seat: int, actions: Any) -> Any:
    """Return (player to act, number of legal actions of `seat` written into `actions`) of states[0]."""
    s = states[0]
    player = player_to_act(s, o)
    count = 0
    if player == seat or player == SIMULTANEOUS:  # noqa: SIM109 - the compiled subset has no `in`
        count = legal(s, o, seat, actions)
    return player, count
