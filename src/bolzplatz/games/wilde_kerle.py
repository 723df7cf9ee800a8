"""Die Wilden Fußballkerle – 1, 2, 3, Rrraaaa (Amigo 2008, Thorsten Löpmann, Andreas Wetter): who sees the goal first?

All turn over a card at once, then reach for the figure of the colour that scores. A round is: one chance node a seat
for its card, hidden until all lie open; one joint node in which every seat says what it reaches for; and, where two or
more reach, one chance node for the order of their hands. At the table the clock decides that order, in simulation the
reaction times of the computer players do. Cards that are taken out of the game have no node: they stay among the
unseen cards, and the weights of `chance_weight` allow for them.

The first half of this module is the compiled subset (`core.spec`); options, notation and texts follow. Paragraphs
(`wilde-kerle §3`) are those of docs/rules/wilde-kerle.*.md.
"""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from itertools import permutations
from math import factorial
from typing import Any, Final

from bolzplatz.core.declare import Seen, declare, number, numbers, per_seat
from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.events import emit
from bolzplatz.core.forms import weighted
from bolzplatz.core.nodes import CHANCE, NOBODY, SIMULTANEOUS, TERMINAL
from bolzplatz.core.spec import (
    Arg,
    DataFile,
    Deal,
    EventKind,
    GameSpec,
    Notation,
    Option,
    Options,
    OptionValue,
    Refusal,
    Rules,
    Unreadable,
    entries_of_lines,
    numbered_entries,
)

NAME: Final = "wilde-kerle"
FEWEST: Final = 3
SEATS: Final = 5
CARDS: Final = 60
"""Cards that are dealt in each half."""
START_CHIPS: Final = 5
WRONG_COST: Final = 2
END_COST: Final = 4

# What happens next.
DEALING: Final = 0
GRABBING: Final = 1
SORTING: Final = 2
OVER: Final = 3

EXTRA_TIME: Final = 3
"""The number of the third half."""

BLACK: Final = 0
RED: Final = 1
KEEPER: Final = 0
STRIKER: Final = 1
GROUPS: Final = 4
"""A group is a role in a colour: black keepers, red keepers, black strikers, red strikers."""
LOWEST: Final = 5
HIGHEST: Final = (12, 14)
"""The highest value of keepers and of strikers."""

# Types of cards, the outcome ids of a deal: the numbered ones group by group with values ascending, then the whistles
# in the order of the groups, then the end card.
WHISTLES: Final = 36
END: Final = 40
TYPES: Final = 41
WHISTLE: Final = 100
"""The value of a whistle: above any number, so that a whistled keeper stops every shot."""
NO_GROUP: Final = 4


_NUMBERED: Final = [(group, value) for group in range(GROUPS) for value in range(LOWEST, HIGHEST[group // 2] + 1)]
GROUP_OF: Final[tuple[int, ...]] = (*(group for group, _ in _NUMBERED), *range(GROUPS), NO_GROUP)
VALUE_OF: Final[tuple[int, ...]] = (*(value for _, value in _NUMBERED), *[WHISTLE] * GROUPS, 0)
"""Group and value of each type of card."""

# What a hand may reach for, the action ids: a piece, or a second one as well where the first is gone.
NONE: Final = 0
ONLY_RED: Final = 1
ONLY_BLACK: Final = 2
RED_THEN_BLACK: Final = 3
BLACK_THEN_RED: Final = 4
WISH_COUNT: Final = 5
NO_PIECE: Final = -1
FIRST_PIECE: Final = (NO_PIECE, RED, BLACK, RED, BLACK)
SECOND_PIECE: Final = (NO_PIECE, NO_PIECE, NO_PIECE, BLACK, RED)

# What the open cards mean for a colour; up to OPEN_GOAL it scores.
GOAL: Final = 0
OPEN_GOAL: Final = 1
SAVED: Final = 2
EQUAL: Final = 3
NO_STRIKER: Final = 4
FOUL: Final = 5
OFFSIDE: Final = 6

# Kinds of events: their places in EVENTS.
E_VERDICT: Final = 0
"""The first of seven kinds, one for each meaning of the open cards."""
E_OPENED: Final = 7
E_END_CARD: Final = 8
E_TAKES: Final = 9
E_TOO_LATE: Final = 10
E_RIGHT: Final = 11
E_WRONG: Final = 12
E_PAYS_AT_END: Final = 13
E_WELL_SPOTTED: Final = 14
E_NOBODY: Final = 15
E_HALF: Final = 16
E_WINS: Final = 17
E_SHARES: Final = 18
E_WINS_ON_GRABS: Final = 19

# Reasons to refuse: their places in REFUSALS.
R_LEGAL: Final = 0
R_OVER: Final = 1
R_CARDS_FIRST: Final = 2
R_HANDS_FIRST: Final = 3
R_NO_SUCH_WISH: Final = 4


@declare
class Setup:
    """The options as integers."""

    seats: int = number(FEWEST, SEATS, "players")
    deck: list[int] = numbers(
        0, 13, "copies of each type before any card is taken out, without the end card", length=END
    )
    counted: int = number(0, 1, "0: the box is not known, any printed card may come at any time")
    pro: int = number(0, 1, "1: whistle cards take part")
    end_in_second: int = number(0, 1, "1: the end card is in the second half, and there is no extra time")
    by_grabs: int = number(0, 1, "1: of players with equal chips the one with more right grabs wins")


@declare
class State:
    """A position. The cards left in the stacks say which round it is, and whose card is next."""

    phase: int = number(0, OVER, "what comes next: 0 a card, 1 all hands, 2 the order of the hands, 3 nothing")
    half: int = number(0, EXTRA_TIME, "the half that is played: 1, 2, or 3 for extra time")
    left: int = number(0, CARDS, "cards that are still in the stacks of all players together")
    open: list[int] = per_seat(0, TYPES, "type plus 1 of the card on top of each open stack, 0: no card", SEATS)
    wish: list[int] = per_seat(0, WISH_COUNT - 1, "what each hand reaches for while their order is awaited", SEATS)
    chips: list[int] = per_seat(0, 3 * CARDS, "value of each player's chips", SEATS)
    right: list[int] = per_seat(0, 3 * CARDS, "right grabs so far", SEATS)
    unseen: list[int] = numbers(0, 13, "copies of each type that have not lain open in this half", length=TYPES)
    out: list[int] = numbers(
        0,
        WHISTLES,
        "type plus 1 of the card of each group that whistles replace, known from the second half on",
        GROUPS,
    )
    turned: list[int] = per_seat(
        0, TYPES, "type plus 1 of the card that a player is turning over in this round", SEATS, seen_by=Seen.NOBODY
    )
    pile: list[int] = numbers(
        0, 13, "copies of each type that have not been turned over in this half", length=TYPES, seen_by=Seen.NOBODY
    )
    pile_of_group: list[int] = numbers(
        0, CARDS, "numbered cards of each group that have not been turned over", length=GROUPS, seen_by=Seen.NOBODY
    )


# --- rules: the compiled subset ---------------------------------------------------------------------------------


def begin(s: State, o: Setup) -> None:
    """Give everybody chips worth five and start the first half (wilde-kerle §1, §2)."""
    for seat in range(o.seats):
        s.chips[seat] = START_CHIPS
    start_half(s, o, 1)


def start_half(s: State, o: Setup, half: int) -> None:
    """Shuffle all cards anew and deal them out (wilde-kerle §6), in the last half with the end card (§7, §8).

    Of a box that is not known any printed card may come at any time, whistles and the end card too (wilde-kerle §11).
    """
    s.half = half
    s.phase = DEALING
    s.left = CARDS
    for group in range(GROUPS):
        s.pile_of_group[group] = 0
    for card in range(END):
        copies = o.deck[card]
        group = GROUP_OF[card]
        if s.out[group] == card + 1:
            copies -= 1
        if o.counted == 0:
            copies = 1
        s.pile[card] = copies
        s.unseen[card] = copies
        if card < WHISTLES:
            s.pile_of_group[group] += copies
    s.pile[END] = 1 if o.counted == 0 else is_last_half(s, o)
    s.unseen[END] = s.pile[END]


def is_last_half(s: State, o: Setup) -> int:
    """Say whether this half has the end card: extra time (wilde-kerle §7), or the second half by option (§8)."""
    return 1 if s.half == EXTRA_TIME or (s.half == 2 and o.end_in_second == 1) else 0


def player_to_act(s: State, o: Setup) -> int:
    """Cards come by chance, then all hands move at once, then chance or the clock orders them (wilde-kerle §2, §4)."""
    phase = s.phase
    if phase == GRABBING:
        return SIMULTANEOUS
    return TERMINAL if phase == OVER else CHANCE


def roller(s: State, o: Setup) -> int:
    """Nobody throws anything: cards come from a stack (wilde-kerle §2)."""
    return NOBODY


def legal(s: State, o: Setup, seat: int, out: Any) -> int:
    """Any hand may reach for either piece, or keep still (wilde-kerle §4)."""
    if s.phase != GRABBING:
        return 0
    for wish in range(WISH_COUNT):
        out[wish] = wish
    return WISH_COUNT


def refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why no hand may move now (wilde-kerle §2, §4, §7)."""
    phase = s.phase
    if phase == OVER:
        return R_OVER
    if phase == DEALING:
        return R_CARDS_FIRST
    if phase == SORTING:
        return R_HANDS_FIRST
    return R_LEGAL if 0 <= action < WISH_COUNT else R_NO_SUCH_WISH


def chance_count(s: State, o: Setup) -> int:
    """Count the types of cards (wilde-kerle §11), or the orders of the hands that reach (wilde-kerle §4)."""
    if s.phase == DEALING:
        return TYPES
    orders = 1
    for place in range(2, hands_out(s, o) + 1):
        orders *= place
    return orders


def chance_weight(s: State, o: Setup, outcome: int) -> int:
    """Weigh a type of card by its equivalent unseen copies (wilde-kerle §11); orders of hands equally.

    A card that was taken out unseen is any of the unseen ones of its kind alike, so that m cards in the stacks stand
    for the unseen ones in proportion: with whistles in the first half u - 1 of the u unseen numbered cards of each
    group (wilde-kerle §9), with the end card m - 1 of m (wilde-kerle §7). All weights are multiplied by the
    denominators, so that they stay whole.
    """
    if s.phase != DEALING:
        return 1
    copies = s.pile[outcome]
    if copies == 0 or o.counted == 0:
        return copies
    if s.pile[END] > 0:
        return s.left if outcome == END else (s.left - 1) * copies
    if o.pro == 0 or s.half > 1:
        return copies
    groups = s.pile_of_group
    product = groups[0] * groups[1] * groups[2] * groups[3]
    if outcome >= WHISTLES:
        return product
    unseen = groups[GROUP_OF[outcome]]
    return copies * (unseen - 1) * (product // unseen)


def chance_form(s: State, o: Setup) -> int:
    """One card, or one order, by weight (wilde-kerle §2, §4)."""
    return weighted()


def outcome_of(s: State, o: Setup, drawn: Any) -> int:
    """Return what was drawn: there are no dice to read (wilde-kerle §2)."""
    outcome: int = drawn[0]
    return outcome


def apply(s: State, o: Setup, action: int, log: Any) -> None:
    """Turn over a card (wilde-kerle §2), or let the hands come in the order that is given (wilde-kerle §4)."""
    if s.phase == DEALING:
        turn_over(s, o, action, log)
    else:
        serve_hands(s, o, hands_out(s, o), action, log)


def turn_over(s: State, o: Setup, card: int, log: Any) -> None:
    """Turn over the next player's card; when everybody has one, they all lie open at once (wilde-kerle §2)."""
    s.turned[(CARDS - s.left) % o.seats] = card + 1
    s.left -= 1
    if o.counted == 1 or card == END:
        s.pile[card] -= 1
        if card < WHISTLES:
            s.pile_of_group[GROUP_OF[card]] -= 1
    if (CARDS - s.left) % o.seats == 0:
        open_cards(s, o, log)


def open_cards(s: State, o: Setup, log: Any) -> None:
    """Lay every new card on its player's open stack, for all to see (wilde-kerle §2)."""
    for seat in range(o.seats):
        card = s.turned[seat] - 1
        s.turned[seat] = 0
        s.open[seat] = card + 1
        if o.counted == 1 or card == END:
            s.unseen[card] -= 1
        emit(log, E_OPENED, seat, card, 0, 0)
        if card == END:
            emit(log, E_END_CARD, seat, 0, 0, 0)
    s.phase = GRABBING


def apply_joint(s: State, o: Setup, actions: Any, log: Any) -> None:
    """Let all hands move; where two or more reach, their order comes next (wilde-kerle §4)."""
    for seat in range(o.seats):
        s.wish[seat] = actions[seat]
    hands = hands_out(s, o)
    if hands > 1:
        s.phase = SORTING
    else:
        serve_hands(s, o, hands, 0, log)


def hands_out(s: State, o: Setup) -> int:
    """Count the hands that reach for a piece (wilde-kerle §4)."""
    hands = 0
    for seat in range(o.seats):
        if s.wish[seat] != NONE:
            hands += 1
    return hands


def serve_hands(s: State, o: Setup, hands: int, order: int, log: Any) -> None:
    """Let each hand in turn take its first piece that is free, at most one (wilde-kerle §4).

    `order` numbers the orders of the reaching hands, seats ascending first: its digits in the factorial system say
    the how many-th of the hands still waiting comes next.
    """
    black_holder = NOBODY
    red_holder = NOBODY
    orders = 1
    for place in range(2, hands + 1):
        orders *= place
    for waiting in range(hands, 0, -1):
        orders //= waiting
        seat = waiting_hand(s, o, order // orders)
        order %= orders
        wish = s.wish[seat]
        s.wish[seat] = NONE
        piece = FIRST_PIECE[wish]
        if (black_holder if piece == BLACK else red_holder) != NOBODY:
            piece = SECOND_PIECE[wish]
        if piece == BLACK and black_holder == NOBODY:
            black_holder = seat
            emit(log, E_TAKES, seat, BLACK, 0, 0)
        elif piece == RED and red_holder == NOBODY:
            red_holder = seat
            emit(log, E_TAKES, seat, RED, 0, 0)
        else:
            emit(log, E_TOO_LATE, seat, FIRST_PIECE[wish], 0, 0)
    finish_round(s, o, black_holder, red_holder, log)


def waiting_hand(s: State, o: Setup, skip: int) -> int:
    """Return the seat of a hand that reaches, after `skip` others in seat order."""
    seat = 0
    while seat < o.seats - 1 and (skip > 0 or s.wish[seat] == NONE):
        if s.wish[seat] != NONE:
            skip -= 1
        seat += 1
    return seat


def finish_round(s: State, o: Setup, black_holder: int, red_holder: int, log: Any) -> None:
    """Say who scores, pay or take chips, and go on to the next round, half, or end (wilde-kerle §3, §5 to §7)."""
    if end_card_lies_open(s, o):
        pay_at_end(s, black_holder, log)
        pay_at_end(s, red_holder, log)
        if black_holder == NOBODY and red_holder == NOBODY:
            emit(log, E_WELL_SPOTTED, NOBODY, 0, 0, 0)
        end_match(s, o, log)
        return
    black_scores = announce_verdict(s, o, BLACK, log)
    red_scores = announce_verdict(s, o, RED, log)
    settle(s, BLACK, black_holder, black_scores, log)
    settle(s, RED, red_holder, red_scores, log)
    if black_holder == NOBODY and red_holder == NOBODY:
        goal = black_scores or red_scores
        emit(log, E_NOBODY if goal else E_WELL_SPOTTED, NOBODY, 0, 0, 0)
    if s.left > 0:
        s.phase = DEALING
    elif is_last_half(s, o) == 1:
        # Only where the box is not known: a counted stack has the end card in it.
        end_match(s, o, log)
    else:
        next_half(s, o, log)


def end_card_lies_open(s: State, o: Setup) -> bool:
    """Say whether somebody has turned over the end card (wilde-kerle §7)."""
    lies_open = False
    for seat in range(o.seats):
        if s.open[seat] == END + 1:
            lies_open = True
    return lies_open


def top_value(s: State, o: Setup, role: int, colour: int) -> int:
    """Return the highest open value of a group, 0 where none lies there, WHISTLE for a whistle (wilde-kerle §3, §9)."""
    best = 0
    for seat in range(o.seats):
        card = s.open[seat] - 1
        if card >= 0 and GROUP_OF[card] == 2 * role + colour and VALUE_OF[card] > best:
            best = VALUE_OF[card]
    return best


def verdict_on(striker: int, keeper: int) -> int:
    """Say what the best striker of a colour does against the best keeper of the other one (wilde-kerle §3, §9)."""
    if striker == 0:
        return NO_STRIKER
    if striker == WHISTLE:
        return FOUL
    if keeper == WHISTLE:
        return OFFSIDE
    if keeper == 0:
        return OPEN_GOAL
    if striker == keeper:
        return EQUAL
    return GOAL if striker > keeper else SAVED


def announce_verdict(s: State, o: Setup, colour: int, log: Any) -> bool:
    """Say whether a colour scores, and why (wilde-kerle §3, §9)."""
    striker = top_value(s, o, STRIKER, colour)
    keeper = top_value(s, o, KEEPER, 1 - colour)
    verdict = verdict_on(striker, keeper)
    emit(log, E_VERDICT + verdict, NOBODY, colour, striker, keeper)
    return verdict <= OPEN_GOAL


def settle(s: State, piece: int, holder: int, scores_now: bool, log: Any) -> None:
    """Give a chip for the right piece, take up to two for the wrong one (wilde-kerle §5)."""
    if holder == NOBODY:
        return
    if scores_now:
        s.chips[holder] += 1
        s.right[holder] += 1
        emit(log, E_RIGHT, holder, piece, s.chips[holder], 0)
    else:
        paid = pay(s, holder, WRONG_COST)
        emit(log, E_WRONG, holder, piece, paid, s.chips[holder])


def pay_at_end(s: State, holder: int, log: Any) -> None:
    """Take up to four chips from whoever grabs although the end card lies open (wilde-kerle §7)."""
    if holder != NOBODY:
        paid = pay(s, holder, END_COST)
        emit(log, E_PAYS_AT_END, holder, paid, s.chips[holder], 0)


def pay(s: State, seat: int, cost: int) -> int:
    """Take chips, no more than there are; return how many (wilde-kerle §5)."""
    paid = cost if s.chips[seat] >= cost else s.chips[seat]
    s.chips[seat] -= paid
    return paid


def next_half(s: State, o: Setup, log: Any) -> None:
    """Go on to the second half or to extra time (wilde-kerle §6, §7).

    After a first half with whistles the four cards that never came are known to be out of the game (wilde-kerle §9).
    """
    if s.half == 1 and o.pro == 1 and o.counted == 1:
        for card in range(WHISTLES):
            if s.unseen[card] > 0:
                s.out[GROUP_OF[card]] = card + 1
    start_half(s, o, s.half + 1)
    emit(log, E_HALF, NOBODY, s.half, CARDS // o.seats, is_last_half(s, o))


def end_match(s: State, o: Setup, log: Any) -> None:
    """End the match and name who has won (wilde-kerle §7, §10)."""
    s.phase = OVER
    best = leader(s, o)
    level = 0
    winning = 0
    for seat in range(o.seats):
        if s.chips[seat] == s.chips[best]:
            level += 1
            winning += wins_with(s, o, seat, best)
    for seat in range(o.seats):
        if wins_with(s, o, seat, best) == 1:
            if winning > 1:
                emit(log, E_SHARES, seat, s.chips[seat], 0, 0)
            elif level > 1:
                emit(log, E_WINS_ON_GRABS, seat, s.chips[seat], s.right[seat], 0)
            else:
                emit(log, E_WINS, seat, s.chips[seat], 0, 0)


def leader(s: State, o: Setup) -> int:
    """Return the first seat that no other one is ahead of: by chips, then by right grabs if so agreed (§10, §12)."""
    best = 0
    for seat in range(1, o.seats):
        more_grabs = o.by_grabs == 1 and s.right[seat] > s.right[best]
        if s.chips[seat] > s.chips[best] or (s.chips[seat] == s.chips[best] and more_grabs):
            best = seat
    return best


def wins_with(s: State, o: Setup, seat: int, best: int) -> int:
    """Return 1 where a seat is level with the leader, in all that counts (wilde-kerle §10), else 0."""
    if s.chips[seat] != s.chips[best] or (o.by_grabs == 1 and s.right[seat] != s.right[best]):
        return 0
    return 1


def winners(s: State, o: Setup, out: Any) -> None:
    """Mark whoever has most chips at the end; several may share the win (wilde-kerle §10)."""
    best = leader(s, o)
    for seat in range(o.seats):
        out[seat] = wins_with(s, o, seat, best) if s.phase == OVER else 0


def scores(s: State, o: Setup, out: Any) -> None:
    """Count the value of everybody's chips (wilde-kerle §5)."""
    for seat in range(o.seats):
        out[seat] = s.chips[seat]


# --- a round's cards from one shuffle ---------------------------------------------------------------------------


def deal_size(s: State, o: Setup) -> int:
    """Count the tickets of a round's deal: a card each, and one more each for those that may be out of the game.

    Only what lies open enters, so that the size tells nothing. 0 where no round begins, or the box is not known.
    """
    if s.phase != DEALING or (CARDS - s.left) % o.seats or o.counted == 0:
        return 0
    return sum(s.unseen) + sum(map(len, taken_out_of(s, o, unseen_cards(s))))


def deal_outcomes(s: State, o: Setup, order: Sequence[int]) -> list[int]:
    """Return the cards of a round by the shuffled tickets: cards that are out of the game are passed over.

    Of disjoint parts of a shuffle each is a fair shuffle of its own: the tickets for who is out say nothing of the
    order of the cards. So the chances are those of `chance_weight`, card by card.
    """
    cards = unseen_cards(s)
    out, first = set(), len(cards)
    for group in taken_out_of(s, o, cards):
        drawn = next(ticket for ticket in order if first <= ticket < first + len(group))
        out.add(group[drawn - first])
        first += len(group)
    stack = [cards[ticket] for ticket in order if ticket < len(cards) and ticket not in out]
    return stack[: o.seats]


def unseen_cards(s: State) -> list[int]:
    """Return the type of every card that has not lain open in this half."""
    return [card for card in range(TYPES) for _ in range(s.unseen[card])]


def taken_out_of(s: State, o: Setup, cards: Sequence[int]) -> list[list[int]]:
    """Return the groups of unseen cards, by their places, of each of which one is out of the game, nobody knows which.

    With the end card that is any other card (wilde-kerle §7); in a first half with whistles, one of each group (§9).
    """
    if s.unseen[END] > 0:
        return [[place for place, card in enumerate(cards) if card != END]]
    if o.pro == 0 or s.half > 1:
        return []
    return [
        [place for place, card in enumerate(cards) if card < WHISTLES and GROUP_OF[card] == group]
        for group in range(GROUPS)
    ]


# --- options ----------------------------------------------------------------------------------------------------

ANY_DECK: Final = "any"
CARDS_OF_COLOUR: Final = 30
DECKS: Final[dict[str, str]] = tomllib.loads(
    (files("bolzplatz.games") / "wilde_kerle_decks.toml").read_text(encoding="utf-8")
)
"""The decks with a name: how often each card occurs, in the form that `deck` takes."""

SHARED: Final = "shared"
RIGHT_GRABS: Final = "right-grabs"

OPTIONS: Final = (
    Option("players", int, FEWEST, "K-24, wilde-kerle §1", "how many play", choices=(3, 4, 5)),
    Option(
        "deck",
        str,
        "16-14",
        "K-1, wilde-kerle §11",
        "how often each card lies in the box; any: the box is not known, every printed card may come at any time",
        form="16-14, 15-15, 10-20, any, or copies of all cards such as 2xK5-12,1xS5-14,1xS8-11 with 30 cards a colour",
        examples=("15-15", "10-20", ANY_DECK, "1xKb5-12,1xSb5-14,12xSb14,2xKr5-12,1xSr5-14,1xSr9-12"),
    ),
    Option("pro", bool, False, "K-21, wilde-kerle §9", "the four whistle cards take part"),
    Option(
        "end_in_second_half",
        bool,
        False,
        "K-19, wilde-kerle §8",
        "the end card is in the second half, without extra time; only with three players",
    ),
    Option(
        "tie",
        str,
        SHARED,
        "K-23, wilde-kerle §10",
        "with equal chips: all of them win, or whoever grabbed right more often",
        choices=(SHARED, RIGHT_GRABS),
    ),
)


def complete_options(options: Options) -> dict[str, OptionValue]:
    """Return the options with the items of a deck one after the other; raises OptionError for one that cannot be."""
    items = ",".join(item for _, item in numbered_entries(str(options["deck"])))
    if items != ANY_DECK:
        read_deck(items if items in DECKS else str(options["deck"]))
    return {**options, "deck": items}


def encode(options: Options) -> Setup:
    """Turn options into the setup; raises OptionError where they do not fit together."""
    seats, deck, pro = int(options["players"] or 0), str(options["deck"]), int(bool(options["pro"]))
    if options["end_in_second_half"] and seats != FEWEST:
        raise OptionError(
            f"{NAME}: option end_in_second_half is true with {seats} players; "
            f"it needs {FEWEST} players (K-19, wilde-kerle §8)",
            "end_in_second_half",
        )
    counted = deck != ANY_DECK
    copies = read_deck(deck) if counted else [1] * WHISTLES
    return Setup(
        seats=seats,
        deck=copies + [pro] * GROUPS,
        counted=int(counted),
        pro=pro,
        end_in_second=int(bool(options["end_in_second_half"])),
        by_grabs=int(options["tie"] == RIGHT_GRABS),
    )


_DECK_ITEM: Final = re.compile(r"([0-9]{1,2})x([KS])([br]?)([0-9]{1,2})(?:-([0-9]{1,2}))?")


def read_deck(deck: str) -> list[int]:
    """Return how many copies of each numbered card a deck has, given by name or item by item; raises OptionError.

    >>> sum(read_deck("2xK5-12,1xS5-14,1xS8-11"))
    60
    """

    def refuse(reason: str) -> OptionError:
        return OptionError(f"{NAME}: option deck is {shorten(deck)}; {reason} (K-1, wilde-kerle §11)", "deck")

    copies = [0] * WHISTLES
    for line, text in numbered_entries(DECKS.get(deck, deck)) or [(1, "")]:
        item = _DECK_ITEM.fullmatch(text)
        if not item:
            raise refuse(
                f"line {line}: {shorten(text)} is no deck ({', '.join(DECKS)}, {ANY_DECK}) and no item such as 2xK5-12"
            )
        role = "KS".index(item[2])
        low, high = int(item[4]), int(item[5] or item[4])
        if not LOWEST <= low <= high <= HIGHEST[role]:
            raise refuse(f"line {line}, {item[0]!r}: values of {item[2]} run from {LOWEST} to {HIGHEST[role]}")
        for colour in (BLACK, RED) if not item[3] else ("br".index(item[3]),):
            for value in range(low, high + 1):
                copies[CARD_NAMES.index(f"{item[2]}{'br'[colour]}{value}")] += int(item[1])
    missing = [name for name, count in zip(CARD_NAMES, copies, strict=False) if count == 0]
    if missing:
        raise refuse(f"every card must be there at least once; missing: {', '.join(missing)}")
    for colour, word in enumerate(COLOURS):
        cards = sum(count for card, count in enumerate(copies) if GROUP_OF[card] % 2 == colour)
        if cards != CARDS_OF_COLOUR:
            raise refuse(f"{CARDS_OF_COLOUR} cards of each colour are needed, {word} has {cards}")
    return copies


# --- notation ---------------------------------------------------------------------------------------------------

COLOURS: Final = ("black", "red")
ROLES: Final = ("keeper", "striker")
WISHES: Final = ("none", "red", "black", "red>black", "black>red")


def _card_name(card: int) -> str:
    if card == END:
        return "END"
    group, value = GROUP_OF[card], VALUE_OF[card]
    return f"{'KS'[group // 2]}{'br'[group % 2]}{'w' if value == WHISTLE else value}"


CARD_NAMES: Final = tuple(_card_name(card) for card in range(TYPES))


def _orders(s: State, o: Setup) -> list[str]:
    """Return the orders of the hands that reach, by their outcome ids."""
    hands = [seat for seat in range(o.seats) if s.wish[seat] != NONE]
    return [f"order {' '.join(map(str, order))}" for order in permutations(hands)]


def action_text(_s: State, _o: Setup, _seat: int, action: int) -> str:
    """Write what a hand reaches for."""
    return WISHES[action]


def outcome_text(s: State, o: Setup, outcome: int) -> str:
    """Write a card, or the order of the hands."""
    return CARD_NAMES[outcome] if s.phase == DEALING else _orders(s, o)[outcome]


def read_action(_s: State, _o: Setup, _seat: int, text: str) -> int:
    """Read what a hand reaches for."""
    if text not in WISHES:
        raise Unreadable(f"a hand does one of {', '.join(WISHES)}")
    return WISHES.index(text)


def read_outcome(s: State, o: Setup, text: str) -> int:
    """Read a card, or an order of the hands that reach, whichever is due."""
    if s.phase == SORTING:
        orders = _orders(s, o)
        if text not in orders:
            raise Unreadable("the order names every hand that reaches, the quickest first")
        return orders.index(text)
    if text not in CARD_NAMES:
        raise Unreadable(
            "a card reads K or S, b or r, and its value, or w for the whistle, such as Kr12 or Sbw; the end card is END"
        )
    return CARD_NAMES.index(text)


# --- what people and programs read ------------------------------------------------------------------------------

HALVES: Final = ("first_half", "second_half", "extra_time")
VERDICTS: Final = ("goal", "open_goal", "saved", "equal", "no_striker", "foul", "offside")
_NEXT: Final = ("cards", "hands", "order", "over")

_card = Arg("card", CARD_NAMES.__getitem__)
_colour = Arg("colour", COLOURS.__getitem__)
_piece = Arg("piece", COLOURS.__getitem__)
_striker, _keeper, _paid, _chips = Arg("striker"), Arg("keeper"), Arg("paid"), Arg("chips")

EVENTS: Final = (
    EventKind("goal", "wilde-kerle §3", (_colour, _striker, _keeper)),
    EventKind("open_goal", "wilde-kerle §3", (_colour, _striker)),
    EventKind("saved", "wilde-kerle §3", (_colour, _striker, _keeper)),
    EventKind("equal", "wilde-kerle §3", (_colour, _striker, _keeper)),
    EventKind("no_striker", "wilde-kerle §3", (_colour,)),
    EventKind("foul", "wilde-kerle §9", (_colour,)),
    EventKind("offside", "wilde-kerle §9", (_colour, _striker)),
    EventKind("opened", "wilde-kerle §2", (_card,)),
    EventKind("end_card", "wilde-kerle §7"),
    EventKind("takes", "wilde-kerle §4", (_piece,)),
    EventKind("too_late", "wilde-kerle §4", (_piece,)),
    EventKind("right", "wilde-kerle §5", (_piece, _chips)),
    EventKind("wrong", "wilde-kerle §5", (_piece, _paid, _chips)),
    EventKind("pays_at_end", "wilde-kerle §7", (_paid, _chips)),
    EventKind("well_spotted", "wilde-kerle §4"),
    EventKind("nobody", "wilde-kerle §4"),
    EventKind(
        "half_starts",
        "wilde-kerle §6",
        (Arg("half", lambda half: HALVES[half - 1]), Arg("rounds"), Arg("end_card", bool)),
    ),
    EventKind("wins", "wilde-kerle §10", (_chips,)),
    EventKind("shares", "wilde-kerle §10", (_chips,)),
    EventKind("wins_on_grabs", "wilde-kerle §10", (_chips, Arg("right"))),
)

REFUSALS: Final = (
    Refusal("legal", "wilde-kerle §4", "nothing stands against it"),
    Refusal("over", "wilde-kerle §7", "the game is over"),
    Refusal("cards_first", "wilde-kerle §2", "cards are turned over first; hands move when all of them lie open"),
    Refusal("hands_first", "wilde-kerle §4", "all hands are out already; their order comes next"),
    Refusal(
        "no_such_wish",
        "wilde-kerle §4",
        "a hand reaches for one piece, for a second one if that is gone, or keeps still",
    ),
)


def card_shown(card: int) -> dict[str, Any]:
    """Return a card for a page: name, role (`keeper`, `striker`, `end`), colour and value, None for a whistle."""
    if card == END:
        return {"name": "END", "role": "end", "colour": None, "value": None}
    group, value = GROUP_OF[card], VALUE_OF[card]
    return {
        "name": CARD_NAMES[card],
        "role": ROLES[group // 2],
        "colour": COLOURS[group % 2],
        "value": None if value == WHISTLE else value,
    }


def verdict_shown(s: State, o: Setup, colour: int) -> dict[str, Any]:
    """Return what the open cards mean for a colour: goal, why (one of VERDICTS), striker and keeper (None: none)."""
    striker, keeper = top_value(s, o, STRIKER, colour), top_value(s, o, KEEPER, 1 - colour)
    verdict = verdict_on(striker, keeper)
    values = {"striker": striker, "keeper": keeper}
    return {
        "goal": verdict <= OPEN_GOAL,
        "why": VERDICTS[verdict],
        **{name: value if 0 < value < WHISTLE else None for name, value in values.items()},
    }


def round_number(s: State, o: Setup) -> int:
    """Return the number of the round in its half, from 1; between two rounds that of the next one."""
    cards = CARDS - s.left
    return cards // o.seats + (1 if s.phase == DEALING else 0)


def shown(s: State, o: Setup) -> dict[str, Any]:
    """Return what a page shows; all seats see the same.

    Keys: next (`cards`, `hands`, `order`, `over`); half (`first_half`, `second_half`, `extra_time`), round (from 1)
    and rounds of the half at most; end_card_in (whether the end card is in this half's stacks or lies open), end_open;
    cards: per seat the card on top of its open stack (`card_shown`) or None; stack: cards that each player still has
    face down when a round is complete; verdict: {black, red} (`verdict_shown`) of the cards that lie open, None while
    hands may still move, after the end card, and before the first round; out: names of the cards that whistles
    replace, as far as they are known; odds_known: whether the box is known (option deck).
    """
    cards = [None if s.open[seat] == 0 else card_shown(s.open[seat] - 1) for seat in range(o.seats)]
    end_open = end_card_lies_open(s, o)
    judged = s.phase in (DEALING, OVER) and None not in cards and not end_open
    return {
        "next": _NEXT[s.phase],
        "half": HALVES[s.half - 1],
        "round": round_number(s, o),
        "rounds": CARDS // o.seats,
        "end_card_in": bool(is_last_half(s, o)),
        "end_open": end_open,
        "cards": cards,
        "stack": s.left // o.seats,
        "verdict": {word: verdict_shown(s, o, colour) for colour, word in enumerate(COLOURS)} if judged else None,
        "out": [CARD_NAMES[card - 1] for card in s.out if card],
        "odds_known": bool(o.counted),
    }


_HALF_TITLES: Final = ("first half", "second half", "extra time")
_PROMPTS: Final = ("cards are turned over", "all hands: red, black, red>black, black>red or none", "who was first?")


def board(s: State, o: Setup) -> str:
    """Draw the position: each player's open card and chips, and what comes next."""
    lines = [f"Die wilden Fußballkerle, {_HALF_TITLES[s.half - 1]}, round {round_number(s, o)} of {CARDS // o.seats}"]
    for seat in range(o.seats):
        card = CARD_NAMES[s.open[seat] - 1] if s.open[seat] else ""
        hand = f"  reaches for {WISHES[s.wish[seat]]}" if s.wish[seat] else ""
        lines.append(f"  seat {seat}  [{card:^4}]  {s.chips[seat]:>2} chips{hand}")
    if s.phase != OVER:
        return "\n".join([*lines, f"  {_PROMPTS[s.phase]}"])
    best = leader(s, o)
    won = [str(seat) for seat in range(o.seats) if wins_with(s, o, seat, best)]
    return "\n".join(
        [*lines, f"  seat{'s' if len(won) > 1 else ''} {' and '.join(won)} win{'' if len(won) > 1 else 's'}"]
    )


GAME: Final = GameSpec(
    name=NAME,
    title="Die Wilden Fußballkerle – 1, 2, 3, Rrraaaa",
    source="Amigo 2008, Thorsten Löpmann and Andreas Wetter",
    rules_version="1",
    min_players=FEWEST,
    max_players=SEATS,
    data_file=DataFile("deck", "copies of cards such as 2xK5-12, one item a line", entries_of_lines),
    complete=complete_options,
    reads_data=True,
    perfect_information=False,
    options=OPTIONS,
    encode=encode,
    state=State,
    setup=Setup,
    rules=Rules(
        begin=begin,
        player_to_act=player_to_act,
        roller=roller,
        legal=legal,
        refusal=refusal,
        chance_count=chance_count,
        chance_weight=chance_weight,
        chance_form=chance_form,
        outcome_of=outcome_of,
        apply=apply,
        winners=winners,
        scores=scores,
        apply_joint=apply_joint,
    ),
    notation=Notation(action_text, outcome_text, read_action, read_outcome),
    num_actions=lambda _o: WISH_COUNT,
    max_chance_outcomes=lambda o: max(TYPES, factorial(o.seats)),
    max_length=lambda o: (2 if o.end_in_second else EXTRA_TIME) * (CARDS + 2 * CARDS // o.seats),
    events=EVENTS,
    refusals=REFUSALS,
    board=board,
    shown=shown,
    deal=Deal(deal_size, deal_outcomes),
)
