"""What no longer matters in the last turn of Dribbel-Fieber, in plain functions of the compiled subset.

Only whether the side that moves still scores counts then. `last_turn` brings a position into a form that all with the
same prospects share: nothing of what is left out can change the chance of a goal any more.
"""

from typing import Any, Final

from bolzplatz.games.dribbel_fieber.moves import has_ball, in_opposing_half, volleys_ready
from bolzplatz.games.dribbel_fieber.pitch import turned
from bolzplatz.games.dribbel_fieber.state import (
    BOUNCE,
    BUY,
    CARDS,
    DRAW,
    FACE_UP,
    FIGURES,
    GOAL_KICK,
    KEEPER,
    KINDS,
    OFFER,
    ON_OFFER,
    OUT_OF_GAME,
    OVER,
    PLAY,
    POLDIS,
    ROLL,
    SHOT,
    TURNS,
    VOLLEY,
)

MOST_OF_A_KIND: Final = 9
"""Cards of one kind that a position can hold in one place."""


def last_turn(s: Any, o: Any) -> None:
    """Bring a position of the last turn into the form that stands for all equal ones; leave others as they are."""
    if s.turn < TURNS:
        return
    if s.phase == PLAY and s.held[s.attacker] == 0:
        s.phase = BUY
    if s.phase == OFFER or (s.phase == DRAW and volleys_to_come(s, o) == 0):
        s.phase = SHOT
    before_shot = s.phase == BUY or s.phase == DRAW or s.phase == SHOT
    if s.phase >= GOAL_KICK or (before_shot and not may_shoot(s)):
        forget_all(s, o)
    elif s.phase > PLAY or s.phase == DRAW:
        forget_figures(s, o)
        forget_cards(s, o)


def may_shoot(s: Any) -> bool:
    """Say whether the side that moves can shoot from where the ball lies."""
    return has_ball(s, s.attacker) and in_opposing_half(s, s.attacker)


def volleys_to_come(s: Any, o: Any) -> int:
    """Count the volleys that the side that moves could still draw."""
    count = 0
    for card in range(CARDS):
        if o.action[card] == VOLLEY:
            count += s.pile[s.attacker * CARDS + card] + s.discard[s.attacker * CARDS + card]
    return count


def forget_all(s: Any, o: Any) -> None:
    """Leave nothing but the goals: there will be no more of them."""
    s.phase = OVER
    s.attacker = 0
    s.ball = 0
    s.coins[0] = 0
    s.coins[1] = 0
    for i in range(o.seats * FIGURES):
        s.where[i] = 0
    forget_hand(s)
    forget_piles(s)
    forget_shot(s)
    for card in range(POLDIS):
        s.poldi[card] = OUT_OF_GAME


def forget_hand(s: Any) -> None:
    """Leave nothing of what the hands hold and of what was done with them."""
    for i in range(len(s.hand)):
        s.hand[i] = 0
        s.known[i] = 0
    s.held[0] = 0
    s.held[1] = 0
    s.played = 0
    s.bought = 0


def forget_piles(s: Any) -> None:
    """Leave nothing of the piles."""
    for i in range(len(s.pile)):
        s.pile[i] = 0
        s.discard[i] = 0


def forget_shot(s: Any) -> None:
    """Leave nothing of the last shot."""
    s.shots = 0
    s.shooter = 0
    s.shot_value = 0
    s.colour = 0


def forget_figures(s: Any, o: Any) -> None:
    """Put aside all figures that neither shoot nor defend, here or where the ball may fall in the penalty area.

    They stand before the goal of the side that moves, as does the ball where it is about to be moved.
    """
    seat = s.attacker
    aside = turned(seat, o.goal)
    if s.phase == ROLL or s.phase == BOUNCE:
        s.ball = aside
    for team in range(o.seats):
        for figure in range(FIGURES):
            at = team * FIGURES + figure
            space = s.where[at]
            guards = team != seat and figure == KEEPER and space == turned(team, o.goal)
            if space != s.ball and o.area[turned(1 - seat, space)] == 0 and not guards:
                s.where[at] = aside


def forget_cards(s: Any, o: Any) -> None:
    """Leave of cards and coins what the shot needs: volleys, and before it what may still bring one.

    A blue Poldi card brings none: there is one card less to draw then. So coins count for volleys on offer alone.
    """
    seat = s.attacker
    ready = volleys_ready(s, seat)
    if s.phase != ROLL:
        forget_shot(s)
    s.shots = 0
    s.shooter = 0
    held = s.held[seat]
    forget_hand(s)
    if s.phase == BUY:
        s.coins[seat] = dearest_volley(s, o, seat)
    else:
        s.coins[seat] = 0
        for card in range(POLDIS):
            s.poldi[card] = FACE_UP + seat if card < ready else OUT_OF_GAME
    s.coins[1 - seat] = 0
    if s.phase > BUY or volleys_to_come(s, o) == 0:
        forget_piles(s)
    else:
        s.held[seat] = held
        gather(s.pile, o, seat)
        gather(s.discard, o, seat)


def dearest_volley(s: Any, o: Any, seat: int) -> int:
    """Return the highest price of a volley on offer that the seat can pay, 0 without one."""
    price = 0
    for card in range(POLDIS):
        payable = s.poldi[card] == ON_OFFER and o.poldi_price[card] <= s.coins[seat]
        if payable and o.action[KINDS + card] == VOLLEY and o.poldi_price[card] > price:
            price = o.poldi_price[card]
    return price


def gather(cards: Any, o: Any, seat: int) -> None:
    """Let all cards of a pile that are no volleys count as action cards: which they are no longer matters."""
    count = 0
    for card in range(CARDS):
        if o.action[card] != VOLLEY:
            count += cards[seat * CARDS + card]
            cards[seat * CARDS + card] = 0
    for kind in range(KINDS):
        part = count if count < MOST_OF_A_KIND else MOST_OF_A_KIND
        cards[seat * CARDS + kind] = part
        count -= part
