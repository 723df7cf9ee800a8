"""How a match of Dribbel-Fieber goes on: what each decision and each throw, card or coin brings about.

All functions belong to the compiled subset (`core.spec`); paragraphs are those of docs/rules/dribbel-fieber.*.md.
"""

from typing import Any

from bolzplatz.core.events import emit
from bolzplatz.core.fast import below
from bolzplatz.core.forms import dice, hidden, weighted
from bolzplatz.core.nodes import CHANCE, NOBODY, TERMINAL
from bolzplatz.games.dribbel_fieber.codes import (
    BUY_AT,
    CHASE_AT,
    DECLINED,
    DISCARD_AT,
    DONE,
    E_BOUNCE,
    E_BUYS,
    E_CHASE,
    E_COIN,
    E_COLOUR,
    E_COMPENSATION,
    E_CROSS,
    E_DIE,
    E_DISCARD,
    E_DONE,
    E_DRAWS,
    E_DREW,
    E_DRIBBLE,
    E_FREE,
    E_GOAL,
    E_GOAL_KICK,
    E_HOME,
    E_KICK_OFF,
    E_LANDS,
    E_MISSED,
    E_NO_BUY,
    E_NO_SHOT,
    E_OFFER,
    E_PASS,
    E_PLAYS,
    E_PLAYS_POLDI,
    E_PRESS,
    E_REMOVED,
    E_RESHUFFLE,
    E_RUN,
    E_SHOOTS,
    E_SHOOTS_AGAIN,
    E_STAY,
    E_TIE,
    E_TURN,
    E_VALUE,
    E_VOLLEY_DRAWN,
    E_VOLLEYS,
    E_WON,
    FREE_AT,
    KICK_AT,
    MOVE_AT,
    NO_BALL,
    NO_BUY,
    NO_SHOT,
    OWN_HALF,
    PLACES,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.moves import (
    NO_SEAT,
    attack_value,
    decider,
    defence_value,
    has_ball,
    in_opposing_half,
    shot_value,
)
from bolzplatz.games.dribbel_fieber.pitch import SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    BLUE,
    BOUNCE,
    BUY,
    CARDS,
    CHASE,
    COIN,
    CROSS,
    DIE_FACES,
    DISCARD_COINS,
    DRAW,
    DRIBBLING,
    FACE_UP,
    FIGURES,
    FREE,
    GOAL_KICK,
    HAND_LIMIT,
    IN_STOCK,
    KICK,
    KINDS,
    NO_LIMIT,
    OFFER,
    OFFER_SIZE,
    ON_OFFER,
    OUT_OF_GAME,
    OVER,
    OWNED,
    PLAY,
    POLDIS,
    PRESSING,
    RED,
    ROLL,
    RUNNING,
    SHORT_PASS,
    SHOT,
    TURNS,
    VOLLEY,
    Setup,
    State,
)

# --- whose turn, and what may come up ---------------------------------------------------------------------------


def player_to_act(s: State, o: Setup) -> int:
    """The attacker decides, after a missed shot the defender; the rest is coin, cards and dice (dribbel-fieber §1)."""
    seat = decider(s)
    if seat != NO_SEAT:
        return seat
    return TERMINAL if s.phase == OVER else CHANCE


def roller(s: State, o: Setup) -> int:
    """The attacker throws the attack die, the defender the goalkeeper die (dribbel-fieber §6, §7)."""
    if s.phase == ROLL:
        return s.attacker
    return 1 - s.attacker if s.phase == BOUNCE or s.phase == GOAL_KICK else NOBODY


def drawer(s: State, o: Setup) -> int:
    """Whose turn it is draws, also while the hands are dealt (dribbel-fieber §1, §5)."""
    return s.attacker


def chance_count(s: State, o: Setup) -> int:
    """Two sides of the coin, a card of a pile, a Poldi card, or six faces of a die (dribbel-fieber §1, §5 to §7)."""
    if s.phase == COIN:
        return 2
    if s.phase == DRAW:
        return CARDS
    return POLDIS if s.phase == OFFER else DIE_FACES


def chance_weight(s: State, o: Setup, outcome: int) -> int:
    """Every card of a pile is as likely as every other, and so is every face (dribbel-fieber §10).

    Of real cards that nobody has counted every kind may come as long as action cards are left.
    """
    if s.phase == DRAW:
        if o.any_card == 1 and outcome < KINDS:
            return 1 if action_cards_left(s, s.attacker) > 0 else 0
        return s.pile[s.attacker * CARDS + outcome]
    if s.phase == OFFER:
        return 1 if s.poldi[outcome] == IN_STOCK else 0
    return 1


def action_cards_left(s: State, seat: int) -> int:
    """Count the action cards in a draw pile (dribbel-fieber §10)."""
    left = 0
    for card in range(KINDS):
        left += s.pile[seat * CARDS + card]
    return left


def chance_form(s: State, o: Setup) -> int:
    """A coin, a card that only its owner sees, an open card, or a die (dribbel-fieber §1)."""
    if s.phase == DRAW:
        return hidden()
    if s.phase == OFFER:
        return weighted()
    return dice(1, 2 if s.phase == COIN else DIE_FACES)


def outcome_of(s: State, o: Setup, drawn: Any) -> int:
    """Faces are outcomes (dribbel-fieber §1)."""
    face: int = drawn[0]
    return face


# --- setting up -------------------------------------------------------------------------------------------------


def set_up(s: State, o: Setup) -> None:
    """Lay everything out: figures, coins, both draw piles, the stock of Poldi cards (dribbel-fieber §1)."""
    s.phase = COIN
    for seat in range(2):
        s.coins[seat] = o.start_coins
        for card in range(KINDS):
            s.pile[seat * CARDS + card] = o.count[card]
    send_home(s, o)
    s.ball = turned(RED, o.kick_off)


def send_home(s: State, o: Setup) -> None:
    """Put all ten figures on their start spaces (dribbel-fieber §1, §7)."""
    for seat in range(2):
        for figure in range(FIGURES):
            s.where[seat * FIGURES + figure] = turned(seat, o.start[figure])


def apply(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out a decision or what came up (dribbel-fieber §1 to §9)."""
    phase = s.phase
    if phase == PLAY:
        play_card(s, o, action, log)
    elif phase == CHASE:
        chase(s, action, log)
    elif phase == FREE:
        act_freely(s, action, log)
    elif phase == DRAW:
        draw_card(s, o, action, log)
    elif phase == BUY:
        buy(s, o, action, log)
    elif phase == OFFER:
        lay_on_offer(s, o, action, log)
    elif phase == SHOT:
        shoot(s, o, action, log)
    elif phase == ROLL:
        roll_attack_die(s, o, action, log)
    elif phase == BOUNCE:
        bounce(s, o, action, log)
    elif phase == GOAL_KICK:
        s.colour = action + 1
        s.phase = KICK
        emit(log, E_COLOUR, 1 - s.attacker, o.colour_word[action], 0, 0)
    elif phase == KICK:
        s.ball = action - KICK_AT
        s.colour = 0
        emit(log, E_GOAL_KICK, 1 - s.attacker, s.ball, 0, 0)
        end_without_goal(s, o, log)
    else:
        toss_coin(s, o, action, log)


def toss_coin(s: State, o: Setup, side: int, log: Any) -> None:
    """Let the coin say who kicks off, then deal, to red first (dribbel-fieber §1)."""
    s.first = side
    s.ball = turned(side, o.kick_off)
    emit(log, E_COIN, side, side, 0, 0)
    s.attacker = RED
    emit(log, E_DRAWS, RED, HAND_LIMIT, 0, 0)
    s.phase = DRAW


def start_turn(s: State, log: Any) -> None:
    """Begin the attacker's turn: a free action with the ball, a chase without it (dribbel-fieber §3)."""
    s.turn += 1
    s.played = 0
    s.bought = 0
    s.shots = 0
    s.shooter = 0
    s.shot_value = 0
    emit(log, E_TURN, s.attacker, (s.turn + 1) // 2, s.turn, 0)
    s.phase = FREE if has_ball(s, s.attacker) else CHASE


# --- phase 1: chase or free action ------------------------------------------------------------------------------


def chase(s: State, action: int, log: Any) -> None:
    """Move a nearest figure onto the ball's space (dribbel-fieber §3)."""
    at = s.attacker * FIGURES + action - CHASE_AT
    emit(log, E_CHASE, s.attacker, action - CHASE_AT, s.where[at], s.ball)
    s.where[at] = s.ball
    s.phase = PLAY


def act_freely(s: State, action: int, log: Any) -> None:
    """Move a figure by the free action, or stay (dribbel-fieber §3)."""
    if action == STAY:
        emit(log, E_STAY, s.attacker, 0, 0, 0)
    else:
        place = action - FREE_AT
        at = s.attacker * FIGURES + place // SPACES
        emit(log, E_FREE, s.attacker, place // SPACES, s.where[at], place % SPACES)
        s.where[at] = place % SPACES
    s.phase = PLAY


# --- phase 2: cards ---------------------------------------------------------------------------------------------


def card_name(o: Setup, card: int) -> int:
    """Return how events name a card: its kind, or the number on a Poldi card (dribbel-fieber §8)."""
    return card if card < KINDS else o.poldi_number[card - KINDS]


def put_away(s: State, card: int) -> None:
    """Lay a card from the attacker's hand on the discard pile, open for all (dribbel-fieber §4, §10)."""
    at = s.attacker * CARDS + card
    s.hand[at] -= 1
    s.held[s.attacker] -= 1
    s.discard[at] += 1
    if s.known[at] > 0:
        s.known[at] -= 1
    s.played += 1


def play_card(s: State, o: Setup, action: int, log: Any) -> None:
    """Play a card, discard one for coins, or be done with cards (dribbel-fieber §4)."""
    seat = s.attacker
    if action == DONE:
        emit(log, E_DONE, seat, s.played, 0, 0)
        s.phase = BUY
    elif action >= DISCARD_AT:
        card = action - DISCARD_AT
        put_away(s, card)
        emit(log, E_DISCARD, seat, card_name(o, card), pay_out(s, o, seat, DISCARD_COINS), 0)
    else:
        card = (action - MOVE_AT) // PLACES
        put_away(s, card)
        if card < KINDS:
            emit(log, E_PLAYS, seat, card, 0, 0)
        else:
            emit(log, E_PLAYS_POLDI, seat, o.poldi_number[card - KINDS], o.action[card], 0)
        carry_out(s, o.action[card], (action - MOVE_AT) % PLACES, log)


def carry_out(s: State, action: int, place: int, log: Any) -> None:
    """Move figure or ball as a card says (dribbel-fieber §4)."""
    seat = s.attacker
    figure = place // SPACES
    space = place % SPACES
    if SHORT_PASS <= action <= CROSS:
        emit(log, E_PASS if action == SHORT_PASS else E_CROSS, seat, s.ball, space, 0)
        s.ball = space
    elif action == PRESSING:
        at = (1 - seat) * FIGURES + figure
        emit(log, E_PRESS, seat, figure, s.where[at], space)
        s.where[at] = space
    else:
        at = seat * FIGURES + figure
        emit(log, E_RUN if action == RUNNING else E_DRIBBLE, seat, figure, s.where[at], space)
        s.where[at] = space
        if action == DRIBBLING:
            s.ball = space


def pay_out(s: State, o: Setup, seat: int, coins: int) -> int:
    """Pay coins from the supply, as far as they go; return how many (dribbel-fieber §4, §12)."""
    if o.bank != NO_LIMIT:
        left = o.bank - s.coins[0] - s.coins[1]
        if coins > left:
            coins = left
    s.coins[seat] += coins
    return coins


# --- phase 3: buying and drawing --------------------------------------------------------------------------------


def buy(s: State, o: Setup, action: int, log: Any) -> None:
    """Buy a Poldi card or none, then fill the hand (dribbel-fieber §5, §8)."""
    seat = s.attacker
    if action == NO_BUY:
        emit(log, E_NO_BUY, seat, 0, 0, 0)
    else:
        card = action - BUY_AT
        yellow = o.action[KINDS + card] == VOLLEY
        emit(log, E_BUYS, seat, o.poldi_number[card], o.poldi_price[card], 1 if yellow else 0)
        s.coins[seat] -= o.poldi_price[card]
        s.bought = 1
        if yellow:
            s.poldi[card] = FACE_UP + seat
        else:
            at = seat * CARDS + KINDS + card
            s.poldi[card] = OWNED + seat
            s.hand[at] += 1
            s.known[at] += 1
            s.held[seat] += 1
    if s.held[seat] < HAND_LIMIT:
        emit(log, E_DRAWS, seat, HAND_LIMIT - s.held[seat], 0, 0)
    go_on_drawing(s, o, log)


def go_on_drawing(s: State, o: Setup, log: Any) -> None:
    """Draw as long as the hand is not full; then see to the offer (dribbel-fieber §5)."""
    if s.held[s.attacker] < HAND_LIMIT and restock(s, o, s.attacker, log):
        s.phase = DRAW
    elif s.turn > 0:
        renew_offer(s, o, log)
    elif s.attacker == RED:
        s.attacker = BLUE
        emit(log, E_DRAWS, BLUE, HAND_LIMIT, 0, 0)
    else:
        s.phase = OFFER


def restock(s: State, o: Setup, seat: int, log: Any) -> bool:
    """Shuffle the discard pile where the draw pile has run out; say whether there is a card to draw (§5, §10).

    What is not on the discard pile then must be in the hand, and everybody can work that out; but not of real cards of
    which nobody knows how many there are (§12).
    """
    drawable = 0
    discarded = 0
    for i in range(seat * CARDS, (seat + 1) * CARDS):
        drawable += s.pile[i]
        discarded += s.discard[i]
    if drawable > 0 or discarded == 0:
        return drawable > 0
    for i in range(seat * CARDS, (seat + 1) * CARDS):
        s.pile[i] = s.discard[i]
        s.discard[i] = 0
        if o.any_card == 0:
            s.known[i] = s.hand[i]
    emit(log, E_RESHUFFLE, seat, discarded, 0, 0)
    return True


def draw_card(s: State, o: Setup, card: int, log: Any) -> None:
    """Take a card from the pile into the hand; a volley is laid face up instead (dribbel-fieber §5, §8)."""
    seat = s.attacker
    at = seat * CARDS + card
    take_from_pile(s, seat, card)
    if o.action[card] == VOLLEY:
        s.poldi[card - KINDS] = FACE_UP + seat
        emit(log, E_VOLLEY_DRAWN, seat, card_name(o, card), 0, 0)
    else:
        s.hand[at] += 1
        s.held[seat] += 1
        emit(log, E_DREW, seat, card_name(o, card), 0, 0)
    go_on_drawing(s, o, log)


def take_from_pile(s: State, seat: int, card: int) -> None:
    """Take a card from a draw pile; of uncounted cards there was one more then, and one fewer of another kind (§12)."""
    at = seat * CARDS + card
    if s.pile[at] == 0:
        at = seat * CARDS
        while s.pile[at] == 0:
            at += 1
    s.pile[at] -= 1


def renew_offer(s: State, o: Setup, log: Any) -> None:
    """Take the highest card out of the game unless one was bought, and fill the offer up (dribbel-fieber §5)."""
    stock = 0
    highest = -1
    for card in range(POLDIS):
        if s.poldi[card] == IN_STOCK:
            stock += 1
        elif s.poldi[card] == ON_OFFER:
            highest = card
    if s.bought == 0 and highest >= 0:
        s.poldi[highest] = OUT_OF_GAME
        emit(log, E_REMOVED, NOBODY, o.poldi_number[highest], 0, 0)
    s.phase = OFFER if stock > 0 else SHOT


def lay_on_offer(s: State, o: Setup, card: int, log: Any) -> None:
    """Turn a Poldi card over; before the first turn three of them, then the kick-off (dribbel-fieber §1, §5)."""
    s.poldi[card] = ON_OFFER
    emit(log, E_OFFER, NOBODY, o.poldi_number[card], o.poldi_price[card], 0)
    if s.turn > 0:
        s.phase = SHOT
        return
    offered = 0
    for other in range(POLDIS):
        if s.poldi[other] == ON_OFFER:
            offered += 1
    if offered == OFFER_SIZE:
        s.attacker = s.first
        kick_off(s, o, log)
        start_turn(s, log)


def kick_off(s: State, o: Setup, log: Any) -> None:
    """Put the ball before the attacker's two figures beside the halfway line (dribbel-fieber §1, §7)."""
    s.ball = turned(s.attacker, o.kick_off)
    emit(log, E_KICK_OFF, s.attacker, s.ball, 0, 0)


# --- phase 4: the shot ------------------------------------------------------------------------------------------


def shoot(s: State, o: Setup, action: int, log: Any) -> None:
    """Shoot with a figure and so many volleys, or do not shoot (dribbel-fieber §6, §8)."""
    seat = s.attacker
    if action == NO_SHOT:
        why = NO_BALL
        if has_ball(s, seat):
            why = DECLINED if in_opposing_half(s, seat) else OWN_HALF
        emit(log, E_NO_SHOT, seat, why, 0, 0)
        end_without_goal(s, o, log)
        return
    figure = (action - SHOOT_AT) // VOLLEYS
    volleys = (action - SHOOT_AT) % VOLLEYS
    s.shots = 1
    s.shooter = figure + 1
    s.shot_value = shot_value(s, o, seat, figure, volleys)
    emit(log, E_SHOOTS, seat, figure, s.ball, 0)
    if volleys > 0:
        emit(log, E_VOLLEYS, seat, volleys, 0, 0)
        spend_volleys(s, seat, volleys)
    emit(log, E_VALUE, seat, attack_value(s, o, seat, figure, volleys), defence_value(s, o, seat), s.shot_value)
    s.phase = ROLL


def spend_volleys(s: State, seat: int, volleys: int) -> None:
    """Lay volleys, those with the lowest numbers, on the discard pile (dribbel-fieber §8)."""
    left = volleys
    for card in range(POLDIS):
        if left > 0 and s.poldi[card] == FACE_UP + seat:
            s.poldi[card] = OWNED + seat
            s.discard[seat * CARDS + KINDS + card] += 1
            left -= 1


def roll_attack_die(s: State, o: Setup, face: int, log: Any) -> None:
    """Compare the attack die with the shot value: goal, bounce-back or goal kick (dribbel-fieber §6, §7)."""
    seat = s.attacker
    emit(log, E_DIE, seat, face + 1, s.shot_value, 0)
    if face + 1 > s.shot_value:
        s.goals[seat] += 1
        emit(log, E_GOAL, seat, s.goals[seat], s.goals[1 - seat], 0)
        pass_turn(s, o, 1, log)
    elif face + 1 == s.shot_value:
        emit(log, E_BOUNCE, seat, 0, 0, 0)
        s.phase = BOUNCE
    else:
        emit(log, E_MISSED, seat, 0, 0, 0)
        s.phase = GOAL_KICK


def bounce(s: State, o: Setup, colour: int, log: Any) -> None:
    """Let the ball fall on the space of the colour in the defender's area; who stands there shoots again (§7)."""
    seat = s.attacker
    for space in range(SPACES):
        if o.colour[space] == colour + 1 and o.area[turned(1 - seat, space)] == 1:
            s.ball = space
    emit(log, E_COLOUR, 1 - seat, o.colour_word[colour], 0, 0)
    emit(log, E_LANDS, NOBODY, s.ball, 0, 0)
    if has_ball(s, seat):
        emit(log, E_SHOOTS_AGAIN, seat, 0, 0, 0)
        s.phase = SHOT
    else:
        end_without_goal(s, o, log)


def end_without_goal(s: State, o: Setup, log: Any) -> None:
    """Comfort the attacker with a coin if there was a shot, and change sides (dribbel-fieber §7, §12)."""
    if s.shots == 1 or o.comp_without_shot == 1:
        coins = pay_out(s, o, s.attacker, 1)
        if coins > 0:
            emit(log, E_COMPENSATION, s.attacker, coins, 0, 0)
    pass_turn(s, o, 0, log)


def pass_turn(s: State, o: Setup, scored: int, log: Any) -> None:
    """Hand the turn to the other side, after a goal with a kick-off, or end the match after twelve turns (§7, §9)."""
    if s.turn == TURNS:
        s.phase = OVER
        seat = leader(s)
        if seat == NO_SEAT:
            emit(log, E_TIE, NOBODY, s.goals[0], 0, 0)
        else:
            emit(log, E_WON, seat, s.goals[seat], s.goals[1 - seat], 0)
        return
    s.attacker = 1 - s.attacker
    if scored == 1:
        send_home(s, o)
        emit(log, E_HOME, NOBODY, 0, 0, 0)
        kick_off(s, o, log)
    start_turn(s, log)


# --- results and hidden things ----------------------------------------------------------------------------------


def leader(s: State) -> int:
    """Return the seat with more goals, NO_SEAT where both have the same (dribbel-fieber §9)."""
    if s.goals[0] == s.goals[1]:
        return NO_SEAT
    return RED if s.goals[0] > s.goals[1] else BLUE


def winners(s: State, o: Setup, out: Any) -> None:
    """Mark the seat with more goals when all is over; a tie stands (dribbel-fieber §9)."""
    seat = leader(s) if s.phase == OVER else NO_SEAT
    for i in range(o.seats):
        out[i] = 1 if i == seat else 0


def scores(s: State, o: Setup, out: Any) -> None:
    """Goals (dribbel-fieber §9)."""
    for seat in range(o.seats):
        out[seat] = s.goals[seat]


def hide(s: State, o: Setup, seat: int) -> None:
    """Blank what a seat may not see: both draw piles and the other hand (dribbel-fieber §10)."""
    for i in range(o.seats * CARDS):
        s.pile[i] = 0
        if i // CARDS != seat:
            s.hand[i] = 0


def resample(s: State, o: Setup, seat: int, rng: Any) -> None:
    """Fill what `hide` blanked with one of the deals that the seat must think possible, all equally likely (§10).

    Of the cards that are not on the discard pile each player's hand holds the known ones, and of the others any that
    can be in a hand: a volley is laid open as soon as it is drawn.
    """
    for owner in range(o.seats):
        base = owner * CARDS
        unknown = s.held[owner]
        surplus = 0
        for card in range(CARDS):
            at = base + card
            if owner != seat:
                s.hand[at] = s.known[at]
            unknown -= s.hand[at]
            owned = o.count[card] if card < KINDS else 0
            if card >= KINDS and s.poldi[card - KINDS] == OWNED + owner:
                owned = 1
            left = owned - s.discard[at] - s.hand[at]
            # Of uncounted real cards more may have come up than the edition has: others are fewer then (§12).
            s.pile[at] = left if left > 0 else 0
            surplus += s.pile[at] - left
        candidates = 0
        for card in range(CARDS):
            at = base + card
            while surplus > 0 and card < KINDS and s.pile[at] > 0:
                s.pile[at] -= 1
                surplus -= 1
            if o.action[card] != VOLLEY:
                candidates += s.pile[at]
        while unknown > 0:
            rest = below(rng, candidates)
            at = base
            while o.action[at - base] == VOLLEY or rest >= s.pile[at]:
                if o.action[at - base] != VOLLEY:
                    rest -= s.pile[at]
                at += 1
            s.hand[at] += 1
            s.pile[at] -= 1
            candidates -= 1
            unknown -= 1
