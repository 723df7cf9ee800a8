"""The numbers that rules, notation and texts of Dribbel-Fieber share: action ids, kinds of events, refusals."""

from typing import Final

from bolzplatz.games.dribbel_fieber.pitch import SPACES
from bolzplatz.games.dribbel_fieber.state import CARDS, FIGURES, POLDIS

# Action ids. Where a figure and a space are named, the id is the block's first plus figure * SPACES + space.
PLACES: Final = FIGURES * SPACES
CHASE_AT: Final = 0
FREE_AT: Final = CHASE_AT + FIGURES
STAY: Final = FREE_AT + PLACES
MOVE_AT: Final = STAY + 1
"""+ card * PLACES + figure * SPACES + space; a pass has figure 0."""
DISCARD_AT: Final = MOVE_AT + CARDS * PLACES
DONE: Final = DISCARD_AT + CARDS
BUY_AT: Final = DONE + 1
NO_BUY: Final = BUY_AT + POLDIS
SHOOT_AT: Final = NO_BUY + 1
VOLLEYS: Final = POLDIS + 1
"""+ figure * VOLLEYS + number of volleys."""
NO_SHOT: Final = SHOOT_AT + FIGURES * VOLLEYS
KICK_AT: Final = NO_SHOT + 1
NUM_ACTIONS: Final = KICK_AT + SPACES

# Kinds of events: their places in `words.EVENTS`.
E_COIN: Final = 0
E_DRAWS: Final = 1
E_DREW: Final = 2
E_VOLLEY_DRAWN: Final = 3
E_RESHUFFLE: Final = 4
E_OFFER: Final = 5
E_KICK_OFF: Final = 6
E_TURN: Final = 7
E_CHASE: Final = 8
E_FREE: Final = 9
E_STAY: Final = 10
E_PLAYS: Final = 11
E_RUN: Final = 12
E_DRIBBLE: Final = 13
E_PASS: Final = 14
E_CROSS: Final = 15
E_PRESS: Final = 16
E_DISCARD: Final = 17
E_DONE: Final = 18
E_BUYS: Final = 19
E_NO_BUY: Final = 20
E_REMOVED: Final = 21
E_NO_SHOT: Final = 22
E_SHOOTS: Final = 23
E_VOLLEYS: Final = 24
E_VALUE: Final = 25
E_DIE: Final = 26
E_GOAL: Final = 27
E_BOUNCE: Final = 28
E_LANDS: Final = 29
E_SHOOTS_AGAIN: Final = 30
E_MISSED: Final = 31
E_COLOUR: Final = 32
E_GOAL_KICK: Final = 33
E_COMPENSATION: Final = 34
E_HOME: Final = 35
E_WON: Final = 36
E_TIE: Final = 37
E_PLAYS_POLDI: Final = 38

# Why there was no shot.
NO_BALL: Final = 0
OWN_HALF: Final = 1
DECLINED: Final = 2

# Reasons to refuse: their places in `words.REFUSALS`.
R_LEGAL: Final = 0
R_OVER: Final = 1
R_NOT_YOURS: Final = 2
R_COIN_FIRST: Final = 3
R_DRAW_FIRST: Final = 4
R_OFFER_FIRST: Final = 5
R_DIE_FIRST: Final = 6
R_COLOUR_FIRST: Final = 7
R_CHASE_NOW: Final = 8
R_FREE_NOW: Final = 9
R_PLAY_NOW: Final = 10
R_BUY_NOW: Final = 11
R_SHOT_NOW: Final = 12
R_KICK_NOW: Final = 13
R_NOT_NEAREST: Final = 14
R_FREE_NO_ARROW: Final = 15
R_NO_ARROW: Final = 16
R_WALL: Final = 17
R_FULL: Final = 18
R_FULL_PASSING: Final = 19
R_NOT_IN_HAND: Final = 20
R_WITHOUT_BALL: Final = 21
R_NO_POSSESSION: Final = 22
R_NOT_SHARED: Final = 23
R_PLAY_ONE: Final = 24
R_NOT_ON_OFFER: Final = 25
R_TOO_DEAR: Final = 26
R_SHOT_NO_BALL: Final = 27
R_OWN_HALF: Final = 28
R_NOT_AT_BALL: Final = 29
R_NO_VOLLEYS: Final = 30
R_MUST_SHOOT: Final = 31
R_NOT_COLOUR: Final = 32
R_NOT_OWN_HALF: Final = 33
R_NO_SUCH_MOVE: Final = 34
