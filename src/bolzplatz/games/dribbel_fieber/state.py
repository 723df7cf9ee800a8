"""What a match of Dribbel-Fieber consists of: the setup that the rules read and the state that they change.

Cards have numbers: 0 to 4 are the five kinds of action cards, 5 to 16 the twelve Poldi cards by ascending number.
Piles and hands hold how often each card lies there; the order of a pile does not exist before it is drawn, which is
the same as a shuffled one. `known` keeps what follows for everybody from what lay open: a blue Poldi card was bought
openly, and when a draw pile has run out, all of its owner's cards that are not on the discard pile are in the hand.
"""

from typing import Final

from bolzplatz.core.declare import Seen, declare, number, numbers, per_seat
from bolzplatz.games.dribbel_fieber.pitch import SPACES

RED: Final = 0
BLUE: Final = 1
FIGURES: Final = 5
KEEPER: Final = 0
"""Figure 1, by its place in the arrays."""
TURNS: Final = 12
HAND_LIMIT: Final = 3
OFFER_SIZE: Final = 3
CAPACITY: Final = 2
"""Figures of one team on a space."""
DISCARD_COINS: Final = 2
KEEPER_DEFENCE: Final = 7
DIE_FACES: Final = 6
COLOURS: Final = 6

# Cards, and what they do.
RUNNING: Final = 0
DRIBBLING: Final = 1
SHORT_PASS: Final = 2
CROSS: Final = 3
PRESSING: Final = 4
KINDS: Final = 5
VOLLEY: Final = 5
"""In `Setup.action`: a yellow Poldi card, which has no action."""
POLDIS: Final = 12
CARDS: Final = KINDS + POLDIS
FREE_SYMBOL: Final = CARDS
"""The symbol of the free action, behind those of the cards."""
SYMBOLS: Final = CARDS + 1
MAX_PATHS: Final = 40
MAX_STEPS: Final = 4

# What happens next.
COIN: Final = 0
DRAW: Final = 1
OFFER: Final = 2
CHASE: Final = 3
FREE: Final = 4
PLAY: Final = 5
BUY: Final = 6
SHOT: Final = 7
ROLL: Final = 8
BOUNCE: Final = 9
GOAL_KICK: Final = 10
KICK: Final = 11
OVER: Final = 12

# Where a Poldi card is.
IN_STOCK: Final = 0
ON_OFFER: Final = 1
OUT_OF_GAME: Final = 2
OWNED: Final = 3
"""OWNED + seat: in that player's hand or piles."""
FACE_UP: Final = 5
"""FACE_UP + seat: a volley ready for use."""

LEAVE_FORWARD: Final = 0
ENTER: Final = 1
NO_LIMIT: Final = -1
MAX_COINS: Final = 200
MAX_DISTANCE: Final = SPACES


@declare
class Setup:
    """Options and edition as integers. Spaces are as the owner sees them, except where the pitch is named."""

    seats: int = number(2, 2, "players")
    start: list[int] = numbers(0, SPACES - 1, "start space of each figure", length=FIGURES)
    kick_off: int = number(0, SPACES - 1, "where the ball lies at a kick-off")
    goal: int = number(0, SPACES - 1, "the space in front of the own goal")
    area: list[int] = numbers(0, 1, "1 for each space of the own penalty area", length=SPACES)
    bonus: list[int] = numbers(0, 3, "what a shot from each space adds", length=SPACES)
    colour: list[int] = numbers(0, COLOURS, "colour of each space of the pitch, from 1; 0 has none", length=SPACES)
    colour_word: list[int] = numbers(0, 31, "name of each colour, by its place in `COLOUR_NAMES`", length=COLOURS)
    attack: list[int] = numbers(1, 3, "attack value of each figure", length=FIGURES)
    action: list[int] = numbers(0, VOLLEY, "what each card, and last the free action, does", length=SYMBOLS)
    paths: list[int] = numbers(0, MAX_PATHS, "number of ways of each symbol", length=SYMBOLS)
    path: list[int] = numbers(
        0,
        16**MAX_STEPS - 1,
        "the ways of each symbol: one hexadecimal digit a step, direction plus one, the first step lowest",
        length=SYMBOLS * MAX_PATHS,
    )
    distance: list[int] = numbers(
        0, MAX_DISTANCE, "steps from space to space in the chase, at from * SPACES + to", length=SPACES * SPACES
    )
    count: list[int] = numbers(0, 9, "action cards of each kind", length=KINDS)
    poldi_number: list[int] = numbers(0, 999, "number on each Poldi card", length=POLDIS)
    poldi_price: list[int] = numbers(0, 99, "price of each Poldi card", length=POLDIS)
    ones: int = number(0, 28, "coins of value 1 in the box")
    twos: int = number(0, 28, "coins of value 2 in the box")
    start_coins: int = number(0, 50, "coins of each player at the start")
    bank: int = number(NO_LIMIT, 200, "coins in the game, or NO_LIMIT")
    wall_rule: int = number(0, 1, "what a wall forbids: LEAVE_FORWARD or ENTER")
    wall_blocks_free_action: int = number(0, 1, "1: walls stop the free action too")
    capacity_in_passing: int = number(0, 1, "1: a figure may not pass two of its own team")
    comp_without_shot: int = number(0, 1, "1: every turn without a goal brings a coin, even without a shot")
    any_card: int = number(0, 1, "1: real cards, of which nobody knows how many of each kind there are")


@declare
class State:
    """A position. Spaces are those of the pitch."""

    phase: int = number(0, OVER, "what happens next")
    turn: int = number(0, TURNS, "number of the turn; 0 before the first")
    first: int = number(0, 1, "the seat that kicks off")
    attacker: int = number(0, 1, "the seat whose turn it is; while dealing, the one that draws")
    where: list[int] = per_seat(0, SPACES - 1, "spaces of figures 1 to 5", seats=2, each=FIGURES)
    ball: int = number(0, SPACES - 1, "where the ball lies")
    goals: list[int] = per_seat(0, TURNS, "goals", seats=2)
    coins: list[int] = per_seat(0, MAX_COINS, "value of the coins held", seats=2)
    hand: list[int] = per_seat(0, 9, "cards in the hand", seats=2, each=CARDS, seen_by=Seen.OWNER)
    held: list[int] = per_seat(0, HAND_LIMIT, "number of cards in the hand", seats=2)
    known: list[int] = per_seat(0, 9, "cards that everybody knows to be in the hand", seats=2, each=CARDS)
    pile: list[int] = per_seat(0, 9, "cards in the draw pile", seats=2, each=CARDS, seen_by=Seen.NOBODY)
    discard: list[int] = per_seat(0, 9, "cards on the discard pile", seats=2, each=CARDS)
    poldi: list[int] = numbers(0, FACE_UP + 1, "where each Poldi card is", length=POLDIS)
    played: int = number(0, HAND_LIMIT, "cards played or discarded in this turn")
    bought: int = number(0, 1, "1: a Poldi card was bought in this turn")
    shots: int = number(0, 1, "1: there was a shot in this turn")
    shooter: int = number(0, FIGURES, "figure of the last shot of this turn, 1 to 5; 0: none yet")
    shot_value: int = number(0, KEEPER_DEFENCE + CAPACITY, "value of the last shot of this turn; 0: none yet")
    colour: int = number(0, COLOURS, "colour of the goal kick, from 1; 0: none")
